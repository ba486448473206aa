"""Answers that are judged while they are written, against the rows of a real database, and logged."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import asyncpg
import pytest

from tests.integration.conftest import run
from tests.integration.test_correcting import DECLARED, TABLES, card
from tests.unit.streaming.pieces import amended, ended, released, send, shown, withheld
from verifier import open_blocking_verifier, open_verifier
from verifier.core.policy import Mode, Policy
from verifier.core.report_json import report_to_json
from verifier.core.streaming_events import Released
from verifier.core.turns import Turn
from verifier.core.verdicts import Disposition, Reason, Tier, VerdictCode
from verifier.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database
    from verifier.core.report import GroundingReport
    from verifier.core.streaming_events import StreamEvent
    from verifier.settings import Settings

TURN = Turn(principal="c-1")
ANSWER = (
    "Thank you for waiting.\n\n## Throws\n\nThe Harbour throw costs $49.90. It is blue. P-1 weighs 2 kg.\n\n"
    "| Product | Price |\n|---|---|\n| Harbour throw | $59.90 |\n| Desk lamp | €1,299.00 |\n\n"
    "- Order W-1001: shipped\n- Order W-2002: shipped\n\n"
    + card("product", '{"id": "P-404", "price": 5}')
    + "\nBye."
)


@pytest.fixture
def shop(fresh_database: Database) -> Settings:
    """The settings of a shop whose tables the application may read."""
    rights = (
        "GRANT USAGE ON SCHEMA shop TO PUBLIC",
        "GRANT SELECT ON ALL TABLES IN SCHEMA shop TO PUBLIC",
    )
    run(fresh_database.execute(*TABLES, *rights))
    return load_settings(dsn=fresh_database.app_dsn, catalog=DECLARED)


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.ANNOTATE, Mode.CORRECT])
@pytest.mark.parametrize("size", [1, 40, 10_000])
async def test_rows_decide_as_they_do_at_once(shop: Settings, mode: Mode, size: int) -> None:
    policy = Policy(mode=mode)
    async with open_verifier(settings=shop) as verifier:
        pieces = send(ANSWER[at : at + size] for at in range(0, len(ANSWER), size))
        events = [one async for one in verifier.stream(pieces, TURN, policy=policy)]
        whole = await verifier.verify(ANSWER, TURN, policy=policy)
    assert _told(ended(events).report) == _told(whole)
    assert not amended(events)
    codes = [one.verdict.code for event in released(events) for one in event.judged]
    assert codes == [one.verdict.code for one in whole.judged]
    assert {Tier.DATABASE} >= {one.verdict.tier for one in whole.judged if one.verdict.evidence}
    if mode is Mode.CORRECT:
        assert whole.release is not None
        assert shown(events) == whole.release.text
        assert "$49.90 |" in shown(events)
        assert "P-404" not in shown(events)


async def test_a_row_that_changes_while_it_is_told_of_is_amended(
    shop: Settings, fresh_database: Database
) -> None:
    async def write() -> AsyncIterator[str]:
        yield "P-1 costs $49.90. It is nice. "
        await asyncio.sleep(0.3)
        await fresh_database.execute("UPDATE shop.product SET price = 39 WHERE id = 'P-1'")
        yield "Bye now."

    async with open_verifier(settings=shop) as verifier:
        events = [one async for one in verifier.stream(write(), TURN)]
    (change,) = amended(events)
    assert (change.was, change.retracts) == ((VerdictCode.VERIFIED,), True)
    assert change.now[0].verdict.code is VerdictCode.PRICE_MISMATCH


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.HOLD])
async def test_a_database_that_is_too_slow_holds_nothing_up(
    shop: Settings, fresh_database: Database, mode: Mode
) -> None:
    connection = await asyncpg.connect(fresh_database.owner_dsn)
    moments: list[float] = []
    events: list[StreamEvent] = []
    try:
        transaction = connection.transaction()
        await transaction.start()
        await connection.execute("LOCK TABLE shop.product IN ACCESS EXCLUSIVE MODE")
        clock = asyncio.get_running_loop().time
        async with open_verifier(settings=shop) as verifier:
            pieces = send(["P-1 costs $59.90. It is nice. ", 1.5, "Bye now."])
            begun = clock()
            stream = verifier.stream(pieces, TURN, policy=Policy(mode=mode), max_delay_s=0.5)
            async for event in stream:
                events.append(event)
                moments.append(clock() - begun)
                if len(events) == 1:
                    await transaction.rollback()
    finally:
        await connection.close()
    assert 0.4 < moments[0] < 1.4
    if mode is Mode.HOLD:
        assert (withheld(events)[0].reason, withheld(events)[0].stops) == (Reason.TIMEOUT, False)
        assert withheld(events)[-1].stops
        assert shown(events) == ""
    else:
        assert released(events)[0].late is Reason.TIMEOUT
        assert amended(events)[0].now[0].verdict.disposition is Disposition.REJECTED
    assert not ended(events).report.accepted


async def test_one_report_is_logged(shop: Settings, fresh_database: Database) -> None:
    async with open_verifier(settings=shop) as verifier:
        events = [one async for one in verifier.stream(send([*"P-1 costs $49.90. Bye."]), TURN)]
    connection = await asyncpg.connect(fresh_database.owner_dsn)
    try:
        logged = await connection.fetch("SELECT report FROM verifier.report")
    finally:
        await connection.close()
    assert [json.loads(one["report"])["report_id"] for one in logged] == [
        ended(events).report.report_id
    ]


def test_the_blocking_verb_tells_the_same(shop: Settings) -> None:
    with open_blocking_verifier(settings=shop) as verifier:
        whole = verifier.verify(ANSWER, TURN)
        events = list(verifier.stream(iter(ANSWER.splitlines(keepends=True)), TURN))
        assert _told(ended(events).report) == _told(whole)
        first = next(verifier.stream(iter([ANSWER]), TURN))
        assert isinstance(first, Released)
        with pytest.raises(ZeroDivisionError):
            list(verifier.stream((str(1 / (2 - at)) for at in range(3)), TURN))
        assert verifier.verify(ANSWER, TURN).claims == whole.claims


def _told(report: GroundingReport) -> object:
    told = report_to_json(report)
    told["provenance"].pop("created_at")
    return told
