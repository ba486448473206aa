"""Texts that agents may read: of approved sources alone, and never a draft or what was taken back."""

from __future__ import annotations

from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from verifier.errors import InputError, UnknownThing
from verifier.service import Verifier, open_verifier

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database

FIRST, SECOND = "# Fees\n\nThe fee is $5. \U0001f600 end\n", "# Fees\n\nThe fee is $6.\n"
REFUSED = "there is no .* of a source .* that may be read"


@asynccontextmanager
async def opened(database: Database) -> AsyncIterator[Verifier]:
    async with open_verifier(database.app_dsn, tenant="a", embedder=HashingEmbedder()) as verifier:
        yield verifier


async def test_a_slice_of_the_current_version_or_of_an_earlier_one(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as verifier:
        await verifier.ingest_text("fees", FIRST, title="Fees")
        await verifier.ingest_text("fees", SECOND, title="Fees")
        now = await verifier.sources.read("fees")
        earlier = await verifier.sources.read("fees", 1, start=23, length=1)
        end = await verifier.sources.read("fees", 1, start=len(FIRST))
    assert (now.seq, now.current, now.text, now.title) == (2, True, SECOND, "Fees")
    assert (earlier.current, earlier.text, tuple(earlier.span.of(FIRST))) == (
        False,
        FIRST[23],
        tuple(FIRST[23]),
    )
    assert earlier.length == len(FIRST)
    assert (end.text, end.span.start, end.span.end) == ("", len(FIRST), len(FIRST))


async def test_what_is_not_offered_answers_as_what_is_not_there(fresh_database: Database) -> None:
    async with opened(fresh_database) as verifier:
        for key in ("denied", "pending", "withdrawn", "erased"):
            await verifier.ingest_text(key, FIRST.replace("$5", f"$5 for {key}"))
        await verifier.sources.deny("denied", by="ann")
        await verifier.sources.withdraw("withdrawn", by="ann")
        await fresh_database.execute(
            "UPDATE verifier.source SET permission = 'pending' WHERE key = 'pending'",
            "UPDATE verifier.document_version SET state = 'failed' WHERE seq = 1 AND source_id ="
            " (SELECT source_id FROM verifier.source WHERE key = 'erased')",
        )
        said = set()
        for key in ("denied", "pending", "withdrawn", "erased", "nowhere", "a\x00b", "\ud800"):
            for seq in (None, 1, 2, 2**31):
                with pytest.raises(UnknownThing, match=REFUSED) as refused:
                    await verifier.sources.read(key, seq)
                said.add(str(refused.value).replace(repr(key), "KEY"))
        with pytest.raises(UnknownThing, match=REFUSED):
            await verifier.for_tenant("b").sources.read("denied")
    assert len(said) == 4


async def test_a_version_is_offered_from_when_it_holds(fresh_database: Database) -> None:
    later = datetime.now(UTC) + timedelta(days=1)
    async with opened(fresh_database) as verifier:
        await verifier.ingest_text("fees", FIRST)
        await verifier.ingest_text("fees", SECOND, valid_from=later)
        assert (await verifier.sources.read("fees")).text == FIRST
        with pytest.raises(UnknownThing, match=REFUSED):
            await verifier.sources.read("fees", 2)
        await fresh_database.execute(
            "UPDATE verifier.publication SET valid_from = now() - interval '1 day',"
            " valid_to = now() - interval '1 hour' WHERE valid_to IS NOT NULL",
            "UPDATE verifier.publication SET valid_from = now() - interval '1 hour'"
            " WHERE valid_from > now()",
            "UPDATE verifier.source SET next_validity = now() - interval '1 hour'",
        )
        read = await verifier.sources.read("fees")
        assert (read.seq, read.text, read.current) == (2, SECOND, True)
        assert (await verifier.sources.read("fees", 2)).current
        assert not (await verifier.sources.read("fees", 1)).current


async def test_a_slice_beyond_the_end_is_refused(fresh_database: Database) -> None:
    async with opened(fresh_database) as verifier:
        await verifier.ingest_text("fees", FIRST)
        with pytest.raises(InputError, match=f"the text ends at {len(FIRST)}"):
            await verifier.sources.read("fees", start=len(FIRST) + 1)
