"""A logged answer beside what it cites, and sources with what rests on them."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.integration.queued_reviews import answering, asking, cite, log, verifier_on
from verifier.audit.answer_evidence import CitedPlace
from verifier.core.documents import Permission
from verifier.errors import UnknownThing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database
    from verifier.core.report import GroundingReport
    from verifier.service import Verifier

FIRST = "# Refunds\n\nA refund is paid within 14 days. Shipping is never refunded.\n"
SECOND = "# Refunds\n\nA refund is paid within 30 days. Shipping is never refunded.\n"
CLAIM = "You get it back within 14 days."


@asynccontextmanager
async def closing(verifier: Verifier) -> AsyncIterator[Verifier]:
    try:
        yield verifier
    finally:
        await verifier.close()


async def put_policy(verifier: Verifier) -> None:
    for text in (FIRST, SECOND):
        await verifier.ingest_text("policies/refunds", text, title="Refunds", by="ann")


async def put_answers(verifier: Verifier, *reports: GroundingReport) -> None:
    pool = await verifier._connections.store()
    await log(pool, *reports, tenant=verifier.tenant)


async def test_an_answer_shows_what_became_of_the_words_it_cites(fresh_database: Database) -> None:
    async with closing(verifier_on(fresh_database)) as verifier:
        await put_policy(verifier)
        moved = cite("policies/refunds", 1, FIRST, "within 14 days")
        kept = cite("policies/refunds", 1, FIRST, "Shipping is never refunded")
        gone = replace(kept, source="policies/never")
        await put_answers(verifier, answering("a" * 64, asking(1, CLAIM, moved, kept, gone)))
        detail = await verifier.answers.beside("a" * 8)
        places = {place.span: standing for place, standing in detail.places.items()}
        assert set(detail.places) == {
            CitedPlace(source=one.source, seq=1, span=one.span) for one in (moved, kept)
        }
        first, second = places[moved.span], places[kept.span]
        assert (first.stands, second.stands) == (False, True)
        assert first.version.current_seq == 2
        assert first.cited is not None
        assert first.cited.span.of(first.cited.text) == "within 14 days"
        assert first.current is not None
        assert "30 days" in first.current.span.of(first.current.text)
        with pytest.raises(UnknownThing):
            await verifier.answers.beside("b" * 64)


async def test_an_answer_of_another_tenant_is_as_one_that_there_is_not(
    fresh_database: Database,
) -> None:
    async with closing(verifier_on(fresh_database, "theirs")) as theirs:
        await put_policy(theirs)
        await put_answers(theirs, answering("a" * 64, asking(1, CLAIM)))
    async with closing(verifier_on(fresh_database, "ours")) as ours:
        assert not await ours.sources.shelf(limit=10)
        for report in ("a" * 64, "b" * 64):
            with pytest.raises(UnknownThing, match=f"there is no report '{report}'"):
                await ours.answers.beside(report)
        for key in ("policies/refunds", "policies/none"):
            with pytest.raises(UnknownThing, match=f"there is no source '{key}'"):
                await ours.sources.find(key)


async def test_sources_are_listed_page_by_page_with_what_rests_on_them(
    fresh_database: Database,
) -> None:
    async with closing(verifier_on(fresh_database)) as verifier:
        await put_policy(verifier)
        for number in range(5):
            await verifier.ingest_text(f"notes/{number}", f"Note {number}.", by="ann")
        await verifier.sources.deny("notes/3", by="ann")
        place = cite("policies/refunds", 1, FIRST, "within 14 days")
        await put_answers(
            verifier, answering("a" * 64, asking(1, CLAIM, place, place), asking(2, CLAIM, place))
        )
        shelf = await verifier.sources.shelf(limit=10)
        assert [one.listing.source.key for one in shelf] == [
            *(f"notes/{number}" for number in range(5)),
            "policies/refunds",
        ]
        assert [one.answers for one in shelf] == [0, 0, 0, 0, 0, 1]
        assert await verifier.sources.shelf(limit=2, after="notes/2") == shelf[3:5]
        assert await verifier.sources.shelf(limit=9, holding="REFUND") == shelf[5:]
        assert await verifier.sources.shelf(limit=9, holding="100%_") == ()
        assert await verifier.sources.shelf(limit=9, holding="\x00") == ()
        denied = await verifier.sources.shelf(limit=9, permission=Permission.DENIED)
        assert denied == (await verifier.sources.find("notes/3"),)
