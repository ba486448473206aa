"""The pass over the tokens that hands each to the reader it may start, and joins what they find."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.amounts import read_amount
from verifier.core.quantities.tokens import DIGITS, SYMBOL, WORD
from verifier.core.quantities.wordsums import word_values
from verifier.core.tables import read_table

if TYPE_CHECKING:
    from verifier.core.quantities.context import Context
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream

_SIGNS: Final = frozenset("-−+.½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞")


def scan(stream: Stream, context: Context) -> list[Reading]:
    """Return what the readers find, in order and without overlaps."""
    found: list[Reading] = []
    index = 0
    while index < stream.count:
        reading = _read_at(stream, index, context)
        if reading is None:
            index += 1
        else:
            found.append(reading)
            index = max(reading.end, index + 1)
    return found


@cache
def _amount_words() -> frozenset[str]:
    currencies = read_table("currencies")
    marks = [word.lower().rstrip(".") for word in [*currencies["marks"], *currencies["prefixed_dollars"]]]
    codes = [code.lower() for codes in currencies["minor_units"].values() for code in codes.split()]
    return frozenset([*word_values(), *marks, *codes, "a", "an", "half", "quarter", "minus", "negative", "rmb", "btc"])


@cache
def _amount_symbols() -> frozenset[str]:
    return frozenset([*read_table("currencies")["symbols"], *_SIGNS])


def _read_at(stream: Stream, index: int, context: Context) -> Reading | None:
    kind = stream.kinds[index]
    if kind == DIGITS:
        return read_amount(stream, index, context)
    if kind == WORD:
        return read_amount(stream, index, context) if stream.folds[index] in _amount_words() else None
    if kind == SYMBOL and stream.words[index] in _amount_symbols():
        return read_amount(stream, index, context)
    return None
