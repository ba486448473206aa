"""Telling records and lists from plain values, quickly: most values of a result are plain."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final, TypeGuard

SCALARS: Final = frozenset({str, int, float, bool, type(None), Decimal})


def is_record(value: object) -> TypeGuard[Mapping[object, object]]:
    """Return whether a value is a record: a dict, or another mapping of an application."""
    kind = type(value)
    return kind is dict or (kind not in SCALARS and isinstance(value, Mapping))


def is_list(value: object) -> TypeGuard[list[object] | tuple[object, ...]]:
    """Return whether a value is a list."""
    kind = type(value)
    return kind is list or (kind not in SCALARS and isinstance(value, (list, tuple)))


def holds_others(value: object) -> bool:
    """Return whether a value is a record or a list."""
    return type(value) not in SCALARS and (is_record(value) or is_list(value))


def is_amount_or_day(value: object) -> bool:
    """Return whether a field is no container and no state: when something is expected, how much requested."""
    if isinstance(value, str):
        return value[:1].isdecimal()
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
