"""What a catalog declares: entity types, their keys, scopes, visibility and attributes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from verifier.core.field_names import cut_minor_units, field_words, fold_field

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DEFAULT_DATABASE = "default"
PRINCIPAL = "principal"
TENANT = "tenant"
CHANNEL = "channel"
QUANTITY = "quantity"


class KeyType(StrEnum):
    """The SQL family of a key column."""

    UUID = "uuid"
    INTEGER = "integer"
    TEXT = "text"


class KeyCase(StrEnum):
    """How the letters of a text key compare."""

    EXACT = "exact"
    UPPER = "upper"
    LOWER = "lower"


class AttributeKind(StrEnum):
    """What a column holds, and so how its values are read and compared."""

    MONEY = "money"
    QUANTITY = "quantity"
    STATE = "state"
    DATE = "date"
    TEXT = "text"
    NAME = "name"
    BOOLEAN = "boolean"
    IDENTIFIER = "identifier"


class VisibilityRule(StrEnum):
    """When a row is visible, by one of its columns."""

    NULL = "null"
    NOT_NULL = "not_null"
    EQUALS = "equals"
    DIFFERS = "differs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """The key column of an entity type. `pattern` must match an id as a whole."""

    column: str
    type: KeyType
    aliases: tuple[str, ...] = ()
    pattern: str | None = None
    case: KeyCase = KeyCase.EXACT


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A row is seen only where `column` equals the turn's `turn_field` (principal, tenant, or context)."""

    column: str
    turn_field: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Visibility:
    """A condition on one column without which a row counts as absent."""

    column: str
    rule: VisibilityRule
    value: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Applicability:
    """The columns that tell to what a row applies; a thing may then have several rows of one key.

    `valid_from` and `valid_to` are days or moments, both inclusive, null without an end; `channel` equals
    the turn's channel; of the rows with a `min_quantity`, the greatest one applies that is not above the
    quantity that is spoken of.
    """

    valid_from: str | None = None
    valid_to: str | None = None
    channel: str | None = None
    min_quantity: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The declared columns."""
        declared = (self.valid_from, self.valid_to, self.channel, self.min_quantity)
        return tuple(column for column in declared if column is not None)


APPLICABLE_BY: Final = tuple(one.name for one in fields(Applicability))


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """Another table that has one row for each row; its columns are written `name.column`.

    `on` pairs columns of that table with columns of this one.
    """

    name: str
    table: tuple[str, ...]
    on: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One comparable column of an entity type.

    `aliases` are names of the field in tool results and cards, `labels` words of prose that lead to it.
    Money has a fixed `currency` or a `currency_column`; `minor_units` says that the column counts cents.
    `states` maps each state, as stored, to other words for it. Numbers are rounded to `round` places.
    """

    name: str
    column: str
    kind: AttributeKind
    aliases: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    currency: str | None = None
    currency_column: str | None = None
    minor_units: bool = False
    unit: str | None = None
    round: int | None = None
    states: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def field_names(self) -> tuple[str, ...]:
        """Every folded name under which a record may carry the attribute."""
        return tuple(fold_field(name) for name in (self.name, self.column, *self.aliases))

    @property
    def spoken(self) -> str:
        """The name as people say it, of money without its minor units: `total` of `total_cents`."""
        words = field_words(self.name)
        return " ".join(cut_minor_units(words) if self.kind is AttributeKind.MONEY else words)

    def counts_minor_units(self, field_name: str) -> bool:
        """Return whether a field's name says that its number counts minor units, as the column does."""
        words = field_words(field_name)
        return self.minor_units and cut_minor_units(words) != words

    def is_called_as_column(self, field_name: str) -> bool:
        """Return whether a field has the name of the column, which is not the attribute's own name."""
        return fold_field(field_name) == fold_field(self.column) != fold_field(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityType:
    """A kind of thing with a canonical table. `table` is schema and table, or the table alone.

    `describing` columns tell things of one name apart: colour, size.
    """

    name: str
    plural: str
    table: tuple[str, ...]
    key: Key
    database: str = DEFAULT_DATABASE
    name_columns: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ()
    visible: tuple[Visibility, ...] = ()
    applies: Applicability = field(default_factory=Applicability)
    describing: tuple[str, ...] = ()
    joins: tuple[Join, ...] = ()
    parts: tuple[Part, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    _by_field: Mapping[str, Attribute] = field(init=False, repr=False, compare=False)
    _key_fields: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_field = {
            name: attribute for attribute in self.attributes for name in attribute.field_names
        }
        own = {fold_field(self.key.column), *map(fold_field, self.key.aliases)}
        object.__setattr__(self, "_by_field", by_field)
        object.__setattr__(self, "_key_fields", frozenset(own))

    def find_attribute(self, field_name: str) -> Attribute | None:
        """Return the attribute that a record's field of this name holds, if any."""
        return self._by_field.get(fold_field(field_name))

    @property
    def key_fields(self) -> frozenset[str]:
        """Folded names of the fields that hold the key."""
        return self._key_fields

    @property
    def name_fields(self) -> frozenset[str]:
        """Folded names of the fields that hold a name: of `product.name` also `name`."""
        return frozenset(
            fold_field(name)
            for column in self.name_columns
            for name in (column, column.rpartition(".")[2])
        )

    @property
    def titles(self) -> tuple[str, ...]:
        """The type's folded names: singular and plural."""
        return (fold_field(self.name), fold_field(self.plural))

    @property
    def qualified_table(self) -> str:
        """The table's name for people, such as `shop.product`."""
        return ".".join(self.table)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that a row of the type is read by, each once."""
        columns = [self.key.column, *self.name_columns, *self.describing, *self.applies.columns]
        for attribute in self.attributes:
            columns.append(attribute.column)
            if attribute.currency_column is not None:
                columns.append(attribute.currency_column)
        return tuple(dict.fromkeys(columns))

    def place_column(self, column: str) -> tuple[Join | None, str]:
        """Return the joined table that holds a column, None for the type's own, and its name there."""
        prefix, dot, name = column.partition(".")
        join = next((one for one in self.joins if dot and one.name == prefix), None)
        return (None, column) if join is None else (join, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Rows of another table that belong to a row: the lines of an order, the variants of a product.

    `on` pairs columns of the part's table with columns of the owner's. The part's own parts are not read.
    """

    name: str
    entity: EntityType
    on: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """The declared mapping from entity types to canonical tables. `digest` names its content."""

    entity_types: tuple[EntityType, ...] = ()
    digest: str = field(init=False)
    _by_title: Mapping[str, EntityType] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        titles = {title: entity for entity in self.entity_types for title in entity.titles}
        text = json.dumps(_declared(self.entity_types), sort_keys=True, ensure_ascii=False)
        object.__setattr__(self, "_by_title", titles)
        object.__setattr__(self, "digest", hashlib.sha256(text.encode("utf-8")).hexdigest())

    def __hash__(self) -> int:
        return hash(self.digest)

    def find_type(self, title: str) -> EntityType | None:
        """Return the entity type of this singular or plural name, however it is cased."""
        return self._by_title.get(fold_field(title))

    def types_of_table(self, database: str, table: str) -> Iterator[EntityType]:
        """Yield the types that a row of this table may have been read for: its own, or a joined one."""
        for entity in self.entity_types:
            tables = {
                entity.table,
                *(join.table for join in entity.joins),
                *(part.entity.table for part in entity.parts),
            }
            if entity.database == database and any(table == ".".join(one) for one in tables):
                yield entity


def _declared(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {
            part.name: _declared(getattr(value, part.name)) for part in fields(value) if part.init
        }
    if isinstance(value, tuple):
        return [_declared(part) for part in value]
    return value
