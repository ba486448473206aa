"""Whether a turn may see what a tool result shows: scopes and visibility, held against a record.

What a record does not tell of itself is left to the tool that returned it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.catalog.declarations import VisibilityRule
from verifier.core.field_names import fold_field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.catalog import EntityType
    from verifier.core.catalog.declarations import Visibility
    from verifier.core.ledger_walk import LedgerRecord


def may_see(entity: EntityType, record: LedgerRecord, fields: Mapping[str, str]) -> bool:
    """Return whether no field of the record says that it is deleted, hidden, or somebody else's."""
    told = record.found.fields
    for scope in entity.scopes:
        owner = told.get(fold_field(scope.column), ("", None))[1]
        wanted = fields.get(scope.turn_field)
        if owner is not None and wanted is not None and _written(owner) != wanted:
            return False
    return all(
        _is_visible(rule, told[fold_field(rule.column)][1])
        for rule in entity.visible
        if fold_field(rule.column) in told
    )


def _is_visible(rule: Visibility, value: object) -> bool:
    if rule.rule is VisibilityRule.NULL:
        return value is None
    if rule.rule is VisibilityRule.NOT_NULL:
        return value is not None
    if value is None:
        return False
    return (_written(value) == rule.value) is (rule.rule is VisibilityRule.EQUALS)


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value).strip()
