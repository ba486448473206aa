"""Claims of cards: one a record, with an assertion for its id and for each field that says something."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from verifier.core.catalog.declarations import AttributeKind
from verifier.core.catalog.keys import find_key
from verifier.core.catalog.reading import read_value
from verifier.core.claims import Assertion, Claim, ClaimForm, ClaimId
from verifier.core.evidence import Subject
from verifier.core.field_names import field_words, fold_field
from verifier.core.quantities import is_currency, read_exact
from verifier.core.values import Interval, Kind, Quantity, TextValue, Writing
from verifier.core.verdicts import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.cards import Card
    from verifier.core.catalog import Attribute, EntityType
    from verifier.core.json_reading import JsonField, JsonRecord
    from verifier.core.spans import Span
    from verifier.core.values import Value

_UNNUMBERED: Final = ClaimId("")
_LONGEST_KEY: Final = 200


class _UnreadableField(ValueError):
    """A field holds what its attribute can't be, or two fields speak of one attribute."""


def claims_of_card(answer: str, card: Card, *, timezone_name: str | None = None) -> Iterator[Claim]:
    """Yield the claims of a card; one that can't be read is one claim with its fault.

    A field that is null states nothing. The claims have no numbers yet.
    """
    if card.fault is not None:
        yield _faulty(answer, card, card.span)
    for record in card.records:
        try:
            yield _claim(answer, card, record, timezone_name)
        except _UnreadableField:
            yield _faulty(answer, card, record.span)


def _faulty(answer: str, card: Card, span: Span) -> Claim:
    return Claim(
        claim_id=_UNNUMBERED,
        form=ClaimForm.CARD,
        span=span,
        text=span.of(answer),
        sentence=card.span,
        entity_type=card.entity.name,
        fault=Reason.MALFORMED_CARD,
    )


def _claim(answer: str, card: Card, record: JsonRecord, timezone_name: str | None) -> Claim:
    entity = card.entity
    key = next(
        (one for one in record.fields if fold_field(one.name) in entity.key_fields and _says(one)),
        None,
    )
    subject = Subject(
        entity_type=entity.name,
        key=None if key is None else _key(entity, key),
        names=_names(entity, record),
    )
    if subject.key is None and not subject.names:
        raise _UnreadableField
    existence = Assertion(
        subject=subject, attribute=(), value=None, span=key.span if key else record.span
    )
    stated = [one for one in record.fields if one is not key and _says(one)]
    assertions = (existence, *(_assertion(entity, subject, one, timezone_name) for one in stated))
    if len({one.attribute for one in assertions}) < len(assertions):
        raise _UnreadableField
    return Claim(
        claim_id=_UNNUMBERED,
        form=ClaimForm.CARD,
        span=record.span,
        text=record.span.of(answer),
        sentence=card.span,
        assertions=assertions,
        entity_type=entity.name,
    )


def _says(one: JsonField) -> bool:
    return one.value is not None


def _key(entity: EntityType, field: JsonField) -> str:
    """Return the key in its stored form, or as written where no such id can exist."""
    written = field.value
    if isinstance(written, Decimal):
        exponent = written.as_tuple().exponent
        written = int(written) if exponent == 0 else str(written)
    if isinstance(written, bool) or not isinstance(written, (str, int)) or not str(written).strip():
        raise _UnreadableField
    return find_key(entity, written) or str(written).strip()[:_LONGEST_KEY]


def _names(entity: EntityType, record: JsonRecord) -> tuple[str, ...]:
    columns = entity.name_fields
    return tuple(
        one.value.strip()
        for one in record.fields
        if fold_field(one.name) in columns and isinstance(one.value, str) and one.value.strip()
    )


def _assertion(
    entity: EntityType, subject: Subject, field: JsonField, timezone_name: str | None
) -> Assertion:
    attribute = entity.find_attribute(field.name)
    if attribute is None:
        return Assertion(
            subject=subject,
            attribute=field_words(field.name),
            value=_plain(field.value),
            span=field.span,
        )
    value = _value(attribute, field, timezone_name)
    if value is None or _is_inexact(value):
        raise _UnreadableField
    return Assertion(
        subject=subject,
        attribute=(attribute.name,),
        value=value,
        span=field.span,
        catalogued=True,
    )


def _is_inexact(value: Value) -> bool:
    """Return whether the field leaves open which value it means: "from $49", "more than 10"."""
    return isinstance(value, Quantity) and value.writing is not Writing.EXACT


def _value(attribute: Attribute, field: JsonField, timezone_name: str | None) -> Value | None:
    """Read the field; money may be an object of an amount and a currency.

    A field that is called as the column that counts minor units counts them, too.
    """
    raw = field.value
    if attribute.kind is not AttributeKind.MONEY:
        return read_value(attribute, raw, timezone_name=timezone_name)
    currency = attribute.currency
    if isinstance(raw, dict):
        parts = {fold_field(str(name)): part for name, part in raw.items()}
        told = parts.get("currency")
        if len(raw) > 2 or set(parts) - {"amount", "value", "currency"}:
            return None
        if not isinstance(told, str):
            return None
        if not is_currency(told.strip().upper()):
            return None
        raw, currency = parts.get("amount", parts.get("value")), told.strip().upper()
    scaled = raw is field.value and _counts_minor_units(attribute, field)
    return read_value(attribute, raw, currency=currency, scaled=scaled)


def _counts_minor_units(attribute: Attribute, field: JsonField) -> bool:
    """Return whether a field counts cents: its name says so, or it is the column's and its number whole."""
    if attribute.counts_minor_units(field.name):
        return True
    called = attribute.minor_units and attribute.is_called_as_column(field.name)
    return called and isinstance(field.value, Decimal) and field.value == int(field.value)


def _plain(raw: object) -> Value:
    if isinstance(raw, bool):
        return TextValue(kind=Kind.BOOLEAN, text=str(raw).lower(), folded="yes" if raw else "no")
    if isinstance(raw, Decimal):
        number = read_exact(raw)
        if number is not None:
            return Quantity(kind=Kind.NUMBER, interval=Interval.point(number), text=str(raw))
    text = raw if isinstance(raw, str) else json.dumps(raw, default=str, ensure_ascii=False)
    return TextValue(kind=Kind.TEXT, text=text)
