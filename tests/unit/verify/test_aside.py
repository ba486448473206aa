"""A long answer keeps nobody else waiting: its work is done beside the event loop."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.unit.verify.shop import SHOP, THROW, call
from verifier.core.turns import RetrievedChunk, Turn
from verifier.verify.aside import Worker
from verifier.verify.verifier import Backing, verify_answer

CALL = call("get_product", {"id": THROW, "name": "Wool throw", "price": 49.9, "currency": "USD"})
CLAIM = "The Wool throw costs $49.90. "


async def test_others_are_served_while_a_long_answer_is_verified() -> None:
    longest = 0.0

    async def serve() -> None:
        nonlocal longest
        while True:
            begun = time.perf_counter()
            await asyncio.sleep(0.001)
            longest = max(longest, time.perf_counter() - begun)

    serving = asyncio.create_task(serve())
    begun = time.perf_counter()
    report = await verify_answer(CLAIM * 1_000, Turn(calls=(CALL,)), backing=Backing(catalog=SHOP))
    took = time.perf_counter() - begun
    serving.cancel()
    assert len(report.judged) == 1_000
    assert longest < took / 3


async def test_a_long_answer_is_verified_as_a_short_one_is() -> None:
    long, short = [
        await verify_answer(
            answer + "The Wool throw costs $59.90.",
            Turn(calls=(CALL,)),
            backing=Backing(catalog=SHOP),
        )
        for answer in (CLAIM * 300, CLAIM)
    ]
    assert [one.verdict.code for one in long.judged[-2:]] == [
        one.verdict.code for one in short.judged
    ]


@pytest.mark.parametrize(
    ("answer", "turn", "is_long"),
    [
        (CLAIM, Turn(calls=(CALL,)), False),
        (CLAIM * 200, Turn(), True),
        (CLAIM, Turn(retrieved=(RetrievedChunk(label="a", source="a", text="x" * 30_000),)), True),
        (CLAIM, Turn(calls=(call("list", [{"n": at} for at in range(3_000)]),)), True),
        (CLAIM, Turn(said=("x" * 30_000,)), True),
    ],
)
def test_what_is_long(answer: str, turn: Turn, *, is_long: bool) -> None:
    assert Worker.of(answer, turn).is_long is is_long
