"""Which logged answers may stand otherwise today: by the versions, rows and catalog that they rest on."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from verifier.audit.recheck_spans import find_fallen
from verifier.core.catalog.applicability import Occasion, find_applicable
from verifier.core.catalog.reading import place_moment
from verifier.core.names import index_names
from verifier.core.spans import Span
from verifier.core.turns import Turn
from verifier.verify.verifier import open_reader

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from verifier.core.catalog import Catalog, EntityType
    from verifier.core.names import NameIndex
    from verifier.core.verdicts import Reason
    from verifier.store.canonical import CanonicalRow
    from verifier.store.pool import Pool
    from verifier.store.rechecks import ScopedReport
    from verifier.verify.row_reading import RowReader, TypedKey
    from verifier.verify.verifier import Backing


@dataclass(frozen=True, slots=True, kw_only=True)
class Yardstick:
    """What reports are held to: the clock, and the catalog and version of today."""

    moment: datetime
    catalog_hash: str | None
    verifier_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The reports that may not stand as they did; all others stand on what is as it was.

    `rows` are those that were read meanwhile, all of types that anyone may see, by type and key; `failures`
    the databases that did not answer.
    """

    candidates: tuple[ScopedReport, ...] = ()
    rows: Mapping[TypedKey, tuple[CanonicalRow, ...]] = field(default_factory=dict)
    failures: Mapping[str, tuple[Reason, str]] = field(default_factory=dict)


async def choose_candidates(
    pool: Pool, tenant: str, reports: Sequence[ScopedReport], backing: Backing, today: Yardstick
) -> Choice:
    """Return the reports that are to be verified again.

    Rows of types that anyone may see are read for all reports by one SELECT a database, and cited words
    looked for in the versions that replaced theirs. Reports on rows of scoped types, or of types that apply
    for a time in a zone that the turn names, those that tool results prove, and those of another catalog or
    version of the verifier are candidates whatever became of their evidence: verifying them again tells. So
    are those on a row of which another row bears the name.
    """
    types = _Types(backing.catalog)
    doubted = {one.report_id for one in reports if _is_doubted(one, types, today)}
    moved = [one.report_id for one in reports if one.moved and one.report_id not in doubted]
    if moved:
        doubted |= await find_fallen(pool, tenant, moved, today.moment)
    reader = open_reader(replace(backing, timeout_s=60.0), Turn(now=today.moment))
    resting = [one for one in reports if one.rows and one.report_id not in doubted]
    await reader.read(
        (entity.name, key)
        for one in resting
        for database, table, key, _ in one.rows
        for entity in types.find(database, table)
    )
    names = index_names(()) if backing.names is None else await backing.names.load()
    holding = _Holding(reader, types, names, today.moment)
    doubted |= {one.report_id for one in resting if not holding.stands(one)}
    return Choice(
        candidates=tuple(one for one in reports if one.report_id in doubted),
        rows={typed: reader.rows.get(typed, ()) for typed in reader.asked},
        failures=reader.failures,
    )


class _Types:
    """The types that rows of a table may have been read for, each table looked up once."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._known: dict[tuple[str, str], tuple[EntityType, ...]] = {}

    def find(self, database: str, table: str) -> tuple[EntityType, ...]:
        """Return the types in the catalog's order."""
        if (database, table) not in self._known:
            found = tuple(self.catalog.types_of_table(database, table))
            self._known[database, table] = found
        return self._known[database, table]


def _is_doubted(report: ScopedReport, types: _Types, today: Yardstick) -> bool:
    if report.redacted or report.verifier_version != today.verifier_version:
        return True
    if report.catalog_hash != today.catalog_hash:
        return True
    if report.by_ledger and types.catalog.entity_types:
        return True
    return any(
        entity.scopes
        or any(part.entity.scopes for part in entity.parts)
        or (report.zoned and (entity.applies.valid_from or entity.applies.valid_to))
        for database, table, _, _ in report.rows
        for entity in types.find(database, table)
    )


class _Holding:
    """Holds the rows that reports cite against those that apply at a moment."""

    def __init__(
        self, reader: RowReader, types: _Types, names: NameIndex, moment: datetime
    ) -> None:
        self._reader = reader
        self._types = types
        self._names = names
        self._occasion = Occasion(moment=place_moment(moment, None), fields={})
        self._known: dict[TypedKey, frozenset[str]] = {}
        self._alone: dict[TypedKey, bool] = {}

    def stands(self, report: ScopedReport) -> bool:
        """Return whether exactly the rows that the report cites apply, as they were."""
        cited: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
        for database, table, key, fingerprint in report.rows:
            cited[database, table, key].add(fingerprint)
        return all(self._stand(*place, prints) for place, prints in cited.items())

    def _stand(self, database: str, table: str, key: str, fingerprints: set[str]) -> bool:
        types = self._types.find(database, table)
        if not types or database in self._reader.failures:
            return False
        return any(
            self._fingerprints(entity, key) == fingerprints and self._bears_name_alone(entity, key)
            for entity in types
        )

    def _bears_name_alone(self, entity: EntityType, key: str) -> bool:
        typed = (entity.name, key)
        if typed not in self._alone:
            rows = self._reader.rows.get(typed, ())
            names = {row.cells[one] or "" for row in rows for one in entity.name_columns}
            bearers = {
                (one.entity_type, one.key)
                for name in names
                for mention in self._names.find(name)
                if mention.span == Span(0, len(name))
                for one in mention.subjects
            }
            self._alone[typed] = bearers <= {typed}
        return self._alone[typed]

    def _fingerprints(self, entity: EntityType, key: str) -> frozenset[str]:
        typed = (entity.name, key)
        if typed not in self._known:
            rows = self._reader.rows.get(typed, ())
            found = find_applicable(entity, [one.cells for one in rows], self._occasion)
            crowded = any(one.crowded for one in rows)
            self._known[typed] = frozenset(
                () if crowded else (rows[at].fingerprint for at in found.rows)
            )
        return self._known[typed]
