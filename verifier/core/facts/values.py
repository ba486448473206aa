"""Raw contents of fields, read as values by what the field's name says; exact, and never a guess."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.facts.amounts import ALONE, Beside, shape_number
from verifier.core.facts.forms import Role
from verifier.core.facts.moments import read_calendar_text, read_entire
from verifier.core.lexicons import load_word_lists
from verifier.core.quantities import read_exact
from verifier.core.text import clean_text, fold
from verifier.core.values import Interval, Kind, Quantity, TextValue, Writing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.facts.forms import FieldForm
    from verifier.core.statements import ReadingTerms
    from verifier.core.values import Value

LONGEST_SHORT: Final = 80
_LONGEST_TEXT: Final = 10_000
_PLAIN_NUMBER: Final = re.compile(
    r"[+-]?(?:0|[1-9]\d{0,11})(?:\.\d+)?", re.ASCII
)  # -12.50, not 0042
_SNAKE: Final = re.compile(r"[a-z]+(?:[_-][a-z]+)+")  # in_transit, out-for-delivery
_ID_LIKE: Final = re.compile(r"#?(?=[^\s]*\d)[^\s,;]{3,80}")  # W4923227, card_12
_REGION: Final = re.compile(r"[A-Z]{2}")  # the state CA
_MAIL: Final = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_HAS_DIGIT: Final = re.compile(r"\d|[½¼¾⅓⅔]")
_NUMBER_WORDS: Final = load_word_lists("stop_words")["numbers"]
_TRUTH: Final[Mapping[str, str]] = MappingProxyType(
    {"true": "yes", "yes": "yes", "false": "no", "no": "no"}
)
_TRUE: Final = TextValue(kind=Kind.BOOLEAN, text="true", folded="yes")
_FALSE: Final = TextValue(kind=Kind.BOOLEAN, text="false", folded="no")
_FEWEST_DIGITS: Final = 5
_NEVER_MEASURED: Final = frozenset({Role.ID, Role.NAME, Role.CODE, Role.PHONE, Role.ADDRESS})


def read_values(
    raw: object, form: FieldForm, *, terms: ReadingTerms, beside: Beside = ALONE
) -> tuple[Value, ...]:
    """Return the readings of a plain value: none, one, or of a share also the bare number (0.15 is 15%).

    The value that is meant comes first. Texts that hold more than one value are one text here.
    """
    if isinstance(raw, bool):
        return (_TRUE if raw else _FALSE,)
    if isinstance(raw, str):
        return _read_text(raw, form, terms, beside)
    number = read_exact(raw)
    if number is None:
        return ()
    if form.role in _NEVER_MEASURED:
        return (_identifier(str(raw)),)
    return shape_number(_bare(number, str(raw), form), form, terms=terms, beside=beside)


def read_whole(text: str, terms: ReadingTerms) -> Value | None:
    """Return the value that a text is from end to end ("10 hours", "$4.75"), if it is one."""
    return read_entire(text, terms) if len(text) <= LONGEST_SHORT and may_hold_value(text) else None


def may_hold_value(text: str) -> bool:
    """Return whether a text has a digit or a number word; others need not be searched."""
    if _HAS_DIGIT.search(text) is not None:
        return True
    return any(word in _NUMBER_WORDS for word in text.casefold().replace("-", " ").split())


def state_value(text: str) -> TextValue:
    """Return a state as it is compared: `in_transit`, `in-transit` and `In transit` are one."""
    folded = " ".join(fold(text).replace("_", " ").replace("-", " ").split())
    return TextValue(kind=Kind.STATE, text=text, folded=folded or text)


def is_id_like(text: str) -> bool:
    """Return whether a text is one token with a digit, as ids are."""
    return _ID_LIKE.fullmatch(text) is not None


def _identifier(text: str) -> TextValue:
    return TextValue(kind=Kind.IDENTIFIER, text=text, folded=fold(text).lstrip("#"))


def _bare(number: Fraction, text: str, form: FieldForm) -> Quantity:
    exponent = Decimal(text).as_tuple().exponent
    places = max(0, -exponent) if isinstance(exponent, int) else None
    return Quantity(
        kind=Kind.NUMBER, interval=Interval.point(number), text=text, places=places, per=form.per
    )


def _read_text(raw: str, form: FieldForm, terms: ReadingTerms, beside: Beside) -> tuple[Value, ...]:
    text = clean_text(raw.strip())
    if not text or len(text) > _LONGEST_TEXT:
        return ()
    if form.role in _NEVER_MEASURED:
        return (_name_or_code(text, form.role),)
    if _PLAIN_NUMBER.fullmatch(text):
        bare = _bare(Fraction(Decimal(text)), text, form)
        return shape_number(bare, form, terms=terms, beside=beside)
    if form.role is Role.STATE and not _REGION.fullmatch(text):
        return (state_value(text),)
    value = read_calendar_text(text, terms) or read_whole(text, terms)
    if isinstance(value, Quantity) and _is_bare(value):
        return shape_number(replace(value, per=form.per), form, terms=terms, beside=beside)
    if isinstance(value, TextValue) and value.kind is Kind.IDENTIFIER:
        value = _identifier(text)
    if isinstance(value, Quantity) and value.kind is Kind.MONEY and value.per is None:
        value = replace(value, per=form.per or form.period or beside.period)
    return (value or _plain_text(text),)


def _is_bare(value: Quantity) -> bool:
    """Return whether a text is one number or a range of two and no more, however they are grouped."""
    known = value.kind is Kind.NUMBER and value.unit is None and not value.alternatives
    return known and (value.interval.is_point or value.writing is Writing.RANGE)


def _name_or_code(text: str, role: Role) -> TextValue:
    if role is Role.NAME:
        return TextValue(kind=Kind.NAME, text=text, folded=fold(text) or text)
    if role is Role.PHONE and sum(sign.isdigit() for sign in text) >= _FEWEST_DIGITS:
        return TextValue(kind=Kind.PHONE, text=text, folded=fold(text) or text)
    if role in {Role.ADDRESS, Role.PHONE}:
        return TextValue(kind=Kind.TEXT, text=text, folded=fold(text) or text)
    return _identifier(text) if fold(text).lstrip("#") else TextValue(kind=Kind.TEXT, text=text)


def _plain_text(text: str) -> TextValue:
    truth = _TRUTH.get(text.casefold())
    if truth is not None:
        return TextValue(kind=Kind.BOOLEAN, text=text, folded=truth)
    if _SNAKE.fullmatch(text):
        return state_value(text)
    if _MAIL.fullmatch(text) or is_id_like(text):
        return _identifier(text)
    return TextValue(kind=Kind.TEXT, text=text, folded=fold(text) or text)
