"""The verdicts on a logged answer as they are now: as it was judged, with the tables as the last word."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from verifier.audit.recheck_causes import ClaimEvidence
from verifier.core.evidence import LedgerLocator, RowLocator
from verifier.core.report_json import report_to_json
from verifier.core.verdicts import Disposition, VerdictCode
from verifier.verify.verifier import verify_answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.report import GroundingReport, JudgedClaim, Provenance
    from verifier.core.spans import Span
    from verifier.core.turns import Turn
    from verifier.core.verdicts import Verdict
    from verifier.core.written_claims import WrittenClaim
    from verifier.verify.row_reading import RowReader
    from verifier.verify.verifier import Backing


async def verify_by_tables(
    answer: str, turn: Turn, *, backing: Backing, provenance: Provenance, reader: RowReader
) -> tuple[ClaimEvidence, ...]:
    """Return the claims of an answer as its turn proves them, by today's tables where these say otherwise.

    What a tool result proved is held against the tables too: they count where they refute it. That they
    leave it open, as with things that a tool returned and they do not know, changes nothing.
    """
    report = await verify_answer(
        answer, turn, backing=backing, provenance=provenance, reader=reader
    )
    found = _list_claims(report)
    held = replace(turn, check_ledger_against_database=True)
    asks = backing.lend_pool is not None and backing.catalog.entity_types and held != turn
    if not asks or not any(_is_proved_by_call(one.judged.verdict) for one in found):
        return found
    by_tables = await verify_answer(
        answer, held, backing=backing, provenance=provenance, reader=replace(reader, turn=held)
    )
    again = _Places(_list_claims(by_tables))
    return tuple(_prefer(one, again.take(_place(one.judged))) for one in found)


def pair_claims(
    claims: Sequence[WrittenClaim], found: Sequence[ClaimEvidence], *, by_text: bool
) -> Iterator[tuple[WrittenClaim, ClaimEvidence | None]]:
    """Yield each claim with what is found of it now: that of the same span, several of one in their order.

    `by_text` takes the only one of the same text instead, for an answer of which text was cut.
    """
    if by_text:
        for claim in claims:
            alike = [one for one in found if one.judged.claim.text == claim.text]
            yield claim, alike[0] if len(alike) == 1 else None
        return
    places = _Places(found)
    for claim in claims:
        yield claim, places.take((claim.span, claim.text))


class _Places:
    """Claims by where they stand, each taken once; the last of a place as often as it is asked for."""

    def __init__(self, claims: Sequence[ClaimEvidence]) -> None:
        self._exact: defaultdict[tuple[Span, str], list[ClaimEvidence]] = defaultdict(list)
        self._spans: defaultdict[Span, list[ClaimEvidence]] = defaultdict(list)
        for one in reversed(claims):
            self._exact[_place(one.judged)].append(one)
            self._spans[one.judged.claim.span].append(one)

    def take(self, place: tuple[Span, str]) -> ClaimEvidence | None:
        """Return the next claim of a span and text; where none has this text, the next of the span."""
        waiting = self._exact.get(place) or self._spans.get(place[0])
        if not waiting:
            return None
        return waiting.pop() if len(waiting) > 1 else waiting[0]


def _place(judged: JudgedClaim) -> tuple[Span, str]:
    return judged.claim.span, judged.claim.text


def _list_claims(report: GroundingReport) -> tuple[ClaimEvidence, ...]:
    told = {one["claim"]: one for one in report_to_json(report)["verdicts"]}
    return tuple(
        ClaimEvidence(judged=one, written=told[one.claim.claim_id]) for one in report.judged
    )


def _is_proved_by_call(verdict: Verdict) -> bool:
    accepted = verdict.disposition is Disposition.ACCEPTED
    return accepted and any(isinstance(one.locator, LedgerLocator) for one in verdict.evidence)


def _prefer(by_turn: ClaimEvidence, by_tables: ClaimEvidence | None) -> ClaimEvidence:
    """Return a claim by the tables where a tool result proved it and they refute it."""
    if by_tables is None or not _is_proved_by_call(by_turn.judged.verdict):
        return by_turn
    return by_tables if _is_refuted(by_tables.judged.verdict) else by_turn


def _is_refuted(verdict: Verdict) -> bool:
    """Return whether the tables reject: by a row, or because there is none."""
    by_row = any(isinstance(one.locator, RowLocator) for one in verdict.evidence)
    rejected = verdict.disposition is Disposition.REJECTED
    return rejected and (by_row or verdict.code is VerdictCode.NOT_FOUND)
