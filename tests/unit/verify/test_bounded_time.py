"""However much is claimed or found: the time grows with it, no faster, and every claim has its verdict."""

from __future__ import annotations

import asyncio
import time
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from tests.unit.verify.shop import SHOP, call
from verifier.core.ledger import build_ledger
from verifier.core.turns import Turn
from verifier.core.verdicts import VerdictCode
from verifier.verify.verifier import verify_answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.report import GroundingReport

Record = dict[str, object]


def make_records(count: int) -> list[Record]:
    return [
        {
            "id": f"P-{1_000 + at}",
            "name": f"Oak lamp {1_000 + at}",
            "price": Decimal(500 + at * 37 % 90_000) / 100,
            "currency": "EUR",
            "stock": at % 80,
        }
        for at in range(count)
    ]


def write_prices(records: Sequence[Record], pattern: str, *, wrong: int = 8) -> str:
    """Return a line a record; one in so many has the price of the next."""
    return "\n".join(
        pattern.format(**one | {"price": records[(at + (at % wrong == 0)) % len(records)]["price"]})
        for at, one in enumerate(records)
    )


def make_turn(*results: object) -> Turn:
    calls = tuple(call("list_products", one, call_id=f"c{at}") for at, one in enumerate(results))
    return Turn(calls=calls, default_currency="EUR")


def take_seconds(answer: str, turn: Turn) -> tuple[float, GroundingReport]:
    begun = time.process_time()
    report = asyncio.run(verify_answer(answer, turn))
    return time.process_time() - begun, report


def nest(records: Sequence[Record]) -> Record:
    nested: Record = {}
    for one in reversed(records):
        nested = one | {"inside": nested}
    return nested


@pytest.mark.parametrize(
    "pattern",
    [
        "| {id} | {name} | {price} EUR | {stock} |",
        "The {name} costs {price} EUR.",
        "- {name}: {price} EUR each",
    ],
    ids=["rows", "sentences", "items"],
)
@pytest.mark.scaling
def test_an_answer_takes_time_linear_in_its_claims_and_the_evidence(pattern: str) -> None:
    def seconds(count: int) -> float:
        records = make_records(count)
        head = "| Id | Product | Price | Stock |\n|---|---|---|---|\n" if "|" in pattern else ""
        took, report = take_seconds(head + write_prices(records, pattern), make_turn(records))
        assert report.claims >= count
        return took

    seconds(50)
    small = min(seconds(150) for _ in range(2))
    assert seconds(900) < 2 * 6 * small


@pytest.mark.scaling
def test_an_answer_takes_time_linear_in_the_calls() -> None:
    def seconds(count: int) -> float:
        records = make_records(count)
        answer = write_prices(records[:20], "The {name} costs {price} EUR.")
        took, report = take_seconds(answer, make_turn(*records))
        assert {VerdictCode.VERIFIED, VerdictCode.CONTRADICTED} == {
            one.verdict.code for one in report.judged
        }
        return took

    seconds(50)
    small = min(seconds(500) for _ in range(2))
    assert seconds(4_000) < 3 * 8 * small


@pytest.mark.scaling
def test_a_ledger_of_many_calls_takes_time_linear_in_them() -> None:
    def seconds(count: int) -> float:
        calls = make_turn(*make_records(count)).calls
        begun = time.process_time()
        build_ledger(calls, catalog=SHOP)
        return time.process_time() - begun

    seconds(100)
    small = min(seconds(1_000) for _ in range(3))
    assert min(seconds(8_000) for _ in range(2)) < 4 * 8 * small


@pytest.mark.scaling
def test_more_than_is_read_of_a_result_costs_no_more() -> None:
    def seconds(count: int) -> float:
        records = make_records(300)
        answer = write_prices(records[:20], "The {name} costs {price} EUR.")
        more = [{"note": "x" * 1_000, "rows": records[:5]} for _ in range(count)]
        took, report = take_seconds(answer, make_turn(records, more))
        assert all(one.verdict.code is not None for one in report.judged)
        return took

    small = min(seconds(1_000) for _ in range(2))
    assert seconds(4_000) < 2 * 4 * small


@pytest.mark.scaling
def test_records_in_records_take_time_linear_in_their_depth() -> None:
    def seconds(depth: int) -> float:
        records = make_records(depth)
        answer = write_prices(records[:20], "The {name} costs {price} EUR.")
        took, report = take_seconds(answer, make_turn(nest(records)))
        assert report.claims >= 20
        return took

    seconds(20)
    small = min(seconds(40) for _ in range(3))
    assert seconds(1_000) < 2 * 25 * small


@pytest.mark.parametrize("one_price", [False, True], ids=["prices", "one price"])
@pytest.mark.scaling
def test_one_name_of_many_things_takes_time_linear_in_them(one_price: bool) -> None:  # noqa: FBT001
    def seconds(count: int) -> float:
        told: Record = {"name": "Oak lamp"} | ({"price": Decimal("12.50")} if one_price else {})
        records = [one | told for one in make_records(count)]
        answer = write_prices(records[:20], "The {name} costs {price} EUR.")
        took, report = take_seconds(answer, make_turn(records))
        assert VerdictCode.VERIFIED not in {one.verdict.code for one in report.judged}
        return took

    seconds(200)
    small = min(seconds(500) for _ in range(2))
    assert seconds(4_000) < 3 * 8 * small
