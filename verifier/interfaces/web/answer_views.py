"""Logged answers as pages show them: lists, and one with its claims marked and the evidence beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from verifier.core.report import LIMITS
from verifier.core.spans import Span
from verifier.core.verdicts import DISPOSITION_ORDER, Disposition
from verifier.interfaces.html_marks import TextMark, mark_text
from verifier.interfaces.web.evidence_views import EvidenceView, is_redacted, view_all
from verifier.interfaces.web.page_links import answer_path
from verifier.interfaces.wording import MARKS, QUEUES, count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from verifier.audit.answer_evidence import AnswerDetail, CitedPlace, StandingPlace
    from verifier.store.report_listing import ReportListing

SHORT_ID: Final = 12
LEGEND: Final = tuple((each.value, MARKS[each], QUEUES[each]) for each in Disposition)
"""What the marks of an answer mean: class, sign and words."""

_ERASED: Final = (
    "Parts of this answer were erased with the sources they came from; its claims can't be marked."
)
_REDACTED: Final = (
    "This answer was logged without its texts: verdicts, places and hashes are all there is."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """A line of the list of answers."""

    path: str
    short: str
    given: str
    kind: str
    outcome: str
    claims: int
    beginning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimView:
    """A claim with its verdict and evidence. `is_open` shows the evidence at once."""

    anchor: str
    number: int
    kind: str
    sign: str
    code: str
    text: str
    detail: str
    corrected: str
    evidence: tuple[EvidenceView, ...]
    is_open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerView:
    """A logged answer; `answer` is HTML with its claims marked, `remark` says why they are not."""

    short: str
    kind: str
    outcome: str
    told: str
    given: str
    question: str
    remark: str
    answer: Markup
    claims: tuple[ClaimView, ...]
    unchecked: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    limits: tuple[str, ...]


def view_row(listing: ReportListing) -> AnswerRow:
    """Return a line of the list."""
    return AnswerRow(
        path=answer_path(listing.report_id),
        short=listing.report_id[:SHORT_ID],
        given=write_moment(listing.created_at),
        kind=listing.outcome or "unchecked",
        outcome=name_outcome(listing.outcome),
        claims=listing.claims,
        beginning=" ".join(listing.answer[:600].split()),
    )


def name_outcome(outcome: str | None) -> str:
    """Return the worst disposition of an answer with its sign."""
    if outcome is None:
        return "no claims"
    known = Disposition(outcome)
    return f"{MARKS[known]} {QUEUES[known]}"


def write_moment(moment: datetime) -> str:
    """Return a moment to the minute."""
    return moment.strftime("%Y-%m-%d %H:%M")


def view_answer(detail: AnswerDetail, *, now: datetime) -> AnswerView:
    """Return a logged answer as its page shows it."""
    report: Mapping[str, Any] = detail.logged.report
    turn: Mapping[str, Any] = detail.logged.turn
    answer, verdicts = str(report.get("answer", "")), report.get("verdicts", [])
    remark = _remark(answer, verdicts)
    first_open = next((number for number, _ in _worst_first(verdicts)), 0)
    outcome = report.get("outcome")
    return AnswerView(
        short=detail.logged.report_id[:SHORT_ID],
        kind=str(outcome or "unchecked"),
        outcome=name_outcome(outcome),
        told=_tell(report, verdicts),
        given=f"{write_moment(detail.logged.created_at)} UTC",
        question="" if remark == _REDACTED else str(turn.get("question") or ""),
        remark=remark,
        answer=Markup(mark_text(answer, [] if remark else _marks(verdicts))),  # noqa: S704  # escaped there
        claims=tuple(
            _view_claim(number, one, turn, detail.places, now=now, is_open=number == first_open)
            for number, one in enumerate(verdicts, 1)
        ),
        unchecked=tuple(
            one["text"].strip()
            for one in report.get("unchecked", ())
            if not is_redacted(one["text"])
        ),
        facts=tuple(_list_facts(detail.logged.report_id, report)),
        limits=tuple(report.get("limits") or LIMITS),
    )


def _remark(answer: str, verdicts: Sequence[Mapping[str, Any]]) -> str:
    """Return why no claim is marked: spans are those of the answer as it was given."""
    if is_redacted(answer):
        return _REDACTED
    spans = [(Span(*one["span"]).of(answer), one["text"]) for one in verdicts]
    return "" if all(there == text for there, text in spans) else _ERASED


_ORDER: Final = [each.value for each in DISPOSITION_ORDER]


def _worst_first(verdicts: Sequence[Mapping[str, Any]]) -> list[tuple[int, Mapping[str, Any]]]:
    """Return the claims with their numbers, those of the worst disposition first."""
    return sorted(enumerate(verdicts, 1), key=lambda one: _ORDER.index(one[1]["disposition"]))


def _marks(verdicts: Sequence[Mapping[str, Any]]) -> list[TextMark]:
    return [
        TextMark(
            span=Span(*one["span"]),
            kind=one["disposition"],
            sign=f"{MARKS[Disposition(one['disposition'])]}{number}",
            label=f"claim {number}: {_name_verdict(one)}",
            target=f"c{number}",
        )
        for number, one in _worst_first(verdicts)
    ]


def _name_verdict(verdict: Mapping[str, Any]) -> str:
    code = str(verdict["code"])
    if verdict.get("reason"):
        return f"{code}: {verdict['reason']}"
    return f"{code} by {verdict['tier']}" if verdict.get("tier") else code


def _view_claim(
    number: int,
    verdict: Mapping[str, Any],
    turn: Mapping[str, Any],
    places: Mapping[CitedPlace, StandingPlace],
    *,
    now: datetime,
    is_open: bool,
) -> ClaimView:
    return ClaimView(
        anchor=f"c{number}",
        number=number,
        kind=verdict["disposition"],
        sign=MARKS[Disposition(verdict["disposition"])],
        code=_name_verdict(verdict),
        text=str(verdict["text"]).strip(),
        detail=str(verdict.get("detail") or ""),
        corrected=str(verdict.get("corrected_value") or ""),
        evidence=view_all(verdict.get("evidence", ()), turn, places, now=now),
        is_open=is_open,
    )


def _tell(report: Mapping[str, Any], verdicts: Sequence[Mapping[str, Any]]) -> str:
    """Return how many claims ended in which queue."""
    found = [one["disposition"] for one in verdicts]
    told = [
        f"{found.count(each.value)} {QUEUES[each]}" for each in Disposition if each.value in found
    ]
    accepted = "passed" if report.get("accepted") else "stopped by the policy"
    claims = f"{count(len(verdicts), 'claim')}: {', '.join(told)}" if told else "no claims"
    return f"{claims}; {accepted}"


def _list_facts(report_id: str, report: Mapping[str, Any]) -> list[tuple[str, str]]:
    made = report.get("provenance", {})
    share = report.get("grounded_share")
    told = (
        ("report", report_id),
        ("grounded share", "nothing to measure" if share is None else f"{100 * share:.0f}%"),
        (
            "policy",
            f"{made.get('policy', 'off')}, holds {', '.join(report.get('hold', [])) or 'nothing'}",
        ),
        ("basis", made.get("basis")),
        ("catalog", str(made.get("catalog_hash") or "")[:SHORT_ID]),
        ("verifier", made.get("verifier_version")),
        ("model", made.get("model")),
        ("SELECTs on canonical tables", report.get("database_round_trips")),
    )
    return [(name, str(text)) for name, text in told if text not in {None, ""}]
