"""Writing a right value in the place of a wrong one, in the form that the answer chose for it."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Final

from verifier.core.catalog.reading import find_zone
from verifier.core.claims import ClaimForm
from verifier.core.correction.counted import agree
from verifier.core.correction.days import write_day, write_moment
from verifier.core.correction.figures import Habits, count_decimals, find_habits, write_figure
from verifier.core.policy import Hindrance
from verifier.core.quantities import extract_quantities, minor_units, read_exact, unit_of
from verifier.core.values import Kind, Quantity, Writing

if TYPE_CHECKING:
    from fractions import Fraction

    from verifier.core.values import Value

_LONGEST: Final = 100
_PLAIN: Final = Habits()
_TRUTHS: Final = {
    "true": "true",
    "t": "true",
    "yes": "true",
    "false": "false",
    "f": "false",
    "no": "false",
}
_AMOUNTS: Final = frozenset(
    {Kind.MONEY, Kind.NUMBER, Kind.QUANTITY, Kind.PERCENT, Kind.PERCENTAGE_POINT, Kind.DURATION}
)
_INEXACT: Final = frozenset({Writing.BOUND, Writing.RANGE, Writing.TOLERANCE})


class ValueWriter:
    """Writes values into one answer; `timezone_name` is the turn's, for moments that a day is taken from."""

    def __init__(self, answer: str, timezone_name: str | None) -> None:
        self._habits = find_habits(answer)
        self._zone = find_zone(timezone_name)

    def write(
        self, raw: str, claimed: Value, right: str, *, unit: str | None, form: ClaimForm
    ) -> str | Hindrance:
        """Return `raw`, which states `claimed`, stating `right`, or why that can't be written.

        `raw` is what stands in the answer, in a card a JSON value, which keeps its type. `right` counts in
        `unit`, where it is known and `right` itself tells none. What is written is proved by verifying it.
        """
        if len(right) > _LONGEST:
            return Hindrance.OTHER_FORM
        if not isinstance(claimed, Quantity):
            truth = _TRUTHS.get(right.casefold())
            return truth if raw in {"true", "false"} and truth is not None else Hindrance.TEXT
        if claimed.writing in _INEXACT:
            return Hindrance.INEXACT
        if claimed.fault is not None or "\\" in raw:
            return Hindrance.OTHER_FORM
        habits = _PLAIN if form is ClaimForm.CARD else self._habits
        if claimed.kind is Kind.DATE:
            return self._write_date(raw, claimed, right)
        return _write_amount(raw, claimed, _read_amount(claimed, right, unit), habits)

    def _write_date(self, written: str, claimed: Quantity, right: str) -> str | Hindrance:
        if written.startswith('"'):
            inner = self._write_date(written[1:-1], claimed, right)
            return inner if isinstance(inner, Hindrance) else f'"{inner}"'
        moment, told = _read_moment(right), _read_moment(written)
        if moment is None:
            return Hindrance.OTHER_FORM
        if isinstance(told, datetime):
            if not isinstance(moment, datetime):
                return Hindrance.OTHER_FORM
            return write_moment(written, told, moment)
        day = moment
        if isinstance(moment, datetime):
            day = (moment.astimezone(self._zone) if moment.tzinfo else moment).date()
        return write_day(written, _day_of(claimed), day)


def _write_amount(
    written: str, claimed: Quantity, new: Fraction | None, habits: Habits
) -> str | Hindrance:
    places = 0
    if claimed.kind is Kind.MONEY:
        known = minor_units(claimed.currency) if claimed.currency else None
        places = 2 if known is None else known
        claimed = _read_as_money(claimed, places)
    old = claimed.interval.low if claimed.nominal is None else claimed.nominal
    if claimed.kind not in _AMOUNTS or old is None or new is None:
        return Hindrance.OTHER_FORM
    told = write_figure(written, old, new, places=places, habits=habits)
    return told if isinstance(told, Hindrance) else agree(told, old, new)


def _read_as_money(claimed: Quantity, places: int) -> Quantity:
    """Return the first reading that has no more decimals than its currency: 1.199 € is no fraction."""
    readings = (claimed, *claimed.alternatives)
    fits = (one for one in readings if one.places is not None and one.places <= places)
    return next(fits, claimed)


def _day_of(claimed: Quantity) -> date | None:
    """Return the day that a date says; None of one that tells no year, or no single day."""
    low, high = claimed.interval.low, claimed.interval.high
    if claimed.unit is not None or low is None or high is None or high - low != 1:
        return None
    return date.fromordinal(int(low)) if 1 <= low <= date.max.toordinal() else None


def _read_moment(text: str) -> date | datetime | None:
    """Return the day or moment that a text in ISO form tells."""
    try:
        if len(text) == len("2026-01-31"):
            return date.fromisoformat(text)
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _read_amount(claimed: Quantity, right: str, unit: str | None) -> Fraction | None:
    """Return how much `right` is in the claimed unit; None where the units are not of one kind."""
    number = read_exact(right)
    if number is None:
        mentions = extract_quantities(right)
        whole = mentions[0].value if len(mentions) == 1 else None
        if not isinstance(whole, Quantity) or not whole.interval.is_point:
            return None
        number, unit = whole.interval.low, whole.unit
    if number is None or unit is None or claimed.unit is None or claimed.kind is Kind.MONEY:
        return number
    theirs, ours = unit_of(unit), unit_of(claimed.unit)
    if theirs is None or ours is None or theirs == ours:
        return number
    if not theirs.same_dimension(ours) or theirs.has_offset or ours.has_offset:
        return None
    converted = number * theirs.factor / ours.factor
    if count_decimals(converted) is None and claimed.places is not None:
        return round(converted, max(claimed.places, 0))  # as precise as it was written: 3.3 lb
    return converted
