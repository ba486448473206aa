"""Erasure: nothing of a text is left in any table, and it does not come back unseen."""

from __future__ import annotations

import hashlib
import hmac
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import asyncpg
import pytest

from tests.integration.erasing import OF_ANNA, erase, order, rows_with, service
from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_invariants import find_breaches
from tests.integration.store_reading import (
    TENANT,
    current_texts,
    dump,
    fetch,
    fetch_value,
    ingest_one,
    live_share,
    opened,
    paragraphs,
    request,
    search,
    states,
)
from verifier.core.documents import hash_input
from verifier.errors import InputError, UnknownThing
from verifier.ingest.pipeline import ingest_documents
from verifier.ingest.requests import Actor, IngestRequest, Outcome
from verifier.store.chunks import find_chunks, locate_chunk
from verifier.store.erasure import ErasureOrder
from verifier.store.pool import Pool, tenant_transaction

if TYPE_CHECKING:
    from tests.integration.conftest import Database

PRIVATE = paragraphs(OF_ANNA, "Lamps of other people are no concern of this letter", "It ends here")


async def ingest_allowing(
    pool: Pool, key: str, text: str, actor: Actor = Actor.OPERATOR
) -> Outcome:
    document = request(key, text).document
    asked = IngestRequest(document=document, actor=actor, by="bob", allow_erased=True)
    summary = await ingest_documents(pool, TENANT, HashingEmbedder(), [asked])
    return summary.outcomes[0].outcome


async def test_nothing_of_it_is_left_and_the_proof_holds(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(
            pool,
            "d",
            PRIVATE,
            title=OF_ANNA,
            url="https://example.org/meier",
            metadata={"of": OF_ANNA},
        )
        await ingest_one(pool, "e", paragraphs("Another text altogether"))
        assert set(await rows_with(fresh_database, OF_ANNA)) == {
            "document_version",
            "passage",
            "source",
        }
        done = await erase(fresh_database, "d")
        assert done.proven
        proof = done.proof
        assert (proof.chunk_ids, proof.resolved) == (3, 0)
        assert proof.pieces >= 1
        assert {scan.table for scan in proof.scans} >= {
            "document_version",
            "passage",
            "chunk",
            "source",
            "current_chunk",
            "report",
            "conflict",
            "tombstone",
            "basis_change",
            "review_decision",
        }
        assert [(each.found, each.queries > 0) for each in proof.searches] == [(0, True)] * 3
        assert (proof.texts, proof.refused, proof.also_stands_in) == (1, 1, ())
        for piece in (OF_ANNA, "Lindenweg", "meier", "no concern of this letter", "lindenweg"):
            assert await rows_with(fresh_database, piece) == {}
        assert await states(pool, "d") == {1: "erased"}
        assert await current_texts(pool, "d") == []
        assert [chunk_id for chunk_id, _ in await search(pool, OF_ANNA)] == ["e@1#0"]
        assert await live_share(pool) == (1, 1)
        row = (await fetch(pool, "SELECT title, url, metadata FROM source WHERE key = 'd'"))[0]
        assert tuple(row) == (None, None, "{}")
        assert await fetch_value(pool, "SELECT count(*) FROM publication") == 1


async def test_hashes_confirm_no_guess_without_the_key(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", OF_ANNA)
        await erase(fresh_database, "d")
        digest = hashlib.sha256(OF_ANNA.encode()).digest()
        inputs = hash_input(OF_ANNA)
        for plain in (digest, inputs):
            assert await rows_with(fresh_database, plain.hex()) == {}
        async with tenant_transaction(pool, TENANT) as conn:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await conn.fetch("SELECT inner_pad FROM erasure_key")
        owner = await asyncpg.connect(fresh_database.owner_dsn)
        try:
            await owner.execute("SET search_path = verifier")
            key = await owner.fetchrow("SELECT inner_pad, outer_pad FROM erasure_key")
            stone = await owner.fetchrow("SELECT text_hash FROM tombstone")
            chunk = await owner.fetchrow("SELECT input_hash FROM tombstone_chunk")
            version = await owner.fetchrow("SELECT content_hash FROM document_version")
        finally:
            await owner.close()
        secret = bytes(byte ^ 0x36 for byte in key["inner_pad"])
        assert secret == bytes(byte ^ 0x5C for byte in key["outer_pad"])
        assert (
            stone["text_hash"] == hmac.digest(secret, digest, "sha256") == version["content_hash"]
        )
        assert chunk["input_hash"] == hmac.digest(secret, inputs, "sha256")


async def test_its_ids_say_that_it_was_erased(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", OF_ANNA)
        await erase(fresh_database, "d")
        async with tenant_transaction(pool, TENANT, read_only=True) as conn:
            assert await find_chunks(conn, ["d@1#0"]) == {}
            for chunk_id in ("d@1#0", "d@1#99"):
                with pytest.raises(
                    UnknownThing, match=r"d@1 was erased on .* by ada: a request of 3 May"
                ):
                    await locate_chunk(conn, chunk_id)
            with pytest.raises(UnknownThing, match="there is no chunk 'd@2#0'; chunk ids"):
                await locate_chunk(conn, "d@2#0")
    async with service(fresh_database) as verifier:
        with pytest.raises(InputError, match="was erased"):
            await verifier.sources.diff("d", 1, 1)


COMING_BACK = {
    "to its source": ("d", PRIVATE),
    "to another source": ("other", PRIVATE),
    "with other white space and case": ("other", f"\n{PRIVATE.replace(' ', '  ').upper()}\n\n"),
    "inside a longer text": (
        "other",
        f"{paragraphs('Before it')}\n\n{PRIVATE}\n\n{paragraphs('After it')}",
    ),
}


@pytest.mark.parametrize("how", COMING_BACK)
async def test_it_does_not_come_back_unseen(fresh_database: Database, how: str) -> None:
    key, text = COMING_BACK[how]
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", PRIVATE)
        await erase(fresh_database, "d")
        before = await dump(fresh_database)
        refused = await ingest_one(pool, key, text)
        assert refused.outcome is Outcome.FAILED
        assert "d@1 was erased on" in (refused.error or "")
        assert "--allow-erased" in (refused.error or "")
        after = await dump(fresh_database)
        assert after["document_version"] == before["document_version"]
        assert after["passage"] == before["passage"]
        assert await ingest_allowing(pool, key, text, actor=Actor.AGENT) is Outcome.FAILED
        assert await ingest_allowing(pool, key, text) is Outcome.NEW
        lifted = (await fetch(pool, "SELECT lifted_by, lifted_at FROM tombstone"))[0]
        assert lifted["lifted_by"] == "bob"
        assert lifted["lifted_at"] is not None
        assert (await ingest_one(pool, "third", text)).outcome is Outcome.NEW
        assert (await erase(fresh_database, key)).erasure.tombstones[0].seq >= 1
        assert (await ingest_one(pool, "fourth", text)).outcome is Outcome.FAILED


async def test_a_cleaned_text_may_come(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", PRIVATE)
        await erase(fresh_database, "d")
        cleaned = PRIVATE.split("\n\n", 1)[1]
        assert (await ingest_one(pool, "d", cleaned)).outcome is Outcome.NEW
        assert await states(pool, "d") == {1: "erased", 2: "current"}
        assert await rows_with(fresh_database, OF_ANNA) == {}


async def test_one_version_goes_and_the_others_stay(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        first = paragraphs("The opening hours are long")
        for text in (first, f"{first}\n\n{PRIVATE}", f"{first}\n\n{paragraphs('Cleaned')}"):
            await ingest_one(pool, "d", text, title="Letters")
        done = await erase(fresh_database, "d", seq=2)
        assert done.proven
        assert await states(pool, "d") == {1: "superseded", 2: "erased", 3: "current"}
        assert await rows_with(fresh_database, OF_ANNA) == {}
        assert await fetch_value(pool, "SELECT title FROM source") == "Letters"
        assert len(await current_texts(pool, "d")) == 2
        assert await fetch_value(pool, "SELECT count(*) FROM chunk") == 3
        assert await live_share(pool) == (2, 2)
        bases = await fetch(pool, "SELECT basis, action, reason FROM basis_change ORDER BY basis")
        assert tuple(bases[-1]) == (4, "erase", "a request of 3 May")
        assert (await ingest_one(pool, "d", f"{first}\n\n{PRIVATE}")).outcome is Outcome.FAILED


async def test_what_another_source_says_too_stays_there(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        common = paragraphs(
            "Goods may be returned to every shop of ours in the whole of the country"
        )
        await ingest_one(pool, "d", f"{common}\n\n{paragraphs(OF_ANNA)}")
        await ingest_one(pool, "e", common)
        async with service(fresh_database) as verifier:
            plan = await verifier.sources.plan_erasure(order("d"))
        assert (plan.shared_with, plan.chunks, plan.is_current) == (("e@1",), 2, True)
        done = await erase(fresh_database, "d")
        assert done.proven
        assert done.proof.also_stands_in == ("e@1",)
        assert done.erasure.passages == 1
        assert await current_texts(pool, "e") == [common]
        assert await live_share(pool) == (1, 1)


async def test_a_text_that_stands_elsewhere_as_a_whole_is_said_to(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", OF_ANNA)
        await ingest_one(pool, "e", OF_ANNA)
        done = await erase(fresh_database, "d")
        assert (done.proven, done.proof.pieces, done.proof.also_stands_in) == (True, 0, ("e@1",))
        assert await search(pool, OF_ANNA) == [("e@1#0", OF_ANNA)]
        assert (await ingest_one(pool, "e", OF_ANNA)).outcome is Outcome.UNCHANGED


async def test_another_tenant_keeps_its_equal_text(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", OF_ANNA)
        document = request("d", OF_ANNA)
        await ingest_documents(pool, "other", HashingEmbedder(), [document])
        done = await erase(fresh_database, "d")
        assert done.proven
        assert await rows_with(fresh_database, OF_ANNA) == {"document_version": 1, "passage": 1}
        async with service(fresh_database, "other") as verifier:
            assert [hit.text for hit in (await verifier.semantic_search("lamps")).hits] == [OF_ANNA]
            with pytest.raises(UnknownThing, match="no version 2; its versions are 1 to 1"):
                await verifier.sources.erase(order("d", seq=2))
        again = await ingest_documents(pool, "other", HashingEmbedder(), [request("e", OF_ANNA)])
        assert again.outcomes[0].outcome is Outcome.NEW


async def test_drafts_waiting_and_withdrawn_go_with_the_source(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", f"{OF_ANNA}, it is said.")
        await ingest_one(pool, "d", f"{OF_ANNA}, so they say.", actor=Actor.AGENT)
        assert await states(pool, "d") == {1: "current", 2: "draft"}
        done = await erase(fresh_database, "d")
        assert [stone.seq for stone in done.erasure.tombstones] == [1, 2]
        assert done.proven
        assert await rows_with(fresh_database, OF_ANNA) == {}
        async with service(fresh_database) as verifier:
            change = await verifier.sources.approve("d", by="ada")
        assert change.published_seq is None


async def test_wrong_orders_are_named_and_change_nothing(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", OF_ANNA)
        before = await dump(fresh_database, physical=True)
        for wrong, message in (
            (order("nowhere"), "no source 'nowhere'"),
            (order("d", seq=2), "no version 2"),
            (order("d\x00"), "no source"),
        ):
            async with service(fresh_database) as verifier:
                with pytest.raises(UnknownThing, match=message):
                    await verifier.sources.erase(wrong)
        for by, reason in ((" ", "x"), ("ada", ""), ("a\x00", "x")):
            with pytest.raises(InputError, match="must tell"):
                ErasureOrder(key="d", by=by, reason=reason)
        assert await dump(fresh_database, physical=True) == before
        await erase(fresh_database, "d")
        with pytest.raises(InputError, match="nothing left to erase: d@1 was erased"):
            await erase(fresh_database, "d")
        with pytest.raises(InputError, match="nothing left to erase"):
            await erase(fresh_database, "d", seq=1)


async def test_who_serves_can_change_no_text_and_no_report(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", OF_ANNA)
        await erase(fresh_database, "d")
        for statement in (
            "UPDATE document_version SET text = 'other'",
            "DELETE FROM passage",
            "INSERT INTO tombstone (source_id) VALUES (1)",
            "UPDATE tombstone SET reason = 'none'",
            "DELETE FROM tombstone",
            "SELECT keyed_hash(sha256('x'))",
            "SELECT redact_reports(ARRAY[(SELECT min(tombstone_id) FROM tombstone)], '{}', '{}', '{}', '{}')",
            "SELECT redact_reports('{}', '{}', '{}', '{}', '{}')",
        ):
            async with tenant_transaction(pool, TENANT) as conn:
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await conn.execute(statement)
        async with tenant_transaction(pool, "other") as conn:
            assert await conn.fetch("SELECT * FROM tombstone") == []


async def test_what_is_scheduled_is_erased_and_its_moment_forgotten(
    fresh_database: Database,
) -> None:
    coming = datetime.now(UTC) + timedelta(days=30)
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", paragraphs("The letter of today"))
        await ingest_one(pool, "d", PRIVATE, valid_from=coming)
        assert await fetch_value(pool, "SELECT next_validity FROM tenant") == coming
        assert (await erase(fresh_database, "d", seq=2)).proven
        assert await states(pool, "d") == {1: "current", 2: "erased"}
        assert await rows_with(fresh_database, OF_ANNA) == {}
        assert await find_breaches(pool) == []
        assert (await erase(fresh_database, "d")).proven
        assert await fetch_value(pool, "SELECT next_validity FROM tenant") is None
        assert await find_breaches(pool) == []


async def test_the_version_before_an_erased_schedule_goes_on_answering(
    fresh_database: Database,
) -> None:
    coming = datetime.now(UTC) + timedelta(days=30)
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", paragraphs("The letter of today"))
        await ingest_one(pool, "d", PRIVATE, valid_from=coming)
        assert (await erase(fresh_database, "d", seq=2)).proven
        assert await fetch_value(pool, "SELECT next_validity FROM tenant") is None
        assert await find_breaches(pool) == []
    async with service(fresh_database) as verifier:
        for moment in (None, coming + timedelta(days=1)):
            found = await verifier.semantic_search("letter of today", as_of=moment)
            assert [hit.chunk_id for hit in found.hits] == ["d@1#0"]
        actions = [change.action.value for change in await verifier.sources.history("d")]
        assert sorted(actions) == ["erase", "publish", "publish", "withdraw"]


async def test_vectors_go_from_every_space(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest_one(pool, "d", PRIVATE)
        await ingest_one(pool, "e", paragraphs("Another letter"))
        await verifier.spaces.build(HashingEmbedder(model="others", dimension=32))
        for space in (1, 2):
            assert await fetch_value(pool, f"SELECT count(*) FROM embedding_{space}") == 4  # noqa: S608
        done = await erase(fresh_database, "d")
        assert done.proven
        assert done.erasure.vectors == 6
        asked = {each.by.partition(", now")[0] for each in done.proof.searches if "now" in each.by}
        assert asked == {"vector, space 1", "vector, space 2"}
        for space in (1, 2):
            assert await fetch_value(pool, f"SELECT count(*) FROM embedding_{space}") == 1  # noqa: S608
