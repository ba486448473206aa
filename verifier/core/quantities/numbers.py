"""Numbers in figures: space groups, fractions, powers of ten, short uncertainties, magnitudes."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from verifier.core.quantities.numerals import (
    EXPONENT_LIMIT,
    Numeral,
    read_numeral,
)
from verifier.core.quantities.tokens import DIGITS, IDEOGRAPH, SYMBOL, WORD
from verifier.core.quantities.wordnumbers import WordNumber, add_fraction, read_words
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

_POWER: Final = re.compile(
    r"""[ ]?[x×*·⋅][ ]?10(?:\^|\*\*)?(?P<ten>[+−-]?\d{1,5}|[⁺⁻]?[⁰¹²³⁴-⁹]{1,5})   # ×10−5, x10^6, ·10⁻³
       |[eE](?P<e>[+−-]?\d{1,5})(?![\w])                                          # 12.32e+14
       |(?:\^|\*\*)(?P<power>[+−-]?\d{1,5})                                       # 1.1^23
       |(?P<raised>[⁺⁻]?[⁰¹²³⁴-⁹]{1,5})                                           # 10⁶
       |[ ]?[x×][ ]?2\^(?P<two>\d{1,3})                                           # 8x2^10
    """,
    re.VERBOSE,
)
_POWER_SIGNS: Final = frozenset("xX×*·⋅eE^⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺")
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻−", "0123456789+--")
_GROUP: Final = re.compile(r"\d{3}(?:[.,]\d+)?")
_GROUP_SPACES: Final = frozenset(" \u00a0\u202f\u2009\u2007")
_SLASHES: Final = frozenset("/⁄∕")
_FRACTION_SIGNS: Final = frozenset("½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒")
_LARGEST_POWER: Final = 400
_DOTTED: Final = frozenset({"Mio", "Mrd", "Tsd", "mio", "mrd", "tsd"})
_MONEY_LETTERS: Final = frozenset({"m", "M", "B", "b", "T", "mm", "MM", "cr", "Cr", "L", "G"})


class Number(NamedTuple):
    """A number as written: value, decimals, index after it, other readings, and how it was spelled.

    `scale` is the largest magnitude word or letter, 1 without one; `plain` means digits and nothing else.
    """

    value: Fraction
    places: int
    end: int
    others: tuple[tuple[Fraction, int], ...] = ()
    scale: int = 1
    plain: bool = False
    spelled: bool = False
    uncertainty: Fraction | None = None


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
        -_digits_of(found.scale)
        if found.scale > 1 and (found.value / found.scale).denominator == 1
        else 0
    )
    return Number(found.value, places, found.end, scale=found.scale, spelled=True)


def _read_symbol(stream: Stream, index: int, context: Context, *, money: bool) -> Number | None:
    word = stream.words[index]
    if word in _FRACTION_SIGNS:
        return _with_magnitude(
            stream, Number(_sign_value(word), 2, index + 1), context, money=money
        )
    if word == "." and stream.glued(index + 1) and stream.words[index + 1].isdecimal():
        digits = stream.words[index + 1]
        if not stream.glued(index) and len(digits) <= _LARGEST_POWER:
            value = Fraction(int(digits), 10 ** len(digits))
            return _finish(stream, Number(value, len(digits), index + 2), context, money=money)
    return None


def _sign_value(sign: str) -> Fraction:
    return Fraction(unicodedata.numeric(sign)).limit_denominator(10)


def _read_figure(stream: Stream, index: int, context: Context, *, money: bool) -> Number | None:
    word = stream.words[index]
    if word.isdecimal():
        if len(word) > _LARGEST_POWER:
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
        or len(digits) > 30
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
    if following[:1] in _POWER_SIGNS or (following[:1] == " " and following[1:] in {"×", "x", "*"}):
        number = _with_power(stream, number, end)
    if following[:1] == "(" and number.places > 0:
        number = _with_uncertainty(stream, number)
    return _with_magnitude(stream, number, context, money=money)


def _with_power(stream: Stream, number: Number, end: int) -> Number:
    match = _POWER.match(stream.text, end) if end > 0 else None
    if match is None or not following_is_free(stream.text, match.end()):
        return number
    kind = match.lastgroup or ""
    exponent = int(match[kind].translate(_SUPERSCRIPTS))
    if abs(exponent) > EXPONENT_LIMIT or (kind == "raised" and number.value not in {2, 10}):
        return number
    after = number.end
    while stream.starts[after] < match.end() and stream.words[after]:
        after += 1
    if kind in {"power", "raised"}:
        if (
            number.value == 0
            or number.value.denominator > 10**6
            or abs(exponent) * len(str(number.value.numerator)) > _LARGEST_POWER
        ):
            return number
        return Number(number.value**exponent, 0, after)
    base = Fraction(2 if kind == "two" else 10)
    return Number(number.value * base**exponent, number.places - exponent, after)


def following_is_free(text: str, end: int) -> bool:
    """Return whether no digit follows at once, nor a mark and a digit."""
    return not text[end : end + 1].isdecimal()


def _with_uncertainty(stream: Stream, number: Number) -> Number:
    """Return `2.4170(15)` with its uncertainty in the last digits."""
    index = number.end
    digits = stream.words[index + 1]
    if not (
        stream.glued(index + 1)
        and digits.isdecimal()
        and len(digits) <= 2
        and stream.words[index + 2] == ")"
    ):
        return number
    last = Fraction(int(digits), 10**number.places)
    return number._replace(end=index + 3, uncertainty=last, plain=False)


@cache
def _scale_table(name: str) -> dict[str, int]:
    table: dict[str, int] = read_table("number_words")[name]
    return table


def _with_magnitude(stream: Stream, number: Number, context: Context, *, money: bool) -> Number:
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
        found.value, -_digits_of(found.scale) if exact else 0, found.end, scale=found.scale
    )


def _digits_of(scale: int) -> int:
    return len(str(scale)) - 1 if str(scale).strip("0") == "1" else 0


def _scaled(number: Number, scale: int, end: int) -> Number:
    down = _digits_of(scale)
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
        if prefix is None or (prefix != word and not word[len(prefix) :].isalpha()):
            break
        if (
            prefix != word
            and stream.text[stream.starts[found.end] + len(prefix) :][:1].isalpha()
            and ord(word[0]) < 0xAC00
        ):
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
