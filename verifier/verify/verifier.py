"""Verifying an answer: extract its claims, climb the tiers in the order of their cost, and report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final

from verifier.core.catalog import Catalog
from verifier.core.catalog.reading import place_moment
from verifier.core.extraction import Extraction
from verifier.core.ledger import Ledger, build_ledger
from verifier.core.policy import Policy
from verifier.core.report import GroundingReport, Provenance
from verifier.core.report_json import identify_report
from verifier.core.text import clean_text
from verifier.core.turns import ToolCall, Turn
from verifier.errors import InputError
from verifier.verify.answer_reading import Reading, read_answer
from verifier.verify.aside import Worker
from verifier.verify.binding_tier import BindingTier
from verifier.verify.database_tier import DatabaseTier
from verifier.verify.disputes import weigh_disputes
from verifier.verify.document_tier import DocumentTier
from verifier.verify.known_names import CanonicalNames
from verifier.verify.ledger_tier import LedgerTier
from verifier.verify.row_reading import TIMEOUT_S, RowReader
from verifier.verify.tiers import judge_claims

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.claims import Claim
    from verifier.core.ports import TierJudge
    from verifier.store.canonical_pool import CanonicalPool
    from verifier.verify.disputes import FindDisputes
    from verifier.verify.document_tier import FindChunks
    from verifier.verify.row_reading import LendPool

_EMPTY_CATALOG: Final = Catalog()
_OFF: Final = Policy()


@dataclass(frozen=True, slots=True, kw_only=True)
class Backing:
    """What an answer may be held against besides its turn. Nothing is asked before it is needed.

    `lend_pool` gives the pool of a canonical database by name, `names` what prose may call its things,
    `find_chunks` tells which chunk ids exist in the store, `find_disputes` which words there are in an open
    conflict. A canonical statement may take `timeout_s`, in a
    database that has a limit of its own those of `timeouts_s`.
    """

    catalog: Catalog = field(default=_EMPTY_CATALOG)
    lend_pool: LendPool | None = None
    names: CanonicalNames | None = None
    find_chunks: FindChunks | None = None
    find_disputes: FindDisputes | None = None
    timeout_s: float = TIMEOUT_S
    timeouts_s: Mapping[str, float] = field(default_factory=dict)


def begin_provenance(catalog: Catalog, *, created_at: datetime | None = None) -> Provenance:
    """Return the provenance of a report made now: this package's version and the catalog's hash."""
    return Provenance(
        verifier_version=_own_version(),
        created_at=created_at or datetime.now(UTC),
        catalog_hash=catalog.digest if catalog.entity_types else None,
    )


@cache
def _own_version() -> str:
    """Return the version of this package: reading its metadata takes longer than most answers."""
    try:
        return version("grounding-verifier")
    except PackageNotFoundError:
        return "0+unknown"


def note_turn(provenance: Provenance, turn: Turn) -> Provenance:
    """Return the provenance with what the turn tells of its model, its prompt and its searches."""
    return replace(
        provenance, model=turn.model, prompt_hash=turn.prompt_hash, retriever=turn.retriever
    )


async def verify_answer(
    answer: str,
    turn: Turn,
    *,
    backing: Backing | None = None,
    provenance: Provenance | None = None,
    policy: Policy = _OFF,
    reader: RowReader | None = None,
) -> GroundingReport:
    """Return the grounding report of `answer`: every claim with its verdict and evidence.

    What can't be checked is a verdict too; a broken card, a failing database or a hostile text never
    raises. Freshness is judged at the turn's `now`, else at the provenance's `created_at`. The `policy` is
    noted in the report, not carried out. A `reader` reads no row twice.
    """
    backing = backing or Backing()
    provenance = provenance or begin_provenance(backing.catalog)
    answer = clean_text(answer)
    worker = Worker.of(answer, turn)
    ledger = await worker.do(read_ledger, turn, backing.catalog)
    now = turn.now or provenance.created_at
    reader = reader or open_reader(backing, turn)
    reading = await read_answer(
        answer, ledger, reader, backing.names, now=place_moment(now, turn.timezone)
    )
    tiers = open_tiers(reading, ledger, backing, reader, now=now)
    report = await judge_extraction(answer, turn, reading.extraction, tiers, provenance=provenance)
    judged = await weigh_disputes(report.judged, backing.find_disputes)
    return await worker.do(identify_report, replace(report, judged=judged, policy=policy))


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
    checked is `unverifiable`. The pool serves every database that the catalog names. Raises InputError
    where `ledger` holds anything but tool calls.
    """
    catalog = catalog or _EMPTY_CATALOG
    turn = turn or Turn()
    backing = back_by_pool(catalog, pool)
    if ledger is not None and not isinstance(ledger, Ledger):
        turn = replace(turn, calls=_check_calls(ledger))
    known = ledger if isinstance(ledger, Ledger) else read_ledger(turn, catalog)
    provenance = begin_provenance(catalog)
    now = turn.now or provenance.created_at
    reader = open_reader(backing, turn)
    if isinstance(claims, str):
        answer = clean_text(claims)
        reading = await read_answer(
            answer,
            known,
            reader,
            backing.names,
            now=place_moment(now, turn.timezone),
            binds=not isinstance(ledger, Ledger),
        )
    else:
        answer = "\n".join(claim.text for claim in claims)
        reading = Reading(extraction=Extraction(claims=tuple(claims), unchecked=()))
    tiers = open_tiers(reading, known, backing, reader, now=now)
    report = await judge_extraction(answer, turn, reading.extraction, tiers, provenance=provenance)
    return identify_report(report)


def _check_calls(ledger: object) -> tuple[ToolCall, ...]:
    """Return the tool calls of a ledger that is given as such."""
    listed = tuple(ledger) if isinstance(ledger, Sequence) else (ledger,)
    wrong = [one for one in listed if not isinstance(one, ToolCall)]
    if wrong:
        raise InputError(
            f"ledger holds {type(wrong[0]).__name__}; give ToolCall(call_id=…, tool=…, arguments=…, result=…)"
            " of verifier.core.turns, or messages through verifier.core.messages.calls_of_messages"
        )
    return tuple(one for one in listed if isinstance(one, ToolCall))


async def judge_extraction(
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


def open_tiers(
    reading: Reading, ledger: Ledger, backing: Backing, reader: RowReader, *, now: datetime
) -> tuple[TierJudge, ...]:
    """Return the tiers in their order, for what was read of one answer."""
    moment = place_moment(now, reader.turn.timezone)
    return (
        LedgerTier(catalog=backing.catalog, ledger=ledger),
        BindingTier(
            bound=reading.bound,
            by_ledger=reading.by_ledger,
            records=reading.records,
            failure=reading.failure,
        ),
        DatabaseTier(catalog=backing.catalog, reader=reader, now=moment),
        DocumentTier(now=now, find_chunks=backing.find_chunks),
    )


def open_reader(backing: Backing, turn: Turn) -> RowReader:
    """Return a reader of the rows that the turn may see, which has read none."""
    return RowReader(
        catalog=backing.catalog,
        lend_pool=backing.lend_pool,
        turn=turn,
        timeout_s=backing.timeout_s,
        timeouts_s=backing.timeouts_s,
    )


def read_ledger(turn: Turn, catalog: Catalog) -> Ledger:
    """Return the ledger of a turn."""
    return build_ledger(
        turn.calls,
        catalog=catalog,
        scope=turn.scope,
        current_turn=turn.current_turn,
        timezone_name=turn.timezone,
    )


def back_by_pool(catalog: Catalog, pool: CanonicalPool | None) -> Backing:
    """Return the backing of one pool, which serves every database that the catalog names."""
    if pool is None:
        return Backing(catalog=catalog)

    async def lend(_database: str) -> CanonicalPool:
        return pool

    return Backing(catalog=catalog, lend_pool=lend, names=CanonicalNames(catalog, lend))
