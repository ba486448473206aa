"""What holds a value without proving it: then it is not absent from the evidence."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.binding.comparable_facts import asides_of
from verifier.core.binding.comparing import compare_value
from verifier.core.facts.dimensions import groups_for
from verifier.core.facts.model import NamedBy
from verifier.core.relations import Outcome
from verifier.core.text import fold
from verifier.core.units import unit_of
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Passage
    from verifier.core.binding.pools import Pool
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import EvidenceFact

_CALENDAR_TIMES: Final = frozenset({"d", "wk", "mo", "yr"})

_COUNTS: Final = frozenset({Kind.NUMBER, Kind.QUANTITY})


def find_holders(value: Quantity, text: str, view: EvidenceView) -> list[EvidenceFact]:
    """Return the facts that hold a value and prove nothing, and the texts that `text` stands in.

    That are what the user said and what the model asked for, what a newer result replaced, and, of an
    amount, bare numbers of a record that tells its currency, and the amount without a time that it is for.
    """
    pools = (asides_of(value, view), view.pool("former", lambda: view.evidence.former))
    held = (one for pool in pools for one in _with_value(value, pool))
    bare = view.bare_prices.get(value.interval, ()) if value.kind is Kind.MONEY else ()
    return [*held, *bare, *_of_no_time(value, view), *view.evidence.holds_text(fold(text))]


def _of_no_time(value: Quantity, view: EvidenceView) -> Iterator[EvidenceFact]:
    """Yield the facts that hold an amount per month and do not say for how long it is."""
    unit, _, time = (value.unit or "").partition("/")
    if value.per is None and time not in _CALENDAR_TIMES:
        return
    amount = replace(value, per=None, unit=unit or None)

    def find() -> list[EvidenceFact]:
        return view.proof(view.evidence.of_dimension(amount))

    for fact in _with_value(amount, view.pool(("proof", *groups_for(amount)), find)):
        held = fact.fact.value
        if isinstance(held, Quantity) and held.per is None:
            yield fact


def _with_value(value: Quantity, pool: Pool) -> Iterator[EvidenceFact]:
    near = pool.values.near(value)
    return (one for one in near if compare_value(value, one.fact.value) is Outcome.AGREE)


def tells_of_sentence(value: Quantity, stated: StatedValue, passage: Passage) -> bool:
    """Return whether a value is about the sentence's own: what an amount is per, or how many it lists."""
    return _is_multiplier(value, passage) or _counts_listed(stated, passage)


def _is_multiplier(value: Quantity, passage: Passage) -> bool:
    """Return whether an amount of the sentence is per what this is: the 6 months of "$40 per month"."""
    own = unit_of(value.unit or "")
    if own is None:
        return False
    rates = (
        unit_of(one.value.per)
        for sentence in (passage, *passage.recent[:1])
        for one in sentence.values
        if isinstance(one.value, Quantity) and one.value.per is not None
    )
    return any(rate is not None and rate.dimension == own.dimension for rate in rates)


def _counts_listed(stated: StatedValue, passage: Passage) -> bool:
    """Return whether a count is of the ids that follow it: "two orders (#W1 and #W2) and one trip"."""
    value = stated.value
    if not isinstance(value, Quantity) or value.kind not in _COUNTS:
        return False
    text, offset = passage.sentence.text, passage.sentence.span.start
    ids = [one.span for one in passage.mentions if one.by == NamedBy.KEY]
    ids = [one for one in ids if one.start >= stated.span.end]
    listed = 1
    for one, other in pairwise(ids):
        if text[one.end - offset : other.start - offset].strip(" ,&") not in {"", "and"}:
            break
        listed += 1
    return listed > 1 and value.interval.low == value.interval.high == listed


def start_of_counts(stated: StatedValue, passage: Passage) -> int:
    """Return where the row of counts starts that a count ends: "24 seats and 30 beds"; in the sentence."""
    text, offset = passage.sentence.text, passage.sentence.span.start
    start = stated.span.start
    for other in reversed(passage.values[: passage.values.index(stated)]):
        link = text[other.span.end - offset : start - offset].strip(" ,&")
        if other.value.kind not in _COUNTS or link not in {"", "and", "plus"}:
            break
        start = other.span.start
    return start - offset
