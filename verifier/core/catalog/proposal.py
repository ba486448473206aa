"""Proposing a catalog from the shape of a schema; each guess with its reason, for a person to edit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from verifier.core.catalog.column_guesses import (
    describes,
    find_spoken_key,
    guess_attribute,
    guess_visibility,
    name_attribute,
    names_row,
    pattern_of,
    word_lists,
)
from verifier.core.catalog.declarations import APPLICABLE_BY
from verifier.core.catalog.reference_guesses import row_word, with_named_references
from verifier.core.field_names import field_words, fold_field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.core.catalog.shapes import ColumnShape, Reference, TableShape

_KEY_TYPES = {
    "uuid": "uuid",
    **dict.fromkeys(("int2", "int4", "int8"), "integer"),
    **dict.fromkeys(("text", "varchar"), "text"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """What was proposed, or left out, at a path of the catalog, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A catalog in its TOML form, the reasons for what it holds, and what it leaves out."""

    catalog: Mapping[str, object]
    guesses: tuple[Guess, ...]
    left_out: tuple[Guess, ...]


def propose_catalog(tables: Sequence[TableShape], *, database: str | None = None) -> Proposal:
    """Return a catalog that could be true of the tables. What it can't know, it leaves to be told."""
    tables = with_named_references(tables)
    proposer = _Proposer(tables, database)
    for shape in tables:
        proposer.propose_type(shape)
    for shape in tables:
        proposer.propose_parts(shape)
    return Proposal(
        catalog=proposer.catalog,
        guesses=tuple(proposer.guesses),
        left_out=tuple(proposer.left_out),
    )


@dataclass(slots=True)
class _Draft:
    """A type while it is made: its path in the catalog, its table, and its fields."""

    path: str
    shape: TableShape
    fields: dict[str, object] = field(default_factory=dict)
    scope: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, object] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)


class _Proposer:
    """Makes the types of one schema, one table after the other."""

    def __init__(self, tables: Sequence[TableShape], database: str | None) -> None:
        self._tables = {shape.table: shape for shape in tables}
        self._database = database
        self._names: dict[tuple[str, ...], str] = {}
        self.catalog: dict[str, dict[str, object]] = {}
        self.guesses: list[Guess] = []
        self.left_out: list[Guess] = []

    def propose_type(self, shape: TableShape) -> None:
        """Add the entity type of a table, where one column is its key."""
        key = shape.find(shape.key[0]) if len(shape.key) == 1 else None
        if key is None or key.type not in _KEY_TYPES:
            if self._owner_of(shape) is None:
                why = "it has no key of one column" if key is None else f"its key is a {key.type}"
                self.left_out.append(Guess(path=shape.name, reason=why))
            return
        name = self._name_type(shape)
        draft = _Draft(path=f"catalog.{name}", shape=shape)
        draft.fields["table"] = shape.name
        plural = "_".join(field_words(shape.table[-1]))
        if plural not in {f"{name}s", name, ""}:
            draft.fields["plural"] = plural
        if self._database is not None:
            draft.fields["database"] = self._database
        self._add_key(draft, key)
        self._add_rows(draft)
        self.catalog[name] = draft.fields

    def propose_parts(self, shape: TableShape) -> None:
        """Add a table to the type whose rows its own rows belong to."""
        reference = self._owner_of(shape)
        owner = None if reference is None else self._names.get(reference.table)
        if reference is None or owner is None:
            return
        whole = fold_field(shape.table[-1])
        name = whole.removeprefix(f"{owner}s_").removeprefix(f"{owner}_")
        on = dict(zip(reference.columns, reference.to, strict=True))
        path = f"catalog.{owner}.parts.{name}"
        told = (
            f"{shape.name} refers to {'.'.join(reference.table)}, by whose name or key it is known"
        )
        self._note(path, told)
        own = self._names.get(shape.table)
        parts = self.catalog[owner].setdefault("parts", {})
        if not isinstance(parts, dict):
            return
        if own is not None:
            parts[name] = {"of": own, "on": on}
            return
        draft = _Draft(path=path, shape=shape, fields={"table": shape.name, "on": on})
        self._add_rows(draft)
        parts[name] = draft.fields

    def _name_type(self, shape: TableShape) -> str:
        words = field_words(shape.table[-1])
        name = "_".join((*words[:-1], row_word(shape.table)))
        if name in self.catalog:
            name = f"{shape.table[0]}_{name}"
        self._names[shape.table] = name
        return name

    def _owner_of(self, shape: TableShape) -> Reference | None:
        """Return the reference to the row that a row is part of: `order_items.order_id`."""
        own = shape.table[-1]
        for reference in shape.references:
            if reference.table == shape.table:
                continue
            owner = row_word(reference.table)
            named = fold_field(own).startswith((f"{owner}_", f"{owner}s_"))
            keyed = len(shape.key) > 1 and set(reference.columns) <= set(shape.key[:1])
            if named or keyed or self._is_variant(shape, reference):
                return reference
        return None

    def _is_variant(self, shape: TableShape, reference: Reference) -> bool:
        """Return whether a row without a name is one kind of the only named thing that it refers to."""
        other = self._tables.get(reference.table)
        if (
            other is None
            or len(shape.references) != 1
            or any(names_row(one, shape) for one in shape.columns)
        ):
            return False
        named = any(names_row(one, other) for one in other.columns)
        features = word_lists()["describing"]
        return named and any(
            describes(one) and features.intersection(field_words(one.name)) for one in shape.columns
        )

    def _add_key(self, draft: _Draft, key: ColumnShape) -> None:
        owner = row_word(draft.shape.table) in word_lists()["owners"]
        spoken = None if owner or _KEY_TYPES[key.type] == "text" else find_spoken_key(draft.shape)
        why = f"{key.name} is the primary key"
        if spoken is not None:
            why = f"{spoken.name} is unique, and what people write; {key.name} counts rows"
            key = spoken
        fields: dict[str, object] = {"column": key.name, "type": _KEY_TYPES[key.type]}
        pattern = pattern_of(key.samples) if key.type in {"text", "varchar"} else None
        if pattern is not None:
            fields["pattern"] = pattern
            why += f", and its values look like {key.samples[0]!r}"
        elif _KEY_TYPES[key.type] == "integer":
            why += "; a bare number is read as its id only behind the type's name or #"
        draft.fields["key"] = fields
        draft.taken.add(key.name)
        self._note(f"{draft.path}.key", why)

    def _add_rows(self, draft: _Draft) -> None:
        """Add names, scope, visibility, applicability, joins and attributes."""
        own = [one for one in draft.shape.columns if names_row(one, draft.shape)]
        names = [one.name for one in own]
        if names:
            draft.fields["names"] = names[:1]
            draft.taken.update(names[:1])
            self._note(f"{draft.path}.names", f"{names[0]} is text and says name or title")
        self._add_conditions(draft)
        self._add_joins(draft)
        self._add_attributes(draft)

    def _add_conditions(self, draft: _Draft) -> None:
        lists = word_lists()
        visible: list[dict[str, object]] = []
        applies: dict[str, object] = {}
        for column in draft.shape.columns:
            name = fold_field(column.name)
            rule = guess_visibility(name, column)
            if rule is not None:
                visible.append(rule)
                draft.taken.add(column.name)
                self._note(f"{draft.path}.visible", f"{column.name} hides a row")
            for one in APPLICABLE_BY:
                if name in lists[one]:
                    applies[one] = column.name
                    draft.taken.add(column.name)
                    self._note(f"{draft.path}.applies.{one}", f"{column.name} says so by its name")
        if visible:
            draft.fields["visible"] = visible if len(visible) > 1 else visible[0]
        if applies:
            draft.fields["applies"] = applies
        self._add_scope(draft)

    def _add_scope(self, draft: _Draft) -> None:
        """Add the column that tells whose a row is: doubt keeps rows from strangers."""
        lists, scope = word_lists(), draft.scope
        if row_word(draft.shape.table) in lists["owners"] and len(draft.shape.key) == 1:
            scope[draft.shape.key[0]] = "principal"
        for column in draft.shape.columns:
            words = field_words(column.name)
            if scope or not words or (len(words) > 1 and words[-1] not in {"id", "key"}):
                continue
            own_key = draft.shape.key == (column.name,) and len(words) > len(("owner", "id"))
            if words[0] in lists["owners"] and not own_key:
                scope[column.name] = "principal"
            elif words[0] in lists["tenants"]:
                scope[column.name] = "tenant"
        for name, turn_field in scope.items():
            draft.taken.add(name)
            why = f"{name} tells whose a row is; only the turn's {turn_field} sees it"
            self._note(f"{draft.path}.scope", why)
        if scope:
            draft.fields["scope"] = scope

    def _add_joins(self, draft: _Draft) -> None:
        """Add the tables that references point to, where they have a name for what is referred to."""
        joins: dict[str, object] = {}
        for reference in draft.shape.references:
            draft.taken.update(reference.columns)
            other = self._tables.get(reference.table)
            named = [] if other is None else [one for one in other.columns if names_row(one, other)]
            own = reference.table == draft.shape.table or reference.columns[0] in draft.scope
            if not named or own:
                continue
            name = row_word(reference.table)
            on = dict(zip(reference.to, reference.columns, strict=True))
            if name in joins:
                continue
            joins[name] = {"table": ".".join(reference.table), "on": on}
            why = f"{reference.columns[0]} refers to it"
            why += " by its name alone: no foreign key says so" if reference.by_name else ""
            self._note(f"{draft.path}.joins.{name}", why)
            self._add_joined(draft, name, named[0].name)
        if joins:
            draft.fields["joins"] = joins

    def _add_joined(self, draft: _Draft, name: str, column: str) -> None:
        """Name a part by what it refers to; tell of any other thing what it refers to."""
        owner = self._owner_of(draft.shape)
        if "names" not in draft.fields and owner is not None:
            draft.fields["names"] = [f"{name}.{column}"]
            self._note(f"{draft.path}.names", f"it has none of its own, and belongs to a {name}")
            return
        draft.attributes[name] = {"kind": "text", "column": f"{name}.{column}"}

    def _add_attributes(self, draft: _Draft) -> None:
        columns = [one for one in draft.shape.columns if one.name not in draft.taken]
        guesses = [(one.name, guess_attribute(one, draft.shape)) for one in columns]
        for column, guess in guesses:
            name = name_attribute(column, guess, draft.shape)
            path = f"{draft.path}.attributes.{name}"
            if guess.fields is None:
                self.left_out.append(Guess(path=path, reason=guess.reason))
                continue
            own = {} if name == column else {"column": column}
            draft.attributes[name] = {**guess.fields, **own}
            self._note(path, guess.reason)
        owner = self._owner_of(draft.shape)
        variants = owner is not None and self._is_variant(draft.shape, owner)
        describing = [
            one.name
            for one, (_, guess) in zip(columns, guesses, strict=True)
            if guess.describes or (variants and guess.fields and describes(one))
        ]
        if describing:
            draft.fields["describing"] = describing
            self._note(f"{draft.path}.describing", "they tell things of one name apart")
        if draft.attributes:
            draft.fields["attributes"] = draft.attributes

    def _note(self, path: str, reason: str) -> None:
        self.guesses.append(Guess(path=path, reason=reason))
