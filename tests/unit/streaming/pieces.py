"""Answers in pieces, and what a stream tells of them."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

from tests.unit.verify.shop import SHOP, THROW, call
from verifier.core.policy import Policy
from verifier.core.streaming_events import Amended, Ended, Released, StreamEvent, Withheld
from verifier.core.turns import Turn
from verifier.verify.policy import verify_under
from verifier.verify.streaming import stream_answer
from verifier.verify.streaming_parts import PartJudge
from verifier.verify.verifier import Backing, begin_provenance

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence

    from verifier.core.report import GroundingReport

CALL: Final = call(
    "get_product", {"id": THROW, "name": "Wool throw", "price": 49.9, "currency": "USD"}
)
BACKING: Final = Backing(catalog=SHOP)
TURN: Final = Turn(calls=(CALL,))
OFF: Final = Policy()


async def send(pieces: Iterable[str | float | Exception]) -> AsyncIterator[str]:
    """Yield pieces; a number is a pause of so many seconds, an error is raised."""
    for piece in pieces:
        if isinstance(piece, Exception):
            raise piece
        if isinstance(piece, str):
            yield piece
        else:
            await asyncio.sleep(piece)


async def follow(
    pieces: AsyncIterator[str],
    turn: Turn = TURN,
    *,
    policy: Policy = OFF,
    backing: Backing = BACKING,
    max_delay_s: float = 60.0,
) -> AsyncGenerator[StreamEvent, None]:
    """Yield the events of a stream without a store."""
    judge = PartJudge(turn, policy, backing, begin_provenance(backing.catalog))

    async def verify(answer: str) -> GroundingReport:
        return await verify_under(policy, answer, turn, backing=backing)

    events = stream_answer(pieces, judge, policy, verify, max_delay_s=max_delay_s)
    async with aclosing(events):
        async for event in events:
            yield event


def stream(
    pieces: Iterable[str | float | Exception],
    turn: Turn = TURN,
    *,
    policy: Policy = OFF,
    backing: Backing = BACKING,
    max_delay_s: float = 60.0,
) -> list[StreamEvent]:
    """Return the events of a stream without a store."""

    async def collect() -> list[StreamEvent]:
        events = follow(send(pieces), turn, policy=policy, backing=backing, max_delay_s=max_delay_s)
        return [event async for event in events]

    return asyncio.run(collect())


def verify(answer: str, turn: Turn = TURN, *, policy: Policy = OFF) -> GroundingReport:
    """Return the report on the whole at once."""
    return asyncio.run(verify_under(policy, answer, turn, backing=BACKING))


def shown(events: Iterable[StreamEvent]) -> str:
    """Return what went out."""
    return "".join(one.text for one in events if isinstance(one, Released))


def released(events: Iterable[StreamEvent]) -> list[Released]:
    """Return the events of text."""
    return [one for one in events if isinstance(one, Released)]


def withheld(events: Iterable[StreamEvent]) -> list[Withheld]:
    """Return the events of text that is kept back."""
    return [one for one in events if isinstance(one, Withheld)]


def amended(events: Iterable[StreamEvent]) -> list[Amended]:
    """Return the events of changed verdicts."""
    return [one for one in events if isinstance(one, Amended)]


def ended(events: Sequence[StreamEvent]) -> Ended:
    """Return the last event."""
    last = events[-1]
    assert isinstance(last, Ended)
    return last
