"""A filter as the text of a Postgres jsonpath: a parameter of searches, never part of a statement.

It is held against `{"value": metadata, "moment": {key: [seconds since 1970, …]}}`. Each comparison stands
inside an `exists(…)`, which is true or false where a bare comparison may be neither.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final, assert_never

from verifier.core.filters import (
    MOST_COMPARISONS,
    MOST_LEVELS,
    ORDERING,
    Comparator,
    Comparison,
    Either,
    Every,
    Existence,
    Filter,
    Opposite,
)
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.filters import FilterValue

ALWAYS: Final = "(1 == 1)"
NEVER: Final = "(1 == 0)"
ISO_MOMENT: Final = re.compile(
    r"""
    [0-9]{4}-[0-9]{2}-[0-9]{2}                     # 2026-11-30
    (?: [T ] [0-9]{2}:[0-9]{2}                     # T09:00
        (?: :[0-9]{2} (?: \.[0-9]{1,6} )? )?       # :00.5
        (?: Z | [+-][0-9]{2} (?: :?[0-9]{2} )? )?  # +01:00
    )?
    """,
    re.VERBOSE | re.ASCII,
)
"""The texts of metadata that are moments; the function `filterable` of the store knows the same."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_DAY_S: Final = 86_400


def to_jsonpath(condition: Filter) -> str:
    """Return the jsonpath predicate of a filter, for the operator `@@`.

    Raises InputError where it has more than 10,000 comparisons or is nested deeper than 100 levels.
    """
    if _count(condition) > MOST_COMPARISONS:
        raise InputError(
            f"a filter of more than {MOST_COMPARISONS:,} comparisons; split the search"
        )
    return _path(condition)


def _count(condition: Filter, level: int = 0) -> int:
    if level > MOST_LEVELS:
        raise InputError(f"the filter is nested deeper than {MOST_LEVELS} levels")
    match condition:
        case Every(parts=parts) | Either(parts=parts):
            return sum(_count(part, level + 1) for part in parts)
        case Opposite(part=part):
            return _count(part, level + 1)
    return 1


def _path(condition: Filter) -> str:
    match condition:
        case Comparison():
            return _compare(condition)
        case Existence(key=key):
            return f"exists({_value(key)})"
        case Every(parts=parts):
            return _join([_path(part) for part in parts], "&&", nothing=ALWAYS)
        case Either(parts=parts):
            return _join([_path(part) for part in parts], "||", nothing=NEVER)
        case Opposite(part=part):
            return f"(!({_path(part)}))"
    raise TypeError(f"{type(condition).__name__} is no filter")


def _join(paths: Sequence[str], operator: str, *, nothing: str) -> str:
    """Join in halves, so that even ten thousand parts nest no deeper than fourteen brackets."""
    if len(paths) < 2:
        return paths[0] if paths else nothing
    middle = len(paths) // 2
    left, right = (
        _join(half, operator, nothing=nothing) for half in (paths[:middle], paths[middle:])
    )
    return f"({left} {operator} {right})"


def _compare(comparison: Comparison) -> str:
    key, comparator, value = comparison.key, comparison.comparator, comparison.value
    if comparator is Comparator.UNEQUAL:
        equal = _matches(key, Comparator.EQUAL, value)
        return f"(exists({_value(key)}) && !({equal}))"
    return _matches(key, comparator, value)


def _matches(key: str, comparator: Comparator, value: FilterValue) -> str:
    if isinstance(value, str) and comparator in ORDERING:
        value = read_moment(value) or value
    if isinstance(value, date):
        return f"exists({_moment(key)} ? ({_in_time(comparator, value)}))"
    return f"exists({_value(key)} ? (@ {comparator} {_literal(value)}))"


def _in_time(comparator: Comparator, value: date) -> str:
    """Compare with a moment, or with the day that a date is from its first moment to the next day's."""
    if isinstance(value, datetime):
        return f"@ {comparator} {_seconds(value)}"
    start = (value.toordinal() - _EPOCH.toordinal()) * _DAY_S
    end = start + _DAY_S
    match comparator:
        case Comparator.LESS | Comparator.AT_LEAST:
            return f"@ {comparator} {start}"
        case Comparator.AT_MOST:
            return f"@ < {end}"
        case Comparator.MORE:
            return f"@ >= {end}"
        case Comparator.EQUAL | Comparator.UNEQUAL:
            return f"@ >= {start} && @ < {end}"
    assert_never(comparator)


def read_moment(text: str) -> date | None:
    """Return the date or, UTC where it has no offset, the datetime that an ISO 8601 text names, else None."""
    if ISO_MOMENT.fullmatch(text) is None:
        return None
    try:
        if len(text) == len("2026-11-30"):
            return date.fromisoformat(text)
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _seconds(moment: datetime) -> str:
    return f"{Decimal((moment - _EPOCH) // _MICROSECOND).scaleb(-6):f}"


def _literal(value: FilterValue) -> str:
    match value:
        case bool() | None:
            return json.dumps(value)
        case int():
            return int.__repr__(value)
        case float():
            return float.__repr__(value)
        case Decimal():
            return f"{value:f}"
    return _quote(str(value))


def _value(key: str) -> str:
    return f"$.value.{_quote(key)}"


def _moment(key: str) -> str:
    return f"$.moment.{_quote(key)}"


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
