"""Correcting an answer: edits that rows tell, each proved by verifying the corrected answer again."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.claims import ClaimForm
from verifier.core.correction import apply_edits, place_edits, propose_edits
from verifier.core.evidence import LedgerLocator, RowLocator
from verifier.core.policy import Hindrance, LeftAlone, Release
from verifier.core.values import Kind, Quantity
from verifier.core.verdicts import Disposition, Tier, VerdictCode
from verifier.verify.verifier import verify_answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from verifier.core.claims import Assertion
    from verifier.core.policy import Edit
    from verifier.core.report import GroundingReport, JudgedClaim
    from verifier.core.spans import Span
    from verifier.core.turns import Turn
    from verifier.verify.row_reading import RowReader
    from verifier.verify.verifier import Backing

_MOST_ROUNDS: Final = 3
_CALENDAR: Final = frozenset({Kind.DATE, Kind.TIME, Kind.QUARTER})


async def correct(
    report: GroundingReport, *, backing: Backing, reader: RowReader, start: int = 0
) -> tuple[GroundingReport, Release]:
    """Return the report that corrections rest on, and the answer with those that were proved.

    Where a tool result refutes, the tables are asked first; can they not be read, the report stays and what
    it refutes is left alone. An edit stays only if its row accepts its value in the corrected answer.
    Sentences that end before `start` only lead to the rest: they are not reported and not corrected.
    """
    corrector = _Corrector(backing, reader)
    report = _behind(await corrector.confirm(report), start)
    proposal = propose_edits(report, backing.catalog)
    release, unproved = await corrector.prove(report, proposal.edits)
    left = [
        LeftAlone(claim=claim, attribute=None, hindrance=Hindrance.NOT_PROVED)
        for edit in unproved
        for claim in edit.claims
    ]
    report = replace(report, database_round_trips=corrector.round_trips)
    return report, replace(release, left_alone=(*proposal.left_alone, *left))


def _behind(report: GroundingReport, start: int) -> GroundingReport:
    judged = tuple(one for one in report.judged if one.claim.sentence.end > start)
    unchecked = tuple(one for one in report.unchecked if one.span.end > start)
    return replace(report, judged=judged, unchecked=unchecked)


class _Corrector:
    """Verifies one answer again: by the tables, and as corrected. It reads no row twice."""

    def __init__(self, backing: Backing, reader: RowReader) -> None:
        self._backing = backing
        self._reader = reader

    @property
    def round_trips(self) -> int:
        """How many SELECTs on canonical tables were made for this answer."""
        return self._reader.round_trips

    async def confirm(self, report: GroundingReport) -> GroundingReport:
        """Return the report with the tables as the last word, where a tool result refutes something."""
        askable = self._backing.lend_pool is not None and self._backing.catalog.entity_types
        turn = replace(report.turn, check_ledger_against_database=True)
        if not askable or turn == report.turn or not any(map(_is_refuted_by_call, report.judged)):
            return report
        confirmed = await self._verify(report.answer, report, turn)
        return report if self._reader.failures else confirmed

    async def prove(
        self, report: GroundingReport, edits: Sequence[Edit]
    ) -> tuple[Release, list[Edit]]:
        """Return the answer with the edits that stand when it is verified again, and the others."""
        left = list(edits)
        dropped: list[Edit] = []
        for _ in range(_MOST_ROUNDS):
            if not left:
                break
            text = apply_edits(report.answer, left)
            again = await self._verify(text, report, report.turn)
            unproved = set(_find_unproved(left, again))
            if not unproved:
                release = Release(
                    text=text, accepted=again.accepted, outcome=again.outcome, edits=tuple(left)
                )
                return release, dropped
            dropped += [edit for at, edit in enumerate(left) if at in unproved]
            left = [edit for at, edit in enumerate(left) if at not in unproved]
        told = Release(text=report.answer, accepted=report.accepted, outcome=report.outcome)
        return told, [*dropped, *left]

    async def _verify(self, answer: str, report: GroundingReport, turn: Turn) -> GroundingReport:
        self._reader = replace(self._reader, turn=turn)
        return await verify_answer(
            answer,
            turn,
            backing=self._backing,
            provenance=report.provenance,
            policy=report.policy,
            reader=self._reader,
        )


def _is_refuted_by_call(judged: JudgedClaim) -> bool:
    """Return whether a tool result is among what rejects a claim."""
    return judged.verdict.disposition is Disposition.REJECTED and any(
        isinstance(evidence.locator, LedgerLocator)
        for finding in judged.verdict.findings
        if finding.disposition is Disposition.REJECTED
        for evidence in finding.evidence
    )


def _find_unproved(edits: Sequence[Edit], again: GroundingReport) -> Iterator[int]:
    """Yield the places of edits whose value is not accepted by a row where it now stands.

    Beside a value of the same that is left none is proved either, nor beside
    a time that is not proved: the right value of now may not be the one of then.
    """
    timed = {judged.claim.sentence for judged in again.judged if _tells_unproved_time(judged)}
    proved: defaultdict[Span, list[bool]] = defaultdict(list)
    kinds: defaultdict[Span, set[Kind]] = defaultdict(set)
    for judged in again.judged:
        lasting = judged.claim.sentence not in timed
        for assertion in judged.claim.assertions:
            if assertion.value is not None:
                proved[assertion.span].append(lasting and _is_proved(judged, assertion))
                kinds[assertion.span].add(assertion.value.kind)
    left = _list_left(again)
    for at, (edit, place) in enumerate(zip(edits, place_edits(edits), strict=True)):
        is_proved = bool(proved[place]) and all(proved[place])
        if edit.new and (
            not is_proved or any(_is_beside(edit, place, judged, kinds[place]) for judged in left)
        ):
            yield at


def _list_left(again: GroundingReport) -> list[JudgedClaim]:
    """Return the claims of prose that are still not accepted; what stands nowhere was no other's value."""
    return [
        judged
        for judged in again.judged
        if judged.claim.form is ClaimForm.PROSE
        and judged.verdict.disposition is not Disposition.ACCEPTED
        and judged.verdict.code is not VerdictCode.UNSUPPORTED_QUANTITY
    ]


def _is_beside(edit: Edit, place: Span, judged: JudgedClaim, kinds: AbstractSet[Kind]) -> bool:
    """Return whether a claim that is left may be on what an edit of its sentence corrects.

    Of two values of one sentence that are of one kind, the edit may have made the wrong one right: swapped
    ones, "89 instead of 99". A claim that rests on other columns is on something else.
    """
    if not judged.claim.sentence.contains(place):
        return False
    values = [one.value for one in judged.claim.assertions if one.value is not None]
    if not any(value.kind in kinds for value in values):
        return False
    columns = {
        one.locator.column for one in judged.verdict.evidence if isinstance(one.locator, RowLocator)
    }
    own = {one.locator.column for one in edit.evidence if isinstance(one.locator, RowLocator)}
    return not columns or bool(columns & own)


def _tells_unproved_time(judged: JudgedClaim) -> bool:
    """Return whether prose tells a day or a time, and that is not accepted."""
    if judged.claim.form is ClaimForm.CARD:
        return False
    values = [assertion.value for assertion in judged.claim.assertions]
    return judged.verdict.disposition is not Disposition.ACCEPTED and any(
        isinstance(value, Quantity) and value.kind in _CALENDAR for value in values
    )


def _is_proved(judged: JudgedClaim, assertion: Assertion) -> bool:
    """Return whether the database has the last word on an assertion, and accepts it."""
    name = " ".join(assertion.attribute) or None
    said = [
        finding
        for finding in judged.verdict.findings
        if finding.attribute == name and finding.tier is Tier.DATABASE
    ]
    return bool(said) and said[-1].disposition is Disposition.ACCEPTED
