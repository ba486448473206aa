"""Any object of an application, as plain JSON values: bounded, without cycles, never an exception."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Final, TypeVar
from uuid import UUID

MOST_NODES: Final = 100_000
"""Values that are kept of one object, what it shares counted wherever it stands."""

_DEEPEST: Final = 200
_MOST_BITS: Final = 10_000
_MOST_JSON_BITS: Final = 330  # 100 digits: a longer number is not read again
_LARGEST_ORDERED: Final = 100
_CUT: Final = "(cut off: nested too deeply, too large, or in itself)"
_SCALARS: Final = frozenset({str, int, float, bool, type(None), Decimal})
_PLAIN: Final = (str, bool, int, float, type(None))
_Part = TypeVar("_Part")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainCopy:
    """The plain form of an object. `whole` is False where a part was cut off or could not be read."""

    value: object
    whole: bool


class _Plainer:
    """Copies one object. Depth is bounded below the interpreter's own limit.

    What stands in several places is copied once for each depth and shared, and counts each time:
    walking the copy takes no more steps than there were nodes to spend.
    """

    def __init__(self, *, exact: bool, nodes: int) -> None:
        self._exact = exact
        self._left = nodes
        self._on_path: set[int] = set()
        self._copies: dict[tuple[int, int], tuple[object, object, int]] = {}
        self._cycles = 0
        self.whole = True

    def copy(self, value: object, depth: int = 0) -> object:
        self._left -= 1
        try:
            if isinstance(value, Decimal):
                return self._decimal(Decimal(value))
            if isinstance(value, _PLAIN) and not isinstance(value, Enum):
                return self._plain(value)
            return self._copy_once(value, depth)
        except Exception as problem:  # an object of the application may fail in any way
            self.whole = False
            told = f"({type(value).__name__} that can't be read: {type(problem).__name__})"
            return None if self._exact else told

    def _copy_once(self, value: object, depth: int) -> object:
        """Return the copy of a container, one made before where that is the same and not too large."""
        if id(value) in self._on_path:
            self._cycles += 1
            return None if self._exact else _CUT
        _, copied, nodes = self._copies.get((id(value), depth), (None, None, 0))
        if depth > _DEEPEST or self._left < nodes:
            return self._cut()
        if nodes:
            self._left -= nodes
            return copied
        before, cycles = self._left, self._cycles
        self._on_path.add(id(value))
        try:
            opened = _opened(value)
            self.whole = self.whole and not (isinstance(opened, str) and _is_opaque(value))
            copied = self._copy_container(opened, depth)
        finally:
            self._on_path.discard(id(value))
        if cycles == self._cycles and before > self._left:
            self._copies[id(value), depth] = value, copied, before - self._left
        return copied

    def _copy_container(self, value: object, depth: int) -> object:
        if isinstance(value, Mapping):
            return self._copy_mapping(value, depth)
        if isinstance(value, (set, frozenset)):
            return self._ordered(value, depth)
        if isinstance(value, (list, tuple)):
            return [self.copy(part, depth + 1) for part in self._bounded(value)]
        return value if type(value) in _SCALARS else _exactly(str(value))

    def _copy_mapping(self, value: Mapping[object, object], depth: int) -> dict[str, object]:
        """Return a mapping by names in text; where two are alike, the later counts and a part is missing."""
        found: dict[str, object] = {}
        for name, part in self._bounded(value.items()):
            written = self._name(name)
            self.whole = self.whole and written not in found
            found[written] = self.copy(part, depth + 1)
        return found

    def _ordered(self, parts: Iterable[object], depth: int) -> list[object]:
        """Return a set as a list, in the order of what its small elements look like."""
        found: list[tuple[str, object]] = []
        for part in self._bounded(parts):
            before = self._left
            copied = self.copy(part, depth + 1)
            found.append((repr(copied) if before - self._left <= _LARGEST_ORDERED else "", copied))
        return [copied for _, copied in sorted(found, key=lambda pair: pair[0])]

    def _bounded(self, parts: Iterable[_Part]) -> Iterator[_Part]:
        """Yield parts until the nodes are spent; even an endless iterable ends."""
        for part in parts:
            if self._left <= 0:
                self._cut()
                return
            yield part

    def _name(self, name: object) -> str:
        if isinstance(name, (tuple, frozenset)):
            return str(self.copy(name, _DEEPEST - 10))
        return _exactly(str(name))

    def _cut(self) -> str | None:
        self.whole = False
        return None if self._exact else _CUT

    def _plain(self, value: object) -> object:
        if isinstance(value, str):
            return _exactly(value)
        if isinstance(value, float):
            number = float.__float__(value)
            return number if math.isfinite(number) else str(number)
        if isinstance(value, bool) or not isinstance(value, int):
            return value
        whole = int.__index__(value)
        if whole.bit_length() > _MOST_BITS:
            return hex(whole)
        return whole if self._exact or whole.bit_length() <= _MOST_JSON_BITS else str(whole)

    def _decimal(self, value: Decimal) -> object:
        if self._exact:
            return value if value.is_finite() else str(value)
        _, digits, exponent = value.as_tuple()
        if not value.is_finite() or len(digits) > 15:
            return str(value)
        if exponent == 0:
            return int(value)
        shortest = float(value)
        same = math.isfinite(shortest) and Decimal(repr(shortest)) == value
        return shortest if same else str(value)


def copy_plain(value: object, *, nodes: int = MOST_NODES) -> PlainCopy:
    """Return `value` in plain values, numbers exact (Decimal stays); other objects by their fields.

    At most `nodes` values are copied; None stands for what is cut off or unreadable, so that it says
    nothing. That an object holds itself cuts nothing off: it is there already.
    """
    plainer = _Plainer(exact=True, nodes=nodes)
    copied = plainer.copy(value)
    return PlainCopy(value=copied, whole=plainer.whole)


def to_plain(value: object) -> object:
    """Return the value of `copy_plain`."""
    return copy_plain(value).value


def to_json_values(value: object) -> object:
    """Return `value` in what JSON can hold and `read_json` reads; other numbers become text."""
    return _Plainer(exact=False, nodes=2 * MOST_NODES).copy(value)


def is_plain(value: object, *, nodes: int = MOST_NODES) -> bool:
    """Return whether a value holds only dicts with text for keys, lists, tuples and scalars, `nodes` at most.

    Told without a copy, and without calling code of an application. What is nested too deeply, or in
    itself, is not plain.
    """
    stack = [(value, 0)]
    while stack:
        part, depth = stack.pop()
        if type(part) in _SCALARS:
            continue
        inner = _inner(part, nodes)
        if inner is None or depth > _DEEPEST:
            return False
        nodes -= len(inner)
        stack.extend((one, depth + 1) for one in inner if type(one) not in _SCALARS)
    return True


def _inner(part: object, most: int) -> list[object] | None:
    """Return what a plain container of at most so many parts holds, None for anything else."""
    kind = type(part)
    if kind is dict and isinstance(part, dict) and len(part) <= most:
        return list(part.values()) if all(type(key) is str for key in part) else None
    if kind in {list, tuple} and isinstance(part, (list, tuple)) and len(part) <= most:
        return list(part)
    return None


def _exactly(text: str) -> str:
    """Return a text as such, without the methods of a subclass."""
    return str.__str__(text)


def _is_opaque(value: object) -> bool:
    """Return whether the text of an object is no more than its type and address."""
    kind = type(value)
    return kind.__repr__ is object.__repr__ and kind.__str__ is object.__str__


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
