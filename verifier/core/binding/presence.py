"""Judging a value by nothing but whether the evidence holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.binding.comparing import bare_count, compare_value
from verifier.core.binding.judging import Fate, Judgement
from verifier.core.facts.dimensions import groups_for
from verifier.core.relations import Outcome
from verifier.core.text import fold
from verifier.core.values import TextValue
from verifier.core.verdicts import Reason

if TYPE_CHECKING:
    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import EvidenceFact


def judge_presence(stated: StatedValue, view: EvidenceView) -> Judgement:
    """Return that a value is absent from all evidence, or is open: it may be of anything there."""
    held = _held(stated, view)
    if held:
        detail = "the evidence has it; a sentence with so many values does not tell what each is of"
        return Judgement(fate=Fate.OPEN, detail=detail, reason=Reason.UNBOUND)
    return view.missing(stated, held, denied=False)


def _held(stated: StatedValue, view: EvidenceView) -> list[EvidenceFact]:
    held = list(view.evidence.holds_text(fold(stated.value.text)))
    if held or isinstance(stated.value, TextValue):
        return held
    plain = bare_count(stated.value)
    if isinstance(plain, TextValue):
        return held
    pool = view.pool(("all", *groups_for(plain)), lambda: view.evidence.of_dimension(plain))
    return [
        fact
        for fact in pool.values.near(plain)
        if compare_value(plain, fact.fact.value) in {Outcome.AGREE, Outcome.COULD_BE}
    ]
