"""Reviews beside what became of their evidence: entries expire, and one is shown with what it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.kept_spans import LaterText, find_counterpart
from verifier.core.reviews import Expiry
from verifier.core.spans import Span
from verifier.store.pool import tenant_transaction
from verifier.store.review_evidence import (
    expire_entries,
    list_erased,
    list_moved_sources,
    list_rows,
    list_spans,
    lock_moved_spans,
    note_seen,
    read_texts,
)
from verifier.store.review_listing import (
    find_asked,
    get_review,
    list_decisions,
    list_requests,
)
from verifier.store.timeline import promote_all_due

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from verifier.store.pool import Connection, Pool
    from verifier.store.review_evidence import CitedRow, CitedSpan, CitedVersion, MovedSource
    from verifier.store.review_listing import ReviewEntry, ReviewRequest
    from verifier.store.reviews import RecordedDecision

_SPANS_AT_ONCE: Final = 2_000
_AROUND: Final = 300
_MOST_REQUESTS: Final = 100
_ERASED: Final = "erased"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A part of a text to be read: `span` lies in `text`, which begins at `start` of the whole."""

    text: str
    span: Span
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedEvidence:
    """What an entry cites of a document version, and what stands there now.

    `stands` tells that the current version, `current_seq`, says the same; `current` is what it has in that
    place, None where it is the cited version itself, where nothing took the place, or where none is current.
    """

    source: str
    seq: int
    state: str
    cited: Passage
    current_seq: int | None
    stands: bool
    current: Passage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewDetail:
    """An entry with what it asks, what it rests on, who decided what, and the newest reports that ask it.

    `context` is the claim in its answer, `evidence` what its verdict rests on as the report tells it; `cited`
    are the spans of stored versions and `rows` the canonical rows among it.
    """

    entry: ReviewEntry
    question: str | None
    context: Passage | None
    detail: str | None
    evidence: tuple[Mapping[str, object], ...]
    cited: tuple[CitedEvidence, ...]
    rows: tuple[CitedRow, ...]
    decisions: tuple[RecordedDecision, ...]
    requests: tuple[ReviewRequest, ...]


async def expire_reviews(
    pool: Pool, tenant: str, on_progress: Callable[[int], None] | None = None
) -> int:
    """Let entries expire whose span changed or whose source was withdrawn or erased; return how many did.

    An entry expires where its cited words stood in the version that was current when it was asked, and no
    longer stand in the one that is current now; changes elsewhere in the text let nothing expire. Takes a
    step a source where nothing changed. `on_progress` is told how many spans were looked at.
    """
    await promote_all_due(pool, tenant)
    async with tenant_transaction(pool, tenant, read_only=True) as conn:
        moved, erased = await list_moved_sources(conn), await list_erased(conn)
    expired = looked = 0
    if erased:
        async with tenant_transaction(pool, tenant) as conn:
            expired += await expire_entries(conn, erased, Expiry.ERASED)
    for source in moved:
        while True:
            async with tenant_transaction(pool, tenant) as conn:
                spans = await lock_moved_spans(conn, source, limit=_SPANS_AT_ONCE)
                expired += await _expire_spans(conn, source, spans)
            looked += len(spans)
            if on_progress is not None:
                on_progress(looked)
            if len(spans) < _SPANS_AT_ONCE:
                break
    return expired


async def _expire_spans(conn: Connection, source: MovedSource, spans: Sequence[CitedSpan]) -> int:
    if not spans:
        return 0
    wanted = {source.seen_version_id, source.current_version_id, *(one.version_id for one in spans)}
    texts = await read_texts(conn, sorted(wanted))
    seen = _later(texts, source.seen_version_id)
    current = _later(texts, source.current_version_id)
    changed = []
    for one in spans:
        text, is_seen = texts[one.version_id][1], one.version_id == source.seen_version_id
        stood = seen is not None and (is_seen or seen.keeps(text, one.span))
        if stood and (current is None or not current.keeps(text, one.span)):
            changed.append(one.review_id)
    why = Expiry.SUPERSEDED if current is not None else _why_gone(texts, source.seen_version_id)
    expired = await expire_entries(conn, sorted(set(changed)), why)
    await note_seen(conn, spans, source.current_version_id)
    return expired


def _later(texts: Mapping[int, tuple[str, str]], version_id: int) -> LaterText | None:
    return LaterText(texts[version_id][1]) if version_id in texts else None


def _why_gone(texts: Mapping[int, tuple[str, str]], version_id: int) -> Expiry:
    state = texts[version_id][0] if version_id in texts else ""
    return Expiry.ERASED if state == _ERASED else Expiry.WITHDRAWN


async def show_review(conn: Connection, review_id: int) -> ReviewDetail:
    """Return all that is known of an entry. Raises UnknownThing."""
    entry = await get_review(conn, review_id)
    asked = await find_asked(conn, review_id)
    return ReviewDetail(
        entry=entry,
        question=None if asked is None else asked.question,
        context=None if asked is None else cut_passage(asked.answer, asked.span),
        detail=None if asked is None else asked.detail,
        evidence=() if asked is None else asked.evidence,
        cited=tuple(_show(one) for one in await list_spans(conn, review_id)),
        rows=await list_rows(conn, review_id),
        decisions=await list_decisions(conn, review_id),
        requests=await list_requests(conn, review_id, limit=_MOST_REQUESTS),
    )


def _show(cited: CitedVersion) -> CitedEvidence:
    later = None if cited.current_text is None else LaterText(cited.current_text)
    counterpart = None if later is None else find_counterpart(cited.text, cited.span, later)
    same = cited.current_seq == cited.seq
    return CitedEvidence(
        source=cited.source,
        seq=cited.seq,
        state=cited.state,
        cited=cut_passage(cited.text, cited.span),
        current_seq=cited.current_seq,
        stands=same or (later is not None and later.keeps(cited.text, cited.span)),
        current=None
        if later is None or counterpart is None
        else cut_passage(later.text, counterpart),
    )


def cut_passage(text: str, span: Span) -> Passage:
    """Return the span with up to 300 characters on both sides, cut at blanks."""
    inside = Span(min(span.start, len(text)), min(span.end, len(text)))
    start, end = max(0, inside.start - _AROUND), min(len(text), inside.end + _AROUND)
    while 0 < start < inside.start and not text[start - 1].isspace():
        start += 1
    while inside.end < end < len(text) and not text[end].isspace():
        end -= 1
    return Passage(text=text[start:end], span=inside.shift(-start), start=start)
