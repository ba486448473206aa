"""What a record of a tool result states: its fields as facts, with or without a catalog."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from verifier.core.catalog.declarations import AttributeKind
from verifier.core.catalog.reading import read_value
from verifier.core.evidence import Fact, LedgerLocator
from verifier.core.field_names import field_words, fold_field
from verifier.core.quantities import is_currency, read_exact
from verifier.core.values import Interval, Kind, Quantity, TextValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.catalog import Attribute
    from verifier.core.ledger_walk import LedgerRecord
    from verifier.core.values import Value

_MINOR_SUFFIXES: Final = frozenset({"cents", "minor"})
_AMOUNT_FIELDS: Final = ("amount", "value")
_CURRENCY_FIELDS: Final = ("currency", "currency_code")
_LONGEST_TEXT: Final = 10_000


def facts_of(record: LedgerRecord) -> Iterator[Fact]:
    """Yield a fact for each plain value of the record, lists of plain values included."""
    subjects = record.subjects
    prefix = () if record.subject is not None else record.found.prefix
    for name, (written, value) in record.found.fields.items():
        attribute = (*prefix, *field_words(name))
        for token, plain in _plain_values(written, value):
            read = _read_plain(plain)
            if read is not None:
                locator = _locate(record, token)
                yield Fact(subjects=subjects, attribute=attribute, value=read, locator=locator)


def read_attribute(
    record: LedgerRecord, attribute: Attribute, *, timezone_name: str | None = None
) -> Fact | None:
    """Return what the record itself says of a catalog attribute, if it has such a field.

    `price`, `price_cents` and `price_usd` are one attribute; a bare number of an attribute that counts
    minor units says nothing, since its scale in a tool result is unknown.
    """
    for name, (written, raw) in record.found.fields.items():
        suffix = _suffix(name, attribute)
        if suffix is None or raw is None:
            continue
        value = _read(record, attribute, (name, raw), suffix=suffix, timezone_name=timezone_name)
        if value is not None:
            return Fact(
                subjects=record.subjects,
                attribute=(attribute.name,),
                value=value,
                locator=_locate(record, written),
            )
    return None


def _suffix(name: str, attribute: Attribute) -> str | None:
    """Return what follows the attribute's name in a field's name: nothing, `cents`, a currency."""
    if name in attribute.field_names:
        return ""
    if attribute.kind is not AttributeKind.MONEY:
        return None
    stem, _, suffix = name.rpartition("_")
    known = suffix in _MINOR_SUFFIXES or is_currency(suffix.upper())
    return suffix if stem in attribute.field_names and known else None


def _read(
    record: LedgerRecord,
    attribute: Attribute,
    told: tuple[str, object],
    *,
    suffix: str,
    timezone_name: str | None,
) -> Value | None:
    name, raw = told
    if attribute.kind is not AttributeKind.MONEY:
        return read_value(attribute, raw, timezone_name=timezone_name)
    currency = (
        suffix.upper() if is_currency(suffix.upper()) else _currency_beside(record, attribute)
    )
    scaled = suffix in _MINOR_SUFFIXES or attribute.counts_minor_units(name)
    if isinstance(raw, Mapping):
        parts = {fold_field(str(key)): value for key, value in raw.items()}
        amount = next((parts[one] for one in _AMOUNT_FIELDS if one in parts), None)
        named = next((parts[one] for one in _CURRENCY_FIELDS if one in parts), None)
        raw, currency = amount, named if isinstance(named, str) else currency
        scaled = False
    if attribute.minor_units and not scaled and not isinstance(raw, str):
        return None
    return read_value(attribute, raw, currency=currency, scaled=scaled)


def _currency_beside(record: LedgerRecord, attribute: Attribute) -> str | None:
    columns = (attribute.currency_column,) if attribute.currency_column else ()
    for name in (*columns, *_CURRENCY_FIELDS):
        told = record.found.fields.get(fold_field(name), ("", None))[1]
        if isinstance(told, str) and is_currency(told.strip().upper()):
            return told.strip().upper()
    return None


def _plain_values(written: str, value: object) -> Iterator[tuple[tuple[str, ...], object]]:
    if isinstance(value, (list, tuple)):
        for index, part in enumerate(value):
            if not isinstance(part, (Mapping, list, tuple)):
                yield (written, str(index)), part
    elif not isinstance(value, Mapping):
        yield (written,), value


def _read_plain(raw: object) -> Value | None:
    if isinstance(raw, bool):
        return TextValue(kind=Kind.BOOLEAN, text=str(raw).lower(), folded="yes" if raw else "no")
    if isinstance(raw, str):
        return (
            TextValue(kind=Kind.TEXT, text=raw) if 0 < len(raw.strip()) <= _LONGEST_TEXT else None
        )
    number = read_exact(raw)
    if number is None:
        return None
    return Quantity(kind=Kind.NUMBER, interval=Interval.point(number), text=str(raw))


def _locate(record: LedgerRecord, tokens: str | tuple[str, ...]) -> LedgerLocator:
    place = record.found.place
    for token in (tokens,) if isinstance(tokens, str) else tokens:
        place = place.inside(token)
    return LedgerLocator(call_id=record.call.call_id, tool=record.call.tool, pointer=place.pointer)
