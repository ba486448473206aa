"""Places in an answer that hold a checkable value: one that the evidence holds too, of a named record."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from casework.records import IDENTIFIER, NUMBER, Leaf, number_of
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from casework.records import Reading, Record

_MONEY: Final = re.compile(
    r"(?P<symbol>[$€£])\s?(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?!\w)"
)
_WRITTEN: Final = re.compile(r"\d+(?:\.\d+)?-?[A-Za-z]+")  # 500ml, 17-inch
_MONTHS: Final = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec"
)
_DAY: Final = re.compile(
    rf"\d{{4}}-\d{{2}}-\d{{2}}|\b(?:{_MONTHS})\.? \d{{1,2}}(?!\d)(?:st|nd|rd|th)?(?:, \d{{4}})?"
)
_NAMED_DAY: Final = re.compile(r"([A-Za-z]+)\.? (\d{1,2})(?:st|nd|rd|th)?(?:, (\d{4}))?")
_SENTENCE: Final = re.compile(r"[^\n]+?(?:[.!?](?=[\s)*]|$)|\n|$)")
_NO_CLAIM: Final = re.compile(
    r"""\?\W*$ | n['’]t\b | \b(?: not? | never | cannot | none | please | if | once | until | unless | instead
    | would\ you | could\ you | let\ me\ know | to\ proceed )\b""",
    re.I | re.X,
)
_GENERAL: Final = re.compile(r"\b(?:can|cannot|can't|only|must|policy|should|may|will)\b", re.I)
_NEAR: Final = 600


@dataclass(frozen=True, slots=True)
class Place:
    """A span of the answer, what kind of value stands there, and the values of the evidence that it is."""

    sort: str
    span: Span
    text: str
    leaves: tuple[Leaf, ...]


def find_places(answer: str, reading: Reading) -> list[Place]:
    """Return the places, each of one sort, in the answer's order; none in what asks or supposes."""
    found: list[Place] = []
    for sentence in _SENTENCE.finditer(answer):
        if not _NO_CLAIM.search(sentence.group()):
            found += _places_in(answer, Span(*sentence.span()), reading)
    return found


def _places_in(answer: str, within: Span, reading: Reading) -> Iterator[Place]:
    taken: list[Span] = []
    for place in (
        *_days(answer, within, reading),
        *_identifiers(answer, within, reading),
        *_amounts(answer, within, reading),
        *_states(answer, within, reading),
    ):
        if not any(place.span.overlaps(other) for other in taken):
            taken.append(place.span)
            yield place


def _days(answer: str, within: Span, reading: Reading) -> Iterator[Place]:
    for found in _DAY.finditer(answer, within.start, within.end):
        month_day, year = read_day(found.group())
        leaves = [
            leaf
            for leaf in reading.leaves
            if isinstance(leaf.value, date)
            and (leaf.value.month, leaf.value.day) == month_day
            and year in {None, leaf.value.year}
        ]
        if leaves:
            yield Place("date", Span(*found.span()), found.group(), tuple(leaves))


def read_day(text: str) -> tuple[tuple[int, int] | None, int | None]:
    """Return month and day of a written date, and the year where it tells one."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        named = _NAMED_DAY.fullmatch(text)
        if named is None:
            return None, None
        month = datetime.strptime(named[1][:3], "%b").month  # noqa: DTZ007 -- a month's name alone
        return (month, int(named[2])), int(named[3]) if named[3] else None
    return (day.month, day.day), day.year


def _identifiers(answer: str, within: Span, reading: Reading) -> Iterator[Place]:
    known = _ids(reading)
    for found in IDENTIFIER.finditer(answer, within.start, within.end):
        text = found.group()
        leaves = known.get(text.lstrip("#").casefold())
        if leaves and _WRITTEN.fullmatch(text):
            yield Place("written", Span(*found.span()), text, tuple(leaves))
        elif leaves and (len(text) >= 5 or _follows(answer, found.start(), "ending in")):
            yield Place("id", Span(*found.span()), text, tuple(leaves))


def _ids(reading: Reading) -> dict[str, list[Leaf]]:
    """Return the texts of the evidence that hold a digit and no blank, and the keys that do."""
    known: dict[str, list[Leaf]] = {}
    for record in reading.records:
        for name in record.own:
            if IDENTIFIER.fullmatch(name) and any(sign.isdigit() for sign in name):
                known.setdefault(name.lstrip("#").casefold(), []).append(Leaf("id", name, record))
    return known


def _follows(answer: str, at: int, words: str) -> bool:
    return answer[max(0, at - len(words) - 4) : at].rstrip(" *").casefold().endswith(words)


def _amounts(answer: str, within: Span, reading: Reading) -> Iterator[Place]:
    for found in _MONEY.finditer(answer, within.start, within.end):
        leaves = _of_number(number_of(found["number"]), reading)
        if leaves:
            yield Place("money", Span(*found.span()), found.group(), leaves)
    for found in NUMBER.finditer(answer, within.start, within.end):
        leaves = _of_number(number_of(found.group()), reading)
        named = _named_by_unit(answer[found.end() : found.end() + 24], leaves)
        telling = "." in found.group() or len(found.group().replace(",", "")) >= 3
        if leaves and (named or (telling and not _is_year(found.group()))):
            yield Place("number", Span(*found.span()), found.group(), named or leaves)


def _of_number(number: Decimal, reading: Reading) -> tuple[Leaf, ...]:
    return tuple(
        leaf for leaf in reading.leaves if isinstance(leaf.value, Decimal) and leaf.value == number
    )


def _is_year(text: str) -> bool:
    return len(text) == 4 and text[:2] in {"19", "20"}


def _named_by_unit(after: str, leaves: Iterable[Leaf]) -> tuple[Leaf, ...]:
    """Return the leaves in whose key the word after the number stands: `5 GB` of `data_limit_gb`."""
    word = re.match(r"\s?\**\s?([A-Za-z]{2,})", after)
    if word is None:
        return ()
    stem = word[1].casefold().removesuffix("s")
    return tuple(
        leaf
        for leaf in leaves
        if stem in re.split(r"[_\W]+", leaf.key.casefold().replace("s_", "_"))
    )


def _words(key: str) -> set[str]:
    return {word.removesuffix("s") for word in re.split(r"[_\W]+", key.casefold())}


def _states(answer: str, within: Span, reading: Reading) -> Iterator[Place]:
    sentence = within.of(answer)
    if _GENERAL.search(sentence):
        return
    states: dict[str, list[Leaf]] = {}
    for leaf in reading.leaves:
        if leaf.is_state and isinstance(leaf.value, str) and leaf.value:
            states.setdefault(leaf.value.replace("_", " ").casefold(), []).append(leaf)
    for state, leaves in states.items():
        for found in _word(state).finditer(answer, within.start, within.end):
            yield Place("state", Span(*found.span()), found.group(), tuple(leaves))


@lru_cache(maxsize=20_000)
def _word(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(text)}(?!\w)", re.I)


def is_bound(
    answer: str, span: Span, own: Record, other: Record | None = None, *, above: bool = True
) -> bool:
    """Return whether the name nearest to the span is one of the record's own, and not of the other's.

    Names on the same line count by their distance, those of lines above only where the line has none
    and `above` holds; names of both tell nothing.
    """
    ours, theirs = own.names, set() if other is None else other.names
    start = answer.rfind("\n", 0, span.start) + 1
    end = answer.find("\n", span.end)
    line = Span(start, len(answer) if end < 0 else end)
    windows = (line, Span(max(0, start - _NEAR), start)) if above else (line,)
    for window in windows:
        near = _nearest(answer, span, window, ours - theirs)
        far = _nearest(answer, span, window, theirs - ours)
        if near is not None or far is not None:
            return near is not None and (far is None or near < far)
    return False


def _nearest(answer: str, span: Span, window: Span, names: set[str]) -> int | None:
    distances = [
        max(found.start() - span.end, span.start - found.end())
        for name in names
        for found in _word(name.lstrip("#")).finditer(answer, window.start, window.end)
        if not Span(*found.span()).overlaps(span)
    ]
    return min(distances, default=None)
