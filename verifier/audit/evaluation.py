"""Evaluation: what reports say of labelled answers, and both ways in which they can be wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from itertools import combinations
from typing import TYPE_CHECKING, Final

from verifier.audit.agreement import Agreement, Pair, compare_reviewers
from verifier.audit.statistics import Share, measure_share
from verifier.core.catalog import Catalog
from verifier.core.evaluation import EXPECTED, Label
from verifier.core.verdicts import Disposition, VerdictCode
from verifier.verify.verifier import begin_provenance

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import TypeAlias

    from verifier.core.evaluation import EvaluationCase, ReviewerLabel
    from verifier.core.report import GroundingReport
    from verifier.core.turns import Turn

    Judge: TypeAlias = Callable[[str, Turn], Awaitable[GroundingReport]]

SCHEMA: Final = "evaluation.v1"
NOTHING: Final = "nothing"
"""What a report gave in which nothing to check was recognised."""

_CITING: Final = frozenset(
    {
        VerdictCode.MISSING_CITATION,
        VerdictCode.UNKNOWN_CITATION,
        VerdictCode.CITATION_NOT_RETRIEVED,
        VerdictCode.UNAPPROVED_SOURCE,
    }
)
_UNSUPPORTED: Final = frozenset({Label.UNSUPPORTED, Label.CONTRADICTED})


class Judgement(StrEnum):
    """How what a report gave stands to what was expected.

    `accepted_wrongly`: an answer that no reviewer's majority supports. `refused_wrongly`: a supported one was
    rejected. `left_open`: neither, yet not what was expected. `disputed`: reviewers are at odds.
    """

    RIGHT = "right"
    ACCEPTED_WRONGLY = "accepted_wrongly"
    REFUSED_WRONGLY = "refused_wrongly"
    LEFT_OPEN = "left_open"
    DISPUTED = "disputed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """A case after it was run. `given` is the worst disposition of its claims, or `nothing`.

    `codes` are those of its claims, in the order of the answer. `labelled_before` tells that every label was
    given before the run; `label` and `expected` are None where reviewers are at odds.
    """

    case_id: str
    report_id: str
    labels: tuple[ReviewerLabel, ...]
    labelled_before: bool
    label: Label | None
    expected: Disposition | None
    given: str
    codes: tuple[VerdictCode, ...]
    judgement: Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """How a fault was told: of the cases labelled with it, `told`; and `told_without` of the others."""

    told: Share
    told_without: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """What a group of cases came to; disputed cases are counted and measured nowhere else.

    `accepted_wrongly` is a share of those that should not be accepted, `refused_wrongly` and `left_open` of
    those that should be. `unsupported` tells how many unsupported assertions were accepted. `confusion` says
    how often each expected disposition was given which.
    """

    cases: int
    disputed: int
    right: Share
    accepted_wrongly: Share
    refused_wrongly: Share
    left_open: Share
    unsupported: Share
    missing_evidence: Detection
    citation_format: Detection
    confusion: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A run over a file of cases: `before` measures those that were labelled before it, `after` the rest."""

    schema: str
    run_at: datetime
    verifier_version: str
    before: Measures
    after: Measures
    agreement: Agreement
    cases: tuple[CaseResult, ...]


async def evaluate_cases(
    judge: Judge,
    cases: Sequence[EvaluationCase],
    *,
    on_progress: Callable[[int], None] | None = None,
) -> Evaluation:
    """Return the evaluation of cases that `judge` verifies in order, telling the number of each."""
    begun = begin_provenance(Catalog(), created_at=datetime.now(UTC))
    results = []
    for number, case in enumerate(cases, 1):
        if on_progress is not None:
            on_progress(number)
        report = await judge(case.turn.answer or "", case.turn.turn)
        results.append(judge_case(case, report, begun.created_at))
    return evaluate(results, run_at=begun.created_at, verifier_version=begun.verifier_version)


def judge_case(case: EvaluationCase, report: GroundingReport, run_at: datetime) -> CaseResult:
    """Return how the report on a case stands to its labels."""
    label = case.label
    given = NOTHING if report.outcome is None else report.outcome.value
    return CaseResult(
        case_id=case.case_id,
        report_id=report.report_id,
        labels=case.labels,
        labelled_before=case.is_labelled_before(run_at),
        label=label,
        expected=None if label is None else EXPECTED[label],
        given=given,
        codes=tuple(judged.verdict.code for judged in report.judged),
        judgement=_judge(label, given),
    )


def _judge(label: Label | None, given: str) -> Judgement:
    if label is None:
        return Judgement.DISPUTED
    if given == EXPECTED[label]:
        return Judgement.RIGHT
    if given == Disposition.ACCEPTED:
        return Judgement.ACCEPTED_WRONGLY
    if label is Label.SUPPORTED and given == Disposition.REJECTED:
        return Judgement.REFUSED_WRONGLY
    return Judgement.LEFT_OPEN


def evaluate(
    results: Sequence[CaseResult], *, run_at: datetime, verifier_version: str
) -> Evaluation:
    """Return what the results of a run come to."""
    return Evaluation(
        schema=SCHEMA,
        run_at=run_at,
        verifier_version=verifier_version,
        before=measure([one for one in results if one.labelled_before]),
        after=measure([one for one in results if not one.labelled_before]),
        agreement=_agree(results),
        cases=tuple(results),
    )


def measure(results: Sequence[CaseResult]) -> Measures:
    """Return both error rates and the rest of a group of cases; shares of nothing are None."""
    settled = [one for one in results if one.label is not None]
    supported = [one for one in settled if one.label is Label.SUPPORTED]
    others = [one for one in settled if one.label is not Label.SUPPORTED]
    unsupported = [one for one in settled if one.label in _UNSUPPORTED]
    return Measures(
        cases=len(results),
        disputed=len(results) - len(settled),
        right=_share(settled, lambda one: one.judgement is Judgement.RIGHT),
        accepted_wrongly=_share(others, _is_accepted),
        refused_wrongly=_share(supported, lambda one: one.given == Disposition.REJECTED),
        left_open=_share(supported, lambda one: one.judgement is Judgement.LEFT_OPEN),
        unsupported=_share(unsupported, _is_accepted),
        missing_evidence=_detect(settled, Label.MISSING_EVIDENCE, _tells_missing_evidence),
        citation_format=_detect(settled, Label.CITATION_FORMAT, _tells_citation),
        confusion=_confuse(settled),
    )


def _share(results: Sequence[CaseResult], counts: Callable[[CaseResult], bool]) -> Share:
    return measure_share(sum(map(counts, results)), len(results))


def _is_accepted(result: CaseResult) -> bool:
    return result.given == Disposition.ACCEPTED


def _tells_missing_evidence(result: CaseResult) -> bool:
    return VerdictCode.UNVERIFIABLE in result.codes


def _tells_citation(result: CaseResult) -> bool:
    return any(code in _CITING for code in result.codes)


def _detect(
    results: Sequence[CaseResult], label: Label, tells: Callable[[CaseResult], bool]
) -> Detection:
    return Detection(
        told=_share([one for one in results if one.label is label], tells),
        told_without=_share([one for one in results if one.label is not label], tells),
    )


def _confuse(results: Sequence[CaseResult]) -> Mapping[str, Mapping[str, int]]:
    counted = Counter((one.expected, one.given) for one in results)
    given = (*(disposition.value for disposition in Disposition), NOTHING)
    return {
        expected.value: {name: counted[expected, name] for name in given}
        for expected in Disposition
    }


def _agree(results: Sequence[CaseResult]) -> Agreement:
    """Return how far the reviewers of the cases agree."""
    counted: defaultdict[Pair, Counter[Pair]] = defaultdict(Counter)
    shared = disputed = 0
    for result in results:
        labels = sorted(result.labels, key=lambda one: one.reviewer)
        shared += len(labels) > 1
        disputed += len({one.label for one in labels}) > 1
        for one, other in combinations(labels, 2):
            pair = one.label.value, other.label.value
            counted[one.reviewer, other.reviewer][pair] += 1
    return Agreement(
        decided=len(results),
        shared=shared,
        agreed=shared - disputed,
        disputed=disputed,
        pairs=tuple(compare_reviewers(*names, counted[names]) for names in sorted(counted)),
    )
