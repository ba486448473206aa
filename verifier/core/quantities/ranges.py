"""Two readings that are one range, a tolerance, or a list that shares its unit."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.calendars import days_of
from verifier.core.quantities.compounds import bare_day, day_in_month_of
from verifier.core.quantities.tokens import END
from verifier.core.tables import word_set
from verifier.core.values import Kind, Writing

if TYPE_CHECKING:
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream

_DASHES: Final = frozenset({"-", "–", "—", "−", "~", "〜", "～", "‐", "‑", "..", "...", "…"})
_TO_WORDS: Final = frozenset(
    {
        "to",
        "through",
        "thru",
        "till",
        "until",
        "up to",
        "- to",
        "- or",
        "bis",
        "à",
        "au",
        "a",
        "al",
        "hasta",
        "tot",
        "até",
        "t/m",
        "至",
        "到",
        "から",
        "to the",
        "through the",
        "till the",
        "- the",
        "zu",
    }
)
_AND_WORDS: Final = frozenset({"and", "et", "und", "y", "e", "en", "or", "and the"})
_OPENERS: Final = frozenset({"between", "entre", "zwischen", "tra", "fra", "tussen", "compris"})
_FROM: Final = frozenset({"from", "von", "de", "desde", "da", "dal", "van", "du"})
_PLUS_MINUS: Final = frozenset(
    {"±", "+ / -", "+ -", "+/-", "+ / −", "plus or minus", "plus minus", "∓", "give or take"}
)
_LISTED: Final = frozenset(
    {
        "and",
        "or",
        ",",
        ", and",
        ", or",
        "&",
        "x",
        "×",
        "by",
        "/",
        "und",
        "et",
        "y",
        "en",
        "oder",
        "ou",
    }
)
_SHARING: Final = frozenset(
    {Kind.QUANTITY, Kind.MONEY, Kind.PERCENT, Kind.PERCENTAGE_POINT, Kind.DURATION}
)


def join_ranges(stream: Stream, readings: list[Reading]) -> list[Reading]:
    """Return the readings with tolerances, ranges and shared units settled."""
    joined: list[Reading] = []
    for reading in readings:
        left = joined[-1] if joined else None
        one = _pair(stream, left, reading) if left is not None else None
        if one is None:
            joined.append(reading)
        else:
            joined[-1] = one
    return _share_units(stream, joined)


def _pair(stream: Stream, left: Reading, right: Reading) -> Reading | None:
    length = right.start - left.end
    if not 1 <= length <= 3 or right.begins < left.stops:
        return None
    link = stream.phrase(left.end, length)
    if link in _PLUS_MINUS:
        return _tolerance(left, right)
    if not _is_range(stream, left, right, link):
        return None
    ends = _as_ends(left, right)
    if ends is None:
        return None
    first, last = ends
    if link in _DASHES and not _dash_fits(stream, left, right, ends):
        return None
    return _range(stream, first, last)


def _is_range(stream: Stream, left: Reading, right: Reading, link: str) -> bool:
    before = stream.folds[left.start - 1] if left.start else ""
    opened = before in _OPENERS or (
        before == "the" and left.start > 1 and stream.folds[left.start - 2] in _OPENERS
    )
    if link in _DASHES:
        return True
    if link in _AND_WORDS:
        return opened
    if link not in _TO_WORDS:
        return False
    if (
        link in {"a", "au", "al", "à"}
        and before not in _FROM
        and left.kind is Kind.NUMBER
        and right.kind is Kind.NUMBER
    ):
        return False
    return not (before in _FROM and _changes(stream, left.start - 1))


def _changes(stream: Stream, index: int) -> bool:
    near = stream.folds[max(0, index - 6) : index]
    return not word_set("comparators", "change_verbs").isdisjoint(near)


def _dash_fits(
    stream: Stream, left: Reading, right: Reading, ends: tuple[Reading, Reading]
) -> bool:
    """Return whether a dash joins: spaces on both sides or on none, and rising ends without a unit."""
    open_left, open_right = (
        left.stops < stream.starts[left.end],
        stream.ends[right.start - 1] < right.begins,
    )
    if open_left != open_right:
        return False
    first, last = ends
    if first.low is None or last.high is None:
        return True
    if first.kind is Kind.NUMBER and right.kind is Kind.NUMBER:
        zeros = (
            stream.words[right.start].startswith("0")
            and len(stream.words[right.start]) > 1
            and right.places == 0
        )
        local = (
            len(stream.words[left.start]) == 3
            and len(stream.words[right.start]) == 4
            and not open_left
        )
        return first.low < last.high and not zeros and not local
    return True


def _as_ends(left: Reading, right: Reading) -> tuple[Reading, Reading] | None:
    """Return both readings in the kind and unit that they share, or None where they share none."""
    if left.writing is not Writing.EXACT or right.writing not in {Writing.EXACT, Writing.ROUNDED}:
        return _dates_as_ends(left, right) if {left.kind, right.kind} <= {Kind.DATE} else None
    if Kind.DATE in {left.kind, right.kind} or Kind.TIME in {left.kind, right.kind}:
        return _dates_as_ends(left, right)
    if (
        left.plain
        and right.plain
        and left.kind is right.kind is Kind.NUMBER
        and (years := _years_as_ends(left, right))
    ):
        return years
    if left.kind is right.kind and (left.unit, left.currency) == (right.unit, right.currency):
        return _with_scale(left, right), right
    if left.kind is Kind.NUMBER and right.kind in _SHARING:
        return _in_kind_of(_with_scale(left, right), right), right
    if right.kind is Kind.NUMBER and left.kind is Kind.MONEY:
        return _with_scale(left, right), _in_kind_of(right, left)
    both_money = left.kind is right.kind is Kind.MONEY and None in {left.currency, right.currency}
    if both_money:
        known = left if left.currency else right
        return _in_kind_of(_with_scale(left, right), known), _in_kind_of(right, known)
    if (
        left.kind is right.kind is Kind.QUANTITY
        and left.unit == "°"
        and (right.unit or "").startswith("°")
    ):
        return left._replace(unit=right.unit), right
    return None


def _in_kind_of(number: Reading, model: Reading) -> Reading:
    low, high = number.low, number.high
    return number._replace(
        kind=model.kind,
        unit=model.unit,
        currency=model.currency,
        per=number.per or model.per,
        low=low,
        high=high,
    )


def _with_scale(left: Reading, right: Reading) -> Reading:
    """Return the first end times the magnitude of the second where it has none: `7-9 lakh`."""
    if (
        right.scale == 1
        or left.scale > 1
        or left.low is None
        or right.low is None
        or left.low != left.high
    ):
        return left
    value = left.low * right.scale
    if abs(value) > abs(right.low):
        return left
    return left._replace(
        low=value, high=value, scale=right.scale, places=left.places - (len(str(right.scale)) - 1)
    )


def _dates_as_ends(left: Reading, right: Reading) -> tuple[Reading, Reading] | None:
    if left.kind is right.kind is Kind.DATE:
        return _dates_in_one_year(left, right)
    if left.kind is right.kind is Kind.TIME:
        return left._replace(utc_offset_s=right.utc_offset_s), right
    if (
        right.kind is Kind.TIME
        and bare_day(left)
        and left.low is not None
        and right.low is not None
        and left.low <= 12
    ):
        hour = left.low % 12 + (12 if right.low >= 43_200 else 0)
        low = hour * 3600 if hour * 3600 < right.low else (left.low % 12) * 3600
        return right._replace(low=low, high=low + 60), right
    years = _years_as_ends(left, right)
    if years is not None:
        return years
    if left.kind is Kind.DATE and bare_day(right) and right.low is not None:
        last = day_in_month_of(left, int(right.low))
        return (
            None
            if last is None or left.low is None or last.low is None or last.low <= left.low
            else (left, last)
        )
    if right.kind is Kind.DATE and bare_day(left) and left.low is not None:
        first = day_in_month_of(right, int(left.low))
        return None if first is None else (first, right)
    return None


def _as_year(reading: Reading) -> Reading | None:
    number = reading.low
    if reading.kind is Kind.DATE:
        return (
            reading
            if reading.unit is None
            and reading.low is not None
            and (reading.high or 0) - reading.low > 300
            else None
        )
    if (
        reading.kind is not Kind.NUMBER
        or not reading.plain
        or number is None
        or not 1800 <= number <= 2200
    ):
        return None
    days = days_of(int(number), None, None)
    return (
        reading._replace(kind=Kind.DATE, low=days[0], high=days[1], high_open=True)
        if days
        else None
    )


def _years_as_ends(left: Reading, right: Reading) -> tuple[Reading, Reading] | None:
    """Return `2014-2018`, `between 2014 and 2018` as years, or None."""
    first, last = _as_year(left), _as_year(right)
    if (
        first is None
        or last is None
        or first.low is None
        or last.low is None
        or first.low >= last.low
    ):
        return None
    return first, last


def _dates_in_one_year(left: Reading, right: Reading) -> tuple[Reading, Reading] | None:
    """Return two dates with the year of the second given to the first if that has none."""
    from datetime import date

    if left.low is None or left.high is None or right.low is None or left.fault or right.fault:
        return None
    if left.unit == right.unit:
        return (left, right) if left.low <= right.low or left.unit is not None else None
    if left.unit is None:
        return None
    first, other = date.fromordinal(int(left.low)), date.fromordinal(int(right.low))
    year = other.year if (first.month, first.day) <= (other.month, other.day) else other.year - 1
    try:
        moved = date(year, first.month, first.day).toordinal()
    except ValueError:
        return None
    return left._replace(low=Fraction(moved), high=moved + (left.high - left.low), unit=None), right


def _range(stream: Stream, first: Reading, last: Reading) -> Reading:
    before = stream.folds[first.start - 1] if first.start else ""
    opened = before in _OPENERS or before in {"from", "von", "vom"}
    start = first.start - 1 if opened else first.start
    low, high = first.low, last.high
    if low is not None and high is not None and low > high and first.kind is not Kind.DATE:
        low, high = last.low, first.high
    if last.kind is Kind.TIME:
        high = last.low
    return last._replace(
        start=min(start, last.start),
        begins=min(stream.starts[start], first.begins, last.begins),
        end=max(first.end, last.end),
        stops=max(first.stops, last.stops),
        low=low,
        high=high,
        high_open=last.kind is Kind.DATE,
        writing=Writing.RANGE,
        others=(),
        rivals=(),
        plain=False,
        per=last.per or first.per,
    )


def _tolerance(left: Reading, right: Reading) -> Reading | None:
    if left.low is None or right.low is None or left.low != left.high or right.low != right.high:
        return None
    spread = abs(right.low)
    unit, kind, currency = right.unit, right.kind, right.currency
    if right.kind is Kind.PERCENT and left.kind is not Kind.PERCENT:
        spread, unit, kind, currency = (
            abs(left.low) * spread / 100,
            left.unit,
            left.kind,
            left.currency,
        )
    elif left.unit and left.unit != right.unit and right.kind is not Kind.NUMBER:
        return None
    elif right.kind is Kind.NUMBER:
        unit, kind, currency = left.unit, left.kind, left.currency
    return left._replace(
        end=right.end,
        stops=right.stops,
        unit=unit,
        kind=kind,
        currency=currency,
        uncertainty=spread,
        others=(),
        per=right.per,
    )


def _share_units(stream: Stream, readings: list[Reading]) -> list[Reading]:
    """Return the readings with the unit of `4 and 9 mg` given to the first number too."""
    for at in range(len(readings) - 2, -1, -1):
        left, right = readings[at], readings[at + 1]
        if (
            left.kind is not Kind.NUMBER
            or right.kind not in _SHARING
            or left.writing is not Writing.EXACT
        ):
            continue
        if (
            stream.phrase(left.end, right.start - left.end) in _LISTED
            and left.plain
            and stream.kinds[left.end] != END
            and right.start - left.end <= 2
        ):
            if (
                right.kind is Kind.MONEY
                and right.begins < stream.starts[right.start + 1]
                and not stream.words[right.start][:1].isdecimal()
            ):
                continue
            readings[at] = _in_kind_of(left, right)
    return readings
