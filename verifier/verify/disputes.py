"""Conflicts on record: what is left of a verdict that rests on words which another place denies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from verifier.core.conflicts import Dispute, StoredPlace
from verifier.core.evidence import SpanLocator
from verifier.core.verdicts import Disposition, Finding, Reason, Tier, Verdict, VerdictCode
from verifier.errors import VerifierError

if TYPE_CHECKING:
    from verifier.core.report import JudgedClaim

FindDisputes: TypeAlias = Callable[[Sequence[StoredPlace]], Awaitable[Sequence[Dispute]]]
"""Tells which places of document versions are in an open conflict."""

_WEIGHED: Final = frozenset({Disposition.ACCEPTED, Disposition.REVIEW})
_AGED: Final = frozenset({VerdictCode.STALE_REVIEW, VerdictCode.SUPERSEDED_VERSION})
_MOST_TOLD: Final = 5


async def weigh_disputes(
    judged: tuple[JudgedClaim, ...], find_disputes: FindDisputes | None
) -> tuple[JudgedClaim, ...]:
    """Return the claims, those in `source_conflict` whose verdict rests on a place of an open conflict.

    All places are asked for at once, and nothing is where no verdict rests on the store. Rejections stay,
    and so do reviews for the age of what is cited. A store that does not answer leaves accepted ones
    unverifiable.
    """
    resting = {one.claim.claim_id: _places_of(one.verdict) for one in judged}
    places = tuple(dict.fromkeys(place for each in resting.values() for place in each))
    if find_disputes is None or not places:
        return judged
    try:
        disputes = await find_disputes(places)
    except VerifierError as error:
        return tuple(
            replace(one, verdict=_left_open(one.verdict, error))
            if resting[one.claim.claim_id]
            else one
            for one in judged
        )
    return tuple(
        replace(one, verdict=_dispute(one.verdict, own))
        if (own := [each for each in disputes if each.place in resting[one.claim.claim_id]])
        else one
        for one in judged
    )


def _places_of(verdict: Verdict) -> frozenset[StoredPlace]:
    if verdict.disposition not in _WEIGHED or verdict.code in _AGED:
        return frozenset()
    return frozenset(
        StoredPlace(source=place.source, seq=place.seq, span=place.span)
        for place in (one.locator for one in verdict.evidence)
        if isinstance(place, SpanLocator) and place.seq is not None
    )


def _dispute(verdict: Verdict, disputes: Sequence[Dispute]) -> Verdict:
    told = {one.conflict_id: one for one in disputes}
    named = "; ".join(
        f"conflict {one.conflict_id} is on record: of {one.subject}, {one.attribute},"
        f" {one.place.source} says {one.value!r} and {one.other} {one.other_value!r}"
        for one in list(told.values())[:_MOST_TOLD]
    )
    decided = verdict.decided_by
    return _decide(
        verdict,
        replace(
            decided,
            tier=Tier.DOCUMENT,
            code=VerdictCode.SOURCE_CONFLICT,
            detail=f"{named}; otherwise {decided.code}: {decided.detail}",
            corrected_value=None,
        ),
    )


def _left_open(verdict: Verdict, error: VerifierError) -> Verdict:
    decided = verdict.decided_by
    if decided.disposition is not Disposition.ACCEPTED:
        return verdict
    return _decide(
        verdict,
        replace(
            decided,
            code=VerdictCode.UNVERIFIABLE,
            reason=Reason.DATABASE_UNAVAILABLE,
            detail=f"whether a conflict is on record could not be asked: {error}",
        ),
    )


def _decide(verdict: Verdict, finding: Finding) -> Verdict:
    return replace(verdict, decided_by=finding, findings=(*verdict.findings, finding))
