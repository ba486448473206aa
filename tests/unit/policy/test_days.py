"""Days written the way that others were, and moments in ISO form."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from verifier.core.claims import ClaimForm
from verifier.core.correction.days import write_day
from verifier.core.correction.writing import ValueWriter
from verifier.core.policy import Hindrance
from verifier.core.values import Interval, Kind, Quantity

OLD, NEW = date(2026, 5, 3), date(2026, 11, 22)
WRITTEN = {
    "ISO": ("2026-05-03", "2026-11-22"),
    "American words": ("May 3, 2026", "November 22, 2026"),
    "British words": ("3 May 2026", "22 November 2026"),
    "an ordinal": ("May 3rd, 2026", "November 22nd, 2026"),
    "an ordinal first": ("the 3rd of May 2026", "the 22nd of November 2026"),
    "padded words": ("03 May 2026", "22 November 2026"),
    "capitals": ("MAY 3, 2026", "NOVEMBER 22, 2026"),
    "a weekday": ("Sunday, May 3, 2026", "Sunday, November 22, 2026"),
    "a short weekday": ("Sun, 3 May 2026", "Sun, 22 November 2026"),
    "no year": ("May 3", "November 22"),
    "slashes, month first": ("05/03/2026", "11/22/2026"),
    "slashes, day first": ("3/5/2026", "22/11/2026"),
    "points": ("03.05.2026", "22.11.2026"),
    "points without noughts": ("3.5.2026", "22.11.2026"),
    "year first": ("2026/05/03", "2026/11/22"),
}


@pytest.mark.parametrize(("written", "expected"), WRITTEN.values(), ids=WRITTEN)
def test_a_day_is_written_as_the_other_was(written: str, expected: str) -> None:
    assert write_day(written, OLD, NEW) == expected


@pytest.mark.parametrize("written", ["Nov 5, 2026", "5 nov 2026", "11/05/2026", "Thu, Nov 5, 2026"])
def test_short_names_stay_short(written: str) -> None:
    told = write_day(written, date(2026, 11, 5), date(2026, 2, 6))
    assert told in {"Feb 6, 2026", "6 feb 2026", "02/06/2026", "Fri, Feb 6, 2026"}


@pytest.mark.parametrize(
    ("written", "old", "new"),
    [
        ("tomorrow", OLD, NEW),
        ("05/05/2026", date(2026, 5, 5), NEW),
        ("3. Mai 2026", OLD, NEW),
        ("May 2026", OLD, NEW),
        ("May 3", OLD, date(2027, 5, 9)),
        ("May 4, 2026", OLD, NEW),
        ("Friday, May 3, 2026", OLD, NEW),
        ("", OLD, NEW),
    ],
)
def test_a_day_in_another_form_is_left(written: str, old: date, new: date) -> None:
    assert write_day(written, old, new) is Hindrance.OTHER_FORM


@pytest.mark.parametrize(
    ("written", "right", "expected"),
    [
        ('"2026-05-03"', "2026-05-09 22:30:00+00", '"2026-05-10"'),
        ('"2026-05-03T10:00:00Z"', "2026-05-09 22:30:00+00", '"2026-05-09T22:30:00Z"'),
        ('"2026-05-03T10:00:00+02:00"', "2026-05-09 22:30:00+00", '"2026-05-10T00:30:00+02:00"'),
        ('"2026-05-03 10:00"', "2026-05-09 22:30:00", '"2026-05-09 22:30"'),
        ('"2026-05-03T10:00:00Z"', "2026-05-09", Hindrance.OTHER_FORM),
        ('"2026-05-03T10:00:00Z"', "2026-05-09 22:30:00", Hindrance.OTHER_FORM),
        ('"2026-05-03"', "soon", Hindrance.OTHER_FORM),
    ],
)
def test_moments_of_cards(written: str, right: str, expected: str | Hindrance) -> None:
    day = Interval(low=Fraction(OLD.toordinal()), high=Fraction(OLD.toordinal() + 1))
    claimed = Quantity(kind=Kind.DATE, interval=day, text=written[1:-1])
    writer = ValueWriter(written, "Europe/Berlin")
    told = writer.write(written, claimed, right, unit=None, form=ClaimForm.CARD)
    assert told == expected
