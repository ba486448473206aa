"""The page of audits, and evaluation: a file of labelled cases in, the run with its charts out."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Final

from fastapi import Depends, Query, Request
from markupsafe import Markup
from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response

from verifier.audit.evaluation_comparison import past_of, read_run
from verifier.core.evaluation import EvaluationCase, list_case_records, read_case_records
from verifier.core.keys import Caller, Scope
from verifier.errors import InputError
from verifier.interfaces.audit_page import describe_audits, render_audits
from verifier.interfaces.evaluation_outcome import EvalOutcome, conclude
from verifier.interfaces.evaluation_page import describe_evaluation, render_evaluation
from verifier.interfaces.html_report import ANSWERS
from verifier.interfaces.web.answer_pages import read_day
from verifier.interfaces.web.page_access import check_form, visiting
from verifier.interfaces.web.page_frame import PAGE_HEADERS, Visitor, render
from verifier.interfaces.web.page_links import answer_path, source_path
from verifier.interfaces.web.page_routes import page_router
from verifier.interfaces.web.rights import bind_turn, check_turn
from verifier.interfaces.wire import to_wire

ROUTER: Final = page_router()
_MOST_CASES: Final = 500

Reviewer = Annotated[Visitor, Depends(visiting(Scope.REVIEW))]
Examiner = Annotated[Visitor, Depends(visiting(Scope.VERIFY))]


@ROUTER.get("/audits")
async def show_audits(
    visitor: Reviewer,
    since: Annotated[str, Query(max_length=100)] = "",
    source: Annotated[str, Query(max_length=4_000)] = "",
) -> Response:
    """Show what all audits find, as charts and tables."""
    overview = await visitor.verifier.audits.all(
        since=read_day(since), source=source.strip() or None
    )
    body = await asyncio.to_thread(render_audits, overview, _find_address)
    return render(
        "audits.html",
        "Audits",
        visitor=visitor,
        section="Audits",
        told=f"As of {describe_audits(overview)}.",
        chosen={"since": since, "source": source},
        body=Markup(body),  # noqa: S704  # every text in it is escaped where it is written
    )


def _find_address(column: str, piece: str) -> str | None:
    """Return the page of what a cell of an audit names: a source by its key, an answer by its id."""
    if column == "source":
        return source_path(piece)
    return answer_path(piece.removesuffix(" …")) if column == ANSWERS else None


@ROUTER.get("/evaluation")
async def ask_evaluation(visitor: Examiner) -> Response:
    """Show the form for a file of labelled cases."""
    return _form(visitor)


@ROUTER.post("/evaluation")
async def evaluate(request: Request, visitor: Examiner) -> Response:
    """Verify the cases of a file and show, or hand out, how far verdicts and labels agree."""
    async with request.form(max_files=2, max_fields=5) as form:
        check_form(request, form, visitor.csrf)
        give = form.get("give")
        try:
            name, outcome = await _run(visitor, form)
        except InputError as error:
            return _form(visitor, problem=f"{error}", status=422)
    if give == "file":
        return _hand_out(outcome)
    body = await asyncio.to_thread(render_evaluation, outcome.evaluation, outcome.comparison)
    return render(
        "evaluation_run.html",
        f"Run of {name}",
        visitor=visitor,
        section="Evaluation",
        name=name,
        told=describe_evaluation(outcome.evaluation),
        body=Markup(body),  # noqa: S704  # every text in it is escaped where it is written
    )


async def _run(visitor: Visitor, form: FormData) -> tuple[str, EvalOutcome]:
    given, against = await _read_file(form, "cases"), await _read_file(form, "against")
    if given is None:
        raise InputError("no file of cases was sent; choose one")
    name, text = given
    cases = await asyncio.to_thread(_read_cases, visitor.caller, text)
    before = None if against is None else await asyncio.to_thread(read_run, against[1])
    evaluation = await visitor.verifier.evaluate(cases)
    return name, conclude(past_of(evaluation), evaluation, before)


def _read_cases(caller: Caller, text: str) -> list[EvaluationCase]:
    """Return the cases of a file, their turns as the caller's, who may tell of them what his key lets him."""
    records = tuple(list_case_records(text))
    if len(records) > _MOST_CASES:
        raise InputError(
            f"{len(records):,} cases are too many for the page, which takes {_MOST_CASES:,};"
            " `verifier eval` takes any number"
        )
    for record, where in records:
        if isinstance(record, Mapping):
            check_turn(caller, record, where)
    cases = read_case_records(records)
    return [replace(case, turn=bind_turn(caller, case.turn)) for case in cases]


async def _read_file(form: FormData, name: str) -> tuple[str, str] | None:
    """Return name and text of a file that was sent; None where none was."""
    sent = form.get(name)
    if not isinstance(sent, UploadFile) or not sent.filename:
        return None
    content = await sent.read()
    try:
        return sent.filename, content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise InputError(
            f"{sent.filename} is no UTF-8 text; see its byte {problem.start}"
        ) from None


def _hand_out(outcome: EvalOutcome) -> Response:
    written = json.dumps(to_wire(outcome.evaluation), ensure_ascii=False, indent=1, allow_nan=False)
    headers = {**PAGE_HEADERS, "Content-Disposition": 'attachment; filename="evaluation.json"'}
    content = written.encode("utf-8", "surrogatepass")
    return Response(content, media_type="application/json", headers=headers)


def _form(visitor: Visitor, *, problem: str | None = None, status: int = 200) -> Response:
    return render(
        "evaluation.html",
        "Evaluation",
        visitor=visitor,
        section="Evaluation",
        status=status,
        problem=problem,
        most_cases=f"{_MOST_CASES:,}",
    )
