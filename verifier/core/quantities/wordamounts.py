"""Amounts whose number is not written as one: `an hour`, `all day`, `a few minutes`, ordinals."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.money import settle_currency, tender_after
from verifier.core.quantities.numbers import from_words
from verifier.core.quantities.readings import Reading, from_number
from verifier.core.quantities.relativeorder import end_place, with_place
from verifier.core.quantities.tokens import DIGITS, WORD
from verifier.core.quantities.unitwords import find_unit
from verifier.core.quantities.wordnumbers import WordNumber, read_ordinal_words
from verifier.core.quantities.wordsums import ordinal_values
from verifier.core.tables import read_table
from verifier.core.units import DURATION_DIMENSIONS
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.quantities.context import Context
    from verifier.core.quantities.tokens import Stream

_ARTICLES: Final = frozenset({"a", "an"})
_WHOLE: Final = frozenset({"another", "all", "whole", "full", "entire"})
_RATE_WORDS: Final = frozenset({"times", "time", "once", "twice", "thrice", "of", "per"})
_NOT_AFTER_ARTICLE: Final = frozenset(
    {
        "second",
        "seconds",
        "turn",
        "foot",
        "bar",
        "stone",
        "grain",
        "bit",
        "point",
        "mole",
        "mil",
        "pound",
        "grad",
        "real",
        "mark",
        "march",
        "gross",
        "degree",
        "knot",
        "quarter",
        "night",
        "day",
        "carat",
        "weekend",
        "decade",
        "century",
        "millennium",
    }
)
_ENDS: Final = frozenset({"", ".", ",", "!", ";", "?", ":", "\n"})
_RANKED: Final = frozenset({"the", "finished", "came", "ranked", "placed", "is", "was", "in", "be"})
_VAGUE_SCALES: Final = {
    "dozen": 12,
    "hundred": 100,
    "thousand": 1000,
    "million": 10**6,
    "billion": 10**9,
}
_ORDINAL_SUFFIXES: Final = frozenset({"st", "nd", "rd", "th", "º", "ª"})


def read_article_unit(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return `an hour`, `a gallon`, `a penny`, `all day`, `another week` as one of that unit, or None."""
    word, position = stream.folds[index], index + 1
    if word in _WHOLE and stream.words[position] == "-":
        position += 1
    if stream.kinds[position] != WORD or (stream.glued(position) and position == index + 1):
        return None
    if word in _ARTICLES and (
        (index and stream.folds[index - 1] in _RATE_WORDS)
        or stream.folds[position] in _NOT_AFTER_ARTICLE
    ):
        return None
    one = from_words(WordNumber(Fraction(1), position))
    reading = from_number(Kind.QUANTITY, index, stream.starts[index], stream.ends[position], one)
    return _one_unit(stream, reading, position) or _one_coin(stream, reading, position, context)


def _one_unit(stream: Stream, reading: Reading, position: int) -> Reading | None:
    found = find_unit(stream, position)
    if found is None or len(found.letters) < 3 or not found.letters[0].islower():
        return None
    timed = found.unit.dimension in DURATION_DIMENSIONS
    spelled = found.letters.replace(" ", "").replace("-", "").isalpha()
    if not spelled or (stream.folds[reading.start] in _WHOLE and not timed):
        return None
    kind = Kind.DURATION if timed else Kind.QUANTITY
    return reading._replace(kind=kind, unit=found.unit.name, end=found.end, stops=found.stops)


def _one_coin(stream: Stream, reading: Reading, position: int, context: Context) -> Reading | None:
    word = stream.words[position]
    spelled = len(word) > 3 and word.isalpha() and not word[:1].isupper()
    if stream.folds[reading.start] not in _ARTICLES or not spelled:
        return None
    tender = tender_after(stream, position)
    if tender is None:
        return None
    code, mark = settle_currency(tender.code, context.default_currency)
    value, places = Fraction(1, tender.parts), len(str(tender.parts)) - 1
    reading = reading._replace(kind=Kind.MONEY, low=value, high=value, places=places)
    return reading._replace(currency=code, unit=mark, end=tender.end, stops=tender.stops)


def read_absolute_zero(stream: Stream, index: int) -> Reading | None:
    """Return `absolute zero` as 0 K, or None."""
    if stream.phrase(index, 2) != "absolute zero":
        return None
    zero = WordNumber(Fraction(0), index + 2)
    reading = from_number(
        Kind.QUANTITY, index, stream.starts[index], stream.ends[index + 1], from_words(zero)
    )
    return reading._replace(unit="K")


@cache
def _vague() -> dict[str, tuple[int, int, int]]:
    return {
        word: (number, low, high)
        for word, (number, low, high) in read_table("number_words")["vague"].items()
    }


def read_vague(stream: Stream, index: int) -> Reading | None:
    """Return `a few minutes`, `several weeks`, `a couple of days` as a wide range marked vague, or None."""
    start = index + (stream.folds[index] == "a")
    entry = _vague().get(stream.folds[start])
    if entry is None:
        return None
    scale = _VAGUE_SCALES.get(stream.folds[start + 1], 1)
    position = start + 1 + (scale > 1)
    position += stream.folds[position] == "of"
    found = find_unit(stream, position)
    if found is None or len(found.letters) < 3:
        return _vague_reading(stream, (index, position), entry, scale) if scale > 1 else None
    timed = found.unit.dimension in DURATION_DIMENSIONS
    if not timed and stream.folds[start] == "some":
        return None
    kind = Kind.DURATION if timed else Kind.QUANTITY
    reading = _vague_reading(stream, (index, found.end), entry, scale)
    return reading._replace(kind=kind, unit=found.unit.name, stops=found.stops)


def _vague_reading(
    stream: Stream, place: tuple[int, int], entry: tuple[int, int, int], scale: int
) -> Reading:
    start, end = place
    nominal, low, high = (Fraction(number * scale) for number in entry)
    reading = Reading(
        Kind.NUMBER, start, end, stream.starts[start], stream.ends[end - 1], low, high
    )
    return reading._replace(nominal=nominal, fault="vague", spelled=True)


def read_ordinal(stream: Stream, index: int) -> Reading | None:
    """Return `21st` or `twenty-first` as an ordinal; `second` and `first` only where they count.

    `second to last` counts from the end: -1, its unit `end`.
    """
    figures = stream.kinds[index] == DIGITS
    found = _ordinal_figures(stream, index) if figures else read_ordinal_words(stream, index)
    if found is None:
        return None
    begins, stops = stream.starts[index], stream.ends[found.end - 1]
    reading = Reading(Kind.ORDINAL, index, found.end, begins, stops, found.value, found.value)
    reading = reading._replace(spelled=not figures)
    place = end_place(stream, found.end, int(found.value))
    if place is not None:
        return with_place(stream, reading, place)
    alone = not figures and found.end == index + 1
    if alone and (stream.folds[index] in _ARTICLES or _is_discourse(stream, index)):
        return None
    return reading


def _ordinal_figures(stream: Stream, index: int) -> WordNumber | None:
    word, suffix = stream.words[index], stream.folds[index + 1]
    suffixed = suffix in _ORDINAL_SUFFIXES and stream.glued(index + 1)
    if not (word.isdecimal() and suffixed and len(word) < 10):
        return None
    return WordNumber(Fraction(int(word)), index + 2)


def _is_discourse(stream: Stream, index: int) -> bool:
    """Return whether `second`, `first`, `third` order the speech (`second, check the lid`), not things."""
    word, before, after = (
        stream.folds[index],
        stream.folds[index - 1] if index else "",
        stream.folds[index + 1],
    )
    if word not in ordinal_values():
        return False
    if word == "first" and after in _ENDS and before not in _RANKED:
        return True
    if after in {",", ":", "of"} and (
        before in {"", ".", ";", ",", "and", "\n", "!", "?", ":", "-", "—"} or after == "of"
    ):
        return True
    return (
        before in {"at", "a", "per", "every", "each", "split"}
        or after in {"thought", "thoughts", "hand", "-"}
        or after == "party"
    )
