"""The database tier: everything that the ledger left open, against the canonical tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.core.catalog.keys import find_key
from verifier.core.verdicts import Finding, Reason, Tier
from verifier.verify.findings import find_not_found, find_unverifiable
from verifier.verify.row_comparison import compare_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.catalog import Catalog, EntityType
    from verifier.core.claims import Claim
    from verifier.core.turns import Turn
    from verifier.core.values import Interval
    from verifier.verify.row_reading import RowReader


@dataclass(frozen=True, slots=True)
class _Wanted:
    claim: Claim
    entity: EntityType
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseTier:
    """Judges claims about catalogued things by their rows: one SELECT a database, whatever the mix.

    Rows that apply at some time only are held to `now`, unless a claim tells its own time.
    """

    catalog: Catalog
    reader: RowReader
    now: Interval

    @property
    def tier(self) -> Tier:
        """The database."""
        return Tier.DATABASE

    @property
    def round_trips(self) -> int:
        """How many SELECTs on canonical tables were made."""
        return self.reader.round_trips

    async def judge(self, claims: Sequence[Claim], turn: Turn) -> tuple[Finding, ...]:
        """Return findings on every claim about a catalogued thing. Failures are findings."""
        findings: list[Finding] = []
        wanted: list[_Wanted] = []
        for claim in claims:
            entity = self.catalog.find_type(claim.entity_type or "")
            if entity is None or claim.fault is not None or not claim.assertions:
                continue
            settled = self._without_asking(claim, entity)
            if isinstance(settled, _Wanted):
                wanted.append(settled)
            else:
                findings.extend(settled)
        await self.reader.read((one.entity.name, one.key) for one in wanted)
        for one in wanted:
            findings.extend(self._compare(one, turn))
        return tuple(findings)

    def _without_asking(self, claim: Claim, entity: EntityType) -> tuple[Finding, ...] | _Wanted:
        subject = claim.assertions[0].subject
        if subject is None or subject.key is None:
            return _leave_open(claim, Reason.NO_EVIDENCE, f"no id of a {entity.name} is given")
        key = find_key(entity, subject.key)
        if key is None:
            return (find_not_found(claim, None),)
        missing = self.reader.find_missing_field(entity)
        if missing is not None:
            detail = f"a {entity.name} is only seen with a {missing}; the turn has none"
            return _leave_open(claim, Reason.NO_PRINCIPAL, detail)
        return _Wanted(claim, entity, key)

    def _compare(self, one: _Wanted, turn: Turn) -> Iterator[Finding]:
        failure = self.reader.failures.get(one.entity.database)
        if failure is not None and (one.entity.name, one.key) not in self.reader.asked:
            yield from _leave_open(one.claim, *failure)
            return
        rows = self.reader.rows.get((one.entity.name, one.key), ())
        yield from compare_rows(one.claim, one.entity, rows, turn, now=self.now)


def _leave_open(claim: Claim, reason: Reason, detail: str) -> tuple[Finding, ...]:
    return tuple(
        find_unverifiable(claim, reason, detail, assertion) for assertion in claim.assertions
    )
