"""Codes and marks of currencies as names of fields and their siblings write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.lexicons import load_word_lists
from verifier.core.quantities import is_currency
from verifier.core.tables import read_table

if TYPE_CHECKING:
    from collections.abc import Mapping

_NOT_CURRENCIES: Final = load_word_lists("fact_words")["not_currencies"]
_CODE_LENGTH: Final = 3


def is_code(word: str) -> bool:
    """Return whether a folded word of a field's name is the code of a currency, and no other word."""
    return len(word) == _CODE_LENGTH and is_currency(word.upper()) and word not in _NOT_CURRENCIES


def currency_named(told: object) -> str | None:
    """Return the code of a currency that a sibling field names: "usd", "€"; None for open marks."""
    if not isinstance(told, str) or not 0 < len(told) <= _CODE_LENGTH:
        return None
    code = told.strip().upper()
    if is_currency(code):
        return code
    symbols: Mapping[str, str] = read_table("currencies")["symbols"]
    named = symbols.get(told.strip())
    return named if named is not None and is_currency(named) else None
