"""Dates and limits that only bound: "until" is not "from", and a later day does not prove an earlier one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.lexicons import load_word_lists
from verifier.core.speech import find_row, read_words
from verifier.core.values import Kind, Quantity, Writing

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.core.binding.passages import Spot
    from verifier.core.facts.model import EvidenceFact

_UNTIL: Final = frozenset({"until", "till", "through", "by", "to", "before"})
_FROM: Final = frozenset({"from", "since", "starting", "after", "on"})
_LIMITS: Final = frozenset(
    {"limit", "max", "maximum", "min", "minimum", "cap", "capacity", "allowance", "most", "least"}
)
_COMING: Final = (
    ("is", "on"),
    ("are", "on"),
    ("takes", "place"),
    ("starts",),
    ("begins",),
    ("will",),
)
_PRESENT: Final = frozenset({"is", "are", "be", "being", "get", "gets"})
_BEING: Final = _PRESENT | {"was", "were", "been"}
_PERMITTING: Final = frozenset({"can", "may", "must"})
_BETWEEN: Final = re.compile(r"\b(?:to|till|until|through|and)\b|[–—]|\s-\s", re.IGNORECASE)
_DAY: Final = re.compile(
    r"\b(?:\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?MONTH|MONTH\s+\d{1,2}\b)".replace(
        "MONTH", r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
    ),
    re.IGNORECASE,
)
_TIMES: Final = frozenset({Kind.DATE, Kind.TIME})


def find_other_bound(
    spot: Spot, fact: EvidenceFact, now: datetime | None, *, in_pair: bool = False
) -> str | None:
    """Return the word by which a value bounds otherwise than the fact's field does, or None.

    From one day to another is not proved by a single day, unless it is the first or last `in_pair`.
    """
    value = spot.stated.value
    if not isinstance(value, Quantity):
        return None
    tense = _other_tense(spot, value, fact, now)
    if tense is not None or fact.clause is not None:
        return tense
    if value.kind in _TIMES:
        if is_span_of_days(value) and not in_pair and _is_single(fact):
            return value.text
        return _other_end(spot, fact) or _weaker_day(value, fact)
    return _no_limit(spot, value, fact)


def is_span_of_days(value: Quantity) -> bool:
    """Return whether a first and a last day are written: "5 to 7 October", not a quarter or last week.

    Of some the text is the last day alone: its day is told, and still it has several.
    """
    if value.kind is not Kind.DATE or value.writing is not Writing.RANGE:
        return False
    return any(written.search(value.text) for written in (_BETWEEN, _DAY))


def _is_single(fact: EvidenceFact) -> bool:
    held = fact.fact.value
    return isinstance(held, Quantity) and held.writing is not Writing.RANGE


def _words_before(spot: Spot) -> tuple[str, ...]:
    offset = spot.passage.sentence.span.start
    before = spot.passage.sentence.text[
        spot.clause.start - offset : spot.stated.span.start - offset
    ]
    own = read_words(spot.stated.value.text)[:1]
    return (*read_words(before)[-2:], *own)


def _other_end(spot: Spot, fact: EvidenceFact) -> str | None:
    """Return "from" where the field says until when, and "until" where it says from when."""
    names = {part for name in fact.fact.attribute for part in read_words(name)}
    near = set(_words_before(spot))
    if names & {"until", "till"} and near & (_FROM - {"on"}) and not near & _UNTIL:
        return "from"
    if names & {"from", "since"} and near & _UNTIL and not near & _FROM:
        return "until"
    return None


def _weaker_day(value: Quantity, fact: EvidenceFact) -> str | None:
    """Return the day of a bound where it is not the very day of the fact."""
    held = fact.fact.value
    if value.writing is not Writing.BOUND or not isinstance(held, Quantity):
        return None
    if held.writing is Writing.BOUND or held.interval.low is None or held.interval.high is None:
        return None
    ends = {value.interval.low, value.interval.high} - {None}
    first, last = held.interval.low, held.interval.high
    same = any(end is not None and first <= end <= last for end in ends)
    return None if same else value.text


def _other_tense(
    spot: Spot, value: Quantity, fact: EvidenceFact, now: datetime | None
) -> str | None:
    """Return the word that tells a day to come as past, or a past one as to come: "ended on", "is on".

    The day is the fact's, which has a year where the answer writes none; "was moved to" is of one to come.
    """
    held = fact.fact.value
    if now is None or value.kind is not Kind.DATE or not isinstance(held, Quantity):
        return None
    day = value.interval.low if held.kind is not Kind.DATE else held.interval.low
    if day is None or day == now.toordinal():
        return None
    words = read_words(spot.text)
    return _said_to_come(words) if day < now.toordinal() else _said_past(words)


def _said_to_come(words: tuple[str, ...]) -> str | None:
    return next((" ".join(one) for one in _COMING if find_row(one, words) is not None), None)


def _said_past(words: tuple[str, ...]) -> str | None:
    lists = load_word_lists("cautions")
    done = frozenset[str]() if lists["set_for"] & set(words) else lists["done"]
    for at, word in enumerate(words):
        before, after = words[at - 1 : at] if at else (), words[at + 1 : at + 2]
        active = _BEING.isdisjoint(before) and after == ("on",)
        future = lists["to_come"] if active else lists["set_for"] | lists["to_come"]
        past = word.endswith("ed") and word not in future and _PRESENT.isdisjoint(before)
        if past or word in done:
            return word
    return None


def _no_limit(spot: Spot, value: Quantity, fact: EvidenceFact) -> str | None:
    """Return the word by which an amount is told as allowed, where the fact is no limit or another one."""
    if value.writing is not Writing.BOUND:
        return None
    held = fact.fact.value
    names = {part for name in fact.fact.attribute for part in read_words(name)}
    words = read_words(spot.text)
    if not names & _LIMITS:
        return next((word for word in words if word in _PERMITTING), None)
    ends = {value.interval.low, value.interval.high} - {None, 0}
    own = set() if not isinstance(held, Quantity) else {held.interval.low, held.interval.high}
    return None if ends & own else value.text
