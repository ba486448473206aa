"""What binding found of an answer's values: in the turn's facts, and in the rows that were read. No I/O."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from verifier.core.binding.judging import Fate
from verifier.core.catalog.declarations import AttributeKind
from verifier.core.evidence import Evidence, RowLocator, SpanLocator
from verifier.core.grounding_levels import GENERAL, allows_general
from verifier.core.turns import Origin
from verifier.core.verdicts import Finding, Reason, Tier, VerdictCode
from verifier.verify.row_records import RowRecords

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.core.binding.binder import BoundValue
    from verifier.core.binding.judging import Judgement
    from verifier.core.claims import Claim
    from verifier.core.evidence import Locator
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
    """Judges the claims that no catalog knows by what binding found of their values.

    `records` are the rows among the evidence. Where rows could not be read, for the reason `failure`,
    nothing is absent. `by_ledger` is what tool results alone say, which is told where a row says otherwise.
    """

    bound: Mapping[Span, BoundValue]
    by_ledger: Mapping[Span, BoundValue] = field(default_factory=dict)
    records: RowRecords = field(default_factory=RowRecords)
    failure: tuple[Reason, str] | None = None

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
        if bound is None or turn.cited is not None:
            return
        finding = self._finding(claim, bound, turn)
        earlier = self.by_ledger.get(claim.assertions[0].span)
        if earlier is not None and finding.tier is Tier.DATABASE:
            by_ledger = self._finding(claim, earlier, turn)
            if by_ledger.tier is Tier.LEDGER and by_ledger.evidence:
                yield replace(by_ledger, settles=False)
        yield finding

    def _finding(self, claim: Claim, bound: BoundValue, turn: Turn) -> Finding:
        judgement = bound.judgement
        found = [(one.fact.fact.locator, one.fact.fact.value.text) for one in judgement.deciding]
        evidence = tuple(
            Evidence(locator=self.records.locate(locator) or locator, text=text)
            for locator, text in found[:_MOST_EVIDENCE]
        )
        told = self._told(judgement, evidence, turn)
        if told[0] in _UNPROVED and allows_general(bound.passage.sentence.text, turn.level):
            return Finding(
                claim=claim.claim_id,
                tier=Tier.LEDGER,
                code=VerdictCode.GENERAL_KNOWLEDGE,
                detail=GENERAL,
            )
        return _write(claim, bound, told, evidence)

    def _told(
        self, judgement: Judgement, evidence: tuple[Evidence, ...], turn: Turn
    ) -> tuple[VerdictCode, Reason | None, str]:
        """Return code, reason and detail of a judgement, as far as all rows could be read."""
        code, reason = _code(judgement, evidence, turn)
        if code is VerdictCode.CONTRADICTED:
            return (
                self._mismatch([one.fact.fact.locator for one in judgement.deciding]),
                None,
                judgement.detail,
            )
        if code is not VerdictCode.VERIFIED and self.failure and not evidence:
            return VerdictCode.UNVERIFIABLE, *self.failure
        return code, reason, judgement.detail

    def _mismatch(self, locators: Sequence[Locator]) -> VerdictCode:
        """Return the code of another value: of a catalog attribute, or of what no catalog knows."""
        kinds = {self.records.find_kind(locator) for locator in locators}
        if None in kinds or not kinds:
            return VerdictCode.CONTRADICTED
        is_money = kinds == {AttributeKind.MONEY}
        return VerdictCode.PRICE_MISMATCH if is_money else VerdictCode.ATTRIBUTE_MISMATCH


def _write(
    claim: Claim,
    bound: BoundValue,
    told: tuple[VerdictCode, Reason | None, str],
    evidence: tuple[Evidence, ...],
) -> Finding:
    judgement = bound.judgement
    code, reason, detail = told
    return Finding(
        claim=claim.claim_id,
        tier=None if reason is not None else _tier(evidence),
        code=code,
        detail=detail,
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
    by_row = all(isinstance(one.locator, RowLocator) for one in evidence)
    if code is VerdictCode.VERIFIED and turn.origin is Origin.CALLER and not by_row:
        return VerdictCode.UNVERIFIABLE, Reason.CALLER_EVIDENCE
    if code is VerdictCode.VERIFIED and _is_cited(evidence):
        return VerdictCode.SUPPORTED, None
    return code, None


def _tier(evidence: tuple[Evidence, ...]) -> Tier:
    """Return the tier that evidence belongs to: the database where a row is among it."""
    if any(isinstance(one.locator, RowLocator) for one in evidence):
        return Tier.DATABASE
    return Tier.DOCUMENT if _is_cited(evidence) else Tier.LEDGER


def _is_cited(evidence: tuple[Evidence, ...]) -> bool:
    return bool(evidence) and all(isinstance(one.locator, SpanLocator) for one in evidence)
