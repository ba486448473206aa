"""The tiers in their order: each sees what the ones before it left open."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from verifier.core.report import JudgedClaim
from verifier.verify.merging import decide, narrow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.claims import Claim, ClaimId
    from verifier.core.ports import TierJudge
    from verifier.core.turns import Turn
    from verifier.core.verdicts import Finding


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
