"""Verifying an answer: extract its claims, climb the tiers in the order of their cost, and report."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final

from verifier.core.binding.binder import BoundValue, bind_answer
from verifier.core.catalog import Catalog
from verifier.core.claims import Claim, ClaimForm, ClaimId
from verifier.core.extraction import Extraction, extract_claims
from verifier.core.facts import read_evidence
from verifier.core.ledger import Ledger, build_ledger
from verifier.core.names import index_names
from verifier.core.report import HOLD_REJECTED, GroundingReport, JudgedClaim, Provenance
from verifier.core.report_json import identify_report
from verifier.core.spans import Span
from verifier.core.text import clean_text
from verifier.core.turns import Turn
from verifier.core.verdicts import Reason
from verifier.verify.binding_tier import BindingTier
from verifier.verify.database_tier import DatabaseTier
from verifier.verify.document_tier import DocumentTier
from verifier.verify.known_names import CanonicalNames, list_ledger_names
from verifier.verify.ledger_tier import LedgerTier, list_hidden_keys
from verifier.verify.merging import decide, narrow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.ports import TierJudge
    from verifier.core.turns import ToolCall
    from verifier.core.verdicts import Disposition, Finding
    from verifier.store.canonical import CanonicalPool
    from verifier.verify.database_tier import LendPool
    from verifier.verify.document_tier import FindChunks

LONGEST_ANSWER: Final = 2_000_000
_EMPTY_CATALOG: Final = Catalog()


@dataclass(frozen=True, slots=True, kw_only=True)
class Backing:
    """What an answer may be held against besides its turn. Nothing is asked before it is needed.

    `lend_pool` gives the pool of a canonical database by name, `names` what prose may call its things,
    `find_chunks` tells which chunk ids exist in the store; a canonical statement may take `timeout_s`.
    """

    catalog: Catalog = field(default=_EMPTY_CATALOG)
    lend_pool: LendPool | None = None
    names: CanonicalNames | None = None
    find_chunks: FindChunks | None = None
    timeout_s: float = 5.0


def begin_provenance(catalog: Catalog, *, created_at: datetime | None = None) -> Provenance:
    """Return the provenance of a report made now: this package's version and the catalog's hash."""
    try:
        verifier_version = version("grounding-verifier")
    except PackageNotFoundError:
        verifier_version = "0+unknown"
    return Provenance(
        verifier_version=verifier_version,
        created_at=created_at or datetime.now(UTC),
        catalog_hash=catalog.digest if catalog.entity_types else None,
    )


async def verify_answer(
    answer: str,
    turn: Turn,
    *,
    backing: Backing | None = None,
    provenance: Provenance | None = None,
    hold: frozenset[Disposition] = HOLD_REJECTED,
) -> GroundingReport:
    """Return the grounding report of `answer`: every claim with its verdict and evidence.

    What can't be checked is a verdict too; a broken card, a failing database or a hostile text never
    raises. Freshness is judged at the turn's `now`, else at the provenance's `created_at`.
    """
    backing = backing or Backing()
    provenance = provenance or begin_provenance(backing.catalog)
    answer = clean_text(answer)
    ledger = _ledger_of(turn, backing.catalog)
    bound = _bind(answer, turn, ledger, backing.catalog)
    extraction = await _extract(answer, turn, ledger, backing, bound=bound)
    tiers = _tiers(ledger, backing, bound, now=turn.now or provenance.created_at)
    report = await _judge(answer, turn, extraction, tiers, provenance=provenance)
    return identify_report(replace(report, hold=hold))


async def verify_claims(
    claims: str | Sequence[Claim],
    ledger: Ledger | Sequence[ToolCall] | None,
    pool: CanonicalPool | None,
    *,
    catalog: Catalog | None = None,
    turn: Turn | None = None,
) -> GroundingReport:
    """Return the grounding report of an answer, or of claims that were already extracted.

    Without `ledger` the turn's own calls count, without `pool` nothing is asked: what then can't be
    checked is `unverifiable`. The pool serves every database that the catalog names.
    """
    catalog = catalog or _EMPTY_CATALOG
    turn = turn or Turn()
    backing = _backing(catalog, pool)
    if ledger is not None and not isinstance(ledger, Ledger):
        turn = replace(turn, calls=tuple(ledger))
    known = ledger if isinstance(ledger, Ledger) else _ledger_of(turn, catalog)
    bound: tuple[BoundValue, ...] | None = None
    if isinstance(claims, str):
        answer = clean_text(claims)
        bound = None if isinstance(ledger, Ledger) else _bind(answer, turn, known, catalog)
        extraction = await _extract(answer, turn, known, backing, bound=bound)
    else:
        answer = "\n".join(claim.text for claim in claims)
        extraction = Extraction(claims=tuple(claims), unchecked=())
    provenance = begin_provenance(catalog)
    tiers = _tiers(known, backing, bound, now=turn.now or provenance.created_at)
    report = await _judge(answer, turn, extraction, tiers, provenance=provenance)
    return identify_report(report)


async def judge_claims(
    claims: Sequence[Claim], turn: Turn, tiers: Sequence[TierJudge]
) -> tuple[tuple[JudgedClaim, ...], int]:
    """Return the claims with their verdicts, and the number of SELECTs on canonical tables.

    The one place that holds order and stopping: each tier sees what the ones before it left open, and
    nothing of a claim that is rejected for good.
    """
    found: defaultdict[ClaimId, list[Finding]] = defaultdict(list)
    for tier in tiers:
        narrowed = (narrow(claim, found[claim.claim_id]) for claim in claims)
        remaining = [claim for claim in narrowed if claim is not None]
        if not remaining:
            continue
        for finding in await tier.judge(remaining, turn):
            found[finding.claim].append(finding)
    judged = tuple(
        JudgedClaim(claim=claim, verdict=decide(claim, found[claim.claim_id])) for claim in claims
    )
    return judged, sum(tier.round_trips for tier in tiers)


async def _judge(
    answer: str,
    turn: Turn,
    extraction: Extraction,
    tiers: Sequence[TierJudge],
    *,
    provenance: Provenance,
) -> GroundingReport:
    """Return the report on what was extracted, without its id."""
    judged, round_trips = await judge_claims(extraction.claims, turn, tiers)
    return GroundingReport(
        report_id="",
        answer=answer,
        turn=turn,
        judged=judged,
        unchecked=extraction.unchecked,
        provenance=provenance,
        database_round_trips=round_trips,
    )


def _bind(
    answer: str, turn: Turn, ledger: Ledger, catalog: Catalog
) -> tuple[BoundValue, ...] | None:
    """Return the answer's values bound to the turn's facts; None where it cites, or is too large."""
    if turn.cited is not None or turn.citations_required or len(answer) > LONGEST_ANSWER:
        return None
    hidden = list_hidden_keys(catalog, ledger, turn)
    return bind_answer(answer, turn, read_evidence(turn), hidden=hidden)


async def _extract(
    answer: str,
    turn: Turn,
    ledger: Ledger,
    backing: Backing,
    *,
    bound: tuple[BoundValue, ...] | None,
) -> Extraction:
    """Extract with the ledger's names; ask the tables for theirs only where a value stays unbound."""
    if len(answer) > LONGEST_ANSWER:
        return _too_large(answer)
    named = tuple(list_ledger_names(ledger))
    catalog = backing.catalog
    names = index_names(named)
    extraction = extract_claims(
        answer, turn, catalog=catalog, ledger=ledger, names=names, bound=bound
    )
    if backing.names is None or not extraction.leaves_values_open:
        return extraction
    more = await backing.names.list_names()
    if not more:
        return extraction
    names = index_names((*named, *more))
    return extract_claims(answer, turn, catalog=catalog, ledger=ledger, names=names, bound=bound)


def _too_large(answer: str) -> Extraction:
    span = Span(0, len(answer))
    claim = Claim(
        claim_id=ClaimId("c1"),
        form=ClaimForm.PROSE,
        span=span,
        text=answer[:200],
        sentence=span,
        fault=Reason.TOO_LARGE,
    )
    return Extraction(claims=(claim,), unchecked=())


def _tiers(
    ledger: Ledger, backing: Backing, bound: Sequence[BoundValue] | None, *, now: datetime
) -> tuple[TierJudge, ...]:
    return (
        LedgerTier(catalog=backing.catalog, ledger=ledger),
        BindingTier(bound={one.stated.span: one for one in bound or ()}),
        DatabaseTier(
            catalog=backing.catalog, lend_pool=backing.lend_pool, timeout_s=backing.timeout_s
        ),
        DocumentTier(now=now, find_chunks=backing.find_chunks),
    )


def _ledger_of(turn: Turn, catalog: Catalog) -> Ledger:
    return build_ledger(
        turn.calls,
        catalog=catalog,
        scope=turn.scope,
        current_turn=turn.current_turn,
        timezone_name=turn.timezone,
    )


def _backing(catalog: Catalog, pool: CanonicalPool | None) -> Backing:
    if pool is None:
        return Backing(catalog=catalog)

    async def lend(_database: str) -> CanonicalPool:
        return pool

    return Backing(catalog=catalog, lend_pool=lend, names=CanonicalNames(catalog, lend))
