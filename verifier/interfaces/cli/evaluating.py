"""Evaluating a file of labelled answers: reading it, verifying each, and writing what came of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from verifier.errors import InputError
from verifier.interfaces.cli.invocation import call_service
from verifier.interfaces.cli.turns import read_text_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from verifier.audit.evaluation import Evaluation
    from verifier.audit.evaluation_comparison import Comparison, PastRun
    from verifier.core.evaluation import EvaluationCase
    from verifier.interfaces.cli.invocation import Invocation
    from verifier.interfaces.cli.progress import ProgressLine
    from verifier.service import Verifier


Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalOutcome:
    """What was asked for: a run that was made now, None where one was read, and its comparison."""

    evaluation: Evaluation | None
    comparison: Comparison | None
    accepted_wrongly: int


def evaluate_file(
    invocation: Invocation, name: str, against: str | None, progress: ProgressLine
) -> EvalOutcome:
    """Return the evaluation of a file of cases, or of a run, `against` another run where one is named.

    Reports of an evaluation are not logged, and so ask for no reviews. Raises InputError naming the file.
    """
    from verifier.audit.evaluation import Judgement
    from verifier.audit.evaluation_comparison import compare_runs, is_run, past_of
    from verifier.core.evaluation import read_evaluation_cases

    before = None if against is None else _read_run(against, read_text_file(against))
    text = read_text_file(name)
    evaluation = None
    if is_run(text):
        if before is None:
            raise InputError(f"{name}: it is a run already; --against another one compares the two")
        run = _read_run(name, text)
    else:
        cases = _naming(name, lambda: read_evaluation_cases(text))
        evaluation = call_service(
            invocation.choosing(answer_log="off").load_settings(),
            lambda verifier: _run(verifier, cases, progress),
            progress,
        )
        run = past_of(evaluation)
    return EvalOutcome(
        evaluation=evaluation,
        comparison=None if before is None else compare_runs(run, before),
        accepted_wrongly=sum(
            one.judgement is Judgement.ACCEPTED_WRONGLY for one in run.cases.values()
        ),
    )


async def _run(
    verifier: Verifier, cases: Sequence[EvaluationCase], progress: ProgressLine
) -> Evaluation:
    from verifier.audit.evaluation import evaluate, judge_case
    from verifier.core.catalog import Catalog
    from verifier.verify.verifier import begin_provenance

    begun = begin_provenance(Catalog(), created_at=datetime.now(UTC))
    results = []
    for number, case in enumerate(cases, 1):
        progress.tell(f"case {number:,} of {len(cases):,}")
        report = await verifier.verify(case.turn.answer or "", case.turn.turn)
        results.append(judge_case(case, report, begun.created_at))
    return evaluate(results, run_at=begun.created_at, verifier_version=begun.verifier_version)


def _read_run(name: str, text: str) -> PastRun:
    from verifier.audit.evaluation_comparison import read_run

    return _naming(name, lambda: read_run(text))


def _naming(name: str, read: Callable[[], Result]) -> Result:
    try:
        return read()
    except InputError as error:
        raise type(error)(f"{name}: {error}") from None


def write_outcome(outcome: EvalOutcome, *, name: str, out: Path | None, html: Path | None) -> None:
    """Write the run, or the comparison of two that were read, as JSON and as a page. Both or none."""
    from verifier.interfaces.cli.pictures import write_whole
    from verifier.interfaces.evaluation_page import render_evaluation_page
    from verifier.interfaces.wire import to_wire

    if out is not None and out == html:
        raise InputError(f"{out}: the results and the page need two places")
    contents: dict[Path, bytes] = {}
    if out is not None:
        result = outcome.evaluation or outcome.comparison
        written = json.dumps(to_wire(result), ensure_ascii=False, indent=1, allow_nan=False)
        contents[out] = (written + "\n").encode("utf-8", "surrogatepass")
    if html is not None:
        page = render_evaluation_page(outcome.evaluation, outcome.comparison, name=name)
        contents[html] = page.encode("utf-8", "surrogatepass")
    write_whole(contents)
