"""How dates and times of day relate: by the precision written, and by zone where both know theirs."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.interval_relations import DIFFERENT, Scale, overlap, relate_intervals, within
from verifier.core.relations import How, Outcome, Relation
from verifier.core.values import Interval, Kind, Writing

if TYPE_CHECKING:
    from verifier.core.values import Quantity

DAY_SECONDS: Final = 86_400
RECURRING: Final = "yearly"
"""The unit of a day and month without a year; its interval lies in the leap year 4."""
_WIDEST_ZONE: Final = Fraction(14, 24)


def relate_dates(claim: Quantity, evidence: Quantity) -> Relation:
    """Return the relation of two dates, months, years, date ranges or quarters."""
    if Kind.QUARTER in {claim.kind, evidence.kind}:
        return _relate_quarters(claim, evidence)
    if RECURRING in {claim.unit, evidence.unit}:
        return _relate_recurring(claim, evidence)
    if claim.writing is Writing.BOUND or evidence.writing is Writing.BOUND:
        return _relate_open_dates(claim, evidence)
    mine, theirs, settled = _in_one_zone(claim, evidence)
    if not settled and _is_moment(mine) and _is_moment(theirs):
        near = overlap(_widened(mine), theirs)
        return Relation(Outcome.COULD_BE, How.ZONE_OPEN) if near else DIFFERENT
    if mine == theirs or _same_minute(mine, theirs):
        return Relation(Outcome.AGREE, How.EQUAL)
    return _relate_stretches(claim, evidence, mine, theirs)


def _relate_stretches(
    claim: Quantity, evidence: Quantity, mine: Interval, theirs: Interval
) -> Relation:
    """Compare two stretches of days that differ: one within the other, or apart."""
    ranges = (claim.writing is Writing.RANGE, evidence.writing is Writing.RANGE)
    if within(theirs, mine):
        how = How.INSIDE if ranges[0] else How.ROUNDED
        return DIFFERENT if all(ranges) else Relation(Outcome.AGREE, how)
    if within(mine, theirs):
        at_end = mine.low == theirs.low or mine.high == theirs.high
        inside = How.END if at_end else How.INSIDE
        return Relation(Outcome.COULD_BE, inside if ranges[1] else How.FINER)
    return Relation(Outcome.COULD_BE, How.PART) if overlap(mine, theirs) else DIFFERENT


def _is_moment(interval: Interval) -> bool:
    return (
        interval.low is not None and interval.high is not None and interval.high - interval.low < 1
    )


def _same_minute(one: Interval, other: Interval, day: int = 1) -> bool:
    """Return whether two moments begin together, one told to the minute and one to the second."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return False
    minute = Fraction(60 * day, DAY_SECONDS)
    return (
        one.low == other.low and one.high - one.low <= minute and other.high - other.low <= minute
    )


def _relate_open_dates(claim: Quantity, evidence: Quantity) -> Relation:
    """Compare `by 5 May`, `since 2020`: a day within the claim's bound agrees."""
    if claim.writing is Writing.BOUND and evidence.writing is not Writing.BOUND:
        if within(evidence.interval, claim.interval):
            return Relation(Outcome.AGREE, How.BOUND)
        return (
            Relation(Outcome.COULD_BE, How.PART)
            if overlap(claim.interval, evidence.interval)
            else DIFFERENT
        )
    if claim.writing is Writing.BOUND:
        return relate_intervals(claim, evidence, Scale(rounds=False))
    if within(claim.interval, evidence.interval):
        return Relation(Outcome.COULD_BE, How.INSIDE)
    return (
        Relation(Outcome.COULD_BE, How.PART)
        if overlap(claim.interval, evidence.interval)
        else DIFFERENT
    )


def _in_one_zone(claim: Quantity, evidence: Quantity) -> tuple[Interval, Interval, bool]:
    """Return both intervals in one zone, and whether that is settled: both know it or neither has hours."""
    mine, theirs = claim.interval, evidence.interval
    if claim.utc_offset_s is not None and evidence.utc_offset_s is not None:
        return _to_utc(mine, claim.utc_offset_s), _to_utc(theirs, evidence.utc_offset_s), True
    zones = {claim.utc_offset_s, evidence.utc_offset_s}
    return mine, theirs, zones == {None}


def _to_utc(interval: Interval, offset_s: int) -> Interval:
    shift = Fraction(-offset_s, DAY_SECONDS)
    return Interval(
        low=None if interval.low is None else interval.low + shift,
        high=None if interval.high is None else interval.high + shift,
        low_open=interval.low_open,
        high_open=interval.high_open,
    )


def _widened(interval: Interval) -> Interval:
    return Interval(
        low=None if interval.low is None else interval.low - _WIDEST_ZONE,
        high=None if interval.high is None else interval.high + _WIDEST_ZONE,
    )


def _relate_recurring(claim: Quantity, evidence: Quantity) -> Relation:
    """Compare a day without a year: the year that is not written is not claimed."""
    one, other = _in_leap_year(claim), _in_leap_year(evidence)
    if one is None or other is None:
        return Relation(Outcome.INCOMPARABLE, How.OTHER_KIND)
    found = relate_dates(
        replace(claim, unit=None, interval=one), replace(evidence, unit=None, interval=other)
    )
    if found.agrees and claim.unit != RECURRING:
        return Relation(Outcome.COULD_BE, How.FINER)
    return found


def _in_leap_year(quantity: Quantity) -> Interval | None:
    low, high = quantity.interval.low, quantity.interval.high
    if quantity.unit == RECURRING or low is None or high is None:
        return quantity.interval
    first = date.fromordinal(int(low)) if 1 <= low <= date.max.toordinal() else None
    if first is None or high - low > 31:
        return None
    moved = Fraction(date(4, first.month, first.day).toordinal()) + (low - int(low))
    return Interval(
        low=moved,
        high=moved + (high - low),
        low_open=quantity.interval.low_open,
        high_open=quantity.interval.high_open,
    )


def _relate_quarters(claim: Quantity, evidence: Quantity) -> Relation:
    if claim.kind is evidence.kind:
        return relate_intervals(claim, evidence, Scale(rounds=False))
    quarter, dated = (claim, evidence) if claim.kind is Kind.QUARTER else (evidence, claim)
    low = dated.interval.low
    if low is None or dated.unit == RECURRING or not 1 <= low <= date.max.toordinal():
        return Relation(Outcome.INCOMPARABLE, How.OTHER_KIND)
    month = date.fromordinal(int(low)).month
    same = quarter.interval.low == (month - 1) // 3 + 1
    return Relation(Outcome.COULD_BE if same else Outcome.INCOMPARABLE, How.CALENDAR)


def relate_times(claim: Quantity, evidence: Quantity) -> Relation:
    """Return the relation of two times of day, or of one with a moment of a date."""
    mine, theirs = _time_of_day(claim), _time_of_day(evidence)
    if mine is None or theirs is None:
        return Relation(Outcome.INCOMPARABLE, How.OTHER_KIND)
    if (claim.utc_offset_s is None) != (evidence.utc_offset_s is None):
        return Relation(Outcome.COULD_BE, How.ZONE_OPEN)
    if mine.interval == theirs.interval or _same_minute(
        mine.interval, theirs.interval, DAY_SECONDS
    ):
        return Relation(Outcome.AGREE, How.EQUAL)
    if within(theirs.interval, mine.interval):
        both_bounds = mine.writing is theirs.writing is Writing.BOUND
        return DIFFERENT if both_bounds else Relation(Outcome.AGREE, How.ROUNDED)
    if within(mine.interval, theirs.interval):
        return Relation(Outcome.COULD_BE, How.FINER)
    return (
        Relation(Outcome.COULD_BE, How.PART)
        if overlap(mine.interval, theirs.interval)
        else DIFFERENT
    )


def _time_of_day(quantity: Quantity) -> Quantity | None:
    """Return the time of day in UTC where the zone is known; None for a date without a time."""
    low, high = quantity.interval.low, quantity.interval.high
    if low is None or high is None:
        return quantity if quantity.kind is Kind.TIME else None
    if quantity.kind is Kind.DATE:
        if high - low >= 1:
            return None
        low, high = low * DAY_SECONDS, high * DAY_SECONDS
    shift = quantity.utc_offset_s or 0
    base = (low - shift) % DAY_SECONDS
    interval = Interval(low=base, high=base + (high - low), high_open=quantity.interval.high_open)
    return replace(quantity, kind=Kind.TIME, interval=interval)
