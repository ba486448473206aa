"""ISO 4217 currencies: codes, minor units, and the marks and names that people write."""

from __future__ import annotations

from functools import cache

from verifier.core.tables import read_table


@cache
def _minor_units() -> dict[str, int | None]:
    table: dict[str, int | None] = {}
    for digits, codes in read_table("currencies")["minor_units"].items():
        for code in codes.split():
            table[code] = None if digits == "none" else int(digits)
    return table


def minor_units(currency: str) -> int | None:
    """Return how many decimals ISO 4217 gives a currency: 2 for EUR, 0 for JPY, 3 for KWD.

    None for a code that has none (gold, the test code) and for what is no code.
    """
    return _minor_units().get(currency.upper())


def is_currency(code: str) -> bool:
    """Return whether `code`, in upper case, is a code of ISO 4217 that is or was in use."""
    return code in _minor_units() or code in _former()


@cache
def _former() -> frozenset[str]:
    return frozenset(read_table("currencies")["former"].split())


@cache
def currency_family(mark: str) -> frozenset[str]:
    """Return the codes that an open mark ("$", "kr", "franc") may stand for, likeliest first."""
    return frozenset(read_table("currencies")["families"].get(mark, "").split())
