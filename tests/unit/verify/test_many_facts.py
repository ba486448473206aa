"""Many rows: a value is ranked among thousands of facts as among a few, and in no more time."""

from __future__ import annotations

import asyncio
import random
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.growth import assert_grows
from tests.unit.verify.shop import call
from verifier.core.binding.evidence_view import EvidenceView
from verifier.core.binding.passages import read_passages
from verifier.core.binding.pools import Pool
from verifier.core.binding.scoring import rank_facts
from verifier.core.binding.setting import read_setting
from verifier.core.facts import read_evidence
from verifier.core.turns import RetrievedChunk, Turn
from verifier.verify.verifier import verify_answer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verifier.core.binding.scoring import Candidate
    from verifier.core.facts.model import EvidenceFact

STATES = ("pending", "shipped", "delivered")
ANSWERS = (
    "Order W1003 is shipped and its total is 41.00 EUR.",
    "The total of order W1003 is 41.00 EUR and that of W1007 is 45.00 EUR on 2026-03-05.",
    "The blue rug of order W1011 costs 12.50 EUR; the other one costs 13.00 EUR.",
    "Your 5 orders cost 200 EUR.",
    "Ann has 40 orders, of which 41.00 EUR is the smallest total.",
    "It weighs 3 kg and returns are free within 30 days.",
    "In 2026-03 the red rug is pending.",
)


def make_orders(count: int) -> list[dict[str, object]]:
    chosen = random.Random(7)  # noqa: S311 -- data of a test
    return [
        {
            "order_id": f"W{1_000 + number}",
            "status": STATES[number % 3],
            "total": Decimal(38 + number),
            "currency": "EUR",
            "ordered_on": f"2026-03-{1 + number % 28:02}",
            "lines": [
                {"name": f"{colour} rug", "price": Decimal(chosen.randint(20, 60)) / 2}
                for colour in ("blue", "red")[: number % 3]
            ],
        }
        for number in range(count)
    ]


def make_turn(count: int) -> Turn:
    orders = make_orders(count)
    return Turn(
        question="What of order W1007?",
        calls=(
            call("list_orders", orders, call_id="c1"),
            call("get_user", {"name": "Ann", "orders": orders[:9], "total": 5}, call_id="c2"),
            call("get_order", orders[3] | {"total": Decimal(41)}, call_id="c3"),
        ),
        retrieved=(
            RetrievedChunk(
                label="rules",
                source="rules",
                text="Returns are free within 30 days. Rugs weigh 3 kg.",
            ),
        ),
        default_currency="EUR",
    )


def rank_all(
    answer: str, turn: Turn, used: Sequence[int]
) -> list[tuple[list[EvidenceFact], list[Candidate]]]:
    """Return for each value of an answer the facts it is ranked among, and the ranking."""
    evidence = read_evidence(turn)
    view = EvidenceView(evidence, turn, frozenset())
    left_out = frozenset(evidence.facts[at] for at in used)
    pool = Pool(evidence.facts, view)
    return [
        (
            [fact for fact in evidence.facts if fact not in left_out],
            list(rank_facts(read_setting(passage, stated), pool, view, used=left_out)),
        )
        for passage in read_passages(answer, view)
        for stated in passage.values
    ]


@pytest.mark.parametrize("used", [(), (4, 19, 20)], ids=["all", "some used"])
@pytest.mark.parametrize("answer", ANSWERS)
def test_facts_are_ranked_by_their_points_then_the_newest_first(
    answer: str, used: Sequence[int]
) -> None:
    rankings = rank_all(answer, make_turn(14), used)

    assert rankings
    for facts, ranking in rankings:
        at = {fact: number for number, fact in enumerate(facts)}
        keys = [(-one.points, -one.fact.position, at[one.fact]) for one in ranking]
        assert len(ranking) == len(facts)
        assert all(before < after for before, after in pairwise(keys))


def write_table(orders: Sequence[dict[str, object]]) -> str:
    rows = (f"| {one['order_id']} | {one['total']}.00 EUR |" for one in orders)
    return "\n".join(("| Order | Total |", "|---|---|", *rows))


@pytest.mark.scaling
def test_a_table_takes_time_linear_in_its_rows_and_the_evidence() -> None:
    def prepare(count: int) -> Callable[[], object]:
        orders = make_orders(count)
        turn = Turn(calls=(call("list_orders", orders),), default_currency="EUR")
        answer = write_table(orders)

        def work() -> None:
            assert asyncio.run(verify_answer(answer, turn)).claims == count

        return work

    assert_grows(prepare, 150, 600, at_most=2 * 4)


@pytest.mark.scaling
def test_a_false_value_takes_no_longer_than_the_evidence_is_long() -> None:
    answer = "Order W1003 costs 7.77 EUR. It weighs 99 kg."

    def prepare(count: int) -> Callable[[], object]:
        turn = Turn(calls=(call("list_orders", make_orders(count)),), default_currency="EUR")
        return lambda: asyncio.run(verify_answer(answer, turn))

    assert_grows(prepare, 400, 1_600, at_most=2 * 4)
