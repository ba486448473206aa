"""Whose a record is: the subject that it opens, and the catalog's type of it, if it is that thing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.catalog.keys import find_key
from verifier.core.evidence import Subject
from verifier.core.field_names import field_words, fold_field
from verifier.core.ledger_walk import LedgerRecord
from verifier.core.lexicons import load_word_lists

if TYPE_CHECKING:
    from verifier.core.catalog import Catalog, EntityType
    from verifier.core.ledger_walk import FoundRecord
    from verifier.core.turns import ToolCall

_TYPE_FIELDS: Final = ("type", "entity", "kind", "object")
_NAME_FIELDS: Final = ("name", "title")
_BARE: Final = "id"
_TOOL_VERBS: Final = load_word_lists("record_words")["beside_the_object"]


class SubjectReader:
    """Opens subjects in the records of one call."""

    def __init__(self, catalog: Catalog, call: ToolCall, position: int) -> None:
        self._catalog = catalog
        self._call = call
        self._position = position
        self._told_by_tool = _type_of_tool(catalog, call.tool)

    def open(self, found: FoundRecord, owner: LedgerRecord | None) -> LedgerRecord:
        """Return the record with its subject; without one it speaks of its owner."""
        record = LedgerRecord(call=self._call, position=self._position, found=found, outer=owner)
        entity = self._entity_type(found, owner)
        key_field = _key_field(found, entity)
        names = _names(found, entity)
        if key_field is None and not names:
            return self._by_arguments(record)
        key = None if key_field is None else _key(entity, found.fields[key_field][1])
        if key is None and not names:
            return record
        subject = Subject(entity_type=entity.name if entity else None, key=key, names=names)
        return replace(record, subject=subject, entity_type=subject.entity_type)

    def _entity_type(self, found: FoundRecord, owner: LedgerRecord | None) -> EntityType | None:
        """Return the type of the thing that the record is; lines and mentions inside one are none."""
        if owner is not None and any(part.entity_type for part in owner.subjects):
            return None
        named = self._type_by_name(found)
        if named is None and owner is None:
            named = self._type_by_tool(found)
        return None if named is None or _has_two_keys(found, named) else named

    def _type_by_tool(self, found: FoundRecord) -> EntityType | None:
        if self._told_by_tool is None or found.container is not None:
            return self._type_by_key(found)
        own = self._told_by_tool.key_fields & found.fields.keys()
        return self._told_by_tool if own or _names(found, self._told_by_tool) else None

    def _type_by_name(self, found: FoundRecord) -> EntityType | None:
        titles = [found.fields[name][1] for name in _TYPE_FIELDS if name in found.fields]
        for title in [*titles, found.container]:
            entity = self._catalog.find_type(title) if isinstance(title, str) else None
            if entity is None:
                continue
            if entity.key_fields & found.fields.keys() or _names(found, entity):
                return entity
        return None

    def _type_by_key(self, found: FoundRecord) -> EntityType | None:
        """Return the one type whose own key the record holds; a second id makes it a mention."""
        if found.container is not None:
            return None
        ids = [name for name in found.fields if _is_id(name)]
        keyed = [
            entity
            for entity in self._catalog.entity_types
            if (entity.key_fields - {_BARE}) & found.fields.keys()
        ]
        if len(keyed) != 1 or any(name not in keyed[0].key_fields for name in ids):
            return None
        return keyed[0]

    def _by_arguments(self, record: LedgerRecord) -> LedgerRecord:
        """Let the call's arguments name the subject of a result that names none itself."""
        if record.outer is not None or record.found.prefix or record.found.container is not None:
            return record
        if any(token.isdigit() for token in record.found.place.pointer.split("/")):
            return record
        named = [
            (entity, key)
            for entity in self._catalog.entity_types
            for name, value in self._call.arguments.items()
            if self._names_key(entity, str(name)) and (key := find_key(entity, value)) is not None
        ]
        if len(named) != 1:
            return record
        subject = Subject(entity_type=named[0][0].name, key=named[0][1])
        return replace(record, subject=subject, entity_type=subject.entity_type)

    def _names_key(self, entity: EntityType, argument: str) -> bool:
        folded = fold_field(argument)
        if folded == _BARE:
            return self._told_by_tool is entity
        return folded in entity.key_fields


def _type_of_tool(catalog: Catalog, tool: str) -> EntityType | None:
    """Return the one type that a tool's name is about: `get_order`, `listProducts`, not `order_items`."""
    words = field_words(tool)
    told = [
        entity
        for entity in catalog.entity_types
        if any(_is_object(title, words) for title in entity.titles)
    ]
    return told[0] if len(told) == 1 else None


def _is_object(title: str, words: tuple[str, ...]) -> bool:
    parts = tuple(title.split("_"))
    for start in range(len(words) - len(parts) + 1):
        end = start + len(parts)
        if words[start:end] == parts:
            return all(word in _TOOL_VERBS for word in (*words[:start], *words[end:]))
    return False


def _is_id(name: str) -> bool:
    return name == _BARE or name.endswith("_id")


def _has_two_keys(found: FoundRecord, entity: EntityType) -> bool:
    """Return whether the record holds two ids that could both be its own: it may be of another thing."""
    raw = (found.fields[name][1] for name in entity.key_fields if name in found.fields)
    keys = {find_key(entity, str(one)) for one in raw if one is not None}
    return len(keys - {None}) > 1


def _key_field(found: FoundRecord, entity: EntityType | None) -> str | None:
    if entity is not None:
        own = [name for name in found.fields if name in entity.key_fields]
        return next((name for name in own if name != _BARE), None) or next(iter(own), None)
    if _BARE in found.fields:
        return _BARE
    return next((name for name in found.fields if _is_id(name)), None)


def _key(entity: EntityType | None, raw: object) -> str | None:
    if isinstance(raw, bool) or raw is None or isinstance(raw, (dict, list, tuple)):
        return None
    written = str(raw).strip()
    if not written or len(written) > 200:
        return None
    canonical = find_key(entity, written) if entity is not None else None
    return canonical if canonical is not None else written


def _names(found: FoundRecord, entity: EntityType | None) -> tuple[str, ...]:
    columns = entity.name_columns if entity is not None else ()
    own = (f"{fold_field(entity.name)}_name",) if entity is not None else ()
    wanted = dict.fromkeys((*map(fold_field, columns), *own, *_NAME_FIELDS))
    named = (found.fields[name][1] for name in wanted if name in found.fields)
    return tuple(
        dict.fromkeys(name.strip() for name in named if isinstance(name, str) and name.strip())
    )
