"""Magnitudes behind a number: `k`, `million`, `lakh`, `Mio.`, `万`."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.powers import (
    Number,
)
from verifier.core.quantities.tokens import BREAK, END, IDEOGRAPH, WORD
from verifier.core.quantities.wordnumbers import WordNumber, add_fraction
from verifier.core.quantities.wordsums import (
    FIGURE,
    HUNDRED,
    SCALE,
    WordSum,
    add_words,
    word_values,
)
from verifier.core.tables import read_table

if TYPE_CHECKING:
    from verifier.core.quantities.context import Context
    from verifier.core.quantities.tokens import Stream


_HANGUL: Final = 0xAC00
_LONGEST_WORD: Final = 40
_DOTTED: Final = frozenset({"Mio", "Mrd", "Tsd", "mio", "mrd", "tsd"})
_LOOSE_LETTERS: Final = frozenset({"M", "G"})
"""Magnitudes that, apart from their number, mean as often a class, a concentration or a field."""
_CLOSERS: Final = frozenset(".,;:!?)")
_MONEY_LETTERS: Final = frozenset({"m", "M", "B", "b", "T", "mm", "MM", "cr", "Cr", "L", "G"})


@cache
def _scale_table(name: str) -> dict[str, int]:
    table: dict[str, int] = read_table("number_words")[name]
    return table


def with_magnitude(stream: Stream, number: Number, context: Context, *, money: bool) -> Number:
    """Return the number times the magnitude written behind it, if one is."""
    index = number.end
    kind = stream.kinds[index]
    if kind == WORD:
        if stream.folds[index] in word_values() and not number.spelled:
            return _with_scale_words(stream, number)
        if stream.folds[index] == "and":
            return _from_sum(add_fraction(stream, WordNumber(number.value, index)), number)
        scale = _letter_scale(stream, index, number, money=money) or _foreign_scale(
            stream.folds[index], context
        )
        if scale:
            dotted = (
                stream.words[index] in _DOTTED
                and stream.words[index + 1] == "."
                and stream.glued(index + 1)
            )
            return _scaled(number, scale, index + (2 if dotted else 1))
        if stream.words[index] in _LOOSE_LETTERS and not money:
            return _with_loose_letter(stream, number)
    if kind in {WORD, IDEOGRAPH} and ord(stream.words[index][0]) > 0x5FF:
        return _with_script_scales(stream, number)
    return number


def _with_scale_words(stream: Stream, number: Number) -> Number:
    place, scale = word_values()[stream.folds[number.end]]
    if place not in {SCALE, HUNDRED}:
        return number
    if number.value.denominator != 1 or number.others:
        first = _scaled(number, scale, number.end + 1)
        return (
            _with_scale_words(stream, first) if stream.folds[first.end] in word_values() else first
        )
    running = WordSum()
    running.take(FIGURE, int(number.value))
    end = add_words(stream, number.end, running)
    if stream.folds[number.end - 2] == "between" and "and" in stream.folds[number.end : end]:
        return _scaled(number, scale, number.end + 1)
    word_number = WordNumber(Fraction(running.value), end, running.last_scale or 1)
    return _from_sum(add_fraction(stream, word_number), number)


def _from_sum(found: WordNumber, number: Number) -> Number:
    if found.end == number.end:
        return number
    if found.scale == 1:
        return Number(found.value, number.places, found.end)
    exact = (found.value / found.scale).denominator == 1
    return Number(
        found.value, -digits_of(found.scale) if exact else 0, found.end, scale=found.scale
    )


def digits_of(scale: int) -> int:
    """Return how many zeros a power of ten has; 0 for a dozen."""
    return len(str(scale)) - 1 if str(scale).strip("0") == "1" else 0


def _scaled(number: Number, scale: int, end: int) -> Number:
    down = digits_of(scale)
    others = tuple((value * scale, places - down) for value, places in number.others)
    return Number(
        number.value * scale, number.places - down, end, others, scale=scale * number.scale
    )


def _letter_scale(stream: Stream, index: int, number: Number, *, money: bool) -> int | None:
    """Return the scale of `k`, `M`, `bn` …; letters that are units too count only beside money."""
    word = stream.words[index]
    scale = _scale_table("abbreviations").get(word)
    if scale is None:
        return None
    glued = stream.glued(index)
    if word == "K" and not money and _is_kelvin(stream, index):
        return None
    if word in _MONEY_LETTERS and not money:
        small = glued and not stream.glued(index + 1) and number.value < 1000
        return (
            scale
            if small and (word == "M" or (word == "b" and number.places > 0) or word == "G")
            else None
        )
    if len(word) == 1 and not glued and not money:
        return scale if word == "k" and stream.kinds[index + 1] != WORD else None
    return scale if glued or len(word) > 1 or money else None


def _with_loose_letter(stream: Stream, number: Number) -> Number:
    """Return `1.5 M` or `1,674.5 G` at the end of a clause both as the number and times the magnitude."""
    index, ends = number.end, stream.kinds[number.end + 1] in {BREAK, END}
    closes = stream.words[index + 1] in _CLOSERS and stream.glued(index + 1)
    if stream.glued(index) or not (ends or closes) or number.others:
        return number
    scale = _scale_table("abbreviations")[stream.words[index]]
    times = (number.value * scale, number.places - digits_of(scale))
    return number._replace(others=(times,), end=index + 1, plain=False, stays_open=True)


def _is_kelvin(stream: Stream, index: int) -> bool:
    near = stream.folds[max(0, index - 10) : index + 4]
    return "°" in near or "kelvin" in near or "temperature" in near


def _foreign_scale(word: str, context: Context) -> int | None:
    scale = _scale_table("foreign_scales").get(word)
    languages = read_table("number_words")["foreign_scale_languages"].get(word)
    return scale if languages is None or context.language in languages.split() else None


def _with_script_scales(stream: Stream, number: Number) -> Number:
    """Return `3万`, `1億2000万`, `3만`, `2 लाख` multiplied out."""
    table = _scale_table("script_scales")
    found, total = number, Fraction(0)
    while True:
        word = stream.words[found.end]
        prefix = next(
            (word[:n] for n in range(min(len(word), 8), 0, -1) if word[:n] in table), None
        )
        if prefix is None or (prefix != word and (len(word) > _LONGEST_WORD or not word.isalpha())):
            break
        if prefix != word and ord(word[0]) < _HANGUL:
            break
        scale = table[prefix]
        following = stream.words[found.end + 1]
        found = _scaled(found, scale, found.end + 1)
        if following.isdecimal() and stream.glued(found.end) and len(following) < 9:
            total += found.value
            found = Number(Fraction(int(following)), 0, found.end + 1, scale=scale)
    return found._replace(value=found.value + total, plain=False) if found is not number else number


@cache
def scale_words() -> frozenset[str]:
    """Return every word and letter that may be a magnitude, case-folded."""
    lexicon = read_table("number_words")
    names = [
        *lexicon["abbreviations"],
        *lexicon["foreign_scales"],
        *lexicon["script_scales"],
        *word_values(),
    ]
    return frozenset(name.lower() for name in names)
