"""Verifying under a policy: what is reported of an answer, and what is let out of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from verifier.core.annotation import annotate
from verifier.core.policy import Mode, Release
from verifier.core.report_json import identify_report
from verifier.verify.correction import correct
from verifier.verify.verifier import open_reader, verify_answer

if TYPE_CHECKING:
    from verifier.core.policy import Policy
    from verifier.core.report import GroundingReport, Provenance
    from verifier.core.turns import Turn
    from verifier.verify.verifier import Backing


async def verify_under(
    policy: Policy,
    answer: str,
    turn: Turn,
    *,
    backing: Backing,
    provenance: Provenance | None = None,
) -> GroundingReport:
    """Return the grounding report of `answer` with what the policy made of it.

    Before anything is corrected that a tool result refutes, the answer is judged again with the canonical
    tables as the last word, and that is then the report.
    """
    reader = open_reader(backing, turn)
    report = await verify_answer(
        answer, turn, backing=backing, provenance=provenance, policy=policy, reader=reader
    )
    if policy.mode is Mode.OFF:
        return report
    if policy.mode is Mode.CORRECT:
        report, release = await correct(report, backing=backing, reader=reader)
    else:
        release = _release(report)
    return identify_report(replace(report, release=release))


def _release(report: GroundingReport) -> Release:
    """Return the answer marked, or as it is where it is not held."""
    told = Release(text=report.answer, accepted=report.accepted, outcome=report.outcome)
    if report.policy.mode is Mode.ANNOTATE:
        text, annotations = annotate(report)
        return replace(told, text=text, annotations=annotations)
    return told if report.accepted else replace(told, text=None)
