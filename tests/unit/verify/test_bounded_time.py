"""However much is claimed or found: the time grows with it, no faster, and every claim has its verdict."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.growth import assert_grows
from tests.unit.verify.shop import SHOP, call
from verifier.core.ledger import build_ledger
from verifier.core.turns import Turn
from verifier.core.verdicts import VerdictCode
from verifier.verify.verifier import verify_answer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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


def prepare_check(
    answer: str, turn: Turn, holds: Callable[[GroundingReport], bool]
) -> Callable[[], object]:
    """Return the verification of an answer, whose report is what it should be."""

    def work() -> None:
        assert holds(asyncio.run(verify_answer(answer, turn)))

    return work


def codes_of(report: GroundingReport) -> set[VerdictCode]:
    return {one.verdict.code for one in report.judged}


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
    def prepare(count: int) -> Callable[[], object]:
        records = make_records(count)
        head = "| Id | Product | Price | Stock |\n|---|---|---|---|\n" if "|" in pattern else ""
        answer = head + write_prices(records, pattern)
        return prepare_check(answer, make_turn(records), lambda report: report.claims >= count)

    assert_grows(prepare, 150, 900, at_most=2 * 6)


@pytest.mark.scaling
def test_an_answer_takes_time_linear_in_the_calls() -> None:
    expected = {VerdictCode.VERIFIED, VerdictCode.CONTRADICTED}

    def prepare(count: int) -> Callable[[], object]:
        records = make_records(count)
        answer = write_prices(records[:20], "The {name} costs {price} EUR.")
        turn = make_turn(*records)
        return prepare_check(answer, turn, lambda report: codes_of(report) == expected)

    assert_grows(prepare, 500, 4_000, at_most=3 * 8)


@pytest.mark.scaling
def test_a_ledger_of_many_calls_takes_time_linear_in_them() -> None:
    def prepare(count: int) -> Callable[[], object]:
        return partial(build_ledger, make_turn(*make_records(count)).calls, catalog=SHOP)

    assert_grows(prepare, 1_000, 8_000, at_most=2 * 8)


@pytest.mark.scaling
def test_more_than_is_read_of_a_result_costs_no_more() -> None:
    def prepare(count: int) -> Callable[[], object]:
        records = make_records(300)
        answer = write_prices(records[:20], "The {name} costs {price} EUR.")
        more = [{"note": "x" * 1_000, "rows": records[:5]} for _ in range(count)]
        turn = make_turn(records, more)
        return prepare_check(answer, turn, lambda report: None not in codes_of(report))

    assert_grows(prepare, 1_000, 4_000, at_most=2 * 4)


@pytest.mark.scaling
def test_records_in_records_take_time_linear_in_their_depth() -> None:
    def prepare(depth: int) -> Callable[[], object]:
        records = make_records(depth)
        answer = write_prices(records[:20], "The {name} costs {price} EUR.")
        turn = make_turn(nest(records))
        return prepare_check(answer, turn, lambda report: report.claims >= 20)

    assert_grows(prepare, 40, 1_000, at_most=2 * 25)


@pytest.mark.parametrize("one_price", [False, True], ids=["prices", "one price"])
@pytest.mark.scaling
def test_one_name_of_many_things_takes_time_linear_in_them(one_price: bool) -> None:  # noqa: FBT001
    def prepare(count: int) -> Callable[[], object]:
        told: Record = {"name": "Oak lamp"} | ({"price": Decimal("12.50")} if one_price else {})
        records = [one | told for one in make_records(count)]
        answer = write_prices(records[:20], "The {name} costs {price} EUR.")
        turn = make_turn(records)
        return prepare_check(
            answer, turn, lambda report: VerdictCode.VERIFIED not in codes_of(report)
        )

    assert_grows(prepare, 500, 4_000, at_most=3 * 8)
