"""The cases of ingest, one test a case, named by its id."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import numpy as np
import pytest
from pgvector import HalfVector

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import (
    TENANT,
    current_texts,
    dump,
    fetch,
    fetch_value,
    ingest,
    ingest_one,
    opened,
    paragraphs,
    request,
    search,
    states,
)
from verifier.errors import InputError, WrongEmbeddingSpace
from verifier.ingest.files import read_path
from verifier.ingest.pipeline import ingest_documents
from verifier.ingest.requests import Outcome
from verifier.service import open_verifier
from verifier.settings import load_settings
from verifier.store.chunks import find_chunks, locate_chunk
from verifier.store.pool import tenant_transaction
from verifier.store.publication import withdraw

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Database


def lines(count: int, of: str = "Rule") -> list[str]:
    return [f"{of} number {number} alone" for number in range(count)]


async def test_b444_a_shorter_version_leaves_no_tail(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        old = [*lines(9), "Zanzibar voucher expires"]
        first = await ingest_one(pool, "d", paragraphs(*old))
        second = await ingest_one(pool, "d", paragraphs(*lines(4)))
        texts = await current_texts(pool, "d")
        assert (first.chunks, second.chunks, len(texts)) == (10, 4, 4)
        assert not any("Zanzibar" in text for text in texts)
        hits = await search(pool, "Zanzibar voucher expires")
        assert len(hits) == 4
        assert not any("Zanzibar" in text for _, text in hits)


async def test_b445_the_same_again_writes_nothing(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        text = paragraphs(*lines(6))
        await ingest_one(pool, "d", text)
        before = await dump(fresh_database, physical=True)
        embedder = HashingEmbedder()
        again = await ingest_one(pool, "d", text, embedder=embedder)
        assert again.outcome is Outcome.UNCHANGED
        assert (again.seq, again.chunks, again.embedded) == (1, 6, 0)
        assert embedder.calls == 0
        assert await dump(fresh_database, physical=True) == before


async def test_b447_a_shared_paragraph_outlives_one_of_its_documents(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        shared = "Bring the key back."
        embedder = HashingEmbedder()
        await ingest(pool, request("a", shared), request("b", shared), embedder=embedder)
        assert len(embedder.embedded) == 1
        async with tenant_transaction(pool, TENANT) as conn:
            assert await withdraw(conn, "a", "ada")
        assert [found for found, _ in await search(pool, shared)] == ["b@1#0"]


async def test_b448_many_batches_of_one_source(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        text = paragraphs(*lines(250))
        first = await ingest_one(pool, "d", text)
        before = await dump(fresh_database, physical=True)
        await ingest_one(pool, "d", text)
        assert first.chunks == len(await current_texts(pool, "d")) == 250
        assert await dump(fresh_database, physical=True) == before


async def test_b449_a_changed_label_needs_no_embedding(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "One text.", metadata={"lang": "en"})
        embedder = HashingEmbedder()
        again = await ingest_one(pool, "d", "One text.", metadata={"lang": "fr"}, embedder=embedder)
        assert again.outcome is Outcome.RELABELLED
        assert embedder.calls == 0
        assert await states(pool, "d") == {1: "current"}
        assert await fetch_value(pool, "SELECT metadata ->> 'lang' FROM source") == "fr"


async def test_b451_embedding_again_keeps_the_vector(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "The first text.")
        await ingest_one(pool, "d", "The second text.")
        back = await ingest_one(pool, "d", "The first text.")
        assert (back.seq, back.embedded, back.reused) == (3, 0, 1)
        assert await search(pool, "first text") == [("d@3#0", "The first text.")]


async def test_b452_nothing_is_published_without_every_vector(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", paragraphs(*lines(5, "Old")))
        text = paragraphs(*lines(5, "New"))
        skipping = HashingEmbedder(skips=lambda text: "New number 3" in text)
        failed = await ingest_one(pool, "d", text, embedder=skipping)
        assert failed.outcome is Outcome.FAILED
        assert failed.error is not None
        assert "chunk 3" in failed.error
        assert await states(pool, "d") == {1: "current", 2: "failed"}
        assert all("Old" in text for text in await current_texts(pool, "d"))
        retry = HashingEmbedder()
        mended = await ingest_one(pool, "d", text, embedder=retry)
        assert (mended.outcome, mended.seq, mended.embedded) == (Outcome.NEW, 2, 1)
        assert len(retry.embedded) == 1
        assert await states(pool, "d") == {1: "superseded", 2: "current"}


async def test_b457_a_failed_update_keeps_the_old_version(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "The old text.")
        broken = HashingEmbedder(refuses=lambda _text: True)
        outcome = await ingest_one(pool, "d", "The new text.", embedder=broken)
        assert outcome.outcome is Outcome.FAILED
        assert await states(pool, "d") == {1: "current", 2: "failed"}
        assert await search(pool, "text") == [("d@1#0", "The old text.")]


async def test_b460_a_superseded_chunk_can_be_opened(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", paragraphs(*lines(5, "Old")))
        await ingest_one(pool, "d", paragraphs(*lines(2, "New")))
        async with tenant_transaction(pool, TENANT, read_only=True) as conn:
            chunk = await locate_chunk(conn, "d@1#3")
            assert "Old number 3" in chunk.text
            assert (chunk.state, chunk.current, chunk.current_seq) == ("superseded", False, 2)
            found = await find_chunks(conn, ["d@1#3", "d@2#0", "d@2#3", "e@1#0", "no id"])
        assert set(found) == {"d@1#3", "d@2#0"}


async def test_b462_chunk_ids_are_the_same_in_two_stores(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        ids = []
        for tenant in ("one", "two"):
            await ingest_documents(
                pool, tenant, HashingEmbedder(), [request("d", "Alpha beta gamma.")]
            )
            async with tenant_transaction(pool, tenant, read_only=True) as conn:
                ids.append(set(await find_chunks(conn, ["d@1#0"])))
        assert ids == [{"d@1#0"}, {"d@1#0"}]


async def test_b465_one_name_in_two_folders(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest(
            pool,
            request("north/readme.md", "Snow chains are stored here."),
            request("south/readme.md", "Sunshades are stored here."),
        )
        assert (await search(pool, "snow chains", k=1))[0][0] == "north/readme.md@1#0"
        assert (await search(pool, "sunshades", k=1))[0][0] == "south/readme.md@1#0"


async def test_b466_another_model_embeds_anew(fresh_database: Database) -> None:
    text = "The same text."
    settings = load_settings(None, dsn=fresh_database.app_dsn, tenant=TENANT)
    async with opened(fresh_database) as pool, open_verifier(settings=settings) as verifier:
        await ingest_one(pool, "d", text, embedder=HashingEmbedder(model="a"))
        other = HashingEmbedder(model="b")
        with pytest.raises(WrongEmbeddingSpace, match=r"tests/a@1.*tests/b@1"):
            await ingest_one(pool, "d", "Another text.", embedder=other)
        built = await verifier.spaces.build(other)
        await verifier.spaces.switch(built.space.space_id)
        assert (built.embedded, other.embedded.count(text)) == (1, 1)
        again = await ingest_one(pool, "d", text, embedder=other)
        assert (again.outcome, again.seq) == (Outcome.UNCHANGED, 1)
        assert await search(pool, "same text", embedder=other) == [("d@1#0", text)]
        vector = await fetch_value(pool, f"SELECT vec FROM embedding_{built.space.space_id}")  # noqa: S608
        assert isinstance(vector, HalfVector)
        np.testing.assert_allclose(vector.to_numpy(), await other.embed_query(text), atol=1e-3)
        assert (await ingest_one(pool, "d", "A new text.", embedder=other)).embedded == 1


async def test_b469_one_bad_file_does_not_end_the_run(
    fresh_database: Database, tmp_path: Path
) -> None:
    for n in range(100):
        byte = b"\x00" if n == 17 else b""
        (tmp_path / f"f{n:03}.txt").write_bytes(b"File %d is%s text." % (n, byte))
    async with opened(fresh_database) as pool:
        files = read_path(tmp_path, {})
        summary = await ingest_documents(pool, TENANT, HashingEmbedder(), files)
        assert [failed.key for failed in summary.failed] == ["f017.txt"]
        assert "NUL" in (summary.failed[0].error or "")
        assert summary.counts[Outcome.NEW] == 99
        assert await fetch_value(pool, "SELECT count(*) FROM source") == 99


async def test_b469_a_bad_text_does_not_end_the_run(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        summary = await ingest(pool, request("a", "A.\x00"), request("b", "B."))
        assert [outcome.outcome for outcome in summary.outcomes] == [Outcome.FAILED, Outcome.NEW]
        assert "NUL at character 2" in (summary.failed[0].error or "")


async def test_b471_an_escape_written_out_is_no_nul(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        text = "write \\u0000 to end a string"
        await ingest_one(pool, "d", text, metadata={"hint": text})
        assert await fetch_value(pool, "SELECT text FROM document_version") == text
        assert await fetch_value(pool, "SELECT metadata ->> 'hint' FROM source") == text


async def test_b472_emoji_are_never_cut_in_two(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        text = "\U0001f600" * 300
        outcome = await ingest_one(pool, "d", text)
        assert outcome.outcome is Outcome.NEW
        assert "".join(await current_texts(pool, "d")) == text


SURROGATES = {
    "high": ("ok \ud83d end", "ok \ufffd end"),
    "low": ("ok \ude00 end", "ok \ufffd end"),
    "a pair written apart": ("ok " + "\ud83d" + "\ude00" + " end", "ok \U0001f600 end"),
    "the wrong way round": ("\ude00\ud83d", "\ufffd\ufffd"),
}


@pytest.mark.parametrize("name", SURROGATES)
async def test_b473_a_lone_surrogate_becomes_a_mark(fresh_database: Database, name: str) -> None:
    given, stored = SURROGATES[name]
    async with opened(fresh_database) as pool:
        outcome = await ingest_one(pool, "d", f"text {given}", title=given, metadata={"t": given})
        assert outcome.outcome is Outcome.NEW
        assert await fetch_value(pool, "SELECT text FROM document_version") == f"text {stored}"
        assert await fetch_value(pool, "SELECT title FROM source") == stored
        assert await fetch_value(pool, "SELECT metadata ->> 't' FROM source") == stored


async def test_b477_three_megabytes_of_distinct_words(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        huge = " ".join(f"w{number:07}" for number in range(333_000))
        summary = await ingest(
            pool,
            request("huge", huge),
            request("small", "A small text."),
            embedder=HashingEmbedder(dimension=8),
        )
        assert [outcome.outcome for outcome in summary.outcomes] == [Outcome.NEW, Outcome.NEW]
        async with tenant_transaction(pool, TENANT, read_only=True) as conn:
            last = await locate_chunk(conn, f"huge@1#{summary.outcomes[0].chunks - 1}")
        assert last.text.endswith("w0332999")


async def test_b478_one_huge_word(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        word = "QUJD" * 3_000
        summary = await ingest(pool, request("word", f"Key: {word} ends."), request("b", "Text."))
        assert not summary.failed
        assert word in "".join(await current_texts(pool, "word"))


async def test_b481_a_refused_chunk_costs_one_document(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d6", "Old text.")
        embedder = HashingEmbedder(refuses=lambda text: "d6 number 4" in text)
        summary = await ingest(
            pool,
            *(request(f"d{n}", paragraphs(*lines(6, f"d{n}"))) for n in range(10)),
            embedder=embedder,
        )
        assert summary.counts[Outcome.NEW] == 9
        assert [failed.key for failed in summary.failed] == ["d6"]
        assert await states(pool, "d6") == {1: "current", 2: "failed"}
        assert await current_texts(pool, "d6") == ["Old text."]


async def test_b483_blank_text_is_never_filled(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        outcome = await ingest_one(pool, "d", "   \n\n   \n\nPrice list 2026\n\n   ")
        assert outcome.chunks == 1
        assert await current_texts(pool, "d") == ["Price list 2026"]
        blank = await ingest_one(pool, "e", "  \n\t\n ")
        assert blank.outcome is Outcome.FAILED
        passages = await fetch(pool, "SELECT input FROM passage")
        assert not any("None" in row["input"] for row in passages)


async def test_b486_two_texts_at_once_never_mix(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        for turn in range(5):
            texts = [paragraphs(*lines(8, f"{name}{turn}")) for name in ("Left", "Right")]
            await asyncio.gather(*(ingest_one(pool, "d", text) for text in texts))
            current = await current_texts(pool, "d")
            assert len(current) == 8
            assert len({text.split(" number")[0].split()[-1] for text in current}) == 1
            assert list((await states(pool, "d")).values()).count("current") == 1


async def test_b487_opposite_orders_do_not_deadlock(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        shared = paragraphs(*lines(3, "Shared"))

        async def upsert(turn: int, keys: tuple[str, str]) -> None:
            summary = await ingest(
                pool,
                *(request(key, f"{shared}\n\nTurn {turn} of {keys}.") for key in keys),
            )
            assert not summary.failed

        for turn in range(25):
            await asyncio.gather(upsert(turn, ("d1", "d2")), upsert(turn, ("d2", "d1")))
        for key in ("d1", "d2"):
            assert list((await states(pool, key)).values()).count("current") == 1


async def test_b489_one_key_twice_is_refused_by_name(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        requests = [request("a", "Text 1."), request("a", "Text 2.")]
        with pytest.raises(InputError, match="'a' stands twice"):
            await ingest(pool, *requests)
        assert await fetch_value(pool, "SELECT count(*) FROM source") == 0
        lazily = await ingest_documents(pool, TENANT, HashingEmbedder(), iter(requests))
        assert [outcome.outcome for outcome in lazily.outcomes] == [Outcome.NEW, Outcome.FAILED]
        assert await current_texts(pool, "a") == ["Text 1."]


async def test_b507_a_hostile_key_is_only_a_key(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        key = 'x"; drop table chunks; --'
        await ingest_one(pool, key, "Plain text.")
        assert await search(pool, "plain") == [(f"{key}@1#0", "Plain text.")]
