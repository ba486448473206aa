"""Powers of ten, and uncertainties in brackets, behind a number in figures."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from verifier.core.quantities.numerals import (
    EXPONENT_LIMIT,
)

if TYPE_CHECKING:
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
POWER_SIGNS: Final = frozenset("xX×*·⋅eE^⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺")
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻−", "0123456789+--")
LARGEST_POWER: Final = 400


class Number(NamedTuple):
    """A number as written: value, decimals, index after it, other readings, and how it was spelled.

    `scale` is the largest magnitude word or letter, 1 without one; `plain` means digits and nothing else;
    `stays_open` says that no language settles the other readings, as it does those of `1.234`.
    """

    value: Fraction
    places: int
    end: int
    others: tuple[tuple[Fraction, int], ...] = ()
    scale: int = 1
    plain: bool = False
    spelled: bool = False
    uncertainty: Fraction | None = None
    stays_open: bool = False


def with_power(stream: Stream, number: Number, end: int) -> Number:
    """Return the number with the exponent that begins at the character `end`, if one does."""
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
            or abs(exponent) * len(str(number.value.numerator)) > LARGEST_POWER
        ):
            return number
        return Number(number.value**exponent, 0, after)
    base = Fraction(2 if kind == "two" else 10)
    return Number(number.value * base**exponent, number.places - exponent, after)


def following_is_free(text: str, end: int) -> bool:
    """Return whether no digit follows at once, nor a mark and a digit."""
    return not text[end : end + 1].isdecimal()


def with_uncertainty(stream: Stream, number: Number) -> Number:
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
