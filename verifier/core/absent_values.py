"""Which values of a statement stand nowhere in a cited text, and which may stand there in another form.

Rejecting by absence needs no binding, so that it must be sure of the absence: a value whose digits stand
in the text without a unit that rules it out is left open.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.calendar_relations import RECURRING
from verifier.core.comparison import Outcome, relate
from verifier.core.units import unit_of
from verifier.core.value_presence import lies_in, stands_in
from verifier.core.values import Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.quantities import ValueMention
    from verifier.core.statement_results import CitedClause
    from verifier.core.statements import Clause
    from verifier.core.values import Value

_NUMBER: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")  # 1,299.50
_SCALE: Final = re.compile(
    r"(?:thousand|[mbt]r?illion|lakh|crore|\d\s?(?:k|m|mn|bn))\b", re.IGNORECASE
)
_OFTEN: Final = frozenset({"ever", "each", "once"})
_OPEN_FAULTS: Final = frozenset({"no_clock", "vague"})
_BARE: Final = frozenset({Kind.NUMBER, Kind.ORDINAL})
_COUNTED: Final = frozenset({Kind.NUMBER, Kind.ORDINAL, Kind.QUANTITY})
_CALENDAR: Final = frozenset({Kind.DATE, Kind.TIME, Kind.QUARTER})


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """Values of a statement that stand nowhere in the cited text, and those that only may stand there."""

    absent: tuple[ValueMention, ...]
    open: tuple[ValueMention, ...]


def find_presence(part: Clause, cited: Sequence[CitedClause], texts: Sequence[str]) -> Presence:
    """Return which values of the statement's clause stand in none of the texts.

    A number inside a range stands there only where the range is said of something that the statement
    speaks of.
    """
    held = [other for one in cited for other in one.clause.values]
    near = [other for one in cited if one.clause.stems & part.stems for other in one.clause.values]
    absent: list[ValueMention] = []
    left_open: list[ValueMention] = []
    for one in part.values:
        if any(stands_in(one.value, other.value) for other in held):
            continue
        if _lies_in_any(one.value, near, texts):
            continue
        (left_open if _may_stand(one.value, held, texts) else absent).append(one)
    return Presence(absent=tuple(absent), open=tuple(left_open))


def _lies_in_any(value: Value, near: Sequence[ValueMention], texts: Sequence[str]) -> bool:
    """Return whether the value may be one of a range; a day or year that no text has is none of "October"."""
    holding = [other.value for other in near if lies_in(value, other.value)]
    if not all(isinstance(one, Quantity) and one.unit == RECURRING for one in holding):
        return True
    return bool(holding) and all(
        any(number in list_numbers(text) for text in texts) for number in list_numbers(value.text)
    )


def _may_stand(value: Value, held: Sequence[ValueMention], texts: Sequence[str]) -> bool:
    if not isinstance(value, Quantity):
        return False
    if value.fault in _OPEN_FAULTS:
        return True
    written = set(list_numbers(value.text))
    if written == {"0"} or value.kind is Kind.QUARTER:
        return True  # "nil", a dash; "third quarter" of a column of Q3
    if not written:
        if value.kind is Kind.DURATION and value.text[:4].casefold() in _OFTEN:
            return True  # "every day" of a text that says "daily"
        return _counts_what_is_not_counted(value, held)
    if not all(any(number in list_numbers(text) for text in texts) for number in written):
        return False
    holders = [other.value for other in held if written & set(list_numbers(other.value.text))]
    return not holders or not all(_is_another(value, other) for other in holders)


def _counts_what_is_not_counted(value: Quantity, held: Sequence[ValueMention]) -> bool:
    """Return whether a count in words ("two friends") is of things that the text tells but never counts."""
    if value.kind not in _COUNTED or (value.unit and unit_of(value.unit) is not None):
        return False
    if value.writing not in {Writing.EXACT, Writing.ROUNDED}:
        return False
    return not any(
        isinstance(other.value, Quantity)
        and other.value.kind in _COUNTED
        and other.value.unit == value.unit
        and value.unit is not None
        for other in held
    )


def _is_another(value: Quantity, other: Value) -> bool:
    """Return whether a held value with the same digits is surely not the claimed one: 5 hours, not 5 days."""
    if not isinstance(other, Quantity):
        return False
    if value.kind in _BARE or other.kind in _BARE:
        return False
    if value.kind in _CALENDAR or other.kind in _CALENDAR:
        exact = value.writing is other.writing is Writing.EXACT
        return exact and relate(value, other).outcome is Outcome.DISAGREE
    if not _is_measured(value) or not _is_measured(other):
        return False
    if _tells_scale(value.text) is not _tells_scale(other.text):
        return False  # "$45.4" may stand in a table of millions
    return relate(value, other).outcome in {Outcome.DISAGREE, Outcome.INCOMPARABLE}


def _tells_scale(text: str) -> bool:
    return _SCALE.search(text) is not None


def _is_measured(value: Quantity) -> bool:
    """Return whether the unit is one of a table, not a counted noun."""
    return value.kind is not Kind.QUANTITY or (
        bool(value.unit) and unit_of(value.unit or "") is not None
    )


@lru_cache(maxsize=512)
def list_numbers(text: str) -> frozenset[str]:
    """Return the numbers written in digits in a text, without the signs that group them."""
    found = (match.group().replace(",", "") for match in _NUMBER.finditer(text))
    return frozenset(_plain(number) for number in found)


def _plain(number: str) -> str:
    whole, _, decimals = number.partition(".")
    whole = whole.lstrip("0") or "0"
    decimals = decimals.rstrip("0")
    return f"{whole}.{decimals}" if decimals else whole
