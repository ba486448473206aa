"""The pages of logged answers."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import Depends, Query
from starlette.responses import Response

from verifier.core.keys import Scope
from verifier.core.verdicts import Disposition
from verifier.errors import InputError
from verifier.interfaces.web.answer_views import LEGEND, view_answer, view_row
from verifier.interfaces.web.page_access import visiting
from verifier.interfaces.web.page_frame import Visitor, render
from verifier.interfaces.web.page_routes import page_router
from verifier.interfaces.wording import QUEUES

ROUTER: Final = page_router()
_LISTED: Final = 50
_OUTCOMES: Final = tuple((each.value, QUEUES[each]) for each in Disposition)
_A_DAY: Final = timedelta(days=1)

Reader = Annotated[Visitor, Depends(visiting(Scope.REVIEW))]
Written = Annotated[str, Query(max_length=100)]


@ROUTER.get("/answers")
async def list_answers(
    visitor: Reader,
    outcome: Written = "",
    since: Written = "",
    until: Written = "",
    beyond: Written = "",
) -> Response:
    """Show logged answers, the newest first, page by page."""
    found = await visitor.verifier.answers.list(
        outcome=outcome or None,
        since=read_day(since),
        until=read_day(until, later=_A_DAY),
        beyond=beyond or None,
        limit=_LISTED,
    )
    chosen = {"outcome": outcome, "since": since, "until": until}
    kept = {name: value for name, value in chosen.items() if value}
    further = {**kept, "beyond": found.reports[-1].report_id} if found.more else None
    return render(
        "answers.html",
        "Answers",
        visitor=visitor,
        section="Answers",
        rows=[view_row(one) for one in found.reports],
        outcomes=_OUTCOMES,
        chosen=chosen,
        is_filtered=bool(kept or beyond),
        further=None if further is None else f"/answers?{urlencode(further)}",
    )


@ROUTER.get("/answers/{report}")
async def show_answer(visitor: Reader, report: str) -> Response:
    """Show an answer with its claims marked, and the evidence of each."""
    detail = await visitor.verifier.answers.beside(report)
    view = view_answer(detail, now=datetime.now(UTC))
    return render(
        "answer.html",
        f"Answer {view.short}",
        visitor=visitor,
        section="Answers",
        view=view,
        legend=LEGEND,
        limits=view.limits,
    )


def read_day(written: str, *, later: timedelta = timedelta()) -> datetime | None:
    """Return the beginning of a day by UTC, or so much later; None for none. Raises InputError."""
    if not written:
        return None
    try:
        return datetime.strptime(written, "%Y-%m-%d").replace(tzinfo=UTC) + later
    except (ValueError, OverflowError):
        raise InputError(f"{written!r} is no day; write it as 2026-11-30") from None
