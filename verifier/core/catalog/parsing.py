"""Reading the catalog's TOML form, with errors that name the path of what is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from verifier.core.catalog.declarations import (
    DEFAULT_DATABASE,
    Attribute,
    AttributeKind,
    Catalog,
    EntityType,
    Key,
    KeyCase,
    KeyType,
    Scope,
    Visibility,
    VisibilityRule,
)
from verifier.core.field_names import fold_field
from verifier.errors import CatalogError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from enum import StrEnum

_Choice = TypeVar("_Choice", bound="StrEnum")
_CURRENCY: Final = re.compile(r"[A-Z]{3}")
_LONGEST_IDENTIFIER: Final = 63
_BARE_KEY: Final = "id"
_ENTITY_FIELDS: Final = frozenset(
    {"table", "plural", "database", "names", "visible", "key", "scope", "attributes"}
)
_KEY_FIELDS: Final = frozenset({"column", "type", "aliases", "pattern", "case"})
_COMMON_FIELDS: Final = frozenset({"kind", "column", "aliases", "labels"})
_KIND_FIELDS: Final[Mapping[AttributeKind, frozenset[str]]] = {
    AttributeKind.MONEY: frozenset({"currency", "currency_column", "minor_units"}),
    AttributeKind.QUANTITY: frozenset({"unit"}),
    AttributeKind.STATE: frozenset({"states"}),
}


@dataclass(frozen=True, slots=True)
class _Table:
    """A TOML table and the path at which it stands."""

    path: str
    fields: Mapping[str, object]

    def fail(self, name: str, problem: str) -> CatalogError:
        return CatalogError(f"{self.path}.{name} {problem}")

    def allow(self, allowed: frozenset[str]) -> None:
        for name in self.fields:
            if name not in allowed:
                raise self.fail(name, f"is unknown; allowed are {_listed(allowed)}")

    def text(self, name: str) -> str | None:
        value = self.fields.get(name)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip():
            raise self.fail(name, f"must be text that is not empty, not {value!r}")
        return value

    def required(self, name: str) -> str:
        value = self.text(name)
        if value is None:
            raise self.fail(name, "is missing")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.fields.get(name, [])
        if not isinstance(value, (list, tuple)) or not all(
            isinstance(part, str) and part.strip() for part in value
        ):
            raise self.fail(name, f"must be a list of texts, not {value!r}")
        return tuple(value)

    def flag(self, name: str) -> bool:
        value = self.fields.get(name, False)
        if not isinstance(value, bool):
            raise self.fail(name, f"must be true or false, not {value!r}")
        return value

    def table(self, name: str) -> _Table:
        value = self.fields.get(name, {})
        if not isinstance(value, Mapping):
            raise self.fail(name, f"must be a table, not {value!r}")
        return _Table(f"{self.path}.{name}", value)

    def column(self, name: str, fallback: str | None = None) -> str:
        value = self.text(name) or fallback
        if value is None:
            raise self.fail(name, "is missing; it names a column")
        return _identifier(self, name, value)

    def choice(self, name: str, choices: type[_Choice], fallback: str | None = None) -> _Choice:
        value = self.text(name) or fallback
        if value is None:
            raise self.fail(name, f"is missing; allowed are {_listed(choices)}")
        try:
            return choices(value)
        except ValueError:
            raise self.fail(name, f"is {value!r}; allowed are {_listed(choices)}") from None


def parse_catalog(mapping: Mapping[str, object]) -> Catalog:
    """Return the catalog that the `catalog` table of verifier.toml declares. Raises CatalogError."""
    root = _Table("catalog", mapping)
    entity_types = tuple(_entity_type(name, root.table(name)) for name in mapping)
    _refuse_shared_titles(entity_types)
    return Catalog(entity_types=entity_types)


def _entity_type(name: str, table: _Table) -> EntityType:
    table.allow(_ENTITY_FIELDS)
    if "key" not in table.fields:
        raise table.fail("key", "is missing; give its column and type")
    names = tuple(_identifier(table, "names", column) for column in table.texts("names"))
    entity = EntityType(
        name=name,
        plural=table.text("plural") or f"{name}s",
        table=_table_name(table),
        database=table.text("database") or DEFAULT_DATABASE,
        key=_key(name, table.table("key")),
        name_columns=names,
        scopes=_scopes(table.table("scope")),
        visible=_visible(table),
        attributes=_attributes(table.table("attributes"), names),
    )
    _refuse_shared_fields(entity, table)
    return entity


def _key(entity_name: str, table: _Table) -> Key:
    table.allow(_KEY_FIELDS)
    pattern = table.text("pattern")
    if pattern is not None:
        try:
            re.compile(pattern)
        except re.error as problem:
            raise table.fail("pattern", f"is no regular expression: {problem}") from None
    aliases = (*table.texts("aliases"), f"{entity_name}_id")
    return Key(
        column=table.column("column"),
        type=table.choice("type", KeyType),
        aliases=tuple(dict.fromkeys((*aliases, _BARE_KEY))),
        pattern=pattern,
        case=table.choice("case", KeyCase, KeyCase.EXACT),
    )


def _scopes(table: _Table) -> tuple[Scope, ...]:
    return tuple(
        Scope(column=_identifier(table, column, column), turn_field=table.required(column))
        for column in table.fields
    )


def _visible(table: _Table) -> tuple[Visibility, ...]:
    declared = table.fields.get("visible", [])
    rules = declared if isinstance(declared, list) else [declared]
    tables = [_Table(f"{table.path}.visible", rule) for rule in rules if isinstance(rule, Mapping)]
    if len(tables) != len(rules):
        raise table.fail(
            "visible", "must be a table, or a list of tables, with a column and a rule"
        )
    return tuple(map(_visibility, tables))


def _visibility(table: _Table) -> Visibility:
    table.allow(frozenset({"column", "is", "equals", "differs"}))
    given = [name for name in ("is", "equals", "differs") if name in table.fields]
    if len(given) != 1:
        raise table.fail("column", "needs exactly one of is, equals, differs beside it")
    column = table.column("column")
    if given == ["is"]:
        rule = table.choice("is", VisibilityRule)
        if rule not in {VisibilityRule.NULL, VisibilityRule.NOT_NULL}:
            raise table.fail("is", f"is {rule.value!r}; allowed are null, not_null")
        return Visibility(column=column, rule=rule)
    value = table.fields[given[0]]
    if isinstance(value, bool):
        value = "true" if value else "false"
    if not isinstance(value, (str, int)):
        raise table.fail(given[0], f"must be text, a whole number, true or false, not {value!r}")
    return Visibility(column=column, rule=VisibilityRule(given[0]), value=str(value))


def _attributes(table: _Table, names: tuple[str, ...]) -> tuple[Attribute, ...]:
    declared = [_attribute(name, table.table(name)) for name in table.fields]
    columns = {attribute.column for attribute in declared}
    declared += [
        Attribute(name=column, column=column, kind=AttributeKind.NAME, labels=("name", "called"))
        for column in names
        if column not in columns
    ]
    currencies = {attribute.currency_column for attribute in declared} - {None, *columns}
    declared += [
        Attribute(name=column, column=column, kind=AttributeKind.IDENTIFIER)
        for column in sorted(filter(None, currencies))
    ]
    return tuple(declared)


def _attribute(name: str, table: _Table) -> Attribute:
    kind = table.choice("kind", AttributeKind)
    table.allow(_COMMON_FIELDS | _KIND_FIELDS.get(kind, frozenset()))
    currency = table.text("currency")
    if currency is not None and not _CURRENCY.fullmatch(currency):
        raise table.fail("currency", f"is {currency!r}; give an ISO 4217 code such as EUR")
    by_column = "currency_column" in table.fields
    if currency is not None and by_column:
        raise table.fail("currency", "is given beside currency_column; keep one of the two")
    states = table.table("states")
    return Attribute(
        name=name,
        column=table.column("column", name),
        kind=kind,
        aliases=table.texts("aliases"),
        labels=table.texts("labels") or (" ".join(name.split("_")),),
        currency=currency,
        currency_column=table.column("currency_column") if by_column else None,
        minor_units=table.flag("minor_units"),
        unit=table.text("unit"),
        states=tuple((state, states.texts(state)) for state in states.fields),
    )


def _table_name(table: _Table) -> tuple[str, ...]:
    parts = table.required("table").split(".")
    if len(parts) > 2:
        raise table.fail("table", "must be a table, or a schema and a table with one dot between")
    return tuple(_identifier(table, "table", part) for part in parts)


def _identifier(table: _Table, name: str, value: str) -> str:
    if not value or "\0" in value or len(value.encode("utf-8")) > _LONGEST_IDENTIFIER:
        raise table.fail(
            name, f"is {value[:80]!r}; an SQL name has 1 to {_LONGEST_IDENTIFIER} bytes and no NUL"
        )
    return value


def _refuse_shared_titles(entity_types: tuple[EntityType, ...]) -> None:
    owners: dict[str, str] = {}
    for entity in entity_types:
        for title in set(entity.titles):
            owner = owners.setdefault(title, entity.name)
            if owner != entity.name:
                raise CatalogError(f"catalog.{entity.name}: {title!r} also names catalog.{owner}")


def _refuse_shared_fields(entity: EntityType, table: _Table) -> None:
    owners = dict.fromkeys(
        (fold_field(entity.key.column), *map(fold_field, entity.key.aliases)), "key"
    )
    for attribute in entity.attributes:
        for name in set(attribute.field_names):
            owner = owners.setdefault(name, attribute.name)
            if owner != attribute.name:
                raise table.fail(
                    f"attributes.{attribute.name}", f"shares the name {name!r} with {owner}"
                )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(str(name) for name in names))
