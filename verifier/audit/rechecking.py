"""Verifying a logged answer again: its turn rebuilt, with versions, permissions and rows as they are now."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from verifier.audit.drift_reading import DriftReader
from verifier.audit.recheck_causes import ReportContext, compare_claim
from verifier.audit.recheck_rows import find_row_news
from verifier.audit.recheck_verdicts import pair_claims, verify_by_tables
from verifier.core.evidence import SpanLocator
from verifier.core.kept_spans import LaterText
from verifier.core.rechecks import Recheck, RecheckedClaim, Standing, worst
from verifier.core.report_file import read_report
from verifier.core.verdicts import DISPOSITIONS, Disposition
from verifier.errors import InputError
from verifier.store.pool import tenant_transaction
from verifier.store.rechecks import read_standing
from verifier.store.redaction import ERASED
from verifier.verify.verifier import begin_provenance, open_reader

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.audit.recheck_candidates import Choice
    from verifier.audit.recheck_causes import ClaimEvidence
    from verifier.core.report_file import WrittenReport
    from verifier.core.turns import RetrievedChunk, Turn
    from verifier.core.written_claims import WrittenClaim
    from verifier.store.answers import RawReport
    from verifier.store.pool import Pool
    from verifier.store.rechecks import VersionStanding
    from verifier.verify.verifier import Backing

    Standings = Mapping[tuple[str, int], VersionStanding]

_MOST_TEXTS: Final = 200
_REDACTED: Final = (
    "it was logged without its texts (answer_log = redacted), so it can't be verified again"
)


@dataclass(slots=True, kw_only=True)
class Rechecker:
    """Verifies logged answers of one tenant again at one basis. Not frozen: it keeps texts that it read.

    `now` is the clock of today, `as_of` the one to hold the answers to instead.
    """

    pool: Pool
    tenant: str
    backing: Backing
    basis: int
    now: datetime
    as_of: datetime | None = None
    _standings: dict[tuple[datetime, str, int], VersionStanding] = field(default_factory=dict)
    _later: dict[tuple[str, int | None], LaterText] = field(default_factory=dict)

    async def recheck(self, logged: RawReport, choice: Choice) -> Recheck:
        """Return what the answer comes to now. What can't be read is open, and says why.

        A clock that was set back behind the answer's own moment counts as that moment. Rows that `choice`
        has are not read again, and databases that failed it not asked.
        """
        moment = self.as_of or max(self.now, logged.created_at)
        if logged.redacted:
            return self._leave_open(logged, moment, _REDACTED)
        try:
            written = read_report(logged.report)
        except InputError as problem:
            return self._leave_open(logged, moment, f"it can't be read back: {problem}")
        standings = await self._read_standings(written, moment)
        turn = self._renew(written.turn, standings, moment)
        reader = replace(
            open_reader(self.backing, turn), known=choice.rows, failures=dict(choice.failures)
        )
        today = begin_provenance(self.backing.catalog, created_at=moment)
        found = await verify_by_tables(
            written.answer, turn, backing=self.backing, provenance=today, reader=reader
        )
        is_erased = ERASED in written.answer
        pairs = tuple(pair_claims(written.claims, found, by_text=is_erased))
        fallen = [claim for claim, now in pairs if _has_fallen(claim, now)]
        drift = DriftReader(self.backing, moment, known=choice.rows)
        context = ReportContext(
            catalog_changed=written.catalog_hash != today.catalog_hash,
            verifier_changed=written.verifier_version != today.verifier_version,
            failures=dict(reader.failures),
            is_erased=is_erased,
            standings=standings,
            later=self._read_later(standings),
            rows=await find_row_news(logged, turn, fallen, drift, self.backing),
        )
        claims = tuple(compare_claim(claim, now, context) for claim, now in pairs)
        return self._tell(logged, moment, claims)

    def _tell(
        self,
        logged: RawReport,
        moment: datetime,
        claims: tuple[RecheckedClaim, ...],
        *,
        reason: str | None = None,
    ) -> Recheck:
        return Recheck(
            report_id=logged.report_id,
            created_at=logged.created_at.astimezone(UTC),
            moment=moment,
            as_of=self.as_of,
            basis=self.basis,
            standing=worst(claims) if reason is None else Standing.OPEN,
            claims=claims,
            reason=reason,
        )

    def _leave_open(self, logged: RawReport, moment: datetime, reason: str) -> Recheck:
        return self._tell(logged, moment, (), reason=reason)

    def _renew(self, turn: Turn, standings: Standings, moment: datetime) -> Turn:
        """Return the turn with the clock of the recheck, and its chunks as the store has them now.

        A turn that had no clock gets none: its words would be read by it, which they were not.
        """
        return replace(
            turn,
            now=None if turn.now is None else moment,
            retrieved=tuple(_renew_chunk(one, standings) for one in turn.retrieved),
        )

    async def _read_standings(self, written: WrittenReport, moment: datetime) -> Standings:
        places = {
            (chunk.source, chunk.seq) for chunk in written.turn.retrieved if chunk.seq is not None
        }
        places |= {
            (one.source, one.seq)
            for claim in written.claims
            for one in list_spans(claim)
            if one.seq is not None
        }
        if len(self._standings) > _MOST_TEXTS:
            self._standings.clear()
            self._later.clear()
        unread = sorted(one for one in places if (moment, *one) not in self._standings)
        if unread:
            async with tenant_transaction(self.pool, self.tenant, read_only=True) as conn:
                found = await read_standing(conn, unread, moment=moment)
            self._standings |= {(moment, *place): standing for place, standing in found.items()}
        known = {one: self._standings.get((moment, *one)) for one in places}
        return {place: standing for place, standing in known.items() if standing is not None}

    def _read_later(self, standings: Standings) -> Mapping[int, LaterText]:
        """Return the texts that answer in the place of others, by the version that each took the place of."""
        found: dict[int, LaterText] = {}
        for one in standings.values():
            if one.current_text is not None:
                answering = (one.source, one.current_seq)
                if answering not in self._later:
                    self._later[answering] = LaterText(one.current_text)
                found[one.version_id] = self._later[answering]
        return found


def _renew_chunk(chunk: RetrievedChunk, standings: Standings) -> RetrievedChunk:
    """Return the chunk with permission, currency and review of now; of an erased version without text.

    One that another version replaced counts as current here: whether its words still stand is looked up
    for each claim by itself.
    """
    if chunk.seq is None:
        return chunk
    standing = standings.get((chunk.source, chunk.seq))
    if standing is None:
        return chunk
    return replace(
        chunk,
        text="" if standing.state == "erased" else chunk.text,
        approved=standing.permission == "approved",
        current=standing.current_seq is not None,
        review_until=standing.review_until,
    )


def list_spans(claim: WrittenClaim) -> tuple[SpanLocator, ...]:
    """Return the spans of document versions that the claim's verdict rests on."""
    return tuple(
        one.locator for one in claim.verdict.evidence if isinstance(one.locator, SpanLocator)
    )


def _has_fallen(claim: WrittenClaim, now: ClaimEvidence | None) -> bool:
    """Return whether a claim was accepted, and is not."""
    stays = now is not None and DISPOSITIONS[now.judged.verdict.code] is Disposition.ACCEPTED
    return DISPOSITIONS[claim.verdict.code] is Disposition.ACCEPTED and not stays
