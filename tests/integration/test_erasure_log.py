"""What the answer log keeps of an erased text: verdicts and ids, and nothing that was said."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import jsonschema
import pytest

from tests.integration.erasing import OF_ANNA, erase, order, rows_with, service
from tests.integration.logged_answers import judged, report, span_of
from tests.integration.store_reading import (
    TENANT,
    fetch,
    fetch_value,
    ingest_one,
    opened,
)
from verifier.core.report_json import identify_content, load_schema, report_to_json
from verifier.core.turn_json import turn_to_json
from verifier.core.turns import RetrievedChunk, Turn
from verifier.store.answers import add_report, get_report
from verifier.store.pool import tenant_transaction

if TYPE_CHECKING:
    from tests.integration.conftest import Database
    from verifier.core.report import GroundingReport
    from verifier.core.turn_recorder import TurnRecorder
    from verifier.service import Verifier

TERMS = "Refunds are paid within 14 days of the return. Shipping of a parcel costs $4.50 in every country."
LETTER = f"{OF_ANNA}. She pays 17 francs for it."


async def verify(verifier: Verifier, answer: str, turn: TurnRecorder | None = None) -> str:
    return (await verifier.verify(answer, turn or verifier.turn(question="Which?"))).report_id


async def cite(verifier: Verifier, query: str, answer: str) -> str:
    turn = verifier.turn(question="What may she do?", citations_required=True)
    turn.retrieved(await verifier.semantic_search(query, k=1))
    return await verify(verifier, answer, turn)


async def test_reports_keep_their_verdicts_and_lose_what_was_said(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest_one(pool, "letter", LETTER)
        await ingest_one(pool, "terms", TERMS)
        both = await cite(
            verifier,
            "lamps of Anna Meier",
            "She pays 17 francs for it [letter@1#0]. Ask us about more.",
        )
        other = await cite(
            verifier, "refunds", "Refunds are paid within 14 days of the return [terms@1#0]."
        )
        turn = verifier.turn(question="Who?")
        turn.record("search", {"q": "lamps"}, {"hits": [{"id": "letter@1#0", "text": "short"}]})
        hits = await verify(verifier, "It may be so.", turn)
        told = verifier.turn(question=f"I read that {OF_ANNA.upper()}, is that so?")
        repeated = await verify(
            verifier, f"Yes:\n{OF_ANNA.replace(' ', '  ')}. Anything else?", told
        )
        before = {row["report_id"]: dict(row) for row in await fetch(pool, "SELECT * FROM report")}

        done = await verifier.sources.erase(order("letter"))
        assert done.proven
        assert done.erasure.reports == 3
        assert done.erasure.tombstones[0].reports == 3
        after = {row["report_id"]: dict(row) for row in await fetch(pool, "SELECT * FROM report")}
        assert after[other] == before[other]
        for report_id in (both, hits, repeated):
            old, new = (
                json.loads(before[report_id]["report"]),
                json.loads(after[report_id]["report"]),
            )
            kept = (
                "report_id",
                "accepted",
                "outcome",
                "claims",
                "grounded_share",
                "provenance",
                "limits",
            )
            assert {name: new[name] for name in kept} == {name: old[name] for name in kept}
            assert [(v["code"], v["span"], v["tier"]) for v in new["verdicts"]] == [
                (v["code"], v["span"], v["tier"]) for v in old["verdicts"]
            ]
            jsonschema.validate(new, load_schema("report.v1"))
            assert identify_content(old) == report_id != identify_content(new)
        for words in (
            OF_ANNA,
            OF_ANNA.upper(),
            "Lindenweg",
            "LINDENWEG",
            "17 francs",
            "francs",
            '"short"',
        ):
            assert await rows_with(fresh_database, words) == {}
        assert after[both]["answer"] == "[erased] Ask us about more."
        assert after[repeated]["answer"] == "Yes:\n[erased]. Anything else?"
        assert "is that so?" in after[repeated]["turn"]
        assert json.loads(after[both]["report"])["turn"] == json.loads(after[both]["turn"])
        cited = await fetch(
            pool, "SELECT report_id, text_hash FROM report_citation ORDER BY report_id"
        )
        assert {row["report_id"] for row in cited} == {both, other}


async def test_what_other_versions_say_too_stays_in_their_reports(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest_one(pool, "d", TERMS)
        first = await cite(
            verifier, "refunds", "Refunds are paid within 14 days of the return [d@1#0]."
        )
        await ingest_one(pool, "d", f"{TERMS} {OF_ANNA}.")
        second = await cite(verifier, "lamps", f"{OF_ANNA} [d@2#0].")
        done = await verifier.sources.erase(order("d", seq=2))
        assert (done.proven, done.erasure.reports) == (True, 1)
        async with tenant_transaction(pool, TENANT, read_only=True) as conn:
            assert "within 14 days" in str((await get_report(conn, first)).report)
            assert "within 14 days" not in str((await get_report(conn, second)).report["verdicts"])
        assert await rows_with(fresh_database, OF_ANNA) == {}


def late(answer: str, text: str) -> GroundingReport:
    made = report("r-late", judged(1, span_of("letter", 1, text)), answer=answer)
    chunk = RetrievedChunk(label="letter@1#0", source="letter", seq=1, ordinal=0, text=LETTER)
    turn = Turn(question="Which?", retrieved=(chunk,))
    object.__setattr__(made, "turn", turn)
    return made


async def test_a_report_that_is_logged_after_the_erasure_holds_nothing(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "letter", LETTER)
        await erase(fresh_database, "letter")
        made = late(f"Text: {OF_ANNA}.", LETTER)
        async with tenant_transaction(pool, TENANT) as conn:
            assert await add_report(
                conn, made, report_json=report_to_json(made), turn_json=turn_to_json(made.turn)
            )
        assert await rows_with(fresh_database, OF_ANNA) == {}
        assert await rows_with(fresh_database, "Lindenweg") == {}
        assert await fetch_value(pool, "SELECT answer FROM report") == "[erased]: [erased]."
        hashes = await fetch(pool, "SELECT text_hash FROM report_citation")
        assert [row["text_hash"] for row in hashes] == [bytes(32)]


async def test_reviews_of_another_tenant_and_its_reports_stay(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "letter", LETTER)
        async with service(fresh_database, "other") as verifier:
            theirs = await verify(verifier, f"Yes, {OF_ANNA}.")
        done = await erase(fresh_database, "letter")
        assert (done.proven, done.erasure.reports) == (True, 0)
        async with service(fresh_database, "other"), tenant_transaction(pool, "other") as conn:
            assert OF_ANNA in str((await get_report(conn, theirs)).report)


@pytest.mark.parametrize("reports", [2_000])
async def test_a_large_document_and_a_long_log_stay_quick(
    fresh_database: Database, reports: int
) -> None:
    """A megabyte in two thousand chunks, and two thousand reports of which every tenth repeats some of it.

    Nine megabytes (16,000 chunks) and 10,000 reports took 17 s.
    """
    numbers = range(2_200)
    text = "\n\n".join(
        f"Paragraph {n} tells of customer {n * 7} and of what was sold to her on day {n % 365}. "
        * 7
        for n in numbers
    )
    assert len(text) > 1_000_000
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "huge", text)
        assert await fetch_value(pool, "SELECT count(*) FROM chunk") == 2_200
        await fresh_database.execute(
            f"""INSERT INTO verifier.report (tenant_id, report_id, answer, turn, report, accepted, claims,
                       verifier_version)
                SELECT '{TENANT}', 'r' || n, said, jsonb_build_object('question', said || filler),
                       jsonb_build_object('report_id', 'r' || n, 'answer', said, 'verdicts', '[]'::jsonb,
                                          'more', filler),
                       true, 0, '0'
                  FROM generate_series(1, {reports}) AS n,
                       repeat('Nothing of this was ever written in any letter. ', 60) AS filler,
                       LATERAL (SELECT CASE WHEN n % 10 = 0
                                THEN 'Paragraph ' || n || ' tells of customer ' || n * 7
                                     || ' and of what was sold to her on day ' || n % 365
                                ELSE 'Nobody knows.' END AS said) AS t"""  # noqa: S608 - own constants
        )
        told: list[str] = []
        begun = time.monotonic()
        async with service(fresh_database) as verifier:
            done = await verifier.sources.erase(order("huge"), tell=told.append)
        took_s = time.monotonic() - begun
        assert done.proven
        assert done.erasure.reports == reports // 10
        assert await rows_with(fresh_database, "tells of customer 70 and") == {}
        assert f"{reports:,} of {reports:,} reports looked through" in " ".join(told)
        assert took_s < 60
