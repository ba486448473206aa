"""Judging an answer part after part: each against the turn, with what leads to it, and no more than once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from secrets import token_hex
from typing import TYPE_CHECKING, Final

from verifier.core.annotation import mark_claims
from verifier.core.catalog.reading import place_moment
from verifier.core.correction import apply_edits
from verifier.core.policy import Mode
from verifier.core.sentences import split_sentences
from verifier.core.streaming_context import StreamContext
from verifier.core.streaming_cuts import has_open_notes
from verifier.core.streaming_places import (
    number_claims,
    place_claims,
    place_unchecked,
)
from verifier.core.verdicts import Finding, Reason, Verdict, VerdictCode
from verifier.verify.answer_binding import Binding
from verifier.verify.answer_reading import read_answer
from verifier.verify.correction import correct
from verifier.verify.disputes import weigh_disputes
from verifier.verify.verifier import judge_extraction, open_reader, open_tiers, read_ledger

if TYPE_CHECKING:
    from verifier.core.policy import Annotation, Edit, Policy
    from verifier.core.report import GroundingReport, JudgedClaim, Provenance, UncheckedSentence
    from verifier.core.turns import Turn
    from verifier.verify.row_reading import RowReader
    from verifier.verify.verifier import Backing

_NO_NOTE: Final = "it cites by a footnote that has not come yet"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPart:
    """A part of an answer with its claims, placed in the answer; `text` is what the policy made of it."""

    text: str
    judged: tuple[JudgedClaim, ...]
    unchecked: tuple[UncheckedSentence, ...]
    edits: tuple[Edit, ...] = ()
    annotations: tuple[Annotation, ...] = ()


class PartJudge:
    """Judges the parts of one answer in order. Evidence is read once, rows by key once."""

    def __init__(
        self, turn: Turn, policy: Policy, backing: Backing, provenance: Provenance
    ) -> None:
        self._turn = turn
        self._policy = policy
        self._backing = backing
        self._provenance = provenance
        self.label = f"check-{token_hex(3)}-"  # not to be foreseen by what is written
        self._ledger = read_ledger(turn, backing.catalog)
        self._binding = Binding()
        self._rows = open_reader(backing, turn)
        self._context = StreamContext()
        self._claims = 0

    @property
    def line(self) -> str:
        """What tells which block the next part begins in."""
        return self._context.line()

    async def judge(
        self, part: str, start: int, shown: int = 0, *, ended: bool = False
    ) -> JudgedPart:
        """Return the next part of the answer judged, which begins at `start` of it.

        So much of it as `shown` tells has gone out already; nothing follows where the answer has `ended`.
        Cancelled, nothing is kept of the part.
        """
        lead = self._context.lead()
        window = lead + part
        report, reader = await self._verify(window, len(lead))
        found = await self._carry_out(report, reader, len(lead), len(lead) + shown)
        offset = start - len(lead)
        self._claims += len(found.judged)
        inside = [one for one in split_sentences(window) if one.span.end > len(lead)]
        self._context.note(window, inside, len(lead))
        judged = found.judged if ended else _await_notes(window, found.judged)
        return replace(
            found,
            judged=place_claims(judged, offset),
            unchecked=place_unchecked(found.unchecked, offset),
            edits=tuple(replace(one, span=one.span.shift(offset)) for one in found.edits),
        )

    async def _carry_out(
        self, report: GroundingReport, reader: RowReader, lead: int, shown: int
    ) -> JudgedPart:
        """Return what the policy makes of a part, its spans still those of the window."""
        if self._policy.mode is Mode.CORRECT:
            return await self._correct(report, reader, lead, shown)
        judged = number_claims(report.judged, self._claims + 1)
        text: str = report.answer[shown:]
        annotations: tuple[Annotation, ...] = ()
        if self._policy.mode is Mode.ANNOTATE:
            text, annotations = mark_claims(report.answer, judged, self.label, shown)
        return JudgedPart(
            text=text, judged=judged, unchecked=report.unchecked, annotations=annotations
        )

    async def _verify(self, window: str, start: int) -> tuple[GroundingReport, RowReader]:
        """Return the report on what of a window stands behind `start`."""
        reader = open_reader(self._backing, self._turn)
        reader.earlier = self._rows
        reader.failures.update(self._rows.failures)
        now = self._turn.now or self._provenance.created_at
        self._binding.start = start
        reading = await read_answer(
            window,
            self._ledger,
            reader,
            self._backing.names,
            now=place_moment(now, self._turn.timezone),
            binding=self._binding,
        )
        tiers = open_tiers(reading, self._ledger, self._backing, reader, now=now)
        report = await judge_extraction(
            window, self._turn, reading.extraction, tiers, provenance=self._provenance
        )
        judged = await weigh_disputes(report.judged, self._backing.find_disputes)
        self._rows.keep(reader)
        return replace(report, judged=judged, policy=self._policy), reader

    async def _correct(
        self, report: GroundingReport, reader: RowReader, lead: int, shown: int
    ) -> JudgedPart:
        """Return a part with its corrections, each proved within the window; what is shown stays."""
        report, release = await correct(report, backing=self._backing, reader=reader, start=lead)
        judged = number_claims(report.judged, self._claims + 1)
        ids = {
            old.claim.claim_id: new.claim.claim_id
            for old, new in zip(report.judged, judged, strict=True)
        }
        edits = [one for one in release.edits if one.span.start >= shown]
        return JudgedPart(
            text=apply_edits(report.answer, edits)[shown:],
            judged=judged,
            unchecked=report.unchecked,
            edits=tuple(
                replace(one, claims=tuple(ids[name] for name in one.claims)) for one in edits
            ),
        )


def _await_notes(answer: str, judged: tuple[JudgedClaim, ...]) -> tuple[JudgedClaim, ...]:
    """Leave open what cites by footnotes whose text has not come."""
    return tuple(
        _leave_open(one) if has_open_notes(one.claim.sentence.of(answer), answer) else one
        for one in judged
    )


def _leave_open(judged: JudgedClaim) -> JudgedClaim:
    finding = Finding(
        claim=judged.claim.claim_id,
        tier=None,
        code=VerdictCode.UNVERIFIABLE,
        detail=_NO_NOTE,
        reason=Reason.INCOMPLETE_EVIDENCE,
    )
    verdict = Verdict(claim=judged.claim.claim_id, decided_by=finding, findings=(finding,))
    return replace(judged, verdict=verdict)
