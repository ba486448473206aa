"""Any object of an application, as plain JSON values: bounded, without cycles, never an exception."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Final
from uuid import UUID

_DEEPEST: Final = 200
_MOST_NODES: Final = 2_000_000
_MOST_BITS: Final = 10_000
_MOST_JSON_BITS: Final = 330  # 100 digits: a longer number is not read again
_CUT: Final = "(cut off: nested too deeply, too large, or in itself)"
_SCALARS: Final = frozenset({str, int, float, bool, type(None), Decimal})
_PLAIN: Final = (str, bool, int, float, type(None))


class _Plainer:
    """Copies one object. Depth is bounded below the interpreter's own limit."""

    def __init__(self, *, exact: bool) -> None:
        self._exact = exact
        self._left = _MOST_NODES
        self._on_path: set[int] = set()

    def copy(self, value: object, depth: int = 0) -> object:
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST or id(value) in self._on_path:
            return _CUT
        if isinstance(value, _PLAIN) and not isinstance(value, Enum):
            return self._plain(value)
        if isinstance(value, Decimal):
            return self._decimal(value)
        self._on_path.add(id(value))
        try:
            return self._copy_container(_opened(value), depth)
        except Exception as problem:  # an object of the application may fail in any way
            return f"({type(value).__name__} that can't be read: {type(problem).__name__})"
        finally:
            self._on_path.discard(id(value))

    def _copy_container(self, value: object, depth: int) -> object:
        if isinstance(value, Mapping):
            return {str(name): self.copy(part, depth + 1) for name, part in value.items()}
        if isinstance(value, (list, tuple, set, frozenset)):
            ordered: Iterable[object] = value
            if isinstance(value, (set, frozenset)):
                ordered = sorted(value, key=repr)
            return [self.copy(part, depth + 1) for part in ordered]
        return value if isinstance(value, _PLAIN) else str(value)

    def _plain(self, value: object) -> object:
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        if isinstance(value, int) and value.bit_length() > _MOST_BITS:
            return hex(value)
        if isinstance(value, int) and not self._exact and value.bit_length() > _MOST_JSON_BITS:
            return str(value)
        return value

    def _decimal(self, value: Decimal) -> object:
        if self._exact:
            return value if value.is_finite() else str(value)
        if not value.is_finite() or len(value.as_tuple().digits) > 15:
            return str(value)
        shortest = float(value)
        same = math.isfinite(shortest) and Decimal(repr(shortest)) == value
        return shortest if same else str(value)


def to_plain(value: object) -> object:
    """Return `value` in plain values, numbers exact (Decimal stays); other objects by their fields."""
    return _Plainer(exact=True).copy(value)


def to_json_values(value: object) -> object:
    """Return `value` in what JSON can hold and `read_json` reads; other numbers become text."""
    return _Plainer(exact=False).copy(value)


def is_plain(value: object) -> bool:
    """Return whether a value holds only dicts with text for keys, lists, tuples and scalars.

    Told without a copy, and without calling code of an application. One that holds itself may be plain.
    """
    stack = [value]
    seen: set[int] = set()
    while stack:
        part = stack.pop()
        if type(part) in _SCALARS or id(part) in seen:
            continue
        seen.add(id(part))
        inner = _inner(part)
        if inner is None:
            return False
        stack.extend(one for one in inner if type(one) not in _SCALARS)
    return True


def _inner(part: object) -> list[object] | None:
    """Return what a plain container holds, None for anything else."""
    kind = type(part)
    if kind is dict and isinstance(part, dict):
        return list(part.values()) if all(type(key) is str for key in part) else None
    return list(part) if kind in {list, tuple} and isinstance(part, (list, tuple)) else None


def _by_fields(container: object) -> object:
    """Return a named tuple by its fields, any other container as it is."""
    names = getattr(container, "_fields", None)
    if isinstance(container, tuple) and names is not None:
        return dict(zip(names, container, strict=True))
    return container


def _opened(value: object) -> object:
    """Return what an object holds: a model's fields, a moment as ISO text; text for the unknown."""
    if isinstance(value, (Mapping, list, tuple, set, frozenset)):
        return _by_fields(value)
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, Enum):
        return _opened(value.value)
    if isinstance(value, (UUID, bytes, bytearray)):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: getattr(value, part.name) for part in fields(value)}
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump()
    return value if isinstance(value, _PLAIN) else str(value)
