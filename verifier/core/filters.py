"""Filters on the metadata of sources, as expressions: `(field("pages") >= 10) & ~field("draft").exists()`.

What is compared with what:

- numbers as numbers, whatever their form (1 is 1.0); text as text, by code points where it is ordered
  ("007" is not 7); true, false and null only for equality;
- moments as moments: a `date` or `datetime`, and in `<`, `<=`, `>`, `>=` also a text that is an ISO 8601 date
  or time, meets metadata that are such texts, whatever their offsets. Without an offset they are UTC. A date
  to compare with is the whole day in UTC (`== date(2026, 11, 30)` matches "2026-11-30T23:00Z"); a date in
  metadata is its first moment;
- values of different kinds never match, neither do keys that are missing: `!=` demands that the key is there.
  `~` is the plain opposite, so `~(field("lang") == "de")` matches where `lang` is missing as well;
- a list in metadata matches where one of its members does; `in_([])` matches nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NoReturn, TypeAlias

from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

FilterValue: TypeAlias = str | int | float | bool | Decimal | date | datetime | None
"""What metadata can be compared with."""

MOST_COMPARISONS: Final = 10_000
MOST_LEVELS: Final = 100
_MOST_BITS: Final = 3_000


class Comparator(StrEnum):
    """How a field is compared."""

    EQUAL = "=="
    UNEQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="


ORDERING: Final = frozenset(Comparator) - {Comparator.EQUAL, Comparator.UNEQUAL}


class Filter:
    """A condition on metadata; `&`, `|` and `~` combine filters."""

    __slots__ = ()

    def __and__(self, other: Filter) -> Filter:
        return Every(parts=(*_parts(self, Every), *_parts(_demand(other), Every)))

    def __or__(self, other: Filter) -> Filter:
        return Either(parts=(*_parts(self, Either), *_parts(_demand(other), Either)))

    def __invert__(self) -> Filter:
        return Opposite(part=self)

    def __bool__(self) -> NoReturn:
        raise InputError(
            "a filter is neither true nor false: combine filters with &, | and ~, in brackets, not with"
            " and, or, not, nor with a chain such as 1 < field(…) < 5"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Filter):
    """A field against one value. Raises InputError where the two can't be compared."""

    key: str
    comparator: Comparator
    value: FilterValue

    def __post_init__(self) -> None:
        _check_key(self.key)
        _check_value(self.key, self.value)
        if self.comparator in ORDERING and isinstance(self.value, bool | None):
            raise InputError(
                f"filter {self.key!r}: {self.value!r} has no order; use {self.key!r} == or !="
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Existence(Filter):
    """The field is there, whatever its value, null included."""

    key: str

    def __post_init__(self) -> None:
        _check_key(self.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Every(Filter):
    """All parts hold; with no parts it always does."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Either(Filter):
    """One part at least holds; with no parts it never does."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opposite(Filter):
    """The part does not hold, be it because its field is missing."""

    part: Filter


class Field:
    """A key of the metadata of sources; comparing it makes a filter. Keys are taken as they are: no paths."""

    __slots__ = ("key",)

    def __init__(self, key: str) -> None:
        _check_key(key)
        self.key = key

    def __eq__(self, value: FilterValue) -> Filter:  # type: ignore[override]
        return self._compare(Comparator.EQUAL, value)

    def __ne__(self, value: FilterValue) -> Filter:  # type: ignore[override]
        return self._compare(Comparator.UNEQUAL, value)

    def __lt__(self, value: FilterValue) -> Filter:
        return self._compare(Comparator.LESS, value)

    def __le__(self, value: FilterValue) -> Filter:
        return self._compare(Comparator.AT_MOST, value)

    def __gt__(self, value: FilterValue) -> Filter:
        return self._compare(Comparator.MORE, value)

    def __ge__(self, value: FilterValue) -> Filter:
        return self._compare(Comparator.AT_LEAST, value)

    def in_(self, values: Iterable[FilterValue]) -> Filter:
        """Return the filter that matches one of `values`; of none it matches nothing."""
        if isinstance(values, str | bytes):
            raise InputError(f"filter {self.key!r}: in_ takes a list of values, not one text")
        return Either(parts=tuple(self._compare(Comparator.EQUAL, value) for value in values))

    def exists(self) -> Filter:
        """Return the filter that matches where the key is there."""
        return Existence(key=self.key)

    def _compare(self, comparator: Comparator, value: FilterValue) -> Filter:
        return Comparison(key=self.key, comparator=comparator, value=value)

    __hash__ = None  # type: ignore[assignment]


def field(key: str) -> Field:
    """Return the metadata field `key`, to be compared: `field("pages") >= 10`."""
    return Field(key)


def list_keys(condition: Filter) -> tuple[str, ...]:
    """Return the keys that a filter names, each once, in their order."""
    keys: dict[str, None] = {}
    waiting = [condition]
    while waiting:
        match waiting.pop(0):
            case Comparison(key=key) | Existence(key=key):
                keys[key] = None
            case Every(parts=parts) | Either(parts=parts):
                waiting = [*parts, *waiting]
            case Opposite(part=part):
                waiting.insert(0, part)
    return tuple(keys)


def _parts(condition: Filter, kind: type[Every | Either]) -> tuple[Filter, ...]:
    return condition.parts if isinstance(condition, kind) else (condition,)


def _demand(other: object) -> Filter:
    if not isinstance(other, Filter):
        raise InputError(
            f"a filter can't be combined with {other!r}; put comparisons in brackets:"
            ' (field("a") == 1) & (field("b") == 2)'
        )
    return other


def _check_key(key: object) -> None:
    if not isinstance(key, str) or _unfit(key):
        raise InputError(f"filter {key!r}: a key must be a text without NUL or lone surrogates")


def _check_value(key: str, value: object) -> None:
    if not isinstance(value, FilterValue):
        raise InputError(
            f"filter {key!r}: allowed are text, number, true, false, null, date and time,"
            f" not {type(value).__name__}"
        )
    if isinstance(value, float | Decimal) and not math.isfinite(value):
        raise InputError(f"filter {key!r}: {value} is no number")
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise InputError(f"filter {key!r}: a number of more than 900 digits")
    if isinstance(value, Decimal) and abs(value.adjusted()) > _MOST_BITS:
        raise InputError(f"filter {key!r}: {value:.5e} is beyond what is compared")
    if isinstance(value, str) and _unfit(value):
        raise InputError(f"filter {key!r}: a text can't hold NUL or lone surrogates")
    if isinstance(value, datetime) and value.tzinfo is None:
        raise InputError(f"filter {key!r}: {value} has no offset; give one, such as +00:00")


def _unfit(text: str) -> bool:
    return "\x00" in text or any("\ud800" <= char <= "\udfff" for char in text)
