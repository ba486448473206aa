"""Ingest beyond its cases: conditions, reviews, progress, failures of the model, other tenants."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

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
from verifier.core.filters import field
from verifier.errors import InputError, ModelError, TenantRequired, WrongEmbeddingSpace
from verifier.ingest.embedding import EMBED_BATCH, REFUSALS_LIMIT
from verifier.ingest.pipeline import WINDOW_DOCUMENTS, ingest_documents
from verifier.ingest.requests import IngestOutcome, Outcome, Progress
from verifier.service import open_verifier
from verifier.store.search import semantic_search

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Database
    from verifier.core.spaces import EmbeddingSpace

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


async def test_a_stale_expectation_is_a_conflict(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        assert (await ingest_one(pool, "d", "One.", expected_current_version=0)).seq == 1
        assert (await ingest_one(pool, "d", "Two.", expected_current_version=1)).seq == 2
        late = await ingest_one(pool, "d", "Three.", expected_current_version=1)
        assert late.outcome is Outcome.FAILED
        assert "version 2 of d is current, not 1" in (late.error or "")
        assert await current_texts(pool, "d") == ["Two."]


async def test_labels_alone_obey_an_expectation_too(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "One.", metadata={"pages": 1})
        late = await ingest_one(
            pool, "d", "One.", metadata={"pages": 2}, expected_current_version=2
        )
        assert late.outcome is Outcome.FAILED
        assert "version 1 of d is current, not 2" in (late.error or "")
        again = await ingest_one(pool, "d", "One.", metadata={"pages": 1})
        assert again.outcome is Outcome.UNCHANGED
        right = await ingest_one(
            pool, "d", "One.", metadata={"pages": 2}, expected_current_version=1
        )
        assert right.outcome is Outcome.RELABELLED


async def test_of_two_writers_with_one_expectation_one_is_told(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "One.")
        outcomes = await asyncio.gather(
            *(
                ingest_one(pool, "d", f"By writer {n}.", expected_current_version=1)
                for n in range(4)
            )
        )
        kinds = sorted(outcome.outcome for outcome in outcomes)
        assert kinds == [Outcome.FAILED] * 3 + [Outcome.NEW]
        winner = next(n for n in range(4) if outcomes[n].outcome is Outcome.NEW)
        assert await current_texts(pool, "d") == [f"By writer {winner}."]


@pytest.mark.parametrize("moment", [date(2026, 1, 1), "2026-01-01", 1767225600])
def test_a_moment_that_is_none_is_refused(moment: Any) -> None:
    with pytest.raises(InputError, match="review_until of 'd' is a "):
        request("d", "One.", review_until=moment)
    with pytest.raises(InputError, match="valid_from of 'd' is a "):
        request("d", "One.", valid_from=moment)


def test_a_moment_without_a_zone_is_refused() -> None:
    naive = datetime(2026, 1, 1)  # noqa: DTZ001
    with pytest.raises(InputError, match="valid_from of 'd' has no time zone"):
        request("d", "One.", valid_from=naive)
    with pytest.raises(InputError, match="review_until of 'd' has no time zone"):
        request("d", "One.", review_until=naive)


@pytest.mark.parametrize("name", ["review_until", "valid_from"])
async def test_no_verb_stores_a_moment_without_a_zone(
    fresh_database: Database, tmp_path: Path, name: str
) -> None:
    (tmp_path / "d.md").write_text("One.", encoding="utf-8")
    (tmp_path / "rows.csv").write_text("id,note\n1,One.\n2,Two.\n", encoding="utf-8")
    naive: Any = {name: datetime(2030, 1, 1)}  # noqa: DTZ001
    async with open_verifier(
        fresh_database.app_dsn, tenant=TENANT, embedder=HashingEmbedder()
    ) as verifier:
        await verifier.ingest_text("kept", "It stands.")
        before = await dump(fresh_database)
        for attempt in (
            verifier.ingest_text("d", "One.", **naive),
            verifier.ingest_bytes(b"One.", key="d", **naive),
            verifier.ingest(tmp_path / "d.md", **naive),
            verifier.ingest(tmp_path / "rows.csv", **naive),
            verifier.ingest(tmp_path, **naive),
            verifier.ingest_rows("SELECT 1 AS id, 'One.' AS note", key="r", **naive),
        ):
            with pytest.raises(InputError, match="no time zone"):
                await attempt
        assert await dump(fresh_database) == before


async def test_a_review_is_recorded_without_a_new_version(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "One.", review_until=NOON, verified_by="ada")
        same = NOON.astimezone(timezone(timedelta(hours=9)))
        before = await dump(fresh_database, physical=True)
        again = await ingest_one(pool, "d", "One.", review_until=same, verified_by="ada")
        assert again.outcome is Outcome.UNCHANGED
        assert await dump(fresh_database, physical=True) == before
        later = await ingest_one(
            pool, "d", "One.", review_until=NOON + timedelta(days=90), verified_by="bob"
        )
        assert (later.outcome, later.seq) == (Outcome.RELABELLED, 1)
        for table in ("document_version", "current_chunk"):
            until = await fetch_value(pool, f"SELECT review_until FROM {table}")  # noqa: S608
            assert until == NOON + timedelta(days=90)
        assert await fetch_value(pool, "SELECT verified_by FROM document_version") == "bob"


async def test_a_new_version_needs_a_review_of_its_own(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "One.", review_until=NOON, verified_by="ada")
        await ingest_one(pool, "d", "Two.")
        row = (
            await fetch(
                pool, "SELECT review_until, verified_by FROM document_version WHERE seq = 2"
            )
        )[0]
        assert (row["review_until"], row["verified_by"]) == (None, None)


async def test_title_and_url_alone_make_no_version(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "One.", title="Old", url="https://example.org/old")
        kept = await ingest_one(pool, "d", "One.")
        assert kept.outcome is Outcome.UNCHANGED
        new = await ingest_one(pool, "d", "One.", title="New")
        assert (new.outcome, new.seq) == (Outcome.RELABELLED, 1)
        row = (await fetch(pool, "SELECT title, url FROM source"))[0]
        assert tuple(row) == ("New", "https://example.org/old")


async def test_many_documents_share_one_embedding_each_text(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        embedder = HashingEmbedder()
        count = WINDOW_DOCUMENTS * 2 + 3
        summary = await ingest(
            pool,
            *(
                request(f"d{n}", paragraphs("The same start", f"An end of {n}"))
                for n in range(count)
            ),
            embedder=embedder,
        )
        assert summary.counts[Outcome.NEW] == count
        assert len(embedder.embedded) == len(set(embedder.embedded)) == count + 1
        assert embedder.calls <= 3 + (count + 1) // EMBED_BATCH
        assert (summary.embedded, summary.reused) == (count + 1, count - 1)
        assert summary.reused_share == pytest.approx((count - 1) / (2 * count))


async def test_a_model_that_refuses_everything_is_given_up_on(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        broken = HashingEmbedder(refuses=lambda _text: True)
        summary = await ingest(
            pool, *(request(f"d{n}", f"Text {n}.") for n in range(EMBED_BATCH)), embedder=broken
        )
        assert summary.counts[Outcome.FAILED] == EMBED_BATCH
        assert broken.calls <= REFUSALS_LIMIT + EMBED_BATCH.bit_length() + 1


@pytest.mark.parametrize("bad", [0, 31, 63])
async def test_one_refused_text_among_a_batch_is_singled_out(
    fresh_database: Database, bad: int
) -> None:
    async with opened(fresh_database) as pool:
        embedder = HashingEmbedder(refuses=lambda text: text == f"Text {bad} here.")
        summary = await ingest(
            pool, *(request(f"d{n}", f"Text {n} here.") for n in range(64)), embedder=embedder
        )
        assert [failed.key for failed in summary.failed] == [f"d{bad}"]
        assert embedder.calls <= 2 * EMBED_BATCH.bit_length()


async def test_the_model_may_raise_anything(fresh_database: Database) -> None:
    def refuses(text: str) -> bool:
        if "poison" in text:
            raise ZeroDivisionError
        return False

    async with opened(fresh_database) as pool:
        summary = await ingest(
            pool,
            request("a", "Good text."),
            request("b", "A poison text."),
            embedder=HashingEmbedder(refuses=refuses),
        )
        assert [outcome.outcome for outcome in summary.outcomes] == [Outcome.NEW, Outcome.FAILED]
        assert "ZeroDivisionError" in (summary.outcomes[1].error or "")


async def test_another_model_is_a_typed_error_and_writes_nothing(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "One.", embedder=HashingEmbedder(model="a"))
        before = await dump(fresh_database, physical=True)
        with pytest.raises(WrongEmbeddingSpace, match=r"tests/a@1.*tests/b@1"):
            await ingest_one(pool, "d", "Two.", embedder=HashingEmbedder(model="b"))
        assert await dump(fresh_database, physical=True) == before


async def test_a_model_that_cannot_be_loaded_ends_the_run(fresh_database: Database) -> None:
    class Missing(HashingEmbedder):
        @property
        def space(self) -> EmbeddingSpace:
            raise ModelError("no model at /nowhere")

    async with opened(fresh_database) as pool:
        with pytest.raises(ModelError, match="/nowhere"):
            await ingest_one(pool, "d", "One.", embedder=Missing())
        assert await fetch_value(pool, "SELECT count(*) FROM source") == 0


async def test_progress_counts_up_to_the_end(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        seen: list[Progress] = []
        await ingest_documents(
            pool,
            TENANT,
            HashingEmbedder(),
            [request(f"d{n}", f"Text {n}.") for n in range(5)],
            on_progress=seen.append,
        )
        assert (seen[0].embedded, seen[0].to_embed) == (5, 5)
        assert [(each.documents, each.total) for each in seen[1:]] == [(n, 5) for n in range(1, 6)]


async def test_a_file_that_could_not_be_read_is_passed_on(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        unread = IngestOutcome(key="x.bin", outcome=Outcome.FAILED, error="no text")
        summary = await ingest(pool, request("a", "Text."), unread, request("b", "Text."))
        assert [outcome.key for outcome in summary.outcomes] == ["a", "x.bin", "b"]
        assert summary.failed == (unread,)


@pytest.mark.parametrize("key", ["", "  ", "a\x00b", "k" * 1_001])
async def test_a_key_that_is_none_fails_by_itself(fresh_database: Database, key: str) -> None:
    async with opened(fresh_database) as pool:
        summary = await ingest(pool, request(key, "Text."), request("b", "Text."))
        assert [outcome.outcome for outcome in summary.outcomes] == [Outcome.FAILED, Outcome.NEW]


async def test_decimals_in_metadata_are_numbers(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        price = {"price": Decimal("9.90"), "sizes": [Decimal(7), {"deep": Decimal("-0.5")}]}
        await ingest_one(pool, "d", "One.", metadata=price)
        again = await ingest_one(pool, "d", "One.", metadata=price)
        assert again.outcome is Outcome.UNCHANGED
        found = await semantic_search(
            pool,
            "One",
            tenant=TENANT,
            embedder=HashingEmbedder(),
            filters=field("price") >= Decimal("9.9"),
        )
        assert [hit.source for hit in found.hits] == ["d"]
        stored = await fetch_value(pool, "SELECT metadata::text FROM source")
        assert stored == '{"price": 9.9, "sizes": [7, {"deep": -0.5}]}'


async def test_metadata_that_is_no_json_fails_by_itself(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        nested: dict[str, object] = {}
        for _ in range(100_000):
            nested = {"in": nested}
        for metadata in (
            {"price": float("nan")},
            {"deep": nested},
            {"tags": {"a", "b"}},
            {"raw": [b"bytes"]},
            {"price": Decimal("Infinity")},
            {"price": Decimal("1E+999999")},
            {"price": Decimal("0.12345678901234567890123")},
        ):
            outcome = await ingest_one(pool, "d", "Text.", metadata=metadata)
            assert outcome.outcome is Outcome.FAILED
            assert "metadata of d" in (outcome.error or "")


async def test_no_tenant_is_refused(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        with pytest.raises(TenantRequired):
            await ingest_documents(pool, "", HashingEmbedder(), [request("d", "One.")])


async def test_tenants_share_nothing(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        embedder = HashingEmbedder()
        for tenant in ("acme", "other"):
            await ingest_documents(pool, tenant, embedder, [request("d", "The same text.")])
        assert len(embedder.embedded) == 2
        assert await search(pool, "same text") == [("d@1#0", "The same text.")]


async def test_a_text_that_another_process_published_is_not_doubled(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        outcomes = await asyncio.gather(
            *(ingest_one(pool, "d", paragraphs("Left", "Right")) for _ in range(4))
        )
        assert {outcome.seq for outcome in outcomes} == {1}
        assert await states(pool, "d") == {1: "current"}
        assert len(await current_texts(pool, "d")) == 2
