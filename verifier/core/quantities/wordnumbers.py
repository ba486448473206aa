"""English number words to exact numbers: cardinals, ordinals, fractions, and vague amounts."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from verifier.core.quantities.wordsums import (
    SCALE,
    SMALL,
    TENS,
    WordSum,
    add_words,
    denominators,
    ordinal_values,
    word_values,
)

if TYPE_CHECKING:
    from verifier.core.quantities.tokens import Stream

_HYPHENS: Final = frozenset({"-", "‐", "‑"})
_POINTS: Final = frozenset({"point", "dot"})
_ENDS_FRACTION: Final = frozenset(
    {"", "of", "as", "less", "more", "off", "and", ".", ",", ";", ")", "!", "?", "\n"}
)


class WordNumber(NamedTuple):
    """A number in words: value, index of the token after it, and the scale word it ended with.

    `other` is a second reading of the same words: 100/35 of `one hundred thirty fifths`, which is also 130/5.
    """

    value: Fraction
    end: int
    scale: int = 1
    words: int = 1
    other: Fraction | None = None


def read_words(stream: Stream, index: int) -> WordNumber | None:
    """Return the number that the words from token `index` on spell, fractions included."""
    fraction = _read_half(stream, index) or read_word_fraction(stream, index)
    if fraction is not None:
        return _with_scale(stream, fraction)
    start = index + 1 if _is_article(stream, index) else index
    running = WordSum()
    if start > index:
        running.take(SMALL, 1)
        running.last_place = ""
    end = add_words(stream, start, running)
    if end == start:
        return None
    if stream.folds[index - 1] == "between":
        running, end = _stop_at_and(stream, start, end, running)
    found = WordNumber(Fraction(running.value), end, running.last_scale or 1, end - index)
    return _with_point(stream, found) or add_fraction(stream, found)


def _stop_at_and(stream: Stream, start: int, end: int, running: WordSum) -> tuple[WordSum, int]:
    for index in range(start, end):
        if stream.folds[index] == "and":
            shorter = WordSum()
            for word in range(start, index):
                shorter.take(*word_values().get(stream.folds[word], (SMALL, 0)))
            return shorter, index
    return running, end


def _is_article(stream: Stream, index: int) -> bool:
    following = word_values().get(stream.folds[index + 1])
    return (
        stream.folds[index] in {"a", "an"}
        and following is not None
        and following[1] >= 12
        and following[0] != TENS
        and following[0] != SMALL
    )


def _with_point(stream: Stream, found: WordNumber) -> WordNumber | None:
    """Return the number with the decimals of `point nought three`, or `dot fifty`."""
    if stream.folds[found.end] not in _POINTS:
        return None
    digits, index = "", found.end + 1
    while (
        (entry := word_values().get(stream.folds[index]))
        and entry[0] in {SMALL, TENS}
        and len(digits) < 20
    ):
        digits += str(entry[1])
        index += 1
    if not digits:
        return None
    return WordNumber(found.value + Fraction(int(digits), 10 ** len(digits)), index, 1, index)


def add_fraction(stream: Stream, found: WordNumber) -> WordNumber:
    """Return the number with `and a half`, `and two thirds` added; after a scale word, of the scale."""
    joint = stream.folds[found.end]
    if joint not in {"and", "&"}:
        return found
    fraction = _read_half(stream, found.end + 1) or read_word_fraction(stream, found.end + 1)
    if fraction is None:
        return found
    scaled = word_values().get(stream.folds[fraction.end])
    if found.scale == 1 and scaled and scaled[0] == SCALE:
        return WordNumber(
            (found.value + fraction.value) * scaled[1], fraction.end + 1, scaled[1], 9
        )
    if found.scale > 1 and (fraction := _with_scale(stream, fraction)).scale > 1:
        return WordNumber(found.value + fraction.value, fraction.end, fraction.scale, 9)
    other = None if fraction.other is None else found.value + fraction.other * found.scale
    return WordNumber(found.value + fraction.value * found.scale, fraction.end, 1, 9, other)


def _read_half(stream: Stream, index: int) -> WordNumber | None:
    """Return `half`, `a half`, `half a`, `a quarter`, `quarter` before a scale word, or None."""
    start = index + 1 if stream.folds[index] in {"a", "an"} else index
    word = stream.folds[start]
    if word not in {"half", "quarter"} or stream.folds[start - 1] in {
        "second",
        "first",
        "other",
        "better",
    }:
        return None
    value = Fraction(1, 2 if word == "half" else 4)
    end = start + 1
    if stream.folds[end] in {"a", "an"} or stream.phrase(end, 2) in {"of a", "of an"}:
        longer = end + (1 if stream.folds[end] in {"a", "an"} else 2)
        if word == "half" or word_values().get(stream.folds[longer], ("", 0))[0] == SCALE:
            end = longer
    bare = start == index and end == start + 1
    if word == "quarter" and bare and word_values().get(stream.folds[end], ("", 0))[0] != SCALE:
        return None
    return WordNumber(value, end, 1, end - index)


def _with_scale(stream: Stream, found: WordNumber) -> WordNumber:
    """Return the fraction times a scale word that follows: `two thirds of a million`, `half a dozen`."""
    index = found.end
    if stream.phrase(index, 2) == "of a":
        index += 2
    elif stream.folds[index] == "a":
        index += 1
    entry = word_values().get(stream.folds[index])
    if entry is None or entry[0] != SCALE:
        return found
    return WordNumber(found.value * entry[1], index + 1, entry[1], 9)


def read_word_fraction(stream: Stream, index: int) -> WordNumber | None:
    """Return a fraction in words, such as `two thirds`, `one-fifth`, `twenty twenty-fifths`, or None."""
    running = WordSum()
    end = index
    if stream.folds[index] in {"a", "an"}:
        running.take(SMALL, 1)
        end = index + 1
        if _is_article(stream, index):
            running.last_place = ""
            end = add_words(stream, end, running)
    else:
        end = add_words(stream, index, running)
        if end == index:
            return None
    return _over_words(stream, index, end) or _with_denominator(stream, index, end, running)


def _with_denominator(stream: Stream, index: int, end: int, running: WordSum) -> WordNumber | None:
    bottom = end + 1 if stream.folds[end] in _HYPHENS else end
    if bottom > end and running.last_place == TENS and stream.glued(bottom) and stream.glued(end):
        found = denominators().get(stream.folds[bottom]) or 0
        if 0 < found < 10 and running.value > running.last_value:
            top = running.value - running.last_value
            return WordNumber(Fraction(top, running.last_value + found), bottom + 1, 1, 9)
    below = _read_denominator(stream, bottom, running.value == 1)
    if below is None:
        return None
    if stream.folds[index] in {"a", "an"} and stream.folds[below[1]] not in _ENDS_FRACTION:
        return None
    value = Fraction(running.value, below[0])
    other = _split_before_tens(running, below[0]) if bottom == end else None
    return WordNumber(value, below[1], 1, 9, other)


def _split_before_tens(running: WordSum, below: int) -> Fraction | None:
    """Return 100/35 for the words that may also be 130/5: their last ten may belong below the line."""
    top = running.value - running.last_value
    if running.last_place != TENS or not top or not 2 < below < 10:
        return None
    return Fraction(top, running.last_value + below)


def _read_denominator(stream: Stream, index: int, single: bool) -> tuple[int, int] | None:  # noqa: FBT001
    """Return a denominator and the index after it; after `one` or `a` an ordinal counts as one."""
    word = stream.folds[index]
    found = denominators().get(word)
    if found is not None:
        return found, index + 1
    entry = ordinal_values().get(word)
    if entry is not None and single and entry[1] > 2:
        return entry[1], index + 1
    tens = word_values().get(word)
    if tens is None or tens[0] != TENS:
        return None
    last = index + 2 if stream.folds[index + 1] in _HYPHENS else index + 1
    small = denominators().get(stream.folds[last])
    if small is None and single:
        small = ordinal_values().get(stream.folds[last], ("", 0))[1]
    return (tens[1] + small, last + 1) if small and small < 10 else None


def _over_words(stream: Stream, index: int, end: int) -> WordNumber | None:
    """Return `one over twenty` or `one out of three`."""
    length = 1 if stream.folds[end] == "over" else 2 if stream.phrase(end, 2) == "out of" else 0
    if not length or end == index:
        return None
    top, bottom = WordSum(), WordSum()
    add_words(stream, index, top)
    after = add_words(stream, end + length, bottom)
    word = stream.words[end + length]
    if after == end + length and word.isdecimal() and len(word) < 10:
        bottom.take(SMALL, int(word))
        after += 1
    if not 0 < top.value < bottom.value:
        return None
    return WordNumber(Fraction(top.value, bottom.value), after, 1, 9)


def read_ordinal_words(stream: Stream, index: int) -> WordNumber | None:
    """Return the ordinal that the words from `index` on spell: `twenty-first`, `two-hundredth`."""
    running = WordSum()
    start = (
        index + 1 if stream.folds[index] == "a" and stream.folds[index + 1] == "hundred" else index
    )
    if start > index:
        running.take(SMALL, 1)
        running.last_place = ""
    end = add_words(stream, start, running)
    last = end + 1 if end > start and stream.folds[end] in _HYPHENS else end
    entry = ordinal_values().get(stream.folds[last])
    if entry is None or not running.take(*entry):
        return None
    return WordNumber(Fraction(running.value), last + 1, 1, last + 1 - index)
