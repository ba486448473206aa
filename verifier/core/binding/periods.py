"""Periods of facts ("2026-02", "Q1 2024") as values that a date can be compared with."""

from __future__ import annotations

from functools import lru_cache

from verifier.core.quantities import extract_quantities
from verifier.core.values import Kind, Quantity

_CALENDAR = frozenset({Kind.DATE, Kind.QUARTER})
_LONGEST = 40


@lru_cache(maxsize=2_048)
def read_period(text: str) -> Quantity | None:
    """Return the dates that a period's name stands for, or None where it is no date."""
    if len(text) > _LONGEST:
        return None
    found = [one.value for one in extract_quantities(text)]
    if len(found) == 1 and isinstance(found[0], Quantity) and found[0].kind in _CALENDAR:
        return found[0]
    return None
