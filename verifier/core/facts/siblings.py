"""What stands beside a field in its record and decides what its number means: currency, unit."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.facts.amounts import Beside
from verifier.core.facts.currency_words import currency_named
from verifier.core.facts.field_periods import period_of_field, tells_period
from verifier.core.facts.forms import read_form

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.facts.scopes import Enclosure

    Fields = Mapping[str, tuple[str, object]]

_CURRENCIES: Final = ("currency", "currency_code", "currency_iso", "iso_currency")
_UNITS: Final = ("unit", "units", "uom")
_KINDS: Final = (
    "type",
    "transaction_type",
    "payment_type",
    "entry_type",
    "kind",
    "charge_type",
    "fee_type",
)
_AMOUNTS: Final = frozenset({"amount", "value", "sum"})
_LONGEST_KIND: Final = 40
_MINOR: Final = "minor"
_MEASURED: Final = frozenset(
    {
        "value",
        "amount",
        "quantity",
        "measurement",
        "reading",
        "size",
        "weight",
        "length",
        "volume",
        "number",
        "min",
        "max",
        "minimum",
        "maximum",
        "low",
        "high",
    }
)


def told_beside(name: str, fields: Fields, inside: Enclosure) -> Beside:
    """Return what is told of a field's value by its siblings, and by what encloses its record.

    A record's own unit is that of a field such as `value`, not of a price.
    """
    if inside.billed is None and not _tells_more(tuple(fields)):
        return _in_currency(inside.currency)
    shared = unit_beside(fields)
    own = fields.get(f"{name}_currency")
    unit = _text_of(fields, (f"{name}_unit", f"{name}_uom"))
    if unit is None and shared != _MINOR and name in _MEASURED:
        unit = shared
    named = currency_named(own[1]) if own else None
    period = period_of_field(name, inside.billed)
    return Beside(
        currency=named or inside.currency, unit=unit, minor=shared == _MINOR, period=period
    )


@lru_cache(maxsize=256)
def _in_currency(currency: str | None) -> Beside:
    return Beside(currency=currency)


@lru_cache(maxsize=4096)
def _tells_more(names: tuple[str, ...]) -> bool:
    """Return whether a record of these fields tells a unit, a period, or a currency of a single field."""
    endings = ("unit", "units", "uom", "_currency")
    return any(name.endswith(endings) or tells_period(name) for name in names)


def currency_beside(fields: Fields) -> str | None:
    """Return the currency that a record names for its amounts."""
    for name in _CURRENCIES:
        if name in fields and (code := currency_named(fields[name][1])):
            return code
    return None


def unit_beside(fields: Fields) -> str | None:
    """Return the unit that a record names, `minor` where its amounts are in minor units."""
    return _text_of(fields, _UNITS)


def with_kind(name: str, inside: Enclosure, fields: Fields) -> Enclosure:
    """Return the enclosure of an amount whose record says of what kind it is: a refund."""
    told = _text_of(fields, _KINDS) if name in _AMOUNTS else None
    if told is None or len(told) > _LONGEST_KIND:
        return inside
    form = read_form(told)
    return replace(inside, prefix=(*inside.prefix, *form.words), cues=inside.cues | form.cues)


def escape(token: str) -> str:
    """Return a field's name as a part of a JSON pointer (RFC 6901)."""
    if "~" in token or "/" in token:
        return token.replace("~", "~0").replace("/", "~1")
    return token


def _text_of(fields: Fields, names: tuple[str, ...]) -> str | None:
    for name in names:
        if name in fields:
            told = fields[name][1]
            if isinstance(told, str) and told.strip():
                return told.strip()
    return None
