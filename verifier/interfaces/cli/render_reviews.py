"""The review queue on a terminal."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.text import Text

from verifier.core.reviews import Expiry, ReviewState
from verifier.interfaces.cli.output import plain
from verifier.interfaces.cli.render import make_table
from verifier.interfaces.cli.render_report import indent, shorten
from verifier.interfaces.wording import count, describe_moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import RenderableType

    from verifier.audit.agreement import Agreement
    from verifier.audit.reviewing import CitedEvidence, Passage, ReviewDetail
    from verifier.reviews import ReviewList, ReviewRefresh
    from verifier.store.review_listing import ReviewEntry
    from verifier.store.reviews import RecordedDecision

EXPIRIES: Final[Mapping[Expiry, str]] = MappingProxyType(
    {
        Expiry.SUPERSEDED: "a newer version no longer says what is cited",
        Expiry.WITHDRAWN: "the source was withdrawn",
        Expiry.ERASED: "the evidence was erased",
        Expiry.ROW_CHANGED: "a row is no longer what it was",
    }
)
_SHOWN_REQUESTS: Final = 5


def render_reviews(found: ReviewList) -> Iterator[RenderableType]:
    """Yield a line for each entry, and whether there are more."""
    if not found.entries:
        yield Text("nothing waits here")
        return
    table = make_table("id#", "answers#", "since", "code", "state", "for", "claim", "sources")
    for entry in found.entries:
        table.add_row(
            str(entry.review_id),
            str(entry.answers),
            describe_moment(entry.created_at),
            entry.code.value,
            "disputed" if entry.disputed else entry.state.value,
            plain(entry.assigned_to or ""),
            shorten(entry.claim or "(no logged answer holds it any more)"),
            plain(", ".join(entry.sources)),
        )
    yield table
    if found.more:
        yield Text("there are more; --limit shows them", style="bright_black")


def _state(entry: ReviewEntry) -> str:
    if entry.state is ReviewState.DECIDED:
        told = count(entry.reviewers, "reviewer")
        return f"decided by {told}" + (", who disagree" if entry.disputed else "")
    if entry.expired_why is not None:
        return f"expired: {entry.expired_why.value}"
    return entry.state.value


def render_review(found: ReviewDetail) -> RenderableType:
    """Return an entry as a reviewer reads it: the claim, the evidence, what stands there now, decisions."""
    entry = found.entry
    head = f"? review {entry.review_id}, {entry.code.value}, {_state(entry)}"
    lines: list[RenderableType] = [Text(head, style="bold")]
    if entry.expired_why is not None:
        lines.append(Text(f"    {EXPIRIES[entry.expired_why]}", style="yellow"))
    if entry.assigned_to is not None:
        when = describe_moment(entry.assigned_at)
        told = f"for {entry.assigned_to}, by {entry.assigned_by} on {when}"
        lines.append(Text(f"    {plain(told)}"))
    if found.question:
        lines.append(Text(f"    question: {plain(found.question)}"))
    if found.context is not None:
        lines += [Text("    claim"), _passage(found.context)]
    if found.detail:
        lines.append(indent(Text(plain(found.detail), style="bright_black"), 4))
    for cited in found.cited:
        lines.extend(_cited(cited))
    if not found.cited:
        lines += [
            Text(f"    evidence: {shorten(str(piece.get('text', '')))}") for piece in found.evidence
        ]
    lines += [
        Text(
            f"    row of {plain(row.table)}, key {plain(row.key)}, column {plain(row.column or '–')}"
        )
        for row in found.rows
    ]
    lines += [_decision(one) for one in found.decisions]
    asked = f"asked by {count(entry.answers, 'logged answer')}"
    lines.append(Text(f"    {asked}", style="bright_black"))
    lines += [
        Text(f"      {one.report_id[:12]} {one.claim_id}, {one.code.value}", style="bright_black")
        for one in found.requests[:_SHOWN_REQUESTS]
    ]
    return Group(*lines)


def _passage(passage: Passage) -> RenderableType:
    """Return a passage with its span set off by signs as well as by weight."""
    span = passage.span
    return indent(
        Text.assemble(
            plain(passage.text[: span.start]),
            (f"»{plain(span.of(passage.text))}«", "bold"),
            plain(passage.text[span.end :]),
        ),
        6,
    )


def _cited(cited: CitedEvidence) -> Iterator[RenderableType]:
    yield Text(f"    cited: {plain(cited.source)}, version {cited.seq} ({cited.state})")
    yield _passage(cited.cited)
    if cited.current_seq is None:
        yield Text("    no version is current", style="yellow")
    elif cited.current_seq != cited.seq:
        told = "says the same" if cited.stands else "says otherwise"
        yield Text(f"    version {cited.current_seq}, which is current, {told}", style="yellow")
        yield (
            Text("      nothing in its place") if cited.current is None else _passage(cited.current)
        )


def _decision(one: RecordedDecision) -> Text:
    when = describe_moment(one.decided_at)
    told = f"    {one.decision.value}, by {plain(one.reviewer)} on {when}: {plain(one.reason)}"
    return Text(
        told if one.stands else f"{told} (stands no more)", style="" if one.stands else "dim"
    )


def render_agreement(measured: Agreement) -> RenderableType:
    """Return how far reviewers agree: overall, and every two with kappa."""
    head = Text(
        f"entries that were decided: {measured.decided},"
        f" {measured.shared} of them by several: {measured.agreed} alike, {measured.disputed} disputed"
    )
    if not measured.pairs:
        return Group(head, Text("no two reviewers decided the same entry", style="bright_black"))
    table = make_table("reviewer", "other", "shared#", "alike#", "Cohen's kappa#")
    for pair in measured.pairs:
        kappa = "not defined" if pair.kappa is None else f"{pair.kappa:.3f}"
        names = plain(pair.reviewer), plain(pair.other)
        table.add_row(*names, str(pair.shared), str(pair.agreed), kappa)
    return Group(head, table)


def render_refresh(refreshed: ReviewRefresh) -> RenderableType:
    """Return how many entries expired, and what could not be looked at."""
    rows = refreshed.rows
    told = f"{refreshed.expired} expired; rows of {rows.checked} read"
    if rows.left_open:
        told += f", those of {rows.left_open} not: {plain(rows.open_reason or '')}"
    return Text(told)
