"""The audit of drift: which past answers rest on canonical rows that read otherwise now."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from verifier.audit.drift_reading import DriftReader, Unread
from verifier.core.drift import DRIFT_ORDER, Drift
from verifier.errors import InputError
from verifier.store.audit_scope import AuditOrder, resolve_audit
from verifier.store.pool import tenant_transaction
from verifier.store.resting_rows import NEWEST, list_row_answers
from verifier.store.storable import is_storable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from verifier.store.pool import Pool
    from verifier.store.resting_rows import CitedCell, RowAnswer
    from verifier.verify.verifier import Backing

_ALL = AuditOrder()
_ANSWERS_AT_ONCE: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftedAnswer:
    """A logged answer that rests on rows of a table which read otherwise, by the gravest of them."""

    report_id: str
    created_at: datetime
    claim_ids: tuple[str, ...]
    drift: Drift


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftedTable:
    """A table on whose drifted rows answers rest: how many answers, by the gravest of their rows.

    `rows` counts the things whose rows drifted, `columns` the answers by the column that they rest on. No
    value is told: `verifier recheck` does, answer by answer. `newest` are the newest answers.
    """

    database: str
    table: str
    answers: int
    rows: int
    drifts: Mapping[Drift, int]
    columns: Mapping[str, int]
    newest: tuple[DriftedAnswer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadTable:
    """A table of which it can't be told how the rows stand that so many answers rest on, and why."""

    database: str
    table: str
    reason: str
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftAudit:
    """What of the canonical tables reads otherwise now, those tables first on which most answers rest.

    `found` counts the tables that drifted, and those that could not be read: of these nothing is known.
    `looked` counts the answers that rest on rows.
    """

    now: datetime
    found: int
    looked: int
    tables: tuple[DriftedTable, ...]
    unread: tuple[UnreadTable, ...]


async def audit_drift(
    pool: Pool,
    tenant: str,
    backing: Backing,
    order: AuditOrder = _ALL,
    *,
    table: str | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> DriftAudit:
    """Return what past answers rest on in canonical tables that is gone or reads otherwise; verifies nothing.

    A row counts by what an answer rests on: another price changes nothing for an answer on the stock. Of one
    that was logged without texts the whole row counts. `table` is one by its name, with or without schema.
    `on_progress` is told how many answers were looked at. Raises InputError for an order of one source.
    """
    _check(order, table)
    now, after, tally = datetime.now(UTC), NEWEST, _Tally(order.answers)
    while True:
        async with tenant_transaction(pool, tenant, read_only=True) as conn:
            scope = await resolve_audit(conn, order)
            answers = await list_row_answers(
                conn, since=scope.since, table=table, after=after, limit=_ANSWERS_AT_ONCE
            )
        reader = DriftReader(backing, now)
        await reader.read(answers)
        for answer in answers:
            tally.add(answer, list(reader.judge(answer)), table)
        if on_progress is not None:
            on_progress(tally.looked)
        if len(answers) < _ANSWERS_AT_ONCE:
            return tally.tell(now, order.limit)
        after = (answers[-1].created_at, answers[-1].report_id)


def _check(order: AuditOrder, table: str | None) -> None:
    if order.source is not None:
        raise InputError("canonical rows are of no source; name a table, or leave the source out")
    if table is not None and not (table.strip() and is_storable(table)):
        raise InputError("name a table as the catalog does, such as shop.product")


@dataclass(slots=True)
class _Counts:
    """What was counted of one table."""

    drifts: Counter[Drift] = field(default_factory=Counter)
    columns: Counter[str] = field(default_factory=Counter)
    keys: set[str] = field(default_factory=set)
    newest: list[DriftedAnswer] = field(default_factory=list)


class _Tally:
    """Counts answer by answer, the newest first."""

    def __init__(self, named: int) -> None:
        self.looked = 0
        self._named = named
        self._tables: dict[tuple[str, str], _Counts] = {}
        self._unread: Counter[tuple[str, str, str]] = Counter()

    def add(
        self,
        answer: RowAnswer,
        judged: Sequence[tuple[CitedCell, Drift | Unread | None]],
        table: str | None,
    ) -> None:
        """Count an answer once for each table of which a row drifted that it rests on, or can't be told."""
        self.looked += 1
        drifted: dict[tuple[str, str], list[tuple[CitedCell, Drift]]] = {}
        unread: dict[tuple[str, str, str], None] = {}
        for cell, found in judged:
            if table is not None and table not in {cell.table, cell.table.rpartition(".")[2]}:
                continue
            if isinstance(found, Unread):
                unread[cell.database, cell.table, found.reason] = None
            elif found is not None:
                drifted.setdefault((cell.database, cell.table), []).append((cell, found))
        self._unread.update(unread.keys())
        for name, cells in drifted.items():
            self._count(self._tables.setdefault(name, _Counts()), answer, cells)

    def _count(
        self, counts: _Counts, answer: RowAnswer, cells: Sequence[tuple[CitedCell, Drift]]
    ) -> None:
        worst = min((drift for _, drift in cells), key=DRIFT_ORDER.index)
        counts.drifts[worst] += 1
        counts.columns.update({cell.column or "" for cell, _ in cells})
        counts.keys.update(cell.key for cell, _ in cells)
        if len(counts.newest) < self._named:
            counts.newest.append(
                DriftedAnswer(
                    report_id=answer.report_id,
                    created_at=answer.created_at,
                    claim_ids=tuple(sorted({cell.claim_id for cell, _ in cells})),
                    drift=worst,
                )
            )

    def tell(self, now: datetime, limit: int) -> DriftAudit:
        """Return what was counted, the table first on which most answers rest."""
        tables = [
            DriftedTable(
                database=database,
                table=table,
                answers=counts.drifts.total(),
                rows=len(counts.keys),
                drifts={one: counts.drifts[one] for one in DRIFT_ORDER},
                columns=dict(sorted(counts.columns.items())),
                newest=tuple(counts.newest),
            )
            for (database, table), counts in self._tables.items()
        ]
        tables.sort(key=lambda one: (-one.answers, one.database, one.table))
        unread = [
            UnreadTable(database=database, table=table, reason=reason, answers=answers)
            for (database, table, reason), answers in sorted(self._unread.items())
        ]
        return DriftAudit(
            now=now,
            found=len(tables) + len({(one.database, one.table) for one in unread}),
            looked=self.looked,
            tables=tuple(tables[:limit]),
            unread=tuple(unread[:limit]),
        )
