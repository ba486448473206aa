"""How verdicts, places and times are put into words for people, the same on a terminal and on a page."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, assert_never

from verifier.core.documents import format_chunk_id
from verifier.core.evidence import (
    LedgerLocator,
    RowLocator,
    SpanLocator,
    TurnPart,
    TurnTextLocator,
)
from verifier.core.policy import Hindrance
from verifier.core.verdicts import Disposition, VerdictCode

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from verifier.core.documents import SearchHit
    from verifier.core.evidence import Locator
    from verifier.core.report import GroundingReport
    from verifier.core.verdicts import Finding, Verdict

MARKS: Final[Mapping[Disposition, str]] = MappingProxyType(
    {
        Disposition.ACCEPTED: "✓",
        Disposition.REJECTED: "✗",
        Disposition.REVIEW: "?",
        Disposition.UNCHECKED: "–",
    }
)
"""A sign for each disposition, so that colour never stands alone."""


QUEUES: Final[Mapping[Disposition, str]] = MappingProxyType(
    {
        Disposition.ACCEPTED: "accepted",
        Disposition.REJECTED: "rejected",
        Disposition.REVIEW: "for review",
        Disposition.UNCHECKED: "unchecked",
    }
)


TURN_PARTS: Final[Mapping[TurnPart, str]] = MappingProxyType(
    {
        TurnPart.QUESTION: "the question",
        TurnPart.SAID: "what the user said before",
        TurnPart.SYSTEM: "the operator's text",
    }
)


HINDRANCES: Final[Mapping[Hindrance, str]] = MappingProxyType(
    {
        Hindrance.NO_RIGHT_VALUE: "only a row of a table is written in, and none tells what is right",
        Hindrance.NOT_CONFIRMED: "only a tool result tells what is right, and no table confirms it",
        Hindrance.TEXT: "texts are never corrected",
        Hindrance.DENIED: "the answer denies it",
        Hindrance.INEXACT: "it is a range, a bound or a tolerance",
        Hindrance.WORDS: "it is written in words",
        Hindrance.OTHER_FORM: "the right value can't be written in this form",
        Hindrance.OVERLAPPING: "two corrections would change the same characters",
        Hindrance.KNOWN_TO_LEDGER: "no table has it, but a tool result does",
        Hindrance.NOT_PROVED: "the corrected answer would not prove it",
    }
)


NEVER_CORRECTED: Final[Mapping[VerdictCode, str]] = MappingProxyType(
    {
        VerdictCode.MISSING_CITATION: "a citation is never written in; say what it rests on",
        VerdictCode.UNKNOWN_CITATION: "a citation is never changed; say which source is meant",
        VerdictCode.CITATION_NOT_RETRIEVED: "a citation is never changed; cite what was retrieved",
        VerdictCode.UNAPPROVED_SOURCE: "a citation is never changed; cite a source that may be used",
        VerdictCode.QUOTE_NOT_FOUND: "a quotation is never changed; quote what the source says",
    }
)
"""Why no value was sought for what these codes reject."""


def describe_hindrance(hindrance: Hindrance, code: VerdictCode | None = None) -> str:
    """Return in words why a claim that was rejected with `code` was not corrected."""
    reason = HINDRANCES[hindrance]
    if hindrance is Hindrance.NO_RIGHT_VALUE and code is not None:
        return NEVER_CORRECTED.get(code, reason)
    return reason


def describe_locator(locator: Locator) -> str:
    """Return where a piece of evidence stands, in one line."""
    match locator:
        case LedgerLocator():
            return f"tool result of {locator.tool} (call {locator.call_id}), {locator.pointer or 'whole'}"
        case RowLocator():
            column = f", column {locator.column}" if locator.column else ""
            return f"table {locator.table}, key {locator.key}{column}"
        case SpanLocator():
            return (
                f"{_document_name(locator)}, characters {locator.span.start} to {locator.span.end}"
            )
        case TurnTextLocator():
            return (
                f"{TURN_PARTS[locator.part]}, characters {locator.span.start} to {locator.span.end}"
            )
        case _:
            assert_never(locator)


def name_place(locator: Locator) -> str:
    """Return where a piece of evidence stands, as briefly as a column of a table needs."""
    match locator:
        case LedgerLocator():
            return f"{locator.tool} {locator.call_id} {locator.pointer}".rstrip()
        case RowLocator():
            return f"{locator.table} {locator.key} {locator.column or ''}".rstrip()
        case SpanLocator():
            return f"{_document_name(locator)} {locator.span.start}–{locator.span.end}"
        case TurnTextLocator():
            return f"{TURN_PARTS[locator.part]} {locator.span.start}–{locator.span.end}"
        case _:
            assert_never(locator)


def _document_name(locator: SpanLocator) -> str:
    if locator.seq is None:
        return locator.source
    if locator.ordinal is None:
        return f"{locator.source}, version {locator.seq}"
    return format_chunk_id(locator.source, locator.seq, locator.ordinal)


def describe_place(hit: SearchHit) -> str:
    """Return the headings that a hit stands under, its page, and its rows of a table."""
    places = [" › ".join(hit.heading_path)] if hit.heading_path else []
    if hit.page is not None:
        places.append(f"page {hit.page}")
    if hit.rows is not None:
        first, last = hit.rows.first, hit.rows.last
        rows = f"row {first}" if first == last else f"rows {first} to {last}"
        places.append(f"table {hit.rows.table}, {rows}")
    return ", ".join(places)


def describe_verdict(verdict: Verdict | Finding) -> str:
    """Return the code with the tier that settled it, or the reason why none did."""
    if verdict.reason is not None:
        return f"{verdict.code.value}: {verdict.reason.value}"
    return (
        verdict.code.value
        if verdict.tier is None
        else f"{verdict.code.value} by {verdict.tier.value}"
    )


def describe_outcome(report: GroundingReport) -> str:
    """Return whether a report is accepted, and how many claims ended in which queue.

    Where the policy stops nothing, but claims are left open, it says "not stopped"; where nothing was
    recognised to check, it says so: neither is "accepted" to a reader.
    """
    if not report.judged:
        nothing = "nothing to check was recognised"
        return nothing if report.accepted else f"not accepted; {nothing}"
    outcome = "not accepted"
    if report.accepted:
        proved = report.outcome is Disposition.ACCEPTED
        outcome = "accepted" if proved else "not stopped by the policy"
    found = Counter(judged.verdict.disposition for judged in report.judged)
    told = [f"{found[each]} {QUEUES[each]}" for each in reversed(Disposition) if found[each]]
    if report.unchecked and Disposition.UNCHECKED in report.policy.hold:
        told.append(f"and {count(len(report.unchecked), 'sentence')} not recognised")
    return f"{outcome}; of {count(report.claims, 'claim')} {', '.join(told)}"


def count(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it takes one."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def describe_moment(moment: datetime | None) -> str:
    """Return the day of a moment, or a dash."""
    return "–" if moment is None else moment.date().isoformat()
