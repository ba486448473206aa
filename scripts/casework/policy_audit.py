"""Answers that quote public policy pages, and what rechecks name after each new version of a page.

The truth is told by the texts alone: whether the quoted sentence stands in the new version, white space,
letter case, links and emphasis apart, begins a sentence or a joined clause there where it began one, and
stands under no heading that denies what it states, unless it did before.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from verifier.core.rechecks import Cause
from verifier.core.turns import RetrievedChunk, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from verifier.core.rechecks import Change, Recheck
    from verifier.ingest.requests import IngestRequest
    from verifier.service import Verifier

_SENTENCE: Final = re.compile(r"(?<![^\s])[A-Z][A-Za-z0-9,;:'’ %$()/-]{40,220}[.](?=\s)")
_LINK: Final = re.compile(r"\[([^\]\n]*)\]\([^)\n]*\)")  # [terms](terms.md)
_BLOCK: Final = re.compile(r"\n\s*(?:\n\s*)+(?:[-*+>#]+\s)?|\n\s*(?:[-*+>#]+|\d+\.)\s|\n\s*\|")
_HEADING: Final = re.compile(r"^#+ .*$", re.MULTILINE)
_DENYING: Final = re.compile(r"\b(?:not|no longer|old|former|previous)\b", re.IGNORECASE)
_TYPOGRAPHY: Final = str.maketrans({"*": "", "_": "", "`": "", "’": "'", "“": '"', "”": '"'})


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """A sentence of a version that an answer quotes; `begins` tells that no word of it stands before.

    `is_denied` tells that the heading above denies what is below.
    """

    page: str
    seq: int
    sentence: str
    begins: bool = True
    is_denied: bool = False


@dataclass(slots=True, kw_only=True)
class PageAudit:
    """All rechecks after new versions. `faults` tells of each that named too many or too few."""

    versions: int = 0
    answers: int = 0
    unproved: int = 0
    changed: int = 0
    named: int = 0
    right: int = 0
    edits_elsewhere: int = 0
    rechecks: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        """Whether after every version exactly the answers were named whose sentence it has not."""
        return not self.faults and self.named == self.right == self.changed > 0


async def replay_pages(
    verifier: Verifier,
    requests: Sequence[IngestRequest],
    *,
    quoted: int,
    seed: int,
    tell: Callable[[str], None],
) -> PageAudit:
    """Ingest the versions one by one; after each, recheck what rests on its page, then quote it anew.

    Every version is quoted in up to `quoted` sentences.
    """
    rolling = random.Random(seed)  # noqa: S311 -- a sample, no secret
    told, logged = PageAudit(), dict[str, Quotation]()
    for request in requests:
        page = request.document.key
        summary = await verifier.ingest_requests([request])
        seq = summary.outcomes[0].seq or 0
        told.versions += 1
        mine = {key: one for key, one in logged.items() if one.page == page}
        if mine:
            known = len(told.faults)
            await _audit(verifier, page, request.document.text, mine, told)
            for fault in told.faults[known:]:
                tell(f"  {page}@{seq}: {fault}")
        for sentence in choose_sentences(request.document.text, quoted, rolling):
            begins = _has(_part(request.document.text), sentence)
            denied = _is_denied(request.document.text, sentence)
            quotation = Quotation(
                page=page, seq=seq, sentence=sentence, begins=begins, is_denied=denied
            )
            report_id = await _answer(verifier, quotation)
            told.answers += 1
            told.unproved += report_id is None
            if report_id is not None:
                logged[report_id] = quotation
        if told.versions % 20 == 0:
            tell(describe_audit(told))
    return told


def choose_sentences(text: str, count: int, rolling: random.Random) -> Iterator[str]:
    """Yield sentences of one line that stand once in the text."""
    found = [one.group() for one in _SENTENCE.finditer(text) if text.count(one.group()) == 1]
    yield from rolling.sample(found, min(count, len(found)))


async def _answer(verifier: Verifier, quotation: Quotation) -> str | None:
    """Log an answer that quotes the sentence, and return its report's id; None where it is not supported."""
    found = await _find_chunk(verifier, quotation)
    if found is None:
        return None
    answer = f"The page says “{quotation.sentence}” [{found.label}]."
    report = await verifier.verify(answer, Turn(retrieved=(found,)))
    codes = [one.verdict.code for one in report.judged]
    return report.report_id if codes == ["supported"] else None


async def _find_chunk(verifier: Verifier, quotation: Quotation) -> RetrievedChunk | None:
    """Return the chunk of the current version in which the sentence stands."""
    result = await verifier.semantic_search(quotation.sentence, k=50, sources=[quotation.page])
    for hit in result.hits:
        if quotation.sentence in hit.text and hit.seq == quotation.seq:
            return RetrievedChunk(
                label=hit.chunk_id,
                source=hit.source,
                text=hit.text,
                seq=hit.seq,
                ordinal=hit.ordinal,
                span=hit.span,
            )
    return None


async def _audit(
    verifier: Verifier, page: str, text: str, logged: dict[str, Quotation], told: PageAudit
) -> None:
    """Recheck what rests on a page, and hold what is named against the new text."""
    begun = datetime.now(UTC)
    run = await verifier.answers.recheck_all(source=page)
    told.seconds += (datetime.now(UTC) - begun) / timedelta(seconds=1)
    named = {one.report_id for one in run.rechecks}
    squeezed, parted = _squeeze(text), _part(text)
    changed = {
        key
        for key, one in logged.items()
        if _squeeze(one.sentence) not in squeezed
        or (one.begins and not _has(parted, one.sentence))
        or (not one.is_denied and _is_denied(text, one.sentence))
    }
    told.rechecks += run.reports
    told.changed += len(changed)
    told.named += len(named)
    told.right += len(named & changed)
    told.edits_elsewhere += len(logged.keys() - changed)
    told.faults += [f"{page}: missed {logged[key].sentence!r}" for key in changed - named]
    told.faults += [
        f"{page}: named {logged[key].sentence!r}" for key in named - changed if key in logged
    ]
    told.faults += [
        f"{page}: {one.report_id[:12]} is told to be {_tell_causes(one)}"
        for one in run.rechecks
        if any(change.cause is not Cause.SPAN_CHANGED for change in _changes(one))
    ]


def _changes(recheck: Recheck) -> Iterator[Change]:
    for claim in recheck.flips:
        yield from claim.changes


def _tell_causes(recheck: Recheck) -> str:
    return ", ".join(str(one) for one in _changes(recheck))


def _part(text: str) -> str:
    """Return the words of a Markdown text, a bar where a paragraph, an item or a line of a table begins."""
    return _squeeze(_BLOCK.sub("\n | ", _HEADING.sub("\n\n", f"\n\n{text}")))


def _is_denied(text: str, sentence: str) -> bool:
    """Return whether the heading above a sentence that denies nothing says that what is below is not so."""
    headings = _HEADING.findall(text[: max(0, text.find(sentence))])
    denied = bool(headings) and _DENYING.search(headings[-1]) is not None
    return denied and _DENYING.search(sentence) is None


def _has(parted: str, sentence: str) -> bool:
    """Return whether the words begin a sentence, or a clause joined to one; they have their own end."""
    words = re.escape(_squeeze(sentence))
    return re.search(rf"(?:[.!?:;|]\W*\s|, (?:and|but|so) )\W*{words}", parted) is not None


def _squeeze(text: str) -> str:
    """Return the words of a Markdown text: no links, emphasis, typography or capitals."""
    words = _LINK.sub(r"\1", text).translate(_TYPOGRAPHY).casefold()
    return " ".join(words.split())


def describe_audit(audit: PageAudit) -> str:
    """Return what the audits came to, in one line."""
    return (
        f"{audit.versions} versions, {audit.answers} answers ({audit.unproved} not supported when given,"
        f" left out); {audit.rechecks} looked at in {audit.seconds:.1f} s: {audit.named} named,"
        f" {audit.changed} changed by the texts, {audit.right} of them named;"
        f" {audit.edits_elsewhere} times an edit elsewhere"
    )
