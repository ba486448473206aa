"""Which of several rows of one thing applies: by time, channel and quantity."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.catalog.declarations import CHANNEL, QUANTITY, Attribute, AttributeKind
from verifier.core.catalog.reading import read_value
from verifier.core.quantities import read_exact
from verifier.core.values import Quantity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.core.catalog.declarations import Applicability, EntityType
    from verifier.core.values import Interval

    Cells = Mapping[str, str | None]

_MOMENT: Final = Attribute(name="moment", column="moment", kind=AttributeKind.DATE)
_ONE: Final = Fraction(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """What rows are to apply to: a moment or period, in days, and the turn's channel and quantity."""

    moment: Interval
    fields: Mapping[str, str]
    timezone_name: str | None = None

    @property
    def quantity(self) -> Fraction | None:
        """The quantity that the turn tells."""
        return read_exact(self.fields.get(QUANTITY))


@dataclass(frozen=True, slots=True, kw_only=True)
class Applicable:
    """Places of the rows that apply, and of those that may where the turn tells no quantity."""

    rows: tuple[int, ...]
    of_other_quantities: tuple[int, ...] = ()


def find_applicable(entity: EntityType, rows: Sequence[Cells], occasion: Occasion) -> Applicable:
    """Return which rows of one thing apply. Where the turn tells no channel, those of every channel do."""
    applies = entity.applies
    at = [place for place, cells in enumerate(rows) if _in_time(applies, cells, occasion)]
    at = [place for place in at if _in_channel(applies, rows[place], occasion)]
    if applies.min_quantity is None:
        return Applicable(rows=tuple(at))
    quantity = occasion.quantity
    chosen = _of_quantity(entity, rows, at, quantity or _ONE)
    others = () if quantity is not None else tuple(place for place in at if place not in chosen)
    return Applicable(rows=chosen, of_other_quantities=others)


def _in_time(applies: Applicability, cells: Cells, occasion: Occasion) -> bool:
    """Return whether a row holds at any time of the occasion; unreadable ends hold nowhere."""
    moment = occasion.moment
    start = cells.get(applies.valid_from) if applies.valid_from is not None else None
    end = cells.get(applies.valid_to) if applies.valid_to is not None else None
    if start is not None and start != "-infinity":
        begun = _read_time(start, occasion)
        if begun is None or begun.low is None or not _begins_by(begun.low, moment):
            return False
    if end is None or end == "infinity":
        return True
    ended = _read_time(end, occasion)
    return ended is not None and not (moment.low is not None and _is_before(ended, moment.low))


def _read_time(cell: str, occasion: Occasion) -> Interval | None:
    value = read_value(_MOMENT, cell, timezone_name=occasion.timezone_name)
    return value.interval if isinstance(value, Quantity) else None


def _is_before(end: Interval, moment: Fraction) -> bool:
    if end.high is None:
        return False
    return end.high <= moment if end.high_open else end.high < moment


def _begins_by(start: Fraction, moment: Interval) -> bool:
    if moment.high is None:
        return True
    return start < moment.high if moment.high_open else start <= moment.high


def _in_channel(applies: Applicability, cells: Cells, occasion: Occasion) -> bool:
    if applies.channel is None:
        return True
    told, own = occasion.fields.get(CHANNEL), cells.get(applies.channel)
    return told is None or own is None or own.strip().casefold() == told.strip().casefold()


def _of_quantity(
    entity: EntityType, rows: Sequence[Cells], at: Sequence[int], quantity: Fraction
) -> tuple[int, ...]:
    """Return, of rows that differ in nothing but the quantity, the one with the greatest that is reached."""
    column = entity.applies.min_quantity or ""
    apart = [entity.applies.channel, *(one.currency_column for one in entity.attributes)]
    groups: defaultdict[tuple[str | None, ...], list[tuple[Fraction, int]]] = defaultdict(list)
    for place in at:
        cells = rows[place]
        least = read_exact(cells.get(column)) if cells.get(column) is not None else Fraction(0)
        if least is not None and least <= quantity:
            group = tuple(cells.get(one) for one in apart if one is not None)
            groups[group].append((least, place))
    chosen = (
        place
        for group in groups.values()
        for least, place in group
        if least == max(one for one, _ in group)
    )
    return tuple(sorted(chosen))
