"""A catalog and its tables: proposing one, proving one, and showing what is compared for one id."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from verifier.connections import STORE_DATABASE
from verifier.core.catalog.applicability import Occasion, find_applicable
from verifier.core.catalog.keys import find_key
from verifier.core.catalog.reading import place_moment, read_cell, write_corrected
from verifier.core.turn_values import read_turn_fields
from verifier.errors import InputError, UnknownThing, VerifierError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.connections import Connections
    from verifier.core.catalog import Catalog, EntityType
    from verifier.core.catalog.proposal import Proposal
    from verifier.core.turns import Turn
    from verifier.store.canonical import CanonicalRow

_FOUND: Final = "found"
_NOT_NOW: Final = "not applicable now"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedType:
    """A type of the catalog, and why it, or its whole database, does not serve; else it is proved."""

    name: str
    database: str
    table: str
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedColumn:
    """What one cell would be compared as. `value` is None where nothing can be read from it."""

    attribute: str
    kind: str
    column: str
    cell: str | None
    value: str | None
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedRow:
    """One type that an id may be of, and a row of it, if one is seen.

    `state` is "found", "not found", "not applicable", or why it can't be looked up.
    """

    entity: str
    key: str | None
    state: str
    table: str
    names: tuple[str, ...] = ()
    describing: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[ComparedColumn, ...] = ()
    parts: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_seen(self) -> bool:
        """Whether a row was read, be it one that applies now or not."""
        return bool(self.columns) or self.state in {_FOUND, _NOT_NOW}


class CatalogStudy:
    """Proposes a catalog of live tables, proves the one of the settings, and explains a row."""

    def __init__(self, connections: Connections, catalog: Catalog) -> None:
        self._connections = connections
        self._catalog = catalog

    async def propose(
        self, database: str = STORE_DATABASE, *, schemas: Sequence[str] = ("public",)
    ) -> Proposal:
        """Return a catalog proposed from the schemas of a canonical database.

        Raises UnknownThing where the role sees no table there, and StoreError.
        """
        from verifier.core.catalog.proposal import propose_catalog
        from verifier.store.canonical_inspection import inspect_tables
        from verifier.store.canonical_pool import borrow_connection

        pool = await self._connections.canonical(database)
        async with borrow_connection(pool) as connection:
            tables = await inspect_tables(connection, schemas)
        if not tables:
            named = ", ".join(schemas)
            raise UnknownThing(
                f"schema {named} of database {database!r} has no table that this role may read;"
                " name others with --schema"
            )
        return propose_catalog(tables, database=None if database == STORE_DATABASE else database)

    async def check(self) -> tuple[CheckedType, ...]:
        """Return every type of the catalog, held against its database. Failures are problems.

        Raises InputError where no catalog is declared: nothing would be proved.
        """
        if not self._catalog.entity_types:
            raise InputError(
                "the settings declare no catalog; `verifier catalog inspect` proposes one"
            )
        checked: list[CheckedType] = []
        for database in sorted({entity.database for entity in self._catalog.entity_types}):
            try:
                checked += await _check_database(self._connections, self._catalog, database)
            except VerifierError as error:
                checked += _checked(self._catalog, database, failure=str(error))
        return tuple(checked)

    async def explain(self, written: str, turn: Turn) -> tuple[ExplainedRow, ...]:
        """Return each type that an id may be of, with the rows that the turn sees.

        Raises UnknownThing where it can be of none, and StoreError.
        """
        from verifier.verify.row_reading import RowReader

        fitting = [
            (one, key) for one in self._catalog.entity_types if (key := find_key(one, written))
        ]
        if not fitting:
            types = ", ".join(one.name for one in self._catalog.entity_types) or "none"
            raise UnknownThing(f"{written!r} has the form of no key; the catalog declares {types}")
        reader = RowReader(catalog=self._catalog, lend_pool=self._connections.canonical, turn=turn)
        await reader.read((entity.name, key) for entity, key in fitting)
        explained: list[ExplainedRow] = []
        for entity, key in fitting:
            missing = reader.find_missing_field(entity)
            failure = reader.failures.get(entity.database)
            rows = reader.rows.get((entity.name, key), ())
            if rows:
                explained += _explain_rows(entity, key, rows, turn)
                continue
            state = "not found, as far as this turn may see"
            if missing is not None:
                state = f"only seen with a {missing}; tell one"
            elif failure is not None:
                state = failure[1]
            explained.append(
                ExplainedRow(entity=entity.name, key=key, state=state, table=entity.qualified_table)
            )
        return tuple(explained)


async def _check_database(
    connections: Connections, catalog: Catalog, database: str
) -> list[CheckedType]:
    """Check tables and columns; where all are there, run the statements that verifying runs."""
    from verifier.store.canonical import fetch_names, fetch_rows
    from verifier.store.canonical_check import find_problems
    from verifier.store.canonical_pool import borrow_connection

    pool = await connections.canonical(database)
    async with borrow_connection(pool) as connection:
        problems = await find_problems(connection, catalog, database=database)
    if not problems:
        await fetch_rows(pool, catalog, database, {}, {})
        await fetch_names(pool, catalog, database)
    return _checked(catalog, database, problems)


def _checked(
    catalog: Catalog,
    database: str,
    problems: Sequence[str] = (),
    *,
    failure: str | None = None,
) -> list[CheckedType]:
    """Return the types of a database, each with its own problems, and with the failure of all."""
    of_all = () if failure is None else (failure,)
    return [
        CheckedType(
            name=entity.name,
            database=database,
            table=entity.qualified_table,
            problems=(
                *of_all,
                *(one for one in problems if one.startswith(f"catalog.{entity.name}.")),
            ),
        )
        for entity in catalog.entity_types
        if entity.database == database
    ]


def _explain_rows(
    entity: EntityType, key: str, rows: Sequence[CanonicalRow], turn: Turn
) -> Iterator[ExplainedRow]:
    moment = place_moment(turn.now or datetime.now(UTC), turn.timezone)
    occasion = Occasion(moment=moment, fields=read_turn_fields(turn), timezone_name=turn.timezone)
    applying = find_applicable(entity, [row.cells for row in rows], occasion).rows
    for at, row in enumerate(rows):
        yield ExplainedRow(
            entity=entity.name,
            key=key,
            state=_FOUND if at in applying else _NOT_NOW,
            table=entity.qualified_table,
            names=tuple(filter(None, (row.cells.get(one) for one in entity.name_columns))),
            describing={one: cell for one in entity.describing if (cell := row.cells.get(one))},
            columns=tuple(_compared(entity, row, turn)),
            parts={name: len(part) for name, part in row.parts.items()},
        )


def _compared(entity: EntityType, row: CanonicalRow, turn: Turn) -> Iterator[ComparedColumn]:
    for attribute in entity.attributes:
        value = read_cell(attribute, row.cells, timezone_name=turn.timezone)
        cell = row.cells.get(attribute.column)
        read = None if value is None else write_corrected(value, cell or "")
        currency = getattr(value, "currency", None)
        yield ComparedColumn(
            attribute=attribute.name,
            kind=attribute.kind.value,
            column=attribute.column,
            cell=cell,
            value=f"{read} {currency}" if read is not None and currency else read,
            labels=attribute.labels,
        )
