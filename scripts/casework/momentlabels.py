"""Judging dates, times and durations by the labels of the public recognizers data."""

from __future__ import annotations

import re
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from casework.labels import near, number_of
from verifier.core.quantities import unit_of
from verifier.core.values import Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.quantities import ValueMention

_DAY_S: Final = 86_400
_UNCLAIMED: Final = re.compile(
    r"""every|each\b|weekly|daily|once\ a|one\ a\ day                                   # sets
       |christmas|easter|thanksgiving|halloween|independence|black\ friday|patrick|new\ year|eid\b
       |teenth|freedom|jubilee|summer|winter|spring|autumn|\bfall\b                   # feasts, seasons
       |morning|afternoon|evening|night|noonish|lunch|breakfast|dinner|daytime          # parts of a day
       |\bsame\b|(?:^|\ )the\ (?:day|week|month|year|hour)$
       |end\ of\ (?:the\ )?(?:day|week|sunday|tomorrow)
       |\bnow\b|minute$|at\ this\ time|to\ date|till\ date|earlier|later            # loose references
       |week\ \d|the\ week\ |a\ week\ starting|weeks\ starting|weekend|work
       |last\ week\ of|first\ week|ten\ days
       |^\w+\ \d\d$|^(?:wed|thu|sun|mon)\ \d+th$|^29th$|the\ thirty\ first|the\ twenty  # no month
       |^next\ \d|this\ \d|\d\.\d\d?$|^\d+\.\d+|school|fiscal|\bsy|of\ 87|the\ next\ day
       |seven\ twenty|past\ eight|past\ 9\ in|at\ \d+$|around\ \d$|^\d$               # spoken
       |p\ \.\ m|9\.am|tonight|twenty\ five
       |within|since\ (?:the\ year\ )?2011|\d\ (?:upcoming|next|past|previous)|from\ today|business\ days
       |nineties|(?:beginning|middle|end)\ of|early|mid\ |late\ |^sunday\ 3|day\ of       # parts
       |year\ is|greater|^2015$|^1998$|april\ twenty|and\ 2\ days$|^\d{8}$|4-23|^for\ 3
       |upcoming|in\ 3\ days\ on
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Kinds of date that extraction does not claim to read; the README says so too."""


def judge_moments(
    name: str, entry: dict[str, Any], mentions: Sequence[ValueMention]
) -> bool | None:
    """Return whether the mentions hold the moments a line is labelled with, None where none is claimed."""
    claimed = [result for result in entry["Results"] if _is_claimed(result, name)]
    if entry["Results"] and not claimed:
        return None
    if not entry["Results"]:
        return not any(mention.value.kind in {Kind.DATE, Kind.TIME} for mention in mentions)
    return all(_has_moment(name, result, mentions) for result in claimed)


def _is_claimed(result: dict[str, Any], name: str) -> bool:
    if name == "DurationParser":
        return True
    kind = result["TypeName"].rpartition(".")[2]
    resolved = any(
        "not resolved" not in str(each)
        for each in (result.get("Resolution") or {}).get("values", [])
    )
    return (
        resolved
        and kind in {"date", "daterange", "datetime", "time", "duration"}
        and not _UNCLAIMED.search(result["Text"])
    )


def _has_moment(name: str, result: dict[str, Any], mentions: Sequence[ValueMention]) -> bool:
    if name == "DurationParser":
        values = [{"type": "duration", "value": result["Value"]["FutureResolution"]["duration"]}]
    else:
        values = result["Resolution"]["values"]
    return any(
        _same_moment(quantity, value) for quantity in near(result, mentions) for value in values
    )


def _same_moment(quantity: Quantity, value: dict[str, Any]) -> bool:
    kind = value["type"]
    if kind == "duration":
        return quantity.kind is Kind.DURATION and _same_duration(quantity, Fraction(value["value"]))
    if kind == "time":
        return quantity.kind is Kind.TIME and number_of(quantity) == _seconds(value["value"])
    if quantity.kind is not Kind.DATE:
        return False
    if kind == "datetime":
        day, clock = value["value"].split(" ")
        return quantity.interval.low == _ordinal(day) + Fraction(
            _seconds(clock), _DAY_S
        ) or _same_yearly(quantity, day)
    return _same_days(quantity, value)


def _same_duration(quantity: Quantity, seconds: Fraction) -> bool:
    unit, number = unit_of(quantity.unit or "s"), number_of(quantity)
    if unit is None or number is None:
        return False
    if unit.dimension == (("month", 1),):
        months = number * unit.factor
        return seconds in {months * 30 * _DAY_S, months / 12 * 365 * _DAY_S}
    return number * (unit.factor if unit.dimension == (("time", 1),) else _DAY_S) == seconds


def _same_days(quantity: Quantity, value: dict[str, Any]) -> bool:
    """Compare days; a range's end is the day after, or the first or last day of the last period named."""
    interval = quantity.interval
    first, last = value.get("start") or value.get("value"), value.get("end")
    if first and first[:1].isdigit() and quantity.unit == "yearly":
        return _same_yearly(quantity, first)
    if value.get("Mod") in {"before", "after", "since"} or not last:
        edge = _ordinal(str(first or last))
        return edge in {interval.low, interval.high, (interval.high or 0) - 1}
    if first is None:
        return _ordinal(last) in {interval.high, (interval.high or 0) - 1}
    wide = (
        quantity.writing is Writing.RANGE
        and interval.high is not None
        and interval.high > _ordinal(last)
    )
    return interval.low == _ordinal(first) and (
        interval.high in {_ordinal(last), _ordinal(last) + 1} or wide
    )


def _same_yearly(quantity: Quantity, day: str) -> bool:
    low = quantity.interval.low if quantity.interval.low is not None else quantity.interval.high
    if quantity.unit != "yearly" or low is None:
        return False
    return date.fromordinal(int(low)).isoformat()[5:] == day[5:10]


def _ordinal(day: str) -> Fraction:
    return Fraction(date.fromisoformat(day[:10]).toordinal())


def _seconds(clock: str) -> int:
    hours, minutes, seconds = (int(part) for part in clock.split(":"))
    return hours * 3600 + minutes * 60 + seconds
