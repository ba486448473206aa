"""The reading: what a reader found at some tokens, before ranges and comparators are joined."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from verifier.core.values import Kind, Writing

if TYPE_CHECKING:
    from verifier.core.quantities.powers import Number


class Reading(NamedTuple):
    """A value found between tokens `start` and `end`, and characters `begins` and `stops`.

    `low` and `high` are its ends (equal for a single number; of a date the first day and the day after
    the last). `others` are further readings of the number, `rivals` whole other readings. `plain` says
    that only digits were written. `text` is the form of what is compared as text, `name` what it belongs to.
    """

    kind: Kind
    start: int
    end: int
    begins: int
    stops: int
    low: Fraction | None = Fraction(0)
    high: Fraction | None = Fraction(0)
    low_open: bool = False
    high_open: bool = False
    places: int = 0
    unit: str | None = None
    currency: str | None = None
    per: str | None = None
    writing: Writing = Writing.EXACT
    nominal: Fraction | None = None
    others: tuple[tuple[Fraction, int], ...] = ()
    rivals: tuple[Reading, ...] = ()
    scale: int = 1
    plain: bool = False
    spelled: bool = False
    uncertainty: Fraction | None = None
    fault: str | None = None
    text: str = ""
    name: str | None = None
    utc_offset_s: int | None = None


def from_number(kind: Kind, start: int, begins: int, stops: int, number: Number) -> Reading:
    """Return a reading of a number that stands alone so far."""
    return Reading(
        kind,
        start,
        number.end,
        begins,
        stops,
        number.value,
        number.value,
        places=number.places,
        others=number.others,
        scale=number.scale,
        plain=number.plain,
        spelled=number.spelled,
        uncertainty=number.uncertainty,
    )
