"""Digits with group and decimal marks, in every locale's writing, to exact numbers."""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

from verifier.core.tables import word_set

DIGIT_LIMIT: Final = 400
"""More digits than this in a row are not read as a number."""
EXPONENT_LIMIT: Final = 400
_PLAIN: Final = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,9})?", re.ASCII)
_THREES: Final = re.compile(r"\d{1,3}(?:[^\d]\d{3})+")
_INDIAN: Final = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}")


class Numeral(NamedTuple):
    """A number as digits: its value, the decimals written, other readings, whether it was grouped."""

    value: Fraction
    places: int
    others: tuple[tuple[Fraction, int], ...] = ()
    grouped: bool = False


def decimal_mark(locale: str | None) -> str | None:
    """Return "." or "," as a locale such as `de-DE` writes decimals; None without a locale."""
    if not locale:
        return None
    language, _, region = locale.replace("_", "-").partition("-")
    if region.rpartition("-")[2].upper() in word_set("number_words", "decimal_point_regions"):
        return "."
    return (
        "," if language.casefold() in word_set("number_words", "decimal_comma_languages") else "."
    )


def day_comes_first(locale: str | None) -> bool | None:
    """Return whether a locale writes the day before the month in figures; None without a locale."""
    if not locale:
        return None
    language, _, region = locale.replace("_", "-").partition("-")
    region = region.rpartition("-")[2].upper()
    if language.casefold() == "en":
        return region not in {"US", "PH"} if region else None
    return language.casefold() not in {"zh", "ja", "ko", "hu", "lt"}


@lru_cache(maxsize=256)
def locale_habits(locale: str | None) -> tuple[str | None, str, bool | None]:
    """Return a locale's decimal mark, its language, and whether its dates begin with the day."""
    language = (locale or "").replace("_", "-").partition("-")[0].casefold()
    return decimal_mark(locale), language, day_comes_first(locale)


@lru_cache(maxsize=16_384)
def read_numeral(word: str, mark: str | None) -> Numeral | None:
    """Return what a token of digits and marks says, or None where its marks fit no way of grouping.

    `mark` is the decimal mark in force, if known: without it `1.234` has two readings.
    """
    if len(word) > DIGIT_LIMIT:
        return None
    if word.isdecimal():
        return Numeral(Fraction(int(word)), 0)
    word = word.replace("’", "'").replace("٫", ".").replace("٬", ",")
    marks = [char for char in word if not char.isdecimal()]
    last = marks[-1]
    if len(set(marks)) == 2:
        return _grouped_with_decimals(word, marks)
    if len(marks) > 1 or last == "'":
        return _grouped(word)
    head, _, tail = word.partition(last)
    return _one_mark(head, tail, last, mark)


def _one_mark(head: str, tail: str, last: str, mark: str | None) -> Numeral | None:
    decimal = (_joined(head, tail), len(tail))
    if len(tail) != 3 or len(head) > 3 or head.startswith("0"):
        return Numeral(*decimal)
    whole = (Fraction(int(head + tail)), 0)
    if last == mark:
        return Numeral(*decimal)
    if last == "," or mark == ",":
        return Numeral(*whole, grouped=True)
    return Numeral(*decimal, others=() if mark else (whole,))


def _joined(head: str, tail: str) -> Fraction:
    return Fraction(int(head + tail), 10 ** len(tail))


def _grouped(word: str) -> Numeral | None:
    if _THREES.fullmatch(word) or _INDIAN.fullmatch(word):
        return Numeral(Fraction(int(re.sub(r"\D", "", word))), 0, grouped=True)
    return None


def _grouped_with_decimals(word: str, marks: list[str]) -> Numeral | None:
    if marks.count(marks[-1]) > 1 or marks[-1] == "'":
        return None
    head, _, tail = word.rpartition(marks[-1])
    whole = _grouped(head)
    if whole is None:
        return None
    return Numeral(whole.value + _joined("0", tail), len(tail), grouped=True)


def find_decimal_mark(text: str) -> str | None:
    """Return the decimal mark that the text's unambiguous numbers use, None if none does or both are."""
    marks = set()
    for match in re.finditer(r"(?<![\d.,])\d{1,3}(?:([.,])\d{3})+([.,])\d+(?![\d.,]*\d)", text):
        if match[1] != match[2]:
            marks.add(match[2])
    if not marks:
        marks = {
            m[1] for m in re.finditer(r"(?<![\d.,])\d+([.,])(?:\d{1,2}|\d{4,})(?![.,]?\d)", text)
        }
    return marks.pop() if len(marks) == 1 else None


def read_exact(raw: object) -> Fraction | None:
    """Return the exact number that a JSON or database value is, or None.

    Integers, `Decimal`, floats by their shortest decimal form, and plain decimal text such as "49.90"
    or "1e-3". None for booleans, NaN, infinities, and for numbers of more than 400 digits, written or
    by their exponent: reading takes bounded time.
    """
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int):
        return Fraction(raw) if raw.bit_length() <= 4 * DIGIT_LIMIT else None
    if isinstance(raw, float):
        return _from_text(repr(raw)) if math.isfinite(raw) else None
    if isinstance(raw, Decimal):
        return _from_decimal(raw)
    return _from_text(raw.strip()) if isinstance(raw, str) else None


def _from_text(text: str) -> Fraction | None:
    if len(text) > DIGIT_LIMIT or not _PLAIN.fullmatch(text):
        return None
    try:
        return _from_decimal(Decimal(text))
    except InvalidOperation:
        return None


def _from_decimal(number: Decimal) -> Fraction | None:
    if not number.is_finite():
        return None
    _, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int) or len(digits) > DIGIT_LIMIT or abs(exponent) > EXPONENT_LIMIT:
        return None
    return Fraction(number)
