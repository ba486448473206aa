"""Ordinals that count from the end or from the current one: `second to last`, `the last but one`, `next`."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from verifier.core.quantities.calendars import month_names, weekday_names
from verifier.core.quantities.nouns import can_be_noun
from verifier.core.quantities.readings import Reading
from verifier.core.quantities.tokens import DIGITS, WORD
from verifier.core.quantities.wordsums import ordinal_values
from verifier.core.tables import read_table, word_set
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.quantities.tokens import Stream

_HYPHENS: Final = frozenset("-‐‑")
_ARTICLES: Final = frozenset({"a", "an"})
_TAILS: Final = (
    ("to", "last"),
    ("to", "the", "last"),
    ("from", "last"),
    ("from", "the", "last"),
    ("from", "the", "end"),
    ("last",),
)
_DATED: Final = frozenset({Kind.DURATION, Kind.DATE, Kind.TIME, Kind.QUARTER})
_VERB_OBJECTS: Final = frozenset(
    {"for", "until", "till", "through", "longer", "up", "more", "over", "about"}
)
"""What follows `last` as a verb: `the second to last for a year`."""


class Place(NamedTuple):
    """A place in an order: how far from its origin (`end`, `current`), up to which token it is written."""

    offset: int
    origin: str
    end: int


def end_place(stream: Stream, index: int, number: int) -> Place | None:
    """Return the place that an ordinal before token `index` has from the end: -1 for `second to last`."""
    if number < 2 or stream.folds[index] not in {"to", "from", "last", *_HYPHENS}:
        return None
    for words in _TAILS:
        end = _after(stream, index, words)
        if end is None or stream.kinds[end] == DIGITS or stream.folds[end] in _VERB_OBJECTS:
            continue
        if not _is_dated(stream, end):
            return Place(1 - number, "end", end)
    return None


def with_place(stream: Stream, reading: Reading, place: Place) -> Reading:
    """Return an ordinal as its distance from the origin of its order, which stands for its unit."""
    offset = Fraction(place.offset)
    reading = reading._replace(low=offset, high=offset, unit=place.origin, end=place.end)
    return reading._replace(stops=stream.ends[place.end - 1])


def add_relative_order(stream: Stream, readings: list[Reading]) -> list[Reading]:
    """Return the readings with the words that order things relatively added.

    These are `last`, `next`, `previous`, `penultimate`, `the last but one` and their kin; and ordinals
    after an article (`a first draft`). What is read as a date or a period already stays one.
    """
    found: list[Reading] = []
    index = 0
    for reading in readings:
        found.extend(_order_between(stream, index, reading))
        if not found or reading.begins >= found[-1].stops:
            found.append(reading)
        index = max(found[-1].end, reading.end)
    return [*found, *_order_between(stream, index, None)]


def _order_between(stream: Stream, index: int, limit: Reading | None) -> Iterator[Reading]:
    stop = stream.count if limit is None else limit.start
    while index < stop:
        place = _place_at(stream, index, limit)
        if place is not None:
            yield _reading(stream, index, place)
        index = place.end if place is not None else index + 1


def _reading(stream: Stream, index: int, place: Place) -> Reading:
    reading = Reading(Kind.ORDINAL, index, index, stream.starts[index], 0, spelled=True)
    reading = with_place(stream, reading, place)
    return reading if place.origin != "start" else reading._replace(unit=None)


def _place_at(stream: Stream, index: int, limit: Reading | None) -> Place | None:
    for words, (origin, offset) in _phrases().get(stream.folds[index], ()):
        end = _after(stream, index, words)
        if end is None:
            continue
        single = len(words) == 1
        follows = limit if limit is not None and limit.start == end else None
        if single and not _orders(stream, index, follows):
            return None
        return Place(offset, origin, end)
    return _after_article(stream, index)


@cache
def _phrases() -> dict[str, list[tuple[tuple[str, ...], tuple[str, int]]]]:
    """Return the phrases by their first word, longest first."""
    table: dict[str, list[tuple[tuple[str, ...], tuple[str, int]]]] = {}
    for origin, phrases in read_table("number_words")["relative_order"].items():
        for phrase, offset in phrases.items():
            words = tuple(phrase.split())
            table.setdefault(words[0], []).append((words, (origin, offset)))
    for entries in table.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return table


def _after(stream: Stream, index: int, words: tuple[str, ...]) -> int | None:
    """Return the index after `words` at `index`, joined by spaces or hyphens, or None."""
    for word in words:
        if stream.words[index] in _HYPHENS and stream.glued(index) and stream.glued(index + 1):
            index += 1
        if stream.folds[index] != word:
            return None
        index += 1
    return index


def _orders(stream: Stream, index: int, follows: Reading | None) -> bool:
    """Return whether one word such as `last` or `next` orders things: it is no verb, adverb or date."""
    word, after = stream.folds[index], stream.folds[index + 1]
    before = stream.folds[index - 1] if index else ""
    if word == "last" and (
        before in word_set("number_words", "not_before_last") or after in _VERB_OBJECTS
    ):
        return False
    if after == "to" or (after == "," and stream.glued(index + 1)):
        return False
    dated = follows is not None and follows.kind in _DATED
    return not dated and not _is_dated(stream, index + 1)


def _is_dated(stream: Stream, index: int) -> bool:
    word = stream.folds[index]
    named = word in month_names() or word in weekday_names()
    return named or word in word_set("number_words", "not_after_last")


def _after_article(stream: Stream, index: int) -> Place | None:
    """Return the ordinal of `a first draft`; a second and a third by themselves are amounts."""
    entry = ordinal_values().get(stream.folds[index])
    if entry is None or index == 0 or stream.folds[index - 1] not in _ARTICLES:
        return None
    noun = stream.kinds[index + 1] == WORD and can_be_noun(stream.folds[index + 1])
    return Place(entry[1], "start", index + 1) if noun else None
