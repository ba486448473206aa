"""Mentions in the fields of a case's expected items, so that the two can be compared."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from verifier.core.quantities import unit_of
from verifier.core.values import Kind, Quantity, Writing

if TYPE_CHECKING:
    from fractions import Fraction

    from verifier.core.quantities import ValueMention

_DAY_S = 86_400


def describe(mention: ValueMention) -> dict[str, Any]:
    """Return a mention as the fields that cases speak of; numbers are fractions."""
    value = mention.value
    item: dict[str, Any] = {
        "start": mention.span.start,
        "end": mention.span.end,
        "name": mention.name,
    }
    if not isinstance(value, Quantity):
        return {**item, "type": value.kind.value, "value": value.text.removeprefix("v")}
    item.update(unit=value.unit, currency=value.currency, per=value.per, fault=value.fault)
    if value.kind is Kind.DATE:
        return {**item, **_date_fields(value)}
    if value.kind is Kind.QUARTER:
        return {**item, "type": "quarter", "quarter": value.interval.low, "year": None}
    if value.kind is Kind.TIME:
        return {**item, **_time_fields(value)}
    return {**item, **_amount_fields(value)}


def _amount_fields(value: Quantity) -> dict[str, Any]:
    low, high = value.interval.low, value.interval.high
    name = value.kind.value
    if value.writing is Writing.RANGE:
        return {"type": f"{name}_range", "min": low, "max": high}
    fields: dict[str, Any] = {
        "type": name,
        "value": value.nominal if value.nominal is not None else low,
    }
    if value.writing is Writing.BOUND:
        upper = low is None
        strict = value.interval.high_open if upper else value.interval.low_open
        fields["comparator"] = ("<" if upper else ">") + ("" if strict else "=")
    if value.writing is Writing.APPROXIMATE:
        fields["comparator"] = "~"
    if value.writing is Writing.TOLERANCE and low is not None and high is not None:
        fields["uncertainty"] = (high - low) / 2
    return fields


def _date_fields(value: Quantity) -> dict[str, Any]:
    low, high = value.interval.low, value.interval.high
    if value.writing is Writing.RANGE and low is not None and high is not None:
        return {"type": "date_range", "min": _day(low), "max": _day(high - 1)}
    known = low if low is not None else high
    fields: dict[str, Any] = {"type": "date", "value": None if known is None else _day(known)}
    if value.writing is Writing.BOUND and value.nominal is not None:
        fields["value"] = _day(value.nominal - (low is None))
        edge = low if low is not None else high
        strict = edge != value.nominal
        fields["comparator"] = (">" if low is not None else "<") + ("" if strict else "=")
    if value.writing is Writing.APPROXIMATE:
        fields["comparator"] = "~"
    if low is not None and high is not None:
        if high - low < 1:
            fields["time"] = _clock((low - int(low)) * _DAY_S)
        elif value.unit == "yearly":
            fields["value"] = "--" + str(fields["value"])[5:]
    return fields


def _day(ordinal: Fraction) -> str | None:
    number = int(ordinal)
    return date.fromordinal(number).isoformat() if 1 <= number <= date.max.toordinal() else None


def _clock(seconds: Fraction) -> str:
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"


def _time_fields(value: Quantity) -> dict[str, Any]:
    low, high = value.interval.low, value.interval.high
    if value.writing is Writing.RANGE and low is not None and high is not None:
        return {"type": "time_range", "min": _clock(low), "max": _clock(high)}
    known = low if low is not None else high
    return {
        "type": "time",
        "value": None if known is None else _clock(known),
        "time": None if known is None else _clock(known),
    }


def same_unit(ours: object, theirs: object) -> bool:
    """Return whether two unit names are one unit, whatever their spelling."""
    if ours is None or theirs is None:
        return ours is theirs
    one, other = unit_of(str(ours)), unit_of(str(theirs))
    if one is None or other is None:
        return str(ours).casefold().rstrip("s") == str(theirs).casefold().rstrip("s")
    return (one.dimension, one.factor, one.offset) == (other.dimension, other.factor, other.offset)


def in_unit(number: Fraction | None, ours: object, theirs: str) -> Fraction | None:
    """Return a number in another unit of its dimension; months and years as 30 and 365 days."""
    one, other = unit_of(str(ours or "s")), unit_of(theirs)
    if number is None or one is None or other is None:
        return None
    if one.dimension == other.dimension:
        return (number * one.factor + one.offset - other.offset) / other.factor
    if one.dimension == (("month", 1),) and other.dimension == (("time", 1),):
        months = number * one.factor
        days = months * 30 if months % 12 else months / 12 * 365
        return days * _DAY_S / other.factor
    if one.dimension == (("business_day", 1),):
        return number * _DAY_S / other.factor
    return None
