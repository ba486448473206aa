"""Prose about catalogued things: only what its clause binds is accepted, and much is left open."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.growth import assert_grows

if TYPE_CHECKING:
    from collections.abc import Callable

from tests.unit.verify.shop import LAMP, ORDER, THROW, call, codes, verify_by_ledger

THINGS = (
    call(
        "list_products",
        [
            {"id": THROW, "name": "Wool throw", "price": 49.9, "currency": "USD"},
            {"id": LAMP, "name": "Desk lamp", "price": 1299, "currency": "USD"},
        ],
        call_id="c1",
    ),
    call(
        "get_order",
        {
            "order_id": ORDER,
            "status": "shipped",
            "total": 199.99,
            "currency": "USD",
            "tracking_number": "TRK9001",
        },
        call_id="c2",
    ),
)


@pytest.mark.parametrize(
    "answer",
    [
        "The wool throw costs $49.90.",
        "Wool throws cost $49.90.",
        "The price of the desk lamp is 1299 USD.",
        "Our desk lamp is priced at $1,299.00, and the wool throw costs $49.90.",
        "The desk lamp costs $1,299.00 and the wool throw $49.90.",
        f"Your order {ORDER} has shipped.",
        f"Order {ORDER.upper()} is on its way.",
        f"Order {ORDER}: status shipped, total $199.99, tracking number TRK9001.",
        f"The total of order {ORDER} is $199.99.",
        f"Order {ORDER} has not been delivered.",
        f"I found your order {ORDER}.",
        "- Wool throw: price $49.90",
        f"Hi Mira, your order {ORDER} has shipped.",
        f"Order no {ORDER} has shipped.",
        f"Order No. {ORDER} has shipped.",
        f"Order no. {ORDER} has not been delivered.",
        f"Good news: your order {ORDER} has shipped.",
        f"No, your order {ORDER} has shipped.",
        f"Order {ORDER} has not been delivered yet.",
        f"Your order {ORDER} (total: $199.99) has just shipped.",
        "The wool throw costs under $60.",
        "For the wool throw, the price is $49.90.",
    ],
)
def test_bound_and_right_is_verified(answer: str) -> None:
    assert set(codes(verify_by_ledger(answer, *THINGS))) == {"verified"}


@pytest.mark.parametrize(
    ("answer", "code", "right"),
    [
        ("The wool throw costs $1,299.00.", "price_mismatch", "49.90"),
        ("The wool throw costs €49.90.", "price_mismatch", "49.90"),
        ("The wool throw costs $49.91.", "price_mismatch", "49.90"),
        (f"Order {ORDER} has been delivered.", "attribute_mismatch", "shipped"),
        (f"Order no. {ORDER} has not shipped.", "attribute_mismatch", "shipped"),
        (f"No order {ORDER} has shipped.", "attribute_mismatch", "shipped"),
        (f"Order {ORDER} has not shipped.", "attribute_mismatch", "shipped"),
        (f"The tracking number of order {ORDER} is TRK9002.", "attribute_mismatch", "TRK9001"),
        (f"Order {ORDER}: total $299.99.", "price_mismatch", "199.99"),
    ],
)
def test_bound_and_wrong_is_rejected_with_the_right_value(
    answer: str, code: str, right: str
) -> None:
    report = verify_by_ledger(answer, *THINGS)
    assert codes(report) == [code]
    assert report.judged[0].verdict.corrected_value == right


@pytest.mark.parametrize(
    "answer",
    [
        "The wool blanket costs $49.90.",
        "The wool throw pillow costs $49.90.",
        "The wool throw saves you $49.90.",
        "The wool throw costs $49.90 per month.",
        "The wool throw costs $49.90 more than the desk lamp.",
        "The wool throw once cost $49.90.",
        "The wool throw was $49.90.",
        "The wool throw may cost $49.90.",
        "If you are a member, the wool throw costs $49.90.",
        "The wool throw does not cost $49.90.",
        "The wool throw costs $49.90 or $59.90.",
        "Shipping of the wool throw costs $49.90.",
        "The wool throw and the desk lamp cost $49.90.",
        "The sofa costs $1,299.00, unlike the desk lamp.",
        "Compared to the desk lamp, the sofa costs $1,299.00.",
        "The wool throw costs about $49.90 in Canada.",
        "It costs $49.90.",
        "Two wool throws cost $49.90.",
        "The deposit for the wool throw is $49.90.",
        f"Order {ORDER} will be shipped.",
        f"Order {ORDER} should have shipped.",
        f"The return of order {ORDER} has shipped.",
        f"Part of order {ORDER} has shipped.",
        f"The refund for order {ORDER} is $199.99.",
        f"Order {ORDER} had a total of $199.99 before the discount.",
        f"Unlike order {LAMP}, order {ORDER} has tracking number TRK9009.",
        "The wool throw costs from $49.90.",
        "The wool throw costs up to $49.90.",
        "The wool throw costs at least $49.90.",
        "The wool throw costs $40-$60.",
        "The wool throw costs $49.90 with code SAVE.",
        "The wool throw costs $49.90, no shipping included.",
        "The wool throw costs $49.90 - in blue.",
        "Last week, the wool throw cost $49.90.",
        "It is a myth: the wool throw costs $49.90.",
        "The wool throw had cost $49.90.",
        "The wool throw costed $49.90.",
        "The wool throw ~~costs $49.90~~.",
        "The wool throw price ≠ $49.90.",
        "The wool throw and desk lamp cost $1,299.00 and $49.90 respectively.",
        f"Order {ORDER} can't be shipped.",
        f"Order {ORDER} cannot be shipped.",
        f"Order {ORDER} ain't shipped.",
        f"Order {ORDER} must be shipped.",
        f"Order {ORDER} has yet to be shipped.",
        f"Order {ORDER} is to be shipped.",
        f"Order {ORDER} is being shipped.",
        f"Order {ORDER} has n't shipped.",
        f"Order {ORDER} is not not delivered.",
        f"Order {ORDER} is anything but shipped.",
        f"Order {ORDER} status shipped: false.",
        f"Order {ORDER} has shipped, or so you say.",
        f"Order {ORDER} n'est pas shipped.",
        f"Order {ORDER} 没有 shipped.",
        f"❌ Order {ORDER} shipped.",
        f"I hope, your order {ORDER} has shipped.",
    ],
)
def test_what_is_not_bound_outright_is_never_accepted(answer: str) -> None:
    assert "verified" not in codes(verify_by_ledger(answer, *THINGS))


@pytest.mark.parametrize(
    "answer",
    [
        "Happy to help. What are you looking for?",
        "Does the wool throw cost $49.90?",
        f"I couldn't find order {LAMP}.",
        "Thank you!",
        "",
        "   \n\n",
        "```python\nprice = 49.90\n```",
    ],
)
def test_what_states_nothing_is_no_claim(answer: str) -> None:
    report = verify_by_ledger(answer, *THINGS)
    assert report.claims == 0
    assert report.grounded_share is None
    assert report.accepted


def test_what_is_wrongly_denied_is_told_plainly() -> None:
    report = verify_by_ledger(f"Order {ORDER} has not shipped.", *THINGS)
    detail = report.judged[0].verdict.decided_by.detail
    assert detail == "status is 'shipped' in the ledger, which the answer denies"


def test_what_is_said_of_a_real_thing_in_unknown_words_is_not_verified() -> None:
    for told in ("has been repaid in full", "is un-shipped", "arrives soon"):
        report = verify_by_ledger(f"Order {ORDER} {told}.", *THINGS)
        (judged,) = report.judged
        assert (judged.verdict.disposition, judged.claim.text) == (
            "unchecked",
            f"Order {ORDER} {told}.",
        )
    found = verify_by_ledger(f"I found your order {ORDER}.", *THINGS)
    assert (codes(found), found.unchecked) == (["verified"], ())


def test_a_statement_without_anything_checkable_is_listed() -> None:
    report = verify_by_ledger("The wool throw is soft. Hello!", *THINGS)
    assert report.claims == 0
    assert [one.text for one in report.unchecked] == ["The wool throw is soft."]


def test_spans_are_those_of_the_answer() -> None:
    answer = f"🎉 Grüße! Your order {ORDER} has shipped, tracking number TRK9002."
    report = verify_by_ledger(answer, *THINGS)
    assert codes(report) == ["verified", "attribute_mismatch"]
    written = [judged.claim.assertions[0].span.of(answer) for judged in report.judged]
    assert written == ["shipped", "TRK9002"]
    for judged in report.judged:
        assert judged.claim.span.of(answer) == judged.claim.text
        assert judged.claim.sentence.contains(judged.claim.span)


@pytest.mark.scaling
def test_a_clause_of_many_values_is_not_repeated_for_each() -> None:
    answer = "$5 " * 3_000 + ORDER
    report = verify_by_ledger(answer, *THINGS)
    assert report.claims in {3_000, 3_001}
    assert sum(len(judged.claim.text) for judged in report.judged) < 2 * len(answer)


@pytest.mark.parametrize(
    "piece",
    ["$5 ", "a1, ", "order ", "shipped and ", f"{ORDER} ", "[1", "wool throw ", "tracking number "],
)
@pytest.mark.scaling
def test_hostile_prose_takes_linear_time(piece: str) -> None:
    def prepare(times: int) -> Callable[[], object]:
        return partial(verify_by_ledger, piece * times, *THINGS)

    assert_grows(prepare, 40, 320, at_most=4 * 8)
