"""Expressions of the public recognizers data, against what extraction reads of them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from verifier.core.quantities import ValueMention, extract_quantities, unit_of
from verifier.core.values import Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FILES: Final = (
    "Number",
    "NumberRange",
    "Percent",
    "Ordinal",
    "Currency",
    "Dimension",
    "Temperature",
    "Age",
)
DATED_FILES: Final = ("DateTimeModel", "DurationParser")
_UNITS: Final = {
    "C": "°C",
    "F": "°F",
    "Degree": "°",
    "Year": "yr",
    "Age": "yr",
    "Month": "mo",
    "Week": "wk",
    "Day": "d",
}
_DAY_S: Final = 86_400
_TINY: Final = Fraction(1, 10**9)
UNCLAIMED: Final = re.compile(
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
RELATIVE_ORDER: Final = re.compile(r"[a-z]+[+-]\d")
"""`end-1`, `current+1`: words such as last and next order things, they are no quantities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One file's outcome: expressions, those read right, those of kinds not claimed, and the misses."""

    name: str
    lines: int
    right: int
    unclaimed: int
    misses: tuple[str, ...]

    @property
    def share(self) -> float:
        """The share read right of the expressions whose kind is claimed."""
        return self.right / (self.lines - self.unclaimed) if self.lines > self.unclaimed else 1.0


def read_rows(folder: Path) -> list[Row]:
    """Return a row for each file of the data."""
    rows = [_row(folder / f"{name}Model.jsonl", name, _amounts_right) for name in FILES]
    return rows + [_row(folder / f"{name}.jsonl", name, _dates_right) for name in DATED_FILES]


def _row(path: Path, name: str, judge: Callable[[str, dict[str, Any]], bool | None]) -> Row:
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found = [(entry, judge(name, entry)) for entry in entries]
    misses = tuple(
        f"{entry['Input'][:100]!r} -> {_wanted(entry)}" for entry, ok in found if ok is False
    )
    unclaimed = sum(ok is None for _, ok in found)
    return Row(
        name=name,
        lines=len(found),
        right=sum(ok is True for _, ok in found),
        unclaimed=unclaimed,
        misses=misses,
    )


def _wanted(entry: dict[str, Any]) -> str:
    return "; ".join(f"{result.get('Text')} = {_value(result)}" for result in entry["Results"])[
        :160
    ]


def _value(result: dict[str, Any]) -> object:
    resolution = result.get("Resolution") or result.get("Value") or {}
    return (
        resolution.get("value")
        or [each.get("timex") for each in resolution.get("values", [])]
        or resolution.get("Timex")
    )


def _near(result: dict[str, Any], mentions: tuple[ValueMention, ...]) -> Iterator[Quantity]:
    """Yield the readings of the mentions that touch a result's place."""
    start, end = result.get("Start"), result.get("End")
    for mention in mentions:
        placed = (
            start is None or end is None or (mention.span.start <= end and mention.span.end > start)
        )
        if placed and isinstance(mention.value, Quantity):
            yield mention.value
            yield from mention.value.alternatives


def _amounts_right(name: str, entry: dict[str, Any]) -> bool | None:
    mentions = extract_quantities(entry["Input"])
    told = [
        result
        for result in entry["Results"]
        if str((result.get("Resolution") or {}).get("value")) not in {"None", "null"}
    ]
    if any(RELATIVE_ORDER.fullmatch(str(_value(result))) for result in told):
        return None
    if not told:
        return not any(
            _is_of(name, mention.value)
            for mention in mentions
            if isinstance(mention.value, Quantity)
        )
    return all(
        any(_same_amount(name, quantity, result) for quantity in _near(result, mentions))
        for result in told
    )


def _is_of(name: str, quantity: Quantity) -> bool:
    """Return whether a mention is of a file's type where the file expects none."""
    unit = unit_of(quantity.unit or "")
    hot = unit is not None and unit.dimension == (("temperature", 1),)
    kinds = {
        "Percent": quantity.kind is Kind.PERCENT,
        "Currency": quantity.kind is Kind.MONEY,
        "Temperature": hot,
    }
    return kinds.get(name, False)


def _number(quantity: Quantity) -> Fraction | None:
    return quantity.nominal if quantity.nominal is not None else quantity.interval.low


def _close(one: Fraction | None, other: Fraction) -> bool:
    return one is not None and abs(one - other) <= abs(other) * _TINY + Fraction(1, 10**14)


def _same_amount(name: str, quantity: Quantity, result: dict[str, Any]) -> bool:
    resolution = result["Resolution"]
    written = resolution["value"]
    if name == "NumberRange":
        return _same_range(quantity, written)
    wanted, number = Fraction(written.strip("%")), _number(quantity)
    if name == "Currency":
        minor = resolution.get("unit") in {"Cent", "Pence"}
        return quantity.kind is Kind.MONEY and _close(number, wanted / 100 if minor else wanted)
    if name in {"Percent", "Ordinal"}:
        return quantity.kind.value == name.lower() and _close(number, wanted)
    if name == "Number":
        minor = quantity.kind is Kind.MONEY and number is not None and _close(number * 100, wanted)
        return minor or _close(number, wanted)
    return _same_measure(quantity, wanted, resolution["unit"])


def _same_measure(quantity: Quantity, wanted: Fraction, name: str) -> bool:
    mine, theirs = unit_of(quantity.unit or ""), unit_of(_UNITS.get(name, name.lower()))
    number = _number(quantity)
    if mine is None or theirs is None or number is None or not mine.same_dimension(theirs):
        return False
    exact = _close(number * mine.factor + mine.offset, wanted * theirs.factor + theirs.offset)
    return exact or (name == "Ton" and _close(number, wanted))


def _same_range(quantity: Quantity, written: str) -> bool:
    low, high = written[1:-1].split(",")
    interval = quantity.interval
    if low == high:
        return interval.is_point and _close(interval.low, Fraction(low))
    same_low = (
        interval.low is None
        if not low
        else _close(interval.low, Fraction(low)) and interval.low_open == (written[0] == "(")
    )
    same_high = interval.high is None if not high else _close(interval.high, Fraction(high))
    return same_low and same_high and (bool(low) or interval.high_open == (written[-1] == ")"))


def _dates_right(name: str, entry: dict[str, Any]) -> bool | None:
    moment = (entry.get("Context") or {}).get("ReferenceDateTime") or "2016-11-07T00:00:00"
    claimed = [result for result in entry["Results"] if _is_claimed(result, name)]
    if entry["Results"] and not claimed:
        return None
    mentions = extract_quantities(entry["Input"], now=datetime.fromisoformat(moment[:19]))
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
        and not UNCLAIMED.search(result["Text"])
    )


def _has_moment(name: str, result: dict[str, Any], mentions: tuple[ValueMention, ...]) -> bool:
    if name == "DurationParser":
        values = [{"type": "duration", "value": result["Value"]["FutureResolution"]["duration"]}]
    else:
        values = result["Resolution"]["values"]
    return any(
        _same_moment(quantity, value) for quantity in _near(result, mentions) for value in values
    )


def _same_moment(quantity: Quantity, value: dict[str, Any]) -> bool:
    kind = value["type"]
    if kind == "duration":
        return quantity.kind is Kind.DURATION and _same_duration(quantity, Fraction(value["value"]))
    if kind == "time":
        return quantity.kind is Kind.TIME and _number(quantity) == _seconds(value["value"])
    if quantity.kind is not Kind.DATE:
        return False
    if kind == "datetime":
        day, clock = value["value"].split(" ")
        return quantity.interval.low == _ordinal(day) + Fraction(
            _seconds(clock), _DAY_S
        ) or _same_yearly(quantity, day)
    return _same_days(quantity, value)


def _same_duration(quantity: Quantity, seconds: Fraction) -> bool:
    unit, number = unit_of(quantity.unit or "s"), _number(quantity)
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
