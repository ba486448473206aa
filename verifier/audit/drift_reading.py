"""What canonical rows say now of what past answers rest on: read for many at once, never verified."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from verifier.core.catalog.applicability import Occasion, find_applicable
from verifier.core.catalog.declarations import PRINCIPAL, TENANT, AttributeKind
from verifier.core.catalog.reading import place_moment
from verifier.core.drift import Drift
from verifier.core.facts import read_evidence
from verifier.core.quantities.numerals import read_exact
from verifier.core.turn_values import read_turn_fields
from verifier.core.turns import Turn
from verifier.verify.row_records import record_rows
from verifier.verify.verifier import open_reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime
    from fractions import Fraction

    from verifier.core.catalog import EntityType
    from verifier.store.canonical import CanonicalRow
    from verifier.store.resting_rows import CitedCell, RowAnswer
    from verifier.verify.row_reading import RowReader, TypedKey
    from verifier.verify.verifier import Backing

    Fields = tuple[tuple[str, str], ...]
    """What scopes are held to, by the turn's field; empty for what anyone may see."""

_AMOUNTS: Final = frozenset({AttributeKind.MONEY, AttributeKind.QUANTITY})
_TIMEOUT_S: Final = 60.0
_CROWDED: Final = "there are more rows of this key than are read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Why it can't be told how a row stands."""

    reason: str


Found = Drift | Unread | None
"""How a cell stands; None where it reads as it did."""


class DriftReader:
    """Reads the rows that a page of answers rests on. Not frozen: it keeps what it read.

    Rows that anyone may see take one SELECT a database, those of scoped types one for each principal: no row
    is read on behalf of another.
    """

    def __init__(
        self,
        backing: Backing,
        now: datetime,
        known: Mapping[TypedKey, tuple[CanonicalRow, ...]] | None = None,
    ) -> None:
        """Read by `backing`, as of `now`; rows that are `known` are not read."""
        self._backing = replace(backing, timeout_s=_TIMEOUT_S)
        self._read_before = known or {}
        self._digest = backing.catalog.digest if backing.catalog.entity_types else None
        self._now = now
        self._readers: dict[Fields, RowReader] = {}
        self._told: dict[tuple[object, ...], frozenset[str]] = {}

    async def read(self, answers: Sequence[RowAnswer]) -> None:
        """Read the rows that the answers rest on, as far as they were not read."""
        wanted: defaultdict[Fields, dict[tuple[str, str], None]] = defaultdict(dict)
        for answer in answers:
            for cell in answer.cells:
                for entity in self._types(cell):
                    wanted[_scoping(entity, answer.turn)][entity.name, cell.key] = None
        for fields, keys in wanted.items():
            await self._reader(fields).read(keys)

    def judge(self, answer: RowAnswer) -> Iterator[tuple[CitedCell, Found]]:
        """Yield how each cell stands that the answer rests on."""
        cited: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        for cell in answer.cells:
            cited[cell.database, cell.table, cell.key].add(cell.fingerprint)
        for cell in answer.cells:
            prints = cited[cell.database, cell.table, cell.key]
            found = [self._judge(entity, cell, answer.turn, prints) for entity in self._types(cell)]
            worst = _best(found) if found else Drift.UNDECLARED
            if worst is Drift.CHANGED and answer.catalog_hash != self._digest:
                worst = Drift.OTHER_CATALOG
            yield cell, worst

    def tell(self, cell: CitedCell, turn: Turn) -> str | None:
        """Return what a cell reads now, as its text was written if it can be so; None without one row."""
        for entity in self._types(cell):
            applying, _ = self._find_rows(entity, cell, turn)
            if len(applying) == 1 and cell.column is not None:
                written = list(_write_cell(applying[0], cell.table, cell.column))
                long = len((cell.text or "").split())
                return next((one for one in written if len(one.split()) == long), None) or next(
                    iter([*written, *self._read_cell(applying[0], cell, turn)]), None
                )
        return None

    def is_same_row(self, cell: CitedCell, turn: Turn) -> bool:
        """Return whether a row applies that reads in all columns as the cited one did."""
        return any(
            row.fingerprint == cell.fingerprint
            for entity in self._types(cell)
            for rows in self._find_rows(entity, cell, turn)
            for row in rows
        )

    def _types(self, cell: CitedCell) -> tuple[EntityType, ...]:
        return tuple(self._backing.catalog.types_of_table(cell.database, cell.table))

    def _reader(self, fields: Fields) -> RowReader:
        if fields not in self._readers:
            told = dict(fields)
            turn = Turn(
                principal=told.pop(PRINCIPAL, None), tenant=told.pop(TENANT, None), context=told
            )
            reader = open_reader(self._backing, turn)
            self._readers[fields] = replace(reader, known=self._read_before)
        return self._readers[fields]

    def _judge(self, entity: EntityType, cell: CitedCell, turn: Turn, cited: set[str]) -> Found:
        reader = self._reader(_scoping(entity, turn))
        missing = reader.find_missing_field(entity)
        if missing is not None:
            return Unread(reason=f"the turn tells no {missing}")
        if entity.database in reader.failures:
            return Unread(reason=reader.failures[entity.database][1])
        if any(row.crowded for row in reader.rows.get((entity.name, cell.key), ())):
            return Unread(reason=_CROWDED)
        applying, others = self._find_rows(entity, cell, turn)
        if not applying and not others:
            return Drift.GONE
        stands = any(self._reads(row, cell, turn) for row in (*applying, *others))
        alone = all(row.fingerprint in cited or self._reads(row, cell, turn) for row in applying)
        return None if stands and alone else Drift.CHANGED

    def _find_rows(
        self, entity: EntityType, cell: CitedCell, turn: Turn
    ) -> tuple[list[CanonicalRow], list[CanonicalRow]]:
        """Return the rows of the cell's key that apply, and those that apply to other quantities."""
        rows = self._reader(_scoping(entity, turn)).rows.get((entity.name, cell.key), ())
        occasion = Occasion(
            moment=place_moment(self._now, turn.timezone),
            fields=read_turn_fields(turn),
            timezone_name=turn.timezone,
        )
        found = find_applicable(entity, [row.cells for row in rows], occasion)
        return [rows[at] for at in found.rows], [rows[at] for at in found.of_other_quantities]

    def _reads(self, row: CanonicalRow, cell: CitedCell, turn: Turn) -> bool:
        """Return whether a row is the cited one, or says the same where it is another by other columns."""
        if row.fingerprint == cell.fingerprint:
            return True
        if cell.column is None or cell.text is None:
            return False
        place = (row.entity.name, row.fingerprint, cell.table, cell.column, _terms(turn))
        if place not in self._told:
            self._told[place] = frozenset(
                (*_write_cell(row, cell.table, cell.column), *self._read_cell(row, cell, turn))
            )
        told = self._told[place]
        if cell.text in told:
            return True
        return _is_amount(row.entity, cell.column) and _unify(cell.text) in map(_unify, told)

    def _read_cell(self, row: CanonicalRow, cell: CitedCell, turn: Turn) -> Iterator[str]:
        """Yield the values of a column as prose is bound to them."""
        moment = place_moment(self._now, turn.timezone)
        records = record_rows([(row,)], turn, now=moment)
        facts = read_evidence(replace(turn, calls=records.calls)).facts
        for one in facts:
            place = records.locate(one.fact.locator)
            if place is not None and (place.table, place.column) == (cell.table, cell.column):
                yield one.fact.value.text


def _best(found: Sequence[Found]) -> Found:
    """Return how a cell stands that rows of several types may be: what stands for one of them stands."""
    ranked = (None, Drift.CHANGED, Drift.GONE)
    known = next((one for one in ranked if one in found), None)
    if known is None and None not in found:
        return found[0]
    unread = next((one for one in found if isinstance(one, Unread)), None)
    return known if known is None or unread is None else unread


def _write_cell(row: CanonicalRow, table: str, column: str) -> Iterator[str]:
    """Yield a cell as a card is compared with it: as it is stored, money with its currency."""
    if row.entity.qualified_table != table or column not in row.cells:
        return
    cell = row.cells[column] or ""
    yield cell
    for attribute in row.entity.attributes:
        if attribute.column == column and attribute.currency_column is not None:
            yield f"{cell} {row.cells.get(attribute.currency_column) or ''}".strip()


def _terms(turn: Turn) -> tuple[object, ...]:
    """Return what of a turn tells how a row is written."""
    return turn.timezone, tuple(sorted(read_turn_fields(turn).items()))


def _is_amount(entity: EntityType, column: str) -> bool:
    """Return whether a column, wherever the type has one of this name, is a number: versions are none."""
    owners = (entity, *(part.entity for part in entity.parts))
    kinds = {
        attribute.kind
        for owner in owners
        for attribute in owner.attributes
        if attribute.column.rpartition(".")[2] == column.rpartition(".")[2]
    }
    return bool(kinds) and kinds <= _AMOUNTS


def _unify(text: str) -> list[str | Fraction]:
    """Return the words of a value, its numbers by what they are: 40.50 USD and 40.5 USD are one."""
    exact = ((word, read_exact(word)) for word in text.split())
    return [word if number is None else number for word, number in exact]


def _scoping(entity: EntityType, turn: Turn) -> Fields:
    """Return the fields of the turn that tell which rows of the type, and of its parts, may be seen."""
    fields: Mapping[str, str] = read_turn_fields(turn)
    scopes = [*entity.scopes, *(one for part in entity.parts for one in part.entity.scopes)]
    names = sorted({one.turn_field for one in scopes} & fields.keys())
    return tuple((name, fields[name]) for name in names)
