"""The ledger tier without a catalog: values bound to the facts of the turn. No I/O, no cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.binding.judging import Fate
from verifier.core.evidence import Evidence, SpanLocator
from verifier.core.grounding_levels import GENERAL, allows_general
from verifier.core.turns import Origin
from verifier.core.verdicts import Finding, Reason, Tier, VerdictCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.core.binding.binder import BoundValue
    from verifier.core.binding.judging import Judgement
    from verifier.core.claims import Claim
    from verifier.core.spans import Span
    from verifier.core.turns import Turn

_CODES: Final = {
    Fate.PROVED: VerdictCode.VERIFIED,
    Fate.DERIVED: VerdictCode.VERIFIED,
    Fate.REFUTED: VerdictCode.CONTRADICTED,
    Fate.ABSENT: VerdictCode.UNSUPPORTED_QUANTITY,
    Fate.AMBIGUOUS: VerdictCode.AMBIGUOUS,
}
_UNPROVED: Final = frozenset({VerdictCode.UNSUPPORTED_QUANTITY, VerdictCode.UNVERIFIABLE})
_MOST_EVIDENCE: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingTier:
    """Judges the claims that no catalog knows by what binding found of their values."""

    bound: Mapping[Span, BoundValue]

    @property
    def tier(self) -> Tier:
        """The ledger."""
        return Tier.LEDGER

    @property
    def round_trips(self) -> int:
        """None is ever made."""
        return 0

    async def judge(self, claims: Sequence[Claim], turn: Turn) -> tuple[Finding, ...]:
        """Return a finding on each claim whose value was bound or searched for."""
        return tuple(finding for claim in claims for finding in self._judge(claim, turn))

    def _judge(self, claim: Claim, turn: Turn) -> Iterator[Finding]:
        if claim.entity_type is not None or claim.citations or len(claim.assertions) != 1:
            return
        bound = self.bound.get(claim.assertions[0].span)
        if bound is not None and turn.cited is None:
            yield _finding(claim, bound, turn)


def _finding(claim: Claim, bound: BoundValue, turn: Turn) -> Finding:
    judgement = bound.judgement
    evidence = tuple(
        Evidence(locator=one.fact.fact.locator, text=one.fact.fact.value.text)
        for one in judgement.deciding[:_MOST_EVIDENCE]
    )
    code, reason = _code(judgement, evidence, turn)
    if code in _UNPROVED and allows_general(bound.passage.sentence.text, turn.level):
        return Finding(
            claim=claim.claim_id,
            tier=Tier.LEDGER,
            code=VerdictCode.GENERAL_KNOWLEDGE,
            detail=GENERAL,
        )
    cited = _is_cited(evidence)
    return Finding(
        claim=claim.claim_id,
        tier=None if reason is not None else (Tier.DOCUMENT if cited else Tier.LEDGER),
        code=code,
        detail=judgement.detail,
        evidence=evidence,
        corrected_value=judgement.right if judgement.fate is Fate.REFUTED else None,
        values=() if code is VerdictCode.VERIFIED else (bound.stated.value.text,),
        reason=reason,
    )


def _code(
    judgement: Judgement, evidence: tuple[Evidence, ...], turn: Turn
) -> tuple[VerdictCode, Reason | None]:
    """Return the code of a judgement; nothing is proved or contradicted without evidence to show."""
    code = _CODES.get(judgement.fate, VerdictCode.UNVERIFIABLE)
    if code is VerdictCode.CONTRADICTED and not evidence:
        return VerdictCode.UNSUPPORTED_QUANTITY, None
    if code is VerdictCode.UNVERIFIABLE or (code is VerdictCode.VERIFIED and not evidence):
        return VerdictCode.UNVERIFIABLE, judgement.reason or Reason.UNBOUND
    if code is VerdictCode.VERIFIED and turn.origin is Origin.CALLER:
        return VerdictCode.UNVERIFIABLE, Reason.CALLER_EVIDENCE
    if code is VerdictCode.VERIFIED and _is_cited(evidence):
        return VerdictCode.SUPPORTED, None
    return code, None


def _is_cited(evidence: tuple[Evidence, ...]) -> bool:
    return bool(evidence) and all(isinstance(one.locator, SpanLocator) for one in evidence)
