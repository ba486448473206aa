"""The database tier: everything that the ledger left open, against the canonical tables."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from verifier.core.catalog.declarations import PRINCIPAL, TENANT
from verifier.core.catalog.keys import find_key
from verifier.core.verdicts import Finding, Reason, Tier
from verifier.errors import DatabaseTimeout, StoreError
from verifier.verify.findings import find_not_found, find_unverifiable
from verifier.verify.row_comparison import compare_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.core.catalog import Catalog, EntityType
    from verifier.core.claims import Claim
    from verifier.core.turns import Turn
    from verifier.store.canonical import CanonicalPool, CanonicalRow

LendPool: TypeAlias = Callable[[str], Awaitable["CanonicalPool"]]
"""Gives the pool of a canonical database by its name; called only when it is needed."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    claim: Claim
    entity: EntityType
    key: str


@dataclass(slots=True, kw_only=True)
class DatabaseTier:
    """Judges claims about catalogued things by their rows: one SELECT a database, whatever the mix.

    One object serves one answer: `round_trips` counts its SELECTs. Without `lend_pool` only keys that
    can't exist are judged.
    """

    catalog: Catalog
    lend_pool: LendPool | None
    timeout_s: float = 5.0
    _selects: list[str] = field(default_factory=list)

    @property
    def tier(self) -> Tier:
        """The database."""
        return Tier.DATABASE

    @property
    def round_trips(self) -> int:
        """How many SELECTs on canonical tables were made."""
        return len(self._selects)

    async def judge(self, claims: Sequence[Claim], turn: Turn) -> tuple[Finding, ...]:
        """Return findings on every claim about a catalogued thing. Failures are findings."""
        findings: list[Finding] = []
        wanted: defaultdict[str, list[_Wanted]] = defaultdict(list)
        fields = read_turn_fields(turn)
        for claim in claims:
            entity = self.catalog.find_type(claim.entity_type or "")
            if entity is None or claim.fault is not None or not claim.assertions:
                continue
            settled = self._without_asking(claim, entity, fields)
            if isinstance(settled, _Wanted):
                wanted[entity.database].append(settled)
            else:
                findings.extend(settled)
        asked = [self._ask(database, rows, fields, turn) for database, rows in wanted.items()]
        for answered in await asyncio.gather(*asked):
            findings.extend(answered)
        return tuple(findings)

    def _without_asking(
        self, claim: Claim, entity: EntityType, fields: Mapping[str, str]
    ) -> tuple[Finding, ...] | _Wanted:
        subject = claim.assertions[0].subject
        if subject is None or subject.key is None:
            return _leave_open(claim, Reason.NO_EVIDENCE, f"no id of a {entity.name} is given")
        key = find_key(entity, subject.key)
        if key is None:
            return (find_not_found(claim, None),)
        missing = [scope for scope in entity.scopes if not fields.get(scope.turn_field)]
        if missing:
            detail = (
                f"a {entity.name} is only seen with a {missing[0].turn_field}; the turn has none"
            )
            return _leave_open(claim, Reason.NO_PRINCIPAL, detail)
        return _Wanted(claim, entity, key)

    async def _ask(
        self,
        database: str,
        wanted: Sequence[_Wanted],
        fields: Mapping[str, str],
        turn: Turn,
    ) -> list[Finding]:
        if self.lend_pool is None:
            detail = "no tool result tells, and no database was given"
            return list(_unanswered(wanted, Reason.NO_EVIDENCE, detail))
        try:
            rows = await self._fetch(self.lend_pool, database, wanted, fields)
        except DatabaseTimeout as error:
            return list(_unanswered(wanted, Reason.TIMEOUT, str(error)))
        except StoreError as error:
            return list(_unanswered(wanted, Reason.DATABASE_UNAVAILABLE, str(error)))
        return [
            finding
            for one in wanted
            for finding in compare_rows(
                one.claim, one.entity, rows.get((one.entity.name, one.key), ()), turn
            )
        ]

    async def _fetch(
        self,
        lend_pool: LendPool,
        database: str,
        wanted: Sequence[_Wanted],
        fields: Mapping[str, str],
    ) -> Mapping[tuple[str, str], tuple[CanonicalRow, ...]]:
        from verifier.store.canonical import fetch_rows

        keys: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for one in wanted:
            keys[one.entity.name][one.key] = None
        pool = await lend_pool(database)
        self._selects.append(database)
        return await fetch_rows(
            pool,
            self.catalog,
            database,
            {name: tuple(unique) for name, unique in keys.items()},
            fields,
            timeout_s=self.timeout_s,
        )


def read_turn_fields(turn: Turn) -> Mapping[str, str]:
    """Return the fields of a turn that scopes may name: principal, tenant, and those of its context."""
    told = {PRINCIPAL: turn.principal, TENANT: turn.tenant, **turn.context}
    return {name: value for name, value in told.items() if value}


def _unanswered(wanted: Sequence[_Wanted], reason: Reason, detail: str) -> Iterator[Finding]:
    for one in wanted:
        yield from _leave_open(one.claim, reason, detail)


def _leave_open(claim: Claim, reason: Reason, detail: str) -> tuple[Finding, ...]:
    return tuple(
        find_unverifiable(claim, reason, detail, assertion) for assertion in claim.assertions
    )
