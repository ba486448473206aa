"""Numbers in figures: space groups, fractions, powers of ten, short uncertainties, magnitudes."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.magnitudes import digits_of, with_magnitude
from verifier.core.quantities.numerals import (
    Numeral,
    read_numeral,
)
from verifier.core.quantities.powers import (
    LARGEST_POWER,
    POWER_SIGNS,
    Number,
    with_power,
    with_uncertainty,
)
from verifier.core.quantities.tokens import DIGITS, SYMBOL
from verifier.core.quantities.wordnumbers import WordNumber, read_words

if TYPE_CHECKING:
    from verifier.core.quantities.context import Context
    from verifier.core.quantities.tokens import Stream

_GROUP: Final = re.compile(r"\d{3}(?:[.,]\d+)?")
_GROUP_SPACES: Final = frozenset(" \u00a0\u202f\u2009\u2007")
_MOST_GROUPED: Final = 30
_SLASHES: Final = frozenset("/⁄∕")
_FRACTION_SIGNS: Final = frozenset("½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒")


def read_number(
    stream: Stream, index: int, context: Context, *, money: bool = False
) -> Number | None:
    """Return the number that starts at token `index`, in figures or words, without its sign."""
    kind = stream.kinds[index]
    if kind == DIGITS:
        return _read_figure(stream, index, context, money=money)
    if kind == SYMBOL:
        return _read_symbol(stream, index, context, money=money)
    found = read_words(stream, index)
    return None if found is None else from_words(found)


def from_words(found: WordNumber) -> Number:
    """Return a number in words in the form of one in figures."""
    places = (
        -digits_of(found.scale)
        if found.scale > 1 and (found.value / found.scale).denominator == 1
        else 0
    )
    number = Number(found.value, places, found.end, scale=found.scale, spelled=True)
    if found.other is None:
        return number
    return number._replace(others=((found.other, 0),), stays_open=True)


def _read_symbol(stream: Stream, index: int, context: Context, *, money: bool) -> Number | None:
    word = stream.words[index]
    if word in _FRACTION_SIGNS:
        return with_magnitude(stream, Number(_sign_value(word), 2, index + 1), context, money=money)
    if word == "." and stream.glued(index + 1) and stream.words[index + 1].isdecimal():
        digits = stream.words[index + 1]
        if not stream.glued(index) and len(digits) <= LARGEST_POWER:
            value = Fraction(int(digits), 10 ** len(digits))
            return _finish(stream, Number(value, len(digits), index + 2), context, money=money)
    return None


def _sign_value(sign: str) -> Fraction:
    return Fraction(unicodedata.numeric(sign)).limit_denominator(10)


def _read_figure(stream: Stream, index: int, context: Context, *, money: bool) -> Number | None:
    word = stream.words[index]
    if word.isdecimal():
        if len(word) > LARGEST_POWER:
            return None
        grouped = _space_groups(stream, index) if len(word) <= 3 else None
        if grouped is not None:
            return _finish(stream, grouped, context, money=money)
        number = Number(Fraction(int(word)), 0, index + 1, plain=True)
        return _finish(stream, _with_slash(stream, index, number), context, money=money)
    numeral: Numeral | None = read_numeral(
        word, context.mark or (stream.habit if len(word) < 8 else None)
    )
    if numeral is None:
        return None
    number = Number(numeral.value, numeral.places, index + 1, numeral.others)
    return _finish(stream, number, context, money=money)


def _space_groups(stream: Stream, index: int) -> Number | None:
    """Return `1 749,90` or `412 000` as one number, None where the next digits are no group of three."""
    if stream.kinds[index + 1] != DIGITS or stream.words[index].startswith("0"):
        return None
    digits, decimals, end = stream.words[index], "", index + 1
    space = stream.gap(end)
    while (
        not decimals
        and len(digits) <= _MOST_GROUPED
        and stream.kinds[end] == DIGITS
        and stream.gap(end) == space
        and space in _GROUP_SPACES
        and _GROUP.fullmatch(stream.words[end])
    ):
        digits += stream.words[end][:3]
        decimals = stream.words[end][4:]
        end += 1
    if (
        end == index + 1
        or (stream.kinds[end] == DIGITS and stream.gap(end) == space)
        or len(digits) > _MOST_GROUPED
    ):
        return None
    return Number(Fraction(int(digits + decimals), 10 ** len(decimals)), len(decimals), end)


def _with_slash(stream: Stream, index: int, number: Number) -> Number:
    """Return `3/4`, `2 1/4` or `2½` where that is what stands at `index`, else `number`."""
    end = number.end
    following = stream.words[end]
    if following in _FRACTION_SIGNS and stream.ends[index] + 1 >= stream.starts[end]:
        return Number(number.value + _sign_value(following), 2, end + 1)
    if following in _SLASHES:
        return _simple_fraction(stream, index) or number
    if stream.folds[end] == "over" and stream.words[index] == "1":
        return _one_over(stream, end + 1) or number
    if (
        stream.kinds[end] == DIGITS
        and following.isdecimal()
        and stream.gap(end) in {" ", "-", "\u00a0"}
    ):
        fraction = _simple_fraction(stream, end)
        if fraction is not None and fraction.value < 1 and number.value < 1000:
            return Number(number.value + fraction.value, 2, fraction.end)
    return number


def _one_over(stream: Stream, index: int) -> Number | None:
    """Return `1 over 3`, `1 over twenty-one`."""
    below = read_words(stream, index)
    word = stream.words[index]
    if below is None and word.isdecimal() and len(word) < 7:
        below = WordNumber(Fraction(int(word)), index + 1)
    return Number(1 / below.value, 2, below.end) if below is not None and below.value > 1 else None


def _simple_fraction(stream: Stream, index: int) -> Number | None:
    """Return digits over digits; spaced slashes only for a proper fraction (`1 / 4`)."""
    slash, below = index + 1, stream.words[index + 2]
    if (
        stream.words[slash] not in _SLASHES
        or not below.isdecimal()
        or len(below) > 4
        or len(stream.words[index]) > 6
    ):
        return None
    if stream.words[index + 3] in _SLASHES or int(below) == 0 or below.startswith("0"):
        return None
    value = Fraction(int(stream.words[index]), int(below))
    spaced = not (stream.glued(slash) and stream.glued(slash + 1))
    if spaced and (value >= 1 or not stream.gap(slash)):
        return None
    return Number(value, 2, index + 3)


def _finish(stream: Stream, number: Number, context: Context, *, money: bool) -> Number:
    end = stream.ends[number.end - 1]
    following = stream.text[end : end + 2]
    if following[:1] in POWER_SIGNS or (following[:1] == " " and following[1:] in {"×", "x", "*"}):
        number = with_power(stream, number, end)
    if following[:1] == "(" and number.places > 0:
        number = with_uncertainty(stream, number)
    return with_magnitude(stream, number, context, money=money)
