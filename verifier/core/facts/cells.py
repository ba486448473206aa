"""Cells of a table as values: unit, currency and scale come from the heads and the caption."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.facts.amounts import is_duration, scaled
from verifier.core.facts.forms import read_form
from verifier.core.facts.values import read_values
from verifier.core.quantities import is_currency, unit_of
from verifier.core.quantities.currencies import currency_family
from verifier.core.tables import read_table
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from verifier.core.facts.tables import Cell
    from verifier.core.statements import ReadingTerms
    from verifier.core.values import Value

_SCALE: Final = re.compile(  # in thousands, ($ millions), (000s), $m
    r"""\b(?:in|of)\s(?:[a-z$€£]{1,9}\s)?(?P<told>thousands?|millions?|billions?|lakhs?|crores?)\b
      | [(\s$€£'’‘](?P<short>thousands|millions|billions|lakhs|crores|000s?|mn|mln|bn)\b
      | [$€£¥]\s?['’‘]?(?P<letter>k|m|mn|bn|b)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_COUNTED: Final = re.compile(  # "shares in thousands" scales no money
    r"\b(?:shares|units|options|awards|warrants|tonnes|tons)\sin\s(?:thousands|millions|billions)\b",
    re.IGNORECASE,
)
_UNMEASURED: Final = re.compile(  # "Years Ended June 30, 2019" are no years, "$M" and "£'m" no metres
    r"\b(?:years?|quarters?|months|weeks)[\s-]{1,3}end(?:ed|ing)\b|(?<=[$€£¥])\s?['’‘]?(?:m|bn?|k)\b",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"\b[A-Z]{3}\b")
_MARKS: Final = re.compile(r"[$€£¥₹]")
_UNIT: Final = re.compile(
    r"[(\[,]\s?(?:in\s)?(?P<unit>[^()\[\],\d]{1,20}?)\s?[)\]]?\Z"
)  # Weight (kg)
_BRACKETED: Final = re.compile(r"(?P<mark>[$€£])?\s?\(\s?(?P<inner>[^()]+?)\s?\)\s?(?P<share>%)?")
_NOTE: Final = re.compile(r"(?<=\d)\s?(?:\(\d\)|\[\d{1,2}\]|\*{1,2}|[†‡])\Z")  # 4,210 (1)
_UNSCALED: Final = re.compile(r"\bper\b|\bnumber of\b|\bratio\b|%|\bpercent", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Told:
    """What a head or caption says of the numbers below or beside it."""

    scale: int = 0
    currency: str | None = None
    mark: str | None = None
    share: bool = False
    unit: str | None = None


def read_cell(cell: Cell, terms: ReadingTerms) -> tuple[Value, ...]:
    """Return the readings of a cell; numbers in the unit, currency and scale that heads and caption tell."""
    text = _NOTE.sub("", cell.text)
    heads = (_UNMEASURED.sub("", cell.column_head), _UNMEASURED.sub("", cell.row_head))
    values = read_values(_unbracketed(text), read_form(heads[0] or heads[1]), terms=terms)
    value = values[0] if values else None
    if not isinstance(value, Quantity) or value.kind not in {Kind.NUMBER, Kind.MONEY}:
        return values
    told = [
        _read_head(text) for text in (cell.column_head, cell.row_head, cell.section, cell.caption)
    ]
    value = _in_unit(value, told[:2]) if value.kind is Kind.NUMBER else value
    if value.kind not in {Kind.NUMBER, Kind.MONEY}:
        return (value,)
    value = _in_currency(value, told, terms) if value.kind is Kind.NUMBER else value
    unscaled = any(_UNSCALED.search(head) for head in heads)
    power = next((one.scale for one in told if one.scale), 0)
    if power and not unscaled:
        value = scaled(value, Fraction(10**power))
    return (_for_period(value, heads),)


def _for_period(value: Quantity, heads: tuple[str, str]) -> Quantity:
    """Return an amount of money with what a head says that it is for: "Fee per month"."""
    if value.kind is not Kind.MONEY or value.per is not None:
        return value
    told = next((form.period for head in heads if (form := read_form(head)).period), None)
    return replace(value, per=told) if told else value


def _unbracketed(text: str) -> str:
    """Return an amount in brackets with a minus sign: $(1,250) is -$1,250."""
    found = _BRACKETED.fullmatch(text.strip())
    if found is None or not found["inner"][:1].isdigit():
        return text
    return f"-{found['mark'] or ''}{found['inner']}{found['share'] or ''}"


def _in_unit(value: Quantity, heads: list[_Told]) -> Quantity:
    if any(one.share for one in heads):
        return replace(value, kind=Kind.PERCENT)
    named = next((one.unit for one in heads if one.unit), None)
    if named is None:
        return value
    unit = unit_of(named)
    if unit is None:
        return value
    kind = Kind.DURATION if is_duration(unit.name) else Kind.QUANTITY
    return replace(value, kind=kind, unit=unit.name)


def _in_currency(value: Quantity, told: list[_Told], terms: ReadingTerms) -> Quantity:
    currency = next((one.currency for one in told if one.currency), None)
    if currency is not None:
        return replace(value, kind=Kind.MONEY, currency=currency)
    mark = next((one.mark for one in told if one.mark), None)
    if mark is None:
        return value
    default = terms.default_currency
    if default is not None and default in currency_family(mark):
        return replace(value, kind=Kind.MONEY, currency=default)
    return replace(value, kind=Kind.MONEY, unit=mark)


@lru_cache(maxsize=2048)
def _read_head(text: str) -> _Told:
    scale = _SCALE.search(_COUNTED.sub(" ", text))
    word = (scale["told"] or scale["short"] or scale["letter"]) if scale else None
    codes = [code for code in _CODE.findall(text) if is_currency(code)]
    mark = _MARKS.search(text)
    named = read_table("currencies")["symbols"].get(mark.group()) if mark else None
    unit = _UNIT.search(text)
    return _Told(
        scale=read_table("fact_units")["magnitudes"].get(word.casefold(), 0) if word else 0,
        currency=codes[0] if codes else named if named and is_currency(named) else None,
        mark=named if named and not is_currency(named) else None,
        share="%" in text or "percent" in text.casefold(),
        unit=unit["unit"] if unit and unit_of(unit["unit"]) is not None else None,
    )
