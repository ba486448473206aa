"""Letter case, which is typography everywhere but in the symbols of units: 5 mg is no 5 Mg."""

from __future__ import annotations

import re
from typing import Final

from verifier.core.quantities import extract_quantities
from verifier.core.values import Kind, Quantity

_SYMBOL: Final = re.compile(r"(?<=\d)\s?[^\W\d_]{1,5}\b")
_MEASURED: Final = frozenset({Kind.QUANTITY, Kind.DURATION})


def makes_other_unit(quotation: str, original: str) -> bool:
    """Return whether the letter case of a quotation turns a unit of `original` into another one.

    In words that are all capitals case says nothing.
    """
    if quotation.isupper() or original.isupper():
        return False
    if _SYMBOL.findall(quotation) == _SYMBOL.findall(original):
        return False
    pairs = zip(_list_units(quotation), _list_units(original), strict=False)
    return any(one != other for one, other in pairs)


def _list_units(text: str) -> list[str | None]:
    return [
        one.value.unit
        for one in extract_quantities(text)
        if isinstance(one.value, Quantity) and one.value.kind in _MEASURED
    ]
