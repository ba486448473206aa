"""Facts by the size of their values: nothing that a value could be is left out, and most else is."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from tests.unit.verify.shop import call
from verifier.core.binding.comparing import bare_count, compare_value
from verifier.core.binding.value_index import ValueIndex
from verifier.core.facts import read_evidence
from verifier.core.relations import Outcome
from verifier.core.turn_values import read_quantities
from verifier.core.turns import Turn
from verifier.core.values import Quantity

NUMBERS: Final = (
    "0",
    "3",
    "4",
    "12",
    "12.5",
    "12.49",
    "0.125",
    "1,200",
    "1200",
    "1.2 million",
    "2k",
)
UNITS: Final = (
    "{} EUR",
    "${}",
    "{} EUR per month",
    "{} JPY",
    "{}",
    "{} kg",
    "{} g",
    "{} days",
    "{} months",
    "{}%",
    "{} percentage points",
    "{} orders",
    "about {} kg",
    "at least {} EUR",
    "between 2 and {} days",
    "exactly {} kg",
)
DATES: Final = (
    "2026-03-05",
    "March 5",
    "5 March 2026",
    "March 2026",
    "2026-03-05T23:30:00+09:00",
    "14:30",
    "02/03/2026",
    "since 2026-03-04",
    "Q1 2026",
    "first",
    "4K",
)
TEXTS: Final = (*(unit.format(number) for unit in UNITS for number in NUMBERS), *DATES)
HELD: Final = frozenset({Outcome.AGREE, Outcome.COULD_BE})


def make_turn() -> Turn:
    records = [
        {
            "id": f"A-{at}",
            "told": text,
            "price": at / 8,
            "price_cents": at * 50,
            "currency": "EUR",
            "weight_kg": at,
            "share_percent": at % 100,
            "ratio": at / 200,
            "ordered_on": f"2026-03-{1 + at % 28:02}",
            "sent_at": f"2026-03-{1 + at % 28:02}T{at % 24:02}:30:00Z",
        }
        for at, text in enumerate(TEXTS)
    ]
    return Turn(calls=(call("list_things", records),), default_currency="EUR")


@pytest.fixture(scope="module")
def turn() -> Turn:
    return make_turn()


@pytest.mark.parametrize("unit", [*UNITS, "dates"])
def test_every_fact_that_a_value_could_be_is_near_it(unit: str, turn: Turn) -> None:
    facts = [one for one in read_evidence(turn).facts if isinstance(one.fact.value, Quantity)]
    index = ValueIndex(facts)
    texts = DATES if unit == "dates" else [unit.format(number) for number in NUMBERS]
    for text in texts:
        for mention in read_quantities(f"It is {text}.", turn):
            value = bare_count(mention.value)
            assert isinstance(value, Quantity)
            near = set(index.near(value))
            for fact in (one for one in facts if one not in near):
                held = fact.fact.value
                assert isinstance(held, Quantity)
                meant = replace(value, per=held.per) if value.per is None else value
                assert compare_value(meant, held) not in HELD, (text, held)
                assert compare_value(value, held) not in HELD, (text, held)


def test_few_facts_are_near_a_plain_amount(turn: Turn) -> None:
    facts = read_evidence(turn).facts
    (mention,) = read_quantities("It costs 12.50 EUR.", turn)
    assert isinstance(mention.value, Quantity)
    assert len(set(ValueIndex(facts).near(mention.value))) < len(facts) / 4
