"""The document tier: cited sentences against the chunks that they cite.

The gates come in a fixed order: a missing, an unknown, a not retrieved, an unapproved citation; then the
values; then freshness and supersession; then what is left for review.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from verifier.core.citations import find_cited_chunk
from verifier.core.cited_cells import read_cells
from verifier.core.documents import hash_text
from verifier.core.evidence import Evidence, SpanLocator
from verifier.core.quantities import extract_quantities
from verifier.core.spans import Span
from verifier.core.statement_comparison import (
    CitedClause,
    CitedText,
    StatementResult,
    compare_statement,
)
from verifier.core.statements import ReadingTerms, read_clauses
from verifier.core.verdicts import Disposition, Finding, Reason, Tier, VerdictCode
from verifier.errors import StoreError
from verifier.verify.cited_parts import find_quotation, quotes, read_parts
from verifier.verify.findings import find_unverifiable

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.core.claims import Claim
    from verifier.core.turns import RetrievedChunk, Turn
    from verifier.core.values import Value

FindChunks: TypeAlias = Callable[[Sequence[str]], Awaitable[frozenset[str]]]
"""Tells which of the chunk ids exist in the store."""

_MOST_COMPARISONS: Final = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTier:
    """Judges cited sentences by the cited text, and asks for citations where the turn demands them."""

    now: datetime
    find_chunks: FindChunks | None = None

    @property
    def tier(self) -> Tier:
        """The documents."""
        return Tier.DOCUMENT

    @property
    def round_trips(self) -> int:
        """None on canonical tables."""
        return 0

    async def judge(self, claims: Sequence[Claim], turn: Turn) -> tuple[Finding, ...]:
        """Return a finding on each claim that cites, or that should."""
        said = _read_said(turn)
        findings: list[Finding] = []
        for claim in claims:
            if claim.entity_type is not None or claim.fault is not None:
                continue
            labels = [citation.label for citation in claim.citations]
            if turn.cited is not None and not labels:
                labels = [turn.cited]
            if labels:
                findings.append(await self._judge(claim, labels, turn, said))
            elif turn.citations_required:
                findings.append(
                    _reject(claim, VerdictCode.MISSING_CITATION, "it cites nothing", ())
                )
        return tuple(findings)

    async def _judge(
        self, claim: Claim, labels: Sequence[str], turn: Turn, said: Sequence[Value]
    ) -> Finding:
        found = {label: find_cited_chunk(label, turn) for label in labels}
        strange = [label for label, chunk in found.items() if chunk is None]
        if strange:
            return await self._not_given(claim, strange, turn)
        chunks = [chunk for chunk in found.values() if chunk is not None]
        barred = [chunk for chunk in chunks if not _is_allowed(chunk, turn)]
        if barred:
            names = tuple(dict.fromkeys(chunk.source for chunk in barred))
            detail = f"not permitted for this task: {', '.join(names)}"
            return _reject(claim, VerdictCode.UNAPPROVED_SOURCE, detail, names)
        if not any(chunk.text.strip() for chunk in chunks):
            detail = "the text of what it cites is not at hand"
            return find_unverifiable(claim, Reason.INCOMPLETE_EVIDENCE, detail)
        return self._compare(claim, chunks, turn, said)

    async def _not_given(self, claim: Claim, labels: Sequence[str], turn: Turn) -> Finding:
        targets = {turn.numbering.get(label, label): label for label in labels}
        known: frozenset[str] = frozenset()
        if self.find_chunks is not None:
            try:
                known = await self.find_chunks(tuple(targets))
            except StoreError as error:
                return find_unverifiable(claim, Reason.DATABASE_UNAVAILABLE, str(error))
        unknown = tuple(label for target, label in targets.items() if target not in known)
        if unknown:
            detail = f"there is no {', '.join(unknown)}"
            return _reject(claim, VerdictCode.UNKNOWN_CITATION, detail, unknown)
        detail = f"{', '.join(labels)} was not given to this turn"
        return _reject(claim, VerdictCode.CITATION_NOT_RETRIEVED, detail, tuple(labels))

    def _compare(
        self, claim: Claim, chunks: Sequence[RetrievedChunk], turn: Turn, said: Sequence[Value]
    ) -> Finding:
        quotation = find_quotation(claim)
        if quotation is not None and not any(quotes(chunk.text, quotation) for chunk in chunks):
            detail = "these words do not stand in what it cites"
            return _reject(claim, VerdictCode.QUOTE_NOT_FOUND, detail, (quotation,))
        terms = ReadingTerms.of(turn)
        cited = [
            CitedClause(clause=clause, text_number=number)
            for number, chunk in enumerate(chunks)
            for clause in read_clauses(chunk.text, terms)
        ]
        held = sum(len(one.clause.values) for one in cited)
        if held * max(1, len(claim.assertions)) > _MOST_COMPARISONS:
            detail = "the statement and what it cites hold too many values"
            return find_unverifiable(claim, Reason.TOO_LARGE, detail)
        parts = read_parts(claim, turn)
        if not parts or not cited:
            return find_unverifiable(claim, Reason.NO_EVIDENCE, "there is nothing to compare")
        text = CitedText(
            texts=tuple(chunk.text for chunk in chunks),
            clauses=tuple(cited),
            cells=tuple(
                (number, cell)
                for number, chunk in enumerate(chunks)
                for cell in read_cells(chunk.text, terms)
            ),
        )
        result = compare_statement(parts, text, said)
        evidence = tuple(_quote(one, chunks) for one in result.clauses[:5])
        return self._finish(claim, result, evidence, chunks)

    def _finish(
        self,
        claim: Claim,
        result: StatementResult,
        evidence: tuple[Evidence, ...],
        chunks: Sequence[RetrievedChunk],
    ) -> Finding:
        finding = Finding(
            claim=claim.claim_id,
            tier=Tier.DOCUMENT,
            code=result.code,
            detail=result.detail,
            evidence=evidence or tuple(_quote_all(chunk) for chunk in chunks[:1]),
            corrected_value=result.right,
            values=result.values,
        )
        if finding.disposition is Disposition.REJECTED:
            return finding
        aged = self._find_aged(chunks)
        if aged is None:
            return finding
        code, detail = aged
        return Finding(
            claim=claim.claim_id,
            tier=Tier.DOCUMENT,
            code=code,
            detail=f"{detail}; otherwise {result.code}: {result.detail}",
            evidence=finding.evidence,
            values=finding.values,
        )

    def _find_aged(self, chunks: Sequence[RetrievedChunk]) -> tuple[VerdictCode, str] | None:
        """Return what is wrong with the age of a cited version; it is usable through its last instant."""
        for chunk in chunks:
            if chunk.review_until is not None and self.now > chunk.review_until:
                until = chunk.review_until.isoformat()
                return VerdictCode.STALE_REVIEW, f"{chunk.source} was to be reviewed by {until}"
        for chunk in chunks:
            if not chunk.current:
                return VerdictCode.SUPERSEDED_VERSION, f"{chunk.source} has a newer version"
        return None


def _reject(claim: Claim, code: VerdictCode, detail: str, values: tuple[str, ...]) -> Finding:
    return Finding(
        claim=claim.claim_id, tier=Tier.DOCUMENT, code=code, detail=detail, values=values
    )


def _is_allowed(chunk: RetrievedChunk, turn: Turn) -> bool:
    if not chunk.approved:
        return False
    return turn.allowed_sources is None or chunk.source in turn.allowed_sources


def _read_said(turn: Turn) -> tuple[Value, ...]:
    texts = (turn.question or "", *turn.said)
    return tuple(
        mention.value
        for text in texts
        for mention in extract_quantities(text, locale=turn.locale, now=turn.now)
    )


def _quote(cited: CitedClause, chunks: Sequence[RetrievedChunk]) -> Evidence:
    chunk = chunks[cited.text_number]
    clause = cited.clause
    offset = 0 if chunk.span is None else chunk.span.start
    text = clause.span.of(chunk.text)
    locator = SpanLocator(
        source=chunk.source,
        seq=chunk.seq,
        ordinal=chunk.ordinal,
        span=clause.span.shift(offset),
        text_hash=hash_text(text),
    )
    return Evidence(locator=locator, text=text)


def _quote_all(chunk: RetrievedChunk) -> Evidence:
    locator = SpanLocator(
        source=chunk.source,
        seq=chunk.seq,
        ordinal=chunk.ordinal,
        span=chunk.span or Span(0, len(chunk.text)),
        text_hash=hash_text(chunk.text),
    )
    return Evidence(locator=locator, text=chunk.text)
