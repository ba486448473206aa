"""Evaluating a file of labelled answers: reading it, verifying each, and writing what came of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeVar

from verifier.errors import InputError
from verifier.interfaces.cli.invocation import call_service
from verifier.interfaces.cli.turns import read_text_file
from verifier.interfaces.evaluation_outcome import EvalOutcome, conclude

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verifier.audit.evaluation_comparison import PastRun
    from verifier.interfaces.cli.invocation import Invocation
    from verifier.interfaces.cli.progress import ProgressLine

Result = TypeVar("Result")


def evaluate_file(
    invocation: Invocation, name: str, against: str | None, progress: ProgressLine
) -> EvalOutcome:
    """Return the evaluation of a file of cases, or of a run, `against` another run where one is named.

    Reports of an evaluation are not logged, and so ask for no reviews. Raises InputError naming the file.
    """
    from verifier.audit.evaluation_comparison import is_run, past_of
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
            lambda verifier: verifier.evaluate(
                cases,
                on_progress=lambda number: progress.tell(f"case {number:,} of {len(cases):,}"),
            ),
            progress,
        )
        run = past_of(evaluation)
    return conclude(run, evaluation, before)


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
