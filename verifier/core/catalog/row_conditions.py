"""Which rows count: scope, visibility and applicability, read from the catalog's TOML form."""

from __future__ import annotations

from collections.abc import Mapping

from verifier.core.catalog.declarations import (
    APPLICABLE_BY,
    Applicability,
    Scope,
    Visibility,
    VisibilityRule,
)
from verifier.core.catalog.toml_table import TomlTable


def read_applicability(table: TomlTable) -> Applicability:
    """Return the columns that tell to what a row applies."""
    table.allow(frozenset(APPLICABLE_BY))
    told = {name: table.column(name) for name in APPLICABLE_BY if name in table.fields}
    return Applicability(**told)


def read_scopes(table: TomlTable) -> tuple[Scope, ...]:
    """Return the columns that must equal a field of the turn."""
    return tuple(
        Scope(column=table.identifier(column, column), turn_field=table.required(column))
        for column in table.fields
    )


def read_visibility(table: TomlTable) -> tuple[Visibility, ...]:
    """Return the conditions without which a row counts as absent."""
    declared = table.fields.get("visible", [])
    rules = declared if isinstance(declared, list) else [declared]
    tables = [
        TomlTable(f"{table.path}.visible", rule) for rule in rules if isinstance(rule, Mapping)
    ]
    if len(tables) != len(rules):
        raise table.fail(
            "visible", "must be a table, or a list of tables, with a column and a rule"
        )
    return tuple(map(_visibility, tables))


def _visibility(table: TomlTable) -> Visibility:
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
