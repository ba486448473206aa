"""Numbers written the way that others were: marks, groups, decimals, magnitudes and digits."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.core.claims import ClaimForm
from verifier.core.correction.figures import Habits, find_habits, write_figure
from verifier.core.correction.writing import ValueWriter
from verifier.core.policy import Hindrance
from verifier.core.quantities import extract_quantities

if TYPE_CHECKING:
    from decimal import Decimal

WRITTEN = {
    "decimals and symbol before": ("$59.90", "49.90", "$49.90"),
    "no decimals, none needed": ("$60", "50", "$50"),
    "no decimals, some needed": ("$60", "49.90", "$49.90"),
    "decimals kept": ("$59.90", "50", "$50.00"),
    "grouped": ("$1,299.00", "1499.00", "$1,499.00"),
    "grouped, less than a group": ("$1,299.00", "99.50", "$99.50"),
    "grouped, more groups": ("$1,299", "1234567", "$1,234,567"),
    "not grouped": ("$1299.00", "1499.00", "$1499.00"),
    "comma as decimal mark": ("59,90 €", "49.90", "49,90 €"),
    "points as groups": ("1.299,00 €", "1499.00", "1.499,00 €"),
    "one point as a group": ("1.199 €", "1299", "1.299 €"),
    "one point as a group, some decimals needed": ("1.199 €", "1299.50", "1.299,50 €"),
    "points as groups alone": ("1.299.000 €", "1499000", "1.499.000 €"),
    "spaces as groups": ("1 299,00 €", "1499.00", "1 499,00 €"),
    "narrow spaces as groups": ("1\u202f299,00\u00a0€", "1499", "1\u202f499,00\u00a0€"),
    "apostrophes as groups": ("CHF 1'299.00", "1499", "CHF 1'499.00"),
    "lakh and crore as groups": ("12,34,567 rupees", "7654321", "76,54,321 rupees"),
    "code before": ("USD 60", "75", "USD 75"),
    "code after": ("60.00 USD", "75", "75.00 USD"),
    "cents": ("4990 cents", "59.90", "5990 cents"),
    "thousands": ("$1.2k", "1400", "$1.4k"),
    "millions": ("1.3 million people", "1500000", "1.5 million people"),
    "percent": ("45%", "54", "54%"),
    "a unit": ("1.5 kg", "2", "2.0 kg"),
    "a unit with more decimals": ("1.5 kg", "2.25", "2.25 kg"),
    "another unit in the row": ("1600 g", "1.5 kg", "1500 g"),
    "a duration": ("2 hours", "3", "3 hours"),
    "no end of decimals": ("2.5 hours", "100 minutes", "1.7 hours"),
    "pounds of kilograms": ("4.4 lb", "1.5 kg", "3.3 lb"),
    "a duration in another unit": ("2 hours", "90 minutes", "1.5 hours"),
    "about": ("about $60", "75", "about $75"),
    "below zero": ("-5 °C", "-7", "-7 °C"),
    "Arabic digits": ("٤٩٫٩٠ $", "59.90", "٥٩٫٩٠ $"),
    "full-width digits": ("３００円", "450", "４５０円"),
    "one becomes many": ("1 piece", "12", "12 pieces"),
    "many become one": ("12 pieces", "1", "1 piece"),
    "none of one": ("1 box", "0", "0 boxes"),
    "one of none": ("0 boxes", "1", "1 box"),
    "one battery": ("1 battery", "3", "3 batteries"),
    "batteries": ("3 batteries", "1", "1 battery"),
    "a part": ("1 hour", "1.5", "1.5 hours"),
    "days at work": ("1 business day", "3", "3 business days"),
    "an irregular plural": ("1 foot", "6", "6 feet"),
    "a symbol": ("1 min", "3", "3 min"),
    "many stay many": ("12 pieces", "30", "30 pieces"),
    "one euro": ("1 euro", "5", "5 euros"),
    "a leading nought": ("0.5 kg", "0.75", "0.75 kg"),
}
LEFT = {
    "a range": ("5–7 days", "6", Hindrance.INEXACT),
    "between": ("between $5 and $7", "8", Hindrance.INEXACT),
    "at least": ("at least 5 items", "4", Hindrance.INEXACT),
    "up to": ("up to 50%", "40", Hindrance.INEXACT),
    "a tolerance": ("10 ± 0.5 mg", "12", Hindrance.INEXACT),
    "words": ("ten euros", "12", Hindrance.WORDS),
    "a dozen": ("two dozen", "30", Hindrance.WORDS),
    "a fraction sign": ("½ cup", "0.75", Hindrance.WORDS),
    "a compound": ("5 lb 3 oz", "6", Hindrance.OTHER_FORM),
    "another sign": ("-5 °C", "7", Hindrance.OTHER_FORM),
    "another dimension": ("2 hours", "3 kg", Hindrance.OTHER_FORM),
    "a text": ("$60", "on request", Hindrance.OTHER_FORM),
    "a number beyond all measure": ("$60", "9" * 400, Hindrance.OTHER_FORM),
}


def rewrite(written: str, right: str) -> str | Hindrance:
    """Correct the only value of a text."""
    (mention,) = extract_quantities(written)
    assert mention.span.of(written) == written
    writer = ValueWriter(written, None)
    return writer.write(written, mention.value, right, unit=None, form=ClaimForm.PROSE)


@pytest.mark.parametrize(("written", "right", "expected"), WRITTEN.values(), ids=WRITTEN)
def test_a_value_is_written_as_the_other_was(written: str, right: str, expected: str) -> None:
    assert rewrite(written, right) == expected


@pytest.mark.parametrize(("written", "right", "hindrance"), LEFT.values(), ids=LEFT)
def test_what_can_not_be_written_is_left(written: str, right: str, hindrance: Hindrance) -> None:
    assert rewrite(written, right) is hindrance


@pytest.mark.parametrize(
    ("text", "habits"),
    [
        ("A costs $5, B $1,299.00", Habits(".", ",")),
        ("A kostet 5 €, B 49,90 €, C 1.299,00 €", Habits(",", ".")),
        ("nothing", Habits(".", "")),
        ("1,299 and 1'299", Habits(".", "")),
    ],
)
def test_marks_that_a_figure_does_not_show_are_those_of_the_text(text: str, habits: Habits) -> None:
    assert find_habits(text) == habits


@pytest.mark.parametrize(
    ("written", "habits", "expected"),
    [
        ("60 €", Habits(",", "."), "1.049,90 €"),
        ("$60", Habits(".", ","), "$1,049.90"),
        ("$60", Habits(), "$1049.90"),
        ("$6000", Habits(".", ","), "$1049.90"),
    ],
)
def test_habits_of_the_text_are_used(written: str, habits: Habits, expected: str) -> None:
    number = Fraction("".join(one for one in written if one.isdecimal()))
    told = write_figure(written, number, Fraction("1049.9"), places=2, habits=habits)
    assert told == expected


AMOUNTS = st.decimals(min_value=0, max_value=10**9, places=2)


@given(AMOUNTS, AMOUNTS, st.sampled_from(["{:,.2f}", "{:.2f}", "{:,.3f}"]))
def test_any_amount_is_written_in_the_style_of_any_other(
    old: Decimal, new: Decimal, form: str
) -> None:
    written = form.format(old)
    habits = find_habits(written)
    told = write_figure(written, Fraction(old), Fraction(new), places=2, habits=habits)
    assert isinstance(told, str)
    assert Fraction(told.replace(",", "")) == Fraction(new)
    same = write_figure(written, Fraction(old), Fraction(old), places=2, habits=habits)
    assert same == written
