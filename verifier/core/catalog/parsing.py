"""Reading the catalog's TOML form, with errors that name the path of what is wrong."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.catalog.attributes import read_attributes
from verifier.core.catalog.declarations import (
    DEFAULT_DATABASE,
    Catalog,
    EntityType,
    Join,
    Key,
    KeyCase,
    KeyType,
    Part,
)
from verifier.core.catalog.row_conditions import read_applicability, read_scopes, read_visibility
from verifier.core.catalog.toml_table import TomlTable
from verifier.core.field_names import fold_field
from verifier.errors import CatalogError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BARE_KEY: Final = "id"
_ROW_FIELDS: Final = frozenset(
    {"table", "names", "describing", "visible", "applies", "joins", "key", "scope", "attributes"}
)
_ENTITY_FIELDS: Final = _ROW_FIELDS | {"plural", "database", "parts"}
_KEY_FIELDS: Final = frozenset({"column", "type", "aliases", "pattern", "case"})


def parse_catalog(mapping: Mapping[str, object]) -> Catalog:
    """Return the catalog that the `catalog` table of verifier.toml declares. Raises CatalogError."""
    root = TomlTable("catalog", mapping)
    tables = {name: root.table(name) for name in mapping}
    own = {name: _entity_type(name, table) for name, table in tables.items()}
    entity_types = tuple(
        replace(entity, parts=tuple(_parts(entity, tables[name], own)))
        for name, entity in own.items()
    )
    _refuse_shared_titles(entity_types)
    return Catalog(entity_types=entity_types)


def _entity_type(name: str, table: TomlTable) -> EntityType:
    """Return an entity type without its parts."""
    table.allow(_ENTITY_FIELDS)
    if "key" not in table.fields:
        raise table.fail("key", "is missing; give its column and type")
    return _rows(
        table,
        name=name,
        plural=table.text("plural") or f"{name}s",
        database=table.text("database") or DEFAULT_DATABASE,
        key=_key(name, table.table("key")),
    )


def _rows(table: TomlTable, *, name: str, plural: str, database: str, key: Key) -> EntityType:
    names = table.columns("names")
    entity = EntityType(
        name=name,
        plural=plural,
        table=_table_name(table),
        database=database,
        key=key,
        name_columns=names,
        scopes=read_scopes(table.table("scope")),
        visible=read_visibility(table),
        applies=read_applicability(table.table("applies")),
        describing=table.columns("describing"),
        joins=tuple(_joins(table.table("joins"))),
        attributes=read_attributes(table.table("attributes"), names),
    )
    _refuse_shared_fields(entity, table)
    return entity


def _joins(table: TomlTable) -> Iterator[Join]:
    for name in table.fields:
        one = table.table(name)
        one.allow(frozenset({"table", "on"}))
        yield Join(name=name, table=_table_name(one), on=one.pairs("on"))


def _parts(owner: EntityType, table: TomlTable, known: Mapping[str, EntityType]) -> Iterator[Part]:
    declared = table.table("parts")
    for name in declared.fields:
        one = declared.table(name)
        on = one.pairs("on")
        if owner.find_attribute(name) is not None:
            raise declared.fail(name, "shares its name with an attribute")
        if "of" not in one.fields:
            one.allow(_ROW_FIELDS | {"on"})
            keyed = "key" in one.fields
            key = _key(name, one.table("key")) if keyed else Key(column=on[0][0], type=KeyType.TEXT)
            rows = _rows(one, name=name, plural=name, database=owner.database, key=key)
        else:
            one.allow(frozenset({"of", "on"}))
            of = one.required("of")
            if of not in known or known[of].database != owner.database:
                there = ", ".join(sorted(known))
                raise one.fail("of", f"is {of!r}; give a type of the same database, of {there}")
            rows = known[of]
        yield Part(name=name, entity=rows, on=on)


def _key(entity_name: str, table: TomlTable) -> Key:
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


def _table_name(table: TomlTable) -> tuple[str, ...]:
    parts = table.required("table").split(".")
    if len(parts) > 2:
        raise table.fail("table", "must be a table, or a schema and a table with one dot between")
    return tuple(table.identifier("table", part) for part in parts)


def _refuse_shared_titles(entity_types: tuple[EntityType, ...]) -> None:
    owners: dict[str, str] = {}
    for entity in entity_types:
        for title in set(entity.titles):
            owner = owners.setdefault(title, entity.name)
            if owner != entity.name:
                raise CatalogError(f"catalog.{entity.name}: {title!r} also names catalog.{owner}")


def _refuse_shared_fields(entity: EntityType, table: TomlTable) -> None:
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
