"""Values: what a claim states and what evidence holds, in one form for both.

A quantity is an exact interval with a unit or currency and a note of how it was written. Rounding,
comparators, ranges and tolerances are then one relation between intervals (`verifier.core.comparison`).
Everything that is compared as text (a state, a name, an identifier, a version) is a `TextValue`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction


class Kind(StrEnum):
    """What a value measures or names."""

    NUMBER = "number"
    QUANTITY = "quantity"
    MONEY = "money"
    PERCENT = "percent"
    PERCENTAGE_POINT = "percentage_point"
    DURATION = "duration"
    ORDINAL = "ordinal"
    DATE = "date"
    TIME = "time"
    QUARTER = "quarter"
    VERSION = "version"
    IDENTIFIER = "id"
    PHONE = "phone"
    STATE = "state"
    NAME = "name"
    BOOLEAN = "boolean"
    TEXT = "text"


TEXT_KINDS = frozenset(
    {Kind.VERSION, Kind.IDENTIFIER, Kind.PHONE, Kind.STATE, Kind.NAME, Kind.BOOLEAN, Kind.TEXT}
)


class Writing(StrEnum):
    """How a quantity was written; it decides what a finer or coarser value may mean."""

    EXACT = "exact"
    ROUNDED = "rounded"
    APPROXIMATE = "approximate"
    BOUND = "bound"
    RANGE = "range"
    TOLERANCE = "tolerance"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """An exact interval of rational numbers; a missing end is unbounded."""

    low: Fraction | None
    high: Fraction | None
    low_open: bool = False
    high_open: bool = False

    def __post_init__(self) -> None:
        if self.low is self.high or self.low is None or self.high is None:
            return
        if self.low > self.high:
            raise ValueError(f"the low end {self.low} is above the high end {self.high}")

    @classmethod
    def point(cls, number: Fraction) -> Interval:
        """Return the closed interval that holds `number` alone."""
        return cls(low=number, high=number)

    @property
    def is_point(self) -> bool:
        """Whether the interval holds exactly one number."""
        return self.low is not None and self.low == self.high

    def scaled(self, factor: Fraction) -> Interval:
        """Return the interval times a positive `factor`."""
        if factor <= 0:
            raise ValueError(f"an interval is scaled by a positive factor, not by {factor}")
        return Interval(
            low=None if self.low is None else self.low * factor,
            high=None if self.high is None else self.high * factor,
            low_open=self.low_open,
            high_open=self.high_open,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number with unit, precision and comparator; money, durations, dates are kinds of it.

    `interval` is in `unit` (money: in major units of `currency`; DURATION: in `unit`, seconds where
    none is given; DATE: in days of the proleptic Gregorian calendar, `date.toordinal()`, a day being
    `[n, n + 1)`; TIME: in seconds since midnight; ORDINAL: as told, or, where `unit` is
    `end` or `current`, as the offset from the last or the current one: -1 for "second to last"). `places`
    is the number of decimals written, negative where a magnitude word was (1.3 million: -5).
    `alternatives` are further readings of the same text that differ (1.234, 02/03); an open currency ("$")
    is None with its mark in `unit`. `nominal` is the number written where the interval is wider. `fault`
    says why a value can't be used (`impossible_date`, `no_clock`, `vague`). `utc_offset_s` is the zone of a
    DATE or TIME whose interval is local to it.
    """

    kind: Kind
    interval: Interval
    text: str
    writing: Writing = Writing.EXACT
    unit: str | None = None
    currency: str | None = None
    per: str | None = None
    places: int | None = None
    nominal: Fraction | None = None
    fault: str | None = None
    utc_offset_s: int | None = None
    alternatives: tuple[Quantity, ...] = ()

    def __post_init__(self) -> None:
        if self.kind in TEXT_KINDS:
            raise ValueError(f"a value of kind {self.kind} is a TextValue")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextValue:
    """A value that is compared as text: state, name, identifier, version, yes or no.

    `folded` is the form that is compared; two values of one kind are the same iff it is equal.
    """

    kind: Kind
    text: str
    folded: str = field(default="")

    def __post_init__(self) -> None:
        if self.kind not in TEXT_KINDS:
            raise ValueError(f"a value of kind {self.kind} is a Quantity")
        if not self.folded:
            object.__setattr__(self, "folded", " ".join(self.text.split()).casefold())


Value = Quantity | TextValue


def flag_of(value: Value) -> bool | None:
    """Return what a value of yes or no says; None of any other."""
    if isinstance(value, TextValue) and value.kind is Kind.BOOLEAN:
        return value.folded == "yes"
    return None
