"""A claim then and now: whether its verdict flipped, and what of its evidence is another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from verifier.audit.recheck_rows import RowNews, cut_text
from verifier.core.evidence import LedgerLocator, RowLocator, SpanLocator
from verifier.core.kept_spans import find_counterpart
from verifier.core.rechecks import Cause, Change, RecheckedClaim, Standing, stand
from verifier.core.verdicts import DISPOSITIONS, Disposition, Reason, VerdictCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verifier.core.evidence import Evidence
    from verifier.core.kept_spans import LaterText
    from verifier.core.report import JudgedClaim
    from verifier.core.written_claims import WrittenClaim
    from verifier.store.rechecks import VersionStanding

_UNREAD: Final = "the answer no longer reads as this claim"
_UNREACHABLE: Final = frozenset({Reason.DATABASE_UNAVAILABLE, Reason.TIMEOUT, Reason.NO_PRINCIPAL})
_BY_CODE: Final = {
    VerdictCode.UNAPPROVED_SOURCE: Cause.UNAPPROVED,
    VerdictCode.STALE_REVIEW: Cause.REVIEW_LAPSED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportContext:
    """What is the same for all claims of a report that is verified again.

    `failures` are canonical databases that could not be read, with the reason. `later` has the text that
    answers in the place of a version, by the version's number, `rows` what became of the rows of claims that
    are not accepted any more.
    """

    catalog_changed: bool
    verifier_changed: bool
    is_erased: bool
    failures: Mapping[str, tuple[Reason, str]] = field(default_factory=dict)
    standings: Mapping[tuple[str, int], VersionStanding] = field(default_factory=dict)
    later: Mapping[int, LaterText] = field(default_factory=dict)
    rows: Mapping[str, RowNews] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimEvidence:
    """The claim as it is judged now, and as its JSON."""

    judged: JudgedClaim
    written: Mapping[str, Any]


def compare_claim(
    claim: WrittenClaim, now: ClaimEvidence | None, context: ReportContext
) -> RecheckedClaim:
    """Return the claim with its verdict then and now, and what changed where they differ."""
    spans = tuple(_find_span_changes(claim, context))
    unread = _find_unread(claim, now, spans, context)
    if unread is not None or now is None:
        return unread or _tell(claim, None, Standing.OPEN, _UNREAD, ())
    verdict = now.judged.verdict
    code, detail = verdict.code, verdict.detail
    if spans and DISPOSITIONS[code] is Disposition.ACCEPTED:
        code, detail = VerdictCode.SUPERSEDED_VERSION, _describe(spans)
    standing = stand(claim.verdict.code, code)
    if standing is Standing.HOLDS:
        return _tell(claim, code, standing, detail, ())
    changes = (*spans, *_find_row_changes(claim, verdict.evidence, context))
    if not changes or verdict.code in _BY_CODE:
        changes = (*changes, *_explain(claim, code, now, context))
    if standing is Standing.DOUBTFUL and changes[0].cause in {Cause.CLOCK, Cause.UNEXPLAINED}:
        standing = Standing.OPEN
    if changes[0].cause is Cause.CLOCK:
        standing, detail = Standing.OPEN, "its words are relative to the day that it was given"
    return _tell(claim, code, standing, detail, changes)


def _find_unread(
    claim: WrittenClaim,
    now: ClaimEvidence | None,
    spans: tuple[Change, ...],
    context: ReportContext,
) -> RecheckedClaim | None:
    """Return the claim as open, or without a verdict, where what it rests on can't be read any more."""
    gone = next((one for one in spans if one.cause is Cause.ERASED), None)
    if gone is not None:
        return _tell(claim, None, Standing.DOUBTFUL, f"{gone.place} was erased", spans)
    if context.failures and not _rests_on_spans(claim):
        told = "; ".join(detail for _, detail in context.failures.values())
        return _tell(claim, None, Standing.OPEN, told, (Change(cause=Cause.UNREACHABLE),))
    if now is None:
        return _miss(claim, spans, context)
    verdict = now.judged.verdict
    never_had_one = verdict.reason is claim.verdict.reason is Reason.NO_PRINCIPAL
    if verdict.reason in _UNREACHABLE and not never_had_one:
        change = Change(cause=Cause.UNREACHABLE)
        return _tell(claim, verdict.code, Standing.OPEN, verdict.detail, (change,))
    return None


def _miss(claim: WrittenClaim, spans: tuple[Change, ...], context: ReportContext) -> RecheckedClaim:
    """Return a claim that the answer no longer reads as: doubtful where what proved it is another now.

    How a sentence is read may hang on the row: "5 kettles in stock" is about the stock while that is 5.
    """
    changes = (*spans, *_find_row_changes(claim, (), context))
    if changes and DISPOSITIONS[claim.verdict.code] is Disposition.ACCEPTED:
        return _tell(claim, None, Standing.DOUBTFUL, _UNREAD, changes)
    cause = Cause.UNEXPLAINED
    if context.is_erased:
        cause = Cause.ERASED
    elif context.catalog_changed:
        cause = Cause.CATALOG_CHANGED
    elif context.verifier_changed:
        cause = Cause.VERIFIER_CHANGED
    return _tell(claim, None, Standing.OPEN, _UNREAD, changes or (Change(cause=cause),))


def _tell(
    claim: WrittenClaim,
    now: VerdictCode | None,
    standing: Standing,
    detail: str,
    changes: tuple[Change, ...],
) -> RecheckedClaim:
    return RecheckedClaim(
        claim_id=claim.claim_id,
        span=claim.span,
        text=claim.text,
        before=claim.verdict.code,
        now=now,
        standing=standing,
        detail=detail,
        changes=changes,
    )


def _describe(spans: tuple[Change, ...]) -> str:
    """Return in words what became of the cited text."""
    first = spans[0]
    if first.new is None:
        return f"what it cites of {first.place} no longer stands in the current version"
    return f"what it cites of {first.place} reads otherwise in the current version"


def _rests_on_spans(claim: WrittenClaim) -> bool:
    evidence = claim.verdict.evidence
    return bool(evidence) and all(isinstance(one.locator, SpanLocator) for one in evidence)


def _find_span_changes(claim: WrittenClaim, context: ReportContext) -> Iterator[Change]:
    """Yield the cited spans that were erased or withdrawn, or whose words stand no more."""
    for one in claim.verdict.evidence:
        place = one.locator
        if isinstance(place, SpanLocator) and place.seq is not None:
            standing = context.standings.get((place.source, place.seq))
            change = None if standing is None else _find_span_change(place, standing, context)
            if change is not None:
                yield change


def _find_span_change(
    place: SpanLocator, standing: VersionStanding, context: ReportContext
) -> Change | None:
    name = f"{place.source}@{place.seq}"
    if standing.state == "erased":
        return Change(cause=Cause.ERASED, place=name)
    if standing.current_seq is None:
        return Change(cause=Cause.WITHDRAWN, place=name)
    later = context.later.get(standing.version_id)
    words = place.span.of(standing.text)
    if later is None or later.keeps(standing.text, place.span):
        return None
    found = find_counterpart(standing.text, place.span, later)
    new = None if found is None else cut_text(found.of(later.text).strip())
    return Change(cause=Cause.SPAN_CHANGED, place=name, old=cut_text(words), new=new)


def _find_row_changes(
    claim: WrittenClaim, found: tuple[Evidence, ...], context: ReportContext
) -> Iterator[Change]:
    """Yield in what the rows of a claim, or its tool result, are others, else which rows came to them."""
    news = context.rows.get(claim.claim_id, RowNews())
    yield from news.changes or news.beside
    if news.changes or news.beside:
        return
    before = {_name(one) for one in claim.verdict.evidence}
    told = [one for one in claim.verdict.evidence if isinstance(one.locator, LedgerLocator)]
    for one in found:
        if not isinstance(one.locator, RowLocator) or _name(one) in before:
            continue
        if told and told[0].text != one.text:
            yield Change(
                cause=Cause.ROW_CHANGED,
                place=_name(one),
                column=one.locator.column,
                old=cut_text(told[0].text),
                new=cut_text(one.text),
            )
        elif not told and any(before):
            yield Change(cause=Cause.ROW_ADDED, place=_name(one))


def _name(evidence: Evidence) -> str:
    place = evidence.locator
    return f"{place.table}:{place.key}" if isinstance(place, RowLocator) else ""


def _explain(
    claim: WrittenClaim, code: VerdictCode, now: ClaimEvidence, context: ReportContext
) -> Iterator[Change]:
    """Yield why a verdict flipped though no row or span that it rests on did."""
    if code in _BY_CODE:
        spans = [one.locator for one in claim.verdict.evidence]
        places = [f"{one.source}@{one.seq}" for one in spans if isinstance(one, SpanLocator)]
        yield Change(cause=_BY_CODE[code], place=next(iter(places), None))
    elif code is VerdictCode.NOT_FOUND and not context.catalog_changed:
        yield Change(cause=Cause.ROW_GONE)
    elif _values(claim.written) != _values(now.written):
        yield Change(cause=Cause.CLOCK)
    elif context.catalog_changed:
        yield Change(cause=Cause.CATALOG_CHANGED)
    elif context.verifier_changed:
        yield Change(cause=Cause.VERIFIER_CHANGED)
    else:
        yield Change(cause=Cause.UNEXPLAINED)


def _values(written: Mapping[str, Any]) -> list[tuple[object, ...]]:
    """Return the intervals that a claim states; those of "tomorrow" move with the clock."""
    stated = [one.get("value") or {} for one in written.get("assertions", ())]
    return [(one.get("low"), one.get("high")) for one in stated]
