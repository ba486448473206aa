"""Which facts could be compared with a value: groups of values, by kind and dimension."""

from __future__ import annotations

from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.lexicons import load_word_lists
from verifier.core.text_stems import stem
from verifier.core.units import DURATION_DIMENSIONS, unit_of
from verifier.core.values import Kind, TextValue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.values import Quantity, Value

CLAUSE: Final = "clause"
OPEN: Final = "open"
PLAIN: Final = "plain"
_MONEY: Final = "money"
_MONEY_NUMBER: Final = "money_number"
_NUMBER: Final = "number"
COUNT: Final = "count"
_SHARE: Final = "share"
_DURATION: Final = "duration"
_AMOUNT: Final = "amount"
_DAY: Final = "day"
_MOMENT: Final = "moment"
_CLOCK: Final = "clock"
_ORDINAL: Final = "ordinal"
_OWN_GROUPS: Final[Mapping[Kind, tuple[str, ...]]] = MappingProxyType(
    {
        Kind.MONEY: (_MONEY,),
        Kind.PERCENT: (_SHARE,),
        Kind.PERCENTAGE_POINT: (_SHARE,),
        Kind.TIME: (_CLOCK,),
        Kind.ORDINAL: (_ORDINAL,),
    }
)
_BARE: Final = (_NUMBER, OPEN)
_WORDING: Final = (Kind.STATE, Kind.TEXT, Kind.NAME)
_FOR_QUANTITY: Final[Mapping[Kind, tuple[str, ...]]] = MappingProxyType(
    {
        Kind.MONEY: (_MONEY, _MONEY_NUMBER, OPEN),
        Kind.PERCENT: (_SHARE, *_BARE),
        Kind.PERCENTAGE_POINT: (_SHARE, *_BARE),
        Kind.DATE: (_DAY, _MOMENT),
        Kind.QUARTER: (_DAY, _MOMENT),
        Kind.TIME: (_CLOCK, _MOMENT),
        Kind.ORDINAL: (_ORDINAL, *_BARE),
    }
)
_FOR_TEXT: Final[Mapping[Kind, tuple[str, ...]]] = {
    Kind.STATE: (*_WORDING, Kind.BOOLEAN),
    Kind.NAME: _WORDING,
    Kind.TEXT: (*_WORDING, Kind.IDENTIFIER, Kind.PHONE, Kind.VERSION),
    Kind.IDENTIFIER: (Kind.IDENTIFIER, Kind.TEXT, Kind.NAME, Kind.PHONE),
    Kind.PHONE: (Kind.PHONE, Kind.IDENTIFIER, Kind.TEXT),
    Kind.VERSION: (Kind.VERSION, Kind.TEXT, _NUMBER),
    Kind.BOOLEAN: (Kind.BOOLEAN, Kind.STATE),
}


def groups_for(value: Value) -> tuple[str, ...]:
    """Return the groups whose facts a claimed value could be compared with."""
    if isinstance(value, TextValue):
        return _FOR_TEXT[value.kind]
    if value.kind in _FOR_QUANTITY:
        return _FOR_QUANTITY[value.kind]
    if value.kind is Kind.NUMBER and value.unit is None:
        return (*_BARE, PLAIN, COUNT, _MONEY_NUMBER, _MONEY, _SHARE, _AMOUNT, _DURATION)
    group = _measure(value)
    return (_NUMBER, COUNT, OPEN) if group == COUNT else (group, *_BARE)


def group_of(value: Value, cues: frozenset[str]) -> tuple[str, ...]:
    """Return the groups in which a fact of that value and those cues is found."""
    if isinstance(value, TextValue):
        return (value.kind,)
    if value.kind in _OWN_GROUPS:
        return _OWN_GROUPS[value.kind]
    if value.kind in {Kind.DATE, Kind.QUARTER}:
        return (_MOMENT if _is_moment(value) else _DAY,)
    if value.kind is Kind.NUMBER and value.unit is None:
        return _groups_of_number(cues)
    group = _measure(value)
    return (group,) if group in {COUNT, _DURATION, _SHARE} else (group, _AMOUNT)


@cache
def stems_of_list(name: str) -> frozenset[str]:
    """Return the stems of a list of `fact_words`."""
    return frozenset(stem(word) for word in load_word_lists("fact_words")[name])


def _groups_of_number(cues: frozenset[str]) -> tuple[str, ...]:
    if cues & stems_of_list("money"):
        return (_MONEY_NUMBER,)
    return (_MONEY_NUMBER, _NUMBER) if cues & stems_of_list("money_or_number") else (_NUMBER,)


def _is_moment(value: Quantity) -> bool:
    low, high = value.interval.low, value.interval.high
    return low is not None and high is not None and high - low < 1


def _measure(value: Quantity) -> str:
    return _measure_named(value.unit, duration=value.kind is Kind.DURATION)


@lru_cache(maxsize=1024)
def _measure_named(name: str | None, *, duration: bool) -> str:
    unit = unit_of(name) if name else None
    if duration or (unit is not None and unit.dimension in DURATION_DIMENSIONS):
        return _DURATION
    if unit is None:
        return COUNT
    if unit.dimension == (("ratio", 1),):
        return _SHARE
    return str([(part.removesuffix("_difference"), power) for part, power in unit.dimension])
