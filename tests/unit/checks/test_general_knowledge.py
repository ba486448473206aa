"""What a mark of general knowledge covers: no price, term, schedule, state or id, and all else."""

from __future__ import annotations

import pytest

from verifier import check_cited_answer
from verifier.core.grounding_levels import is_labelled_general
from verifier.core.turns import Level

GENERAL = (
    "water boils at 100 °C.",
    "Paris is the capital of France.",
    "cotton shrinks.",
    "refunds take 3 to 5 days.",
    "electric kettles last 5 years.",
    "adults need at least 7 hours of sleep.",
    "you can boil an egg in 8 minutes.",
    "World War II ended in 1945.",
    "a leap year has 366 days.",
    "sound travels at 343 m/s in air.",
    "about 71% of the Earth's surface is water.",
    "shipping by sea is slower than shipping by air.",
    "taxes fund public services.",
    "vitamin B12 is found in meat.",
    "A4 paper measures 210 by 297 mm.",
    "your skin needs sunlight.",
    "LED bulbs use 80% less energy than incandescent ones.",
    "lithium batteries lose 2% of their charge each month.",
    "people order online more often than they did.",
    "a marathon is 42.195 km long.",
    "wool should be washed at 30 °C.",
    "you may need a plug adapter abroad.",
    "the human body has 206 bones.",
    "the store of energy in a battery falls with time.",
    "a credit card number has 16 digits.",
    "you must wash raw chicken boards.",
    "pay is higher in cities.",
    "a phone battery loses 20% of its capacity after 500 charge cycles.",
    "people can live up to 3 days without water.",
    "your heart beats 70 times a minute.",
    "insurers pay claims after an accident.",
    "electric cars need less maintenance.",
)
GROUNDED = (
    "return shipping costs $9.95.",
    "you may return items within 90 days.",
    "your order is shipped.",
    "the order is shipped.",
    "orders ship in 2 days.",
    "delivery takes 3 days.",
    "delivery is free.",
    "returns are accepted.",
    "pets are allowed.",
    "students get 20% off.",
    "gift cards are valid for 2 years.",
    "the store is open until 9 pm.",
    "the sale ends on 5 May.",
    "order A-1734 is late.",
    "call +49 30 1234567.",
    "you can cancel at any time.",
    "customers must claim within 14 days.",
    "the item is in stock.",
    "you are eligible for a refund.",
    "refunds are paid within 5 business days.",
    "the warranty lasts 3 years.",
    "check-in starts at 3 pm.",
    "VAT is 19%.",
    "tickets are non-refundable.",
    "up to 5 users can share a plan.",
    "the company ships worldwide and accepts returns.",
    "version 3.2.1 fixes it.",
    "your refund was approved.",
    "a fee of nine dollars is charged.",
    "refunds take 3 to 5 days for your order.",
    "you can return opened items.",
    "the trial runs 14 days.",
    "the shop closes on Sundays.",
    "the notice period is one month.",
    "parking is free.",
    "breakfast is included.",
    "you have 14 days to send it back.",
    "items can be sent back within two weeks.",
    "there is no charge for it.",
    "your data is stored for 30 days.",
    "support is available 24/7.",
    "your parcel arrives on Monday.",
    "the Pro plan includes 5 seats.",
    "it arrives by Friday.",
)


@pytest.mark.parametrize("stated", GENERAL)
def test_what_everybody_can_know_is_general(stated: str) -> None:
    assert is_labelled_general(f"In general, {stated}")
    assert is_labelled_general(f"As general knowledge, {stated}")


@pytest.mark.parametrize("stated", GROUNDED)
def test_what_needs_a_source_at_any_level_is_never_general(stated: str) -> None:
    assert not is_labelled_general(f"In general, {stated}")

    (found,) = check_cited_answer(
        f"In general, {stated}", {"t": "It rains."}, level=Level.LABELLED_GENERAL
    )

    assert found.code.value == "missing_citation"
    assert "needs a source at any level" in found.detail
