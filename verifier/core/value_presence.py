"""How the values of a statement stand among those of a cited text."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.comparison import How, Outcome, relate
from verifier.core.interval_relations import rounds_to
from verifier.core.values import Interval, Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.quantities import ValueMention
    from verifier.core.values import Value

_NUMBERS: Final = frozenset({"money", "amount"})
_CALENDAR: Final = frozenset({Kind.DATE, Kind.TIME, Kind.QUARTER})
_TEMPERATURES: Final = frozenset({"°C", "°F", "K"})
_POINTS: Final = frozenset({Writing.EXACT, Writing.ROUNDED})
_OPEN_ENDED: Final = frozenset({Writing.BOUND, Writing.RANGE})
_LONGEST_QUARTER_DAYS: Final = 92
_LONGEST_YEAR_DAYS: Final = 366
_LAST: Final = ("within", "in the last", "less than", "fewer than", "under", "inside", "in less")
_WITH_ENDS: Final = frozenset({Writing.BOUND, Writing.RANGE, Writing.EXACT})


def stands_in(claimed: Value, held: Value) -> bool:
    """Return whether the claimed number is the held one, or an end of a range or a bound.

    "Within 7 days" does not say 5, and "below 20" says 20.
    """
    families = {_family(claimed), _family(held)}
    if len(families) > 1 and not (families <= _NUMBERS and _has_digits_of(claimed, held)):
        return False
    if _plainly_differ(claimed, held) or _differs_from_bare(claimed, held):
        return False
    relation = relate(claimed, held)
    outcome = relation.outcome
    if not isinstance(claimed, Quantity) or not isinstance(held, Quantity):
        return outcome in {Outcome.AGREE, Outcome.COULD_BE}
    if _are_other_stretches(claimed, held, outcome):
        return False
    if outcome is Outcome.AGREE:
        return relation.how is not How.BOUND or not _lies_far_inside(claimed, held)
    if outcome is Outcome.INCOMPARABLE or relation.how is How.FINER:
        return False
    if outcome is Outcome.COULD_BE and held.interval.is_point:
        one_is_bare = (claimed.kind is Kind.NUMBER) is not (held.kind is Kind.NUMBER)
        return not one_is_bare or _rounds_to_it(claimed, held)
    return _share_an_end(claimed, held)


def _share_an_end(claimed: Quantity, held: Quantity) -> bool:
    """Return whether an end of the one agrees with an end of the other; they do not agree as they are."""
    if _is_its_only_end(claimed) and _is_its_only_end(held):
        return False
    return any(relate(one, other).agrees for one in _ends(claimed) for other in _ends(held))


def _lies_far_inside(claimed: Quantity, held: Quantity) -> bool:
    """Return whether a bound takes in a value that says nothing of it: "by 2021" and 1996."""
    if claimed.kind is not Kind.DATE or held.kind is not Kind.DATE:
        return held.kind is Kind.NUMBER and claimed.kind is not Kind.NUMBER
    end = claimed.interval.low if claimed.interval.high is None else claimed.interval.high
    ends = [one for one in (held.interval.low, held.interval.high) if one is not None]
    return end is not None and all(abs(one - end) > _LONGEST_YEAR_DAYS for one in ends)


def _differs_from_bare(claimed: Value, held: Value) -> bool:
    """Return whether one of two amounts is a bare number, and no rounding makes them the same."""
    if not isinstance(claimed, Quantity) or not isinstance(held, Quantity):
        return False
    if (claimed.kind is Kind.NUMBER) is (held.kind is Kind.NUMBER):
        return False
    if claimed.alternatives or held.alternatives or not {claimed.writing, held.writing} <= _POINTS:
        return False
    return Kind.MONEY not in {claimed.kind, held.kind} and not _rounds_to_it(claimed, held)


def _rounds_to_it(claimed: Quantity, held: Quantity) -> bool:
    """Return whether a bare number and one with a unit are alike: 63% and 63.27, or 0.6327."""
    number, other = claimed.interval.low, held.interval.low
    if number is None or other is None:
        return False
    return any(rounds_to(one, number, claimed.places or 0) for one in (other, other * 100))


def lies_in(claimed: Value, held: Value) -> bool:
    """Return whether the claimed number may be one of a held range that has both its ends."""
    if not isinstance(claimed, Quantity) or not isinstance(held, Quantity):
        return False
    if (
        claimed.kind is not held.kind
        or held.interval.is_point
        or not _is_closed(held)
        or not _is_closed(claimed)
    ):
        return False
    return _family(claimed) == _family(held) and (relate(claimed, held).outcome is Outcome.COULD_BE)


def holds_in_order(claimed: Sequence[ValueMention], held: Sequence[ValueMention]) -> bool:
    """Return whether each value agrees with its counterpart: the only one of its dimension, or in order."""
    for mention in claimed:
        rivals = [other for other in held if _comparable(mention.value, other.value)]
        alike = [other for other in claimed if _comparable(mention.value, other.value)]
        if len(alike) > len(rivals) or (len(rivals) > 1 and len(alike) != len(rivals)):
            return False
        counterpart = rivals[alike.index(mention)]
        if not relate(mention.value, counterpart.value).agrees:
            return False
    return True


def differ(claimed: Sequence[ValueMention], held: Sequence[ValueMention]) -> bool:
    """Return whether some claimed value is contradicted by a held one of its dimension."""
    return any(
        relate(one.value, other.value).outcome is Outcome.DISAGREE
        for one in claimed
        for other in held
        if _family(one.value) == _family(other.value)
    )


def find_values_left_out(
    claimed: Sequence[ValueMention], held: Sequence[ValueMention]
) -> tuple[ValueMention, ...]:
    """Return what is held and no claimed value speaks of: the 65 of "guests over 65 pay 12 EUR"."""
    return tuple(
        other for other in held if not any(stands_in(one.value, other.value) for one in claimed)
    )


def widens(
    claimed: Sequence[ValueMention], held: Sequence[ValueMention], *, backwards: bool
) -> bool:
    """Return whether an exact term is restated as a bound or a range, or a bound by another comparator.

    Counted `backwards` from an event, "within 48 hours" are the last ones and "up to 48 hours" those before.
    """
    for one in claimed:
        for other in held:
            if _comparable(one.value, other.value) and relate(one.value, other.value).agrees:
                if _wider(one.value, other.value):
                    return True
                if backwards and _comparator(one.value) != _comparator(other.value):
                    return True
    return False


def _wider(one: Value, other: Value) -> bool:
    if not isinstance(one, Quantity) or not isinstance(other, Quantity):
        return False
    return (
        one.writing in _OPEN_ENDED and other.writing is Writing.EXACT and one.kind not in _CALENDAR
    )


def _comparator(value: Value) -> str:
    return (
        ""
        if not isinstance(value, Quantity) or value.writing is not Writing.BOUND
        else ("last" if value.text.casefold().startswith(_LAST) else "until")
    )


def changes_scale(claimed: Sequence[ValueMention], held: Sequence[ValueMention]) -> bool:
    """Return whether the two are temperatures on other scales: 10 °C is 50 °F, by 10 °C is by 18 °F."""
    units = {
        one.value.unit
        for one in (*claimed, *held)
        if isinstance(one.value, Quantity) and one.value.unit in _TEMPERATURES
    }
    return len(units) > 1


def _has_digits_of(one: Value, other: Value) -> bool:
    """Return whether a bare number could be an amount of money, in its major or its minor unit."""
    if not isinstance(one, Quantity) or not isinstance(other, Quantity):
        return False
    ends = {one.interval.low, one.interval.high} - {None}
    return any(
        end in ends or end * 100 in ends or end / 100 in ends
        for end in (other.interval.low, other.interval.high)
        if end is not None
    )


def _plainly_differ(one: Value, other: Value) -> bool:
    """Return whether two exact numbers of one unit are two numbers; spares the whole relation."""
    if not isinstance(one, Quantity) or not isinstance(other, Quantity):
        return False
    if (one.kind, one.unit, one.currency, one.per) != (
        other.kind,
        other.unit,
        other.currency,
        other.per,
    ):
        return False
    if one.alternatives or other.alternatives or one.fault or other.fault:
        return False
    if one.kind in _CALENDAR or not {one.writing, other.writing} <= _POINTS:
        return False
    return one.interval != other.interval and _is_beyond_rounding(one, other)


def _is_beyond_rounding(one: Quantity, other: Quantity) -> bool:
    """Return whether two points are farther apart than the coarser of them is rounded to."""
    left, right = one.interval.low, other.interval.low
    if left is None or right is None or one.places is None or other.places is None:
        return False
    if one.places == other.places and one.writing is other.writing is Writing.EXACT:
        return True
    return abs(left - right) > Fraction(10) ** -min(one.places, other.places)


def _is_closed(value: Quantity) -> bool:
    return value.interval.low is not None and value.interval.high is not None


def _are_other_stretches(claimed: Quantity, held: Quantity, outcome: Outcome) -> bool:
    """Return whether two stretches of the calendar only touch: 2023 ends where 2024 begins.

    A whole year stands in no quarter that is told without its year.
    """
    if claimed.kind is Kind.DATE and held.kind is Kind.QUARTER:
        low, high = claimed.interval.low, claimed.interval.high
        return low is not None and high is not None and high - low > _LONGEST_QUARTER_DAYS
    return (
        claimed.kind is held.kind is Kind.DATE
        and claimed.writing is held.writing is Writing.EXACT
        and outcome is Outcome.DISAGREE
    )


def _is_its_only_end(value: Quantity) -> bool:
    """Return whether all that `_ends` would give is the value itself."""
    return value.writing is Writing.EXACT and not value.alternatives and value.interval.is_point


def _ends(value: Quantity) -> tuple[Quantity, ...]:
    ends = dict.fromkeys((value.interval.low, value.interval.high))
    return tuple(
        replace(value, interval=Interval.point(end), writing=Writing.EXACT, alternatives=())
        for end in ends
        if end is not None and value.writing in _WITH_ENDS
    )


def _comparable(one: Value, other: Value) -> bool:
    same = _family(one) == _family(other)
    return same and relate(one, other).outcome is not Outcome.INCOMPARABLE


def _family(value: Value) -> str:
    """Return what kind of values this one can be compared with at all."""
    if not isinstance(value, Quantity):
        return "text"
    if value.kind is Kind.MONEY:
        return "money"
    return "calendar" if value.kind in _CALENDAR else "amount"
