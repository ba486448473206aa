"""The review queue as pages show it: a list, and an entry with claim, evidence and what others decided."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from verifier.core.reviews import Decision, Expiry, ReviewOrder, ReviewState
from verifier.interfaces.web.answer_views import SHORT_ID, write_moment
from verifier.interfaces.web.cuts import Cut, cut_passage
from verifier.interfaces.web.evidence_views import EvidenceView, view_all, view_cited
from verifier.interfaces.web.page_links import Link, answer_path
from verifier.interfaces.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from verifier.audit.reviewing import ReviewDetail
    from verifier.store.review_evidence import CitedRow
    from verifier.store.review_listing import ReviewEntry
    from verifier.store.reviews import RecordedDecision

STATES: Final = (("open", "open"), ("decided", "decided"), ("expired", "expired"), ("", "all"))
ORDERS: Final = (
    (ReviewOrder.ANSWERS.value, "most answers"),
    (ReviewOrder.OLDEST.value, "waiting longest"),
)
CHOICES: Final = (
    (Decision.SUPPORTED.value, "The evidence says so."),
    (Decision.UNSUPPORTED.value, "The evidence does not say so."),
    (Decision.CONTRADICTED.value, "The evidence says otherwise."),
    (Decision.UNCLEAR.value, "Two readings are possible, or it can't be told."),
)
_EXPIRIES: Final[Mapping[Expiry, str]] = MappingProxyType(
    {
        Expiry.SUPERSEDED: "It has expired: the cited words changed in a later version.",
        Expiry.WITHDRAWN: "It has expired: the cited version was withdrawn.",
        Expiry.ERASED: "It has expired: the cited text was erased, and nothing is left to decide.",
        Expiry.ROW_CHANGED: "It has expired: the row that it rests on has changed.",
    }
)
_NOTHING: Final = "(no logged answer holds it any more)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRow:
    """A line of the queue."""

    path: str
    claim: str
    code: str
    state_kind: str
    state: str
    answers: int
    sources: str
    since: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionView:
    """A decision: `kind` is past where it stands no more, new where it came while the visitor was reading."""

    kind: str
    decision: str
    reviewer: str
    when: str
    told: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewView:
    """An entry of the queue as its page shows it. `seen` is the last decision that stands on the page."""

    number: int
    code: str
    state_kind: str
    state: str
    asked: str
    done: str
    meanwhile: str
    disputed: bool
    expired: str
    question: str
    claim: Cut | None
    detail: str
    evidence: tuple[EvidenceView, ...]
    decisions: tuple[DecisionView, ...]
    requests: tuple[Link, ...]
    own: bool
    seen: int
    may_decide: bool
    may_reopen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JustDecided:
    """What the visitor just did: `told` in words, and the last decision that he had seen before."""

    told: str
    seen: int


def view_row(entry: ReviewEntry) -> ReviewRow:
    """Return a line of the queue."""
    kind, state = _state(entry)
    return ReviewRow(
        path=f"/reviews/{entry.review_id}",
        claim=" ".join((entry.claim or _NOTHING)[:400].split()) or _NOTHING,
        code=entry.code.value,
        state_kind=kind,
        state=state,
        answers=entry.answers,
        sources=", ".join(entry.sources) or "–",
        since=write_moment(entry.created_at),
    )


def _state(entry: ReviewEntry) -> tuple[str, str]:
    if entry.disputed:
        return "rejected", "disputed"
    if entry.state is ReviewState.DECIDED:
        return "accepted", f"decided by {count(entry.reviewers, 'reviewer')}"
    return ("review" if entry.state is ReviewState.OPEN else "unchecked"), entry.state.value


def view_review(
    detail: ReviewDetail, *, by: str, now: datetime, just: JustDecided | None = None
) -> ReviewView:
    """Return an entry for the reviewer `by`, with what happened between his reading and his deciding."""
    entry = detail.entry
    kind, state = _state(entry)
    seen = max((one.decision_id for one in detail.decisions), default=0)
    new = {one.decision_id for one in _meanwhile(detail, by, just)}
    expired = entry.state is ReviewState.EXPIRED
    return ReviewView(
        number=entry.review_id,
        code=entry.code.value,
        state_kind=kind,
        state=state,
        asked=count(entry.answers, "logged answer"),
        done="" if just is None else just.told,
        meanwhile=_tell_meanwhile(detail, by, just),
        disputed=entry.disputed,
        expired="" if entry.expired_why is None else _EXPIRIES[entry.expired_why],
        question=detail.question or "",
        claim=None if detail.context is None else cut_passage(detail.context),
        detail=detail.detail or "",
        evidence=tuple(_list_evidence(detail, now)),
        decisions=tuple(_view_decision(one, new) for one in reversed(detail.decisions)),
        requests=tuple(_list_requests(detail)),
        own=any(one.reviewer == by and one.stands for one in detail.decisions),
        seen=seen,
        may_decide=not expired,
        may_reopen=entry.state is not ReviewState.OPEN and entry.expired_why is not Expiry.ERASED,
    )


def _meanwhile(
    detail: ReviewDetail, by: str, just: JustDecided | None
) -> Iterator[RecordedDecision]:
    if just is not None:
        for one in detail.decisions:
            if one.decision_id > just.seen and one.reviewer != by and one.stands:
                yield one


def _tell_meanwhile(detail: ReviewDetail, by: str, just: JustDecided | None) -> str:
    others = [f"{one.reviewer} ({one.decision.value})" for one in _meanwhile(detail, by, just)]
    if not others:
        return ""
    return (
        f"While you were reading, others decided too: {', '.join(others)}. All decisions are kept."
    )


def _list_evidence(detail: ReviewDetail, now: datetime) -> Iterator[EvidenceView]:
    for cited in detail.cited:
        yield view_cited(cited)
    for row in detail.rows:
        yield _view_row(row)
    if not detail.cited and not detail.rows:
        yield from view_all(detail.evidence, _NO_TURN, {}, now=now)


_NO_TURN: Final[Mapping[str, Any]] = MappingProxyType({})


def _view_row(row: CitedRow) -> EvidenceView:
    return EvidenceView(
        heading=f"Row {row.key} of {row.table}",
        text="" if row.column is None else f"column {row.column}",
        remark=f"In the database {row.database}, as it was when it was read"
        f" (fingerprint {row.fingerprint[:SHORT_ID]}).",
    )


def _view_decision(one: RecordedDecision, new: set[int]) -> DecisionView:
    kind = "new" if one.decision_id in new else "" if one.stands else "past"
    return DecisionView(
        kind=kind,
        decision=one.decision.value,
        reviewer=one.reviewer,
        when=f"{write_moment(one.decided_at)} UTC",
        told="" if one.stands else f"stands no more; round {one.round}",
        reason=one.reason,
    )


def _list_requests(detail: ReviewDetail) -> Iterator[Link]:
    for report_id in dict.fromkeys(one.report_id for one in detail.requests):
        yield Link(href=answer_path(report_id), text=report_id[:SHORT_ID])
