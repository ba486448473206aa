"""The attributes of an entity type, read from the catalog's TOML form."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.catalog.declarations import Attribute, AttributeKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.catalog.toml_table import TomlTable

_CURRENCY: Final = re.compile(r"[A-Z]{3}")
_MOST_PLACES: Final = 12
_COMMON_FIELDS: Final = frozenset({"kind", "column", "aliases", "labels"})
_KIND_FIELDS: Final[Mapping[AttributeKind, frozenset[str]]] = {
    AttributeKind.MONEY: frozenset({"currency", "currency_column", "minor_units", "round"}),
    AttributeKind.QUANTITY: frozenset({"unit", "round"}),
    AttributeKind.STATE: frozenset({"states"}),
}


def read_attributes(table: TomlTable, names: tuple[str, ...]) -> tuple[Attribute, ...]:
    """Return the declared attributes, and those that names and currencies are."""
    declared = [_attribute(name, table.table(name)) for name in table.fields]
    columns = {attribute.column for attribute in declared}
    declared += [
        Attribute(
            name=_base(column), column=column, kind=AttributeKind.NAME, labels=("name", "called")
        )
        for column in names
        if column not in columns
    ]
    currencies = {attribute.currency_column for attribute in declared} - {None, *columns}
    declared += [
        Attribute(name=_base(column), column=column, kind=AttributeKind.IDENTIFIER)
        for column in sorted(filter(None, currencies))
    ]
    return tuple(declared)


def _attribute(name: str, table: TomlTable) -> Attribute:
    kind = table.choice("kind", AttributeKind)
    table.allow(_COMMON_FIELDS | _KIND_FIELDS.get(kind, frozenset()))
    currency = table.text("currency")
    if currency is not None and not _CURRENCY.fullmatch(currency):
        raise table.fail("currency", f"is {currency!r}; give an ISO 4217 code such as EUR")
    by_column = "currency_column" in table.fields
    if currency is not None and by_column:
        raise table.fail("currency", "is given beside currency_column; keep one of the two")
    states = table.table("states")
    attribute = Attribute(
        name=name,
        column=table.column("column", name),
        kind=kind,
        aliases=table.texts("aliases"),
        labels=table.texts("labels"),
        currency=currency,
        currency_column=table.column("currency_column") if by_column else None,
        minor_units=table.flag("minor_units"),
        unit=table.text("unit"),
        round=table.whole("round", _MOST_PLACES),
        states=tuple((state, states.texts(state)) for state in states.fields),
    )
    return attribute if attribute.labels else replace(attribute, labels=_own_labels(attribute))


def _own_labels(attribute: Attribute) -> tuple[str, ...]:
    """Return what leads to an attribute in prose by its name alone."""
    words = " ".join(attribute.name.split("_"))
    return (attribute.spoken or words,) if attribute.kind is AttributeKind.MONEY else (words,)


def _base(column: str) -> str:
    """Return the name of a column without the joined table that holds it."""
    return column.rpartition(".")[2]
