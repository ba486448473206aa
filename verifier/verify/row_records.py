"""Canonical rows as records that values can be bound to, and the way back from each field to its column."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from verifier.core.catalog.applicability import Occasion, find_applicable
from verifier.core.catalog.declarations import AttributeKind
from verifier.core.catalog.reading import read_cell, write_corrected, write_decimal
from verifier.core.evidence import LedgerLocator, RowLocator
from verifier.core.field_names import fold_field
from verifier.core.turn_values import read_turn_fields
from verifier.core.turns import ToolCall
from verifier.core.values import Kind, Quantity, TextValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from verifier.core.catalog import Attribute, EntityType
    from verifier.core.evidence import Locator
    from verifier.core.turns import Turn
    from verifier.core.values import Interval
    from verifier.store.canonical import CanonicalRow

    Cells = Mapping[str, str | None]

_CALL: Final = "canonical:"
_SHORTEST_STATE: Final = 3
_TRUTHS: Final = frozenset({"true", "false"})


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a field of a record comes from; `attribute` is the catalog's, if it is one."""

    locator: RowLocator
    attribute: Attribute | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRecords:
    """Rows as results of calls, so that they are bound to as the ledger is."""

    calls: tuple[ToolCall, ...] = ()
    timed: frozenset[str] = frozenset()
    _places: Mapping[str, Mapping[str, _Place]] = field(default_factory=dict)

    def locate(self, locator: Locator) -> RowLocator | None:
        """Return the column that a fact of such a record comes from; None for any other fact."""
        place = self._find(locator)
        return None if place is None else place.locator

    def is_timed(self, locator: Locator) -> bool:
        """Return whether a fact is of a row that holds for a time only."""
        call_id = locator.call_id if isinstance(locator, LedgerLocator) else None
        return call_id in self.timed

    def find_kind(self, locator: Locator) -> AttributeKind | None:
        """Return the kind of the catalog attribute that a fact of such a record is of, if it is of one."""
        place = self._find(locator)
        return None if place is None or place.attribute is None else place.attribute.kind

    def _find(self, locator: Locator) -> _Place | None:
        if not isinstance(locator, LedgerLocator) or locator.call_id not in self._places:
            return None
        places, pointer = self._places[locator.call_id], locator.pointer
        while pointer and pointer not in places:
            pointer = pointer.rpartition("/")[0]
        return places[pointer]


def record_rows(
    rows: Iterable[tuple[CanonicalRow, ...]], turn: Turn, *, now: Interval
) -> RowRecords:
    """Return the rows that apply at `now` as records, one call for each thing.

    Several rows of one thing are one call that is not complete: they may differ, and tell no number.
    """
    calls: list[ToolCall] = []
    places: dict[str, Mapping[str, _Place]] = {}
    timed: set[str] = set()
    occasion = Occasion(moment=now, fields=read_turn_fields(turn), timezone_name=turn.timezone)
    for of_one_thing in rows:
        applying = _applying(of_one_thing, occasion)
        if not applying or applying[0].crowded:
            continue
        call_id = f"{_CALL}{len(calls) + 1}"
        writer = _Writer(occasion)
        single = len(applying) == 1
        records = [writer.write(row, "" if single else f"/{at}") for at, row in enumerate(applying)]
        calls.append(
            ToolCall(
                call_id=call_id,
                tool=applying[0].entity.name,
                arguments={},
                result=records[0] if single else records,
                complete=single,
            )
        )
        places[call_id] = writer.places
        if _is_timed(applying[0].entity):
            timed.add(call_id)
    return RowRecords(calls=tuple(calls), timed=frozenset(timed), _places=places)


def _is_timed(entity: EntityType) -> bool:
    owners = (entity, *(part.entity for part in entity.parts))
    return any(one.applies.valid_from or one.applies.valid_to for one in owners)


def _applying(rows: Sequence[CanonicalRow], occasion: Occasion) -> list[CanonicalRow]:
    """Return the rows that apply, with those of other quantities where none is told."""
    if not rows:
        return []
    found = find_applicable(rows[0].entity, [row.cells for row in rows], occasion)
    return [rows[at] for at in sorted((*found.rows, *found.of_other_quantities))]


@dataclass(slots=True)
class _Writer:
    """Writes the records of one call. Not frozen: it collects the places of their fields."""

    occasion: Occasion
    places: dict[str, _Place] = field(default_factory=dict)

    def write(self, row: CanonicalRow, pointer: str) -> dict[str, object]:
        """Return a row, with its parts, as a record that stands at `pointer` of the result."""
        own = _Rows(row.entity, row.key, row.fingerprint)
        record = self._fields(own, row.cells, pointer, keyed=True)
        for part in row.entity.parts:
            cells = row.parts.get(part.name)
            if cells is None or part.name in record:
                continue
            rows = _Rows(part.entity, row.key, row.fingerprint)
            found = find_applicable(part.entity, cells, self.occasion)
            keyed = part.entity.key.column not in dict(part.on)
            record[part.name] = [
                self._fields(rows, cells[place], f"{pointer}/{part.name}/{at}", keyed=keyed)
                for at, place in enumerate(found.rows)
            ]
            self.places[f"{pointer}/{part.name}"] = _Place(rows.locate(None), None)
        return record

    def _fields(self, rows: _Rows, cells: Cells, pointer: str, *, keyed: bool) -> dict[str, object]:
        entity, key = rows.entity, cells.get(rows.entity.key.column)
        record: dict[str, object] = {}
        self.places[pointer] = _Place(rows.locate(None), None)

        def put(name: str, value: object, column: str, attribute: Attribute | None = None) -> None:
            if value is not None and name not in record:
                record[name] = value
                self.places[f"{pointer}/{name}"] = _Place(rows.locate(column), attribute)

        if keyed:
            put(f"{entity.name}_id", key, entity.key.column)
        for at, column in enumerate(entity.name_columns):
            name = "name" if at == 0 else column.rpartition(".")[2]
            put(name, cells.get(column), column, _attribute_of(entity, column))
        currencies: defaultdict[str, list[str]] = defaultdict(list)
        for attribute in entity.attributes:
            if attribute.column in {*entity.name_columns, *entity.describing}:
                continue
            value, currency = self._value(attribute, cells)
            name = _field_name(entity, attribute)
            put(name, value, attribute.column, attribute)
            if currency is not None:
                currencies[currency].append(name)
        self._tell_currencies(record, currencies)
        options = {
            column.rpartition(".")[2].replace("_", " "): cells[column]
            for column in entity.describing
            if cells.get(column) is not None and column not in entity.name_columns
        }
        put("options", options or None, entity.key.column)
        return record

    def _tell_currencies(
        self, record: dict[str, object], currencies: Mapping[str, Sequence[str]]
    ) -> None:
        """Tell the one currency of a record beside its amounts; where there are several, each amount's."""
        if len(currencies) == 1:
            record.setdefault("currency", next(iter(currencies)))
            return
        for currency, names in currencies.items():
            for name in names:
                record[name] = {"amount": record[name], "currency": currency}

    def _value(self, attribute: Attribute, cells: Cells) -> tuple[object, str | None]:
        """Return the value of an attribute's field, and the currency of money."""
        value = read_cell(attribute, cells, timezone_name=self.occasion.timezone_name)
        cell = cells.get(attribute.column)
        if value is None or cell is None:
            return None, None
        if attribute.kind is AttributeKind.MONEY and isinstance(value, Quantity):
            return _write_amount(value, cell), value.currency
        if attribute.kind is AttributeKind.QUANTITY and isinstance(value, Quantity):
            amount = _write_amount(value, cell)
            return f"{amount} {attribute.unit}" if attribute.unit else amount, None
        if attribute.kind is AttributeKind.STATE:
            return _state_word(attribute, cell), None
        if attribute.kind is AttributeKind.BOOLEAN and isinstance(value, TextValue):
            return value.folded == "yes", None
        return cell, None


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of one type that one key gave."""

    entity: EntityType
    key: str
    fingerprint: str

    def locate(self, column: str | None) -> RowLocator:
        """Return the place of a column; of the table where it is None."""
        join, name = (None, None) if column is None else self.entity.place_column(column)
        return RowLocator(
            database=self.entity.database,
            table=".".join(self.entity.table if join is None else join.table),
            key=self.key,
            column=name,
            fingerprint=self.fingerprint,
        )


def _field_name(entity: EntityType, attribute: Attribute) -> str:
    """Return the name of an attribute's field, which has no cents where the record's amount has none."""
    spoken = fold_field(attribute.spoken)
    taken = any(spoken == one.name for one in entity.attributes if one is not attribute)
    is_money = attribute.kind is AttributeKind.MONEY
    return spoken if is_money and spoken and not taken else attribute.name


def _attribute_of(entity: EntityType, column: str) -> Attribute | None:
    return next((one for one in entity.attributes if one.column == column), None)


def _write_amount(value: Quantity, cell: str) -> str:
    """Return a number as minor units and rounding make it, money with its currency's places."""
    if value.kind is Kind.MONEY:
        return write_corrected(value, cell)
    amount = value.interval.low
    return cell if amount is None or not value.interval.is_point else write_decimal(amount, 0)


def _state_word(attribute: Attribute, cell: str) -> str:
    """Return a state as people say it: as stored where that is a word, else the first word for it."""
    for state, words in attribute.states:
        is_word = len(state) >= _SHORTEST_STATE and state.casefold() not in _TRUTHS
        if state == cell and words and not is_word:
            return words[0]
    return cell
