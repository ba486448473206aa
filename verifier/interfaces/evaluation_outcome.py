"""What came of an evaluation: the run, and how it compares with an earlier one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier.audit.evaluation import Evaluation
    from verifier.audit.evaluation_comparison import Comparison, PastRun


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalOutcome:
    """What was asked for: a run that was made now, None where one was read, and its comparison."""

    evaluation: Evaluation | None
    comparison: Comparison | None
    accepted_wrongly: int


def conclude(run: PastRun, evaluation: Evaluation | None, before: PastRun | None) -> EvalOutcome:
    """Return the outcome of `run`, which `evaluation` made now, compared with the run `before`."""
    from verifier.audit.evaluation import Judgement
    from verifier.audit.evaluation_comparison import compare_runs

    return EvalOutcome(
        evaluation=evaluation,
        comparison=None if before is None else compare_runs(run, before),
        accepted_wrongly=sum(
            one.judgement is Judgement.ACCEPTED_WRONGLY for one in run.cases.values()
        ),
    )
