"""The pages of the review queue. Who decides is the key that is signed in, never a field of a form."""

from datetime import UTC, datetime
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import Depends, Query, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from verifier.core.keys import Scope
from verifier.core.reviews import Decision
from verifier.errors import InputError, UnknownThing
from verifier.interfaces.web.page_access import check_form, visiting
from verifier.interfaces.web.page_frame import Visitor, render
from verifier.interfaces.web.page_routes import go_to, page_router
from verifier.interfaces.web.review_views import (
    CHOICES,
    ORDERS,
    STATES,
    JustDecided,
    view_review,
    view_row,
)
from verifier.reviews import MOST_LISTED

ROUTER: Final = page_router()
_LISTED: Final = 50
_LARGEST: Final = 2**63 - 1

Reviewer = Annotated[Visitor, Depends(visiting(Scope.REVIEW))]
Written = Annotated[str, Query(max_length=100)]


@ROUTER.get("/reviews")
async def list_reviews(
    visitor: Reviewer,
    state: Written = "open",
    order: Written = "answers",
    limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = _LISTED,
) -> Response:
    """Show the queue: what waits for a person, or what was decided."""
    found = await visitor.verifier.reviews.list(state=state or None, order=order, limit=limit)
    chosen = {"state": state, "order": order}
    more = {**chosen, "limit": min(2 * limit, MOST_LISTED)}
    return render(
        "reviews.html",
        "Review queue",
        visitor=visitor,
        section="Reviews",
        rows=[view_row(one) for one in found.entries],
        states=STATES,
        orders=ORDERS,
        chosen=chosen,
        further=f"/reviews?{urlencode(more)}" if found.more and limit < MOST_LISTED else None,
    )


@ROUTER.get("/reviews/{review}")
async def show_review(
    visitor: Reviewer, review: str, did: Written = "", seen: Written = ""
) -> Response:
    """Show an entry with its claim, its evidence, and what others decided."""
    detail = await visitor.verifier.reviews.show(_read_id(review))
    view = view_review(
        detail, by=visitor.caller.name, now=datetime.now(UTC), just=_read_just(did, seen)
    )
    return render(
        "review.html",
        f"Review {view.number}",
        visitor=visitor,
        section="Reviews",
        view=view,
        choices=CHOICES,
        may_decide=True,
    )


@ROUTER.post("/reviews/{review}/decisions")
async def decide(request: Request, visitor: Reviewer, review: str) -> Response:
    """Record a decision beside those of others, also of those who decided meanwhile."""
    form, number = await _read_form(request, visitor), _read_id(review)
    decision = _read_text(form, "decision")
    await visitor.verifier.reviews.decide(
        number, decision, by=visitor.caller.name, reason=_read_text(form, "reason")
    )
    told = urlencode({"did": decision, "seen": _read_text(form, "seen") or "0"})
    return go_to(f"/reviews/{number}?{told}")


@ROUTER.post("/reviews/{review}/reopening")
async def reopen(request: Request, visitor: Reviewer, review: str) -> Response:
    """Open an entry again, for a new round."""
    form, number = await _read_form(request, visitor), _read_id(review)
    await visitor.verifier.reviews.reopen(
        number, by=visitor.caller.name, reason=_read_text(form, "reason")
    )
    return go_to(f"/reviews/{number}?did=reopened")


async def _read_form(request: Request, visitor: Visitor) -> FormData:
    form = await request.form(max_files=0, max_fields=10)
    check_form(request, form, visitor.csrf)
    return form


def _read_text(form: FormData, name: str) -> str:
    value = form.get(name, "")
    if not isinstance(value, str):
        raise InputError(f"{name} is a file; a text is needed")
    return value


def _read_id(written: str) -> int:
    if not (written.isascii() and written.isdecimal()) or int(written[:20]) > _LARGEST:
        raise UnknownThing(f"there is no review {written[:40]!r}")
    return int(written[:20])


def _read_just(did: str, seen: str) -> JustDecided | None:
    """Return what the visitor just did, as the address tells that he was led to; None for anything else."""
    if did == "reopened":
        return JustDecided(told="It is open again.", seen=_LARGEST)
    if did not in set(Decision):
        return None
    last = int(seen[:19]) if seen.isascii() and seen.isdecimal() else 0
    return JustDecided(told=f"Your decision, {did}, is recorded.", seen=last)
