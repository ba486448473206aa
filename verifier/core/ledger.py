"""The turn ledger: the facts that the turn's tool calls returned, and nothing that they did not."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from verifier.core.catalog.keys import is_distinctive
from verifier.core.ledger_facts import facts_of, read_attribute
from verifier.core.ledger_subjects import SubjectReader
from verifier.core.ledger_walk import Budget, LedgerRecord, ResultTooLarge, walk_records
from verifier.core.text import fold
from verifier.core.turns import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from verifier.core.catalog import Attribute, Catalog, EntityType
    from verifier.core.evidence import Fact
    from verifier.core.ledger_walk import FoundRecord
    from verifier.core.turns import ToolCall

_NONE: tuple[LedgerRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Records of the successful calls in scope, found by key and by name.

    `incomplete_calls` are those that failed, were truncated, or were too large to read: they prove no
    absence.
    """

    records: tuple[LedgerRecord, ...]
    incomplete_calls: frozenset[str]
    timezone_name: str | None
    _by_key: Mapping[tuple[str | None, str], tuple[LedgerRecord, ...]]
    _by_name: Mapping[str, tuple[LedgerRecord, ...]]

    @property
    def facts(self) -> Iterator[Fact]:
        """Every fact that the records state, in order of the calls."""
        for record in self.records:
            yield from facts_of(record)

    def find_by_key(self, entity: EntityType, key: str) -> tuple[LedgerRecord, ...]:
        """Return the records that are the thing of this type with this key, oldest first.

        A record of unknown type counts where the key's form tells the thing, and it stands by itself.
        """
        typed = self._by_key.get((entity.name, key), _NONE)
        if not is_distinctive(entity):
            return typed
        untyped = self._by_key.get((None, key.casefold()), _NONE)
        alone = [record for record in untyped if record.outer is None]
        return tuple(sorted((*typed, *alone), key=lambda record: record.position))

    def find_by_name(self, entity: EntityType, name: str) -> tuple[LedgerRecord, ...]:
        """Return the records of things of this type with this name, oldest first."""
        named = self._by_name.get(fold(name), _NONE)
        return tuple(record for record in named if record.entity_type == entity.name)

    @property
    def names(self) -> Mapping[str, tuple[LedgerRecord, ...]]:
        """Every folded name of a typed record, with the records that bear it."""
        return self._by_name

    def find_facts(self, records: Sequence[LedgerRecord], attribute: Attribute) -> tuple[Fact, ...]:
        """Return what the newest call with this attribute says of it; several facts may differ."""
        newest: list[Fact] = []
        position = -1
        for record in reversed(records):
            if newest and record.position != position:
                break
            fact = read_attribute(record, attribute, timezone_name=self.timezone_name)
            if fact is not None:
                newest.append(fact)
                position = record.position
        return tuple(newest)


def build_ledger(
    calls: Sequence[ToolCall],
    *,
    catalog: Catalog,
    scope: Scope = Scope.TURN,
    current_turn: int | None = None,
    timezone_name: str | None = None,
    budget: Budget | None = None,
) -> Ledger:
    """Return the ledger of the calls in scope.

    Failed calls, and records that report a failure, prove nothing. Results are read up to a bound that
    all calls share; where it is exceeded the rest is left out and the call counts as incomplete.
    """
    records: list[LedgerRecord] = []
    incomplete: set[str] = set()
    budget = budget or Budget()
    for position, call in enumerate(calls_in_scope(calls, scope, current_turn)):
        if not call.ok or not call.complete:
            incomplete.add(call.call_id)
        if call.ok:
            try:
                walk_records(
                    call.result, adopt=_adopter(catalog, call, position, records), budget=budget
                )
            except ResultTooLarge:
                incomplete.add(call.call_id)
    return Ledger(
        records=tuple(records),
        incomplete_calls=frozenset(incomplete),
        timezone_name=timezone_name,
        _by_key=_index_keys(records),
        _by_name=_index_names(records),
    )


def _adopter(
    catalog: Catalog, call: ToolCall, position: int, records: list[LedgerRecord]
) -> Callable[[FoundRecord, LedgerRecord | None], LedgerRecord | None]:
    reader = SubjectReader(catalog, call, position)

    def adopt(found: FoundRecord, owner: LedgerRecord | None) -> LedgerRecord | None:
        record = reader.open(found, owner)
        records.append(record)
        return owner if record.subject is None else record

    return adopt


def calls_in_scope(
    calls: Sequence[ToolCall], scope: Scope, current_turn: int | None
) -> tuple[ToolCall, ...]:
    """Return the calls of the whole conversation, or of its current turn; the newest is the default."""
    if scope is Scope.CONVERSATION:
        return tuple(calls)
    turns = [call.turn for call in calls if call.turn is not None]
    current = max(turns, default=None) if current_turn is None else current_turn
    return tuple(call for call in calls if call.turn is None or call.turn == current)


def _index_keys(
    records: Sequence[LedgerRecord],
) -> Mapping[tuple[str | None, str], tuple[LedgerRecord, ...]]:
    found: defaultdict[tuple[str | None, str], list[LedgerRecord]] = defaultdict(list)
    for record in records:
        if record.subject is not None and record.subject.key is not None:
            key = record.subject.key
            folded = key if record.entity_type is not None else key.casefold()
            found[record.entity_type, folded].append(record)
    return MappingProxyType({key: tuple(bearers) for key, bearers in found.items()})


def _index_names(records: Sequence[LedgerRecord]) -> Mapping[str, tuple[LedgerRecord, ...]]:
    found: defaultdict[str, list[LedgerRecord]] = defaultdict(list)
    for record in records:
        if record.subject is not None and record.entity_type is not None:
            for name in record.subject.names:
                found[fold(name)].append(record)
    return MappingProxyType({name: tuple(bearers) for name, bearers in found.items()})
