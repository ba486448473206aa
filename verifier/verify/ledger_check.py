"""Holding what tool results say against the canonical tables: which of them are out of date."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.catalog.reading import place_moment
from verifier.core.claims import Assertion, Claim, ClaimForm, ClaimId
from verifier.core.evidence import LedgerLocator
from verifier.core.ledger_facts import read_attribute
from verifier.core.spans import Span
from verifier.core.verdicts import VerdictCode
from verifier.verify.database_tier import DatabaseTier
from verifier.verify.verifier import back_by_pool, begin_provenance, open_reader, read_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.core.catalog import Catalog
    from verifier.core.evidence import Evidence, Fact
    from verifier.core.turns import Turn
    from verifier.core.verdicts import Finding, Reason
    from verifier.store.canonical_pool import CanonicalPool
    from verifier.verify.verifier import Backing

_NOWHERE: Final = Span(0, 0)


class Standing(StrEnum):
    """How a fact of a tool result stands to its row."""

    CURRENT = "current"
    STALE = "stale"
    GONE = "gone"
    OPEN = "open"


_STANDINGS: Final = MappingProxyType(
    {
        VerdictCode.VERIFIED: Standing.CURRENT,
        VerdictCode.PRICE_MISMATCH: Standing.STALE,
        VerdictCode.ATTRIBUTE_MISMATCH: Standing.STALE,
        VerdictCode.NOT_FOUND: Standing.GONE,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFact:
    """A fact of the ledger that the catalog covers, and how it stands to its row.

    `row` is what the row has, where one was compared. A fact is `gone` where no row of its thing is visible,
    and `open`, with its `reason`, where it could not be compared or rows differ among themselves.
    """

    entity_type: str
    key: str
    attribute: str
    told: str
    locator: LedgerLocator
    standing: Standing
    detail: str
    right: str | None = None
    row: tuple[Evidence, ...] = ()
    reason: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerCheck:
    """Every fact of a turn's ledger that the catalog covers, in the order of the calls."""

    facts: tuple[CheckedFact, ...]
    database_round_trips: int

    @property
    def stale_calls(self) -> tuple[str, ...]:
        """The ids of the calls of which a fact is stale, or its thing gone, in their order."""
        old = {Standing.STALE, Standing.GONE}
        return tuple(
            dict.fromkeys(one.locator.call_id for one in self.facts if one.standing in old)
        )


async def check_ledger_against_database(
    turn: Turn, pool: CanonicalPool | None, *, catalog: Catalog
) -> LedgerCheck:
    """Return how the facts of the turn's tool results stand to their rows, by one SELECT.

    The pool serves every database that the catalog names. What it can't tell is `open`, never an exception;
    without a pool all is. Facts of failed calls, and those that no attribute declares, are not among them.
    """
    return await check_ledger(turn, back_by_pool(catalog, pool))


async def check_ledger(turn: Turn, backing: Backing) -> LedgerCheck:
    """Return how the facts of the turn's tool results stand to their rows, by one SELECT a database."""
    now = turn.now or begin_provenance(backing.catalog).created_at
    told = list(_list_things(turn, backing.catalog))
    tier = DatabaseTier(
        catalog=backing.catalog,
        reader=open_reader(backing, turn),
        now=place_moment(now, turn.timezone),
    )
    findings: defaultdict[ClaimId, list[Finding]] = defaultdict(list)
    for finding in await tier.judge([one.claim for one in told], turn):
        findings[finding.claim].append(finding)
    facts = tuple(
        fact for thing in told for fact in _check_thing(thing, findings[thing.claim.claim_id])
    )
    return LedgerCheck(facts=facts, database_round_trips=tier.round_trips)


@dataclass(frozen=True, slots=True)
class _Thing:
    """A record of a catalogued thing: its facts by attribute, and the claim that they all hold."""

    facts: Mapping[str, Fact]
    claim: Claim


def _list_things(turn: Turn, catalog: Catalog) -> Iterator[_Thing]:
    for record in read_ledger(turn, catalog).records:
        entity = catalog.find_type(record.entity_type or "")
        if entity is None or record.subject is None or record.subject.key is None:
            continue
        read = (
            (one.name, read_attribute(record, one, timezone_name=turn.timezone))
            for one in entity.attributes
        )
        facts = {name: fact for name, fact in read if fact is not None}
        assertions = tuple(
            Assertion(
                subject=record.subject,
                attribute=(name,),
                value=fact.value,
                span=_NOWHERE,
                catalogued=True,
            )
            for name, fact in facts.items()
        )
        claim = Claim(
            claim_id=ClaimId(f"{record.call.call_id} {record.found.place.pointer}"),
            form=ClaimForm.CARD,
            span=_NOWHERE,
            text="",
            sentence=_NOWHERE,
            assertions=assertions,
            entity_type=entity.name,
        )
        if facts:
            yield _Thing(facts, claim)


def _check_thing(thing: _Thing, findings: Sequence[Finding]) -> Iterator[CheckedFact]:
    """Yield the facts of a thing; a finding without an attribute is on all of them."""
    by_attribute = {finding.attribute: finding for finding in findings}
    for name, fact in thing.facts.items():
        finding = by_attribute.get(name) or by_attribute.get(None)
        subject = thing.claim.assertions[0].subject
        if finding is None or subject is None or not isinstance(fact.locator, LedgerLocator):
            continue
        yield CheckedFact(
            entity_type=thing.claim.entity_type or "",
            key=subject.key or "",
            attribute=name,
            told=fact.value.text,
            locator=fact.locator,
            standing=_STANDINGS.get(finding.code, Standing.OPEN),
            detail=finding.detail,
            right=finding.corrected_value,
            row=finding.evidence,
            reason=finding.reason,
        )
