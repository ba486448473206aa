"""The document tier: cited sentences against the chunks that they cite.

The gates come in a fixed order: a missing, an unknown, a not retrieved, an unapproved citation; then
quotations; then the values; then freshness and supersession; then what is left for review.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

from verifier.core.asked_heads import weigh_question
from verifier.core.citations import ChunkIndex, read_stated
from verifier.core.cited_conflicts import CONFLICT, is_contested
from verifier.core.cited_standing import weigh_standing
from verifier.core.cited_statement import number_clauses
from verifier.core.claim_heads import (
    NOT_UNDER,
    compare_under_heads,
    head_quotation,
    put_under_heads,
    quotes_under_heads,
)
from verifier.core.grounding_levels import judge_uncited
from verifier.core.quantities import extract_quantities
from verifier.core.restating import hold_to_words
from verifier.core.statement_comparison import compare_statement
from verifier.core.statements import ReadingTerms
from verifier.core.turns import Level
from verifier.core.verdicts import Disposition, Finding, Reason, Tier, VerdictCode
from verifier.errors import VerifierError
from verifier.verify.ages import weigh_age
from verifier.verify.cited_parts import read_parts
from verifier.verify.cited_quotations import check_quotations, check_uncited
from verifier.verify.cited_texts import is_allowed, read_cited_text, show_clause, show_span
from verifier.verify.elsewhere import Elsewhere, name_source
from verifier.verify.findings import find_unverifiable
from verifier.verify.passages import PassageReader

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.core.claim_heads import HeadedStatement
    from verifier.core.claims import Claim
    from verifier.core.evidence import Evidence
    from verifier.core.statement_comparison import CitedClause, CitedText, StatementResult
    from verifier.core.statements import Clause
    from verifier.core.turns import RetrievedChunk, Turn
    from verifier.core.values import Value

FindChunks: TypeAlias = Callable[[Sequence[str]], Awaitable[frozenset[str]]]
"""Tells which of the chunk ids exist in the store."""

_MOST_COMPARISONS: Final = 200_000
_MOST_EVIDENCE: Final = 5
_MOST_ALONE: Final = 8
_FEWEST_TO_DISAGREE: Final = 2


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
        """Return a finding on each claim that cites or quotes, or that should cite."""
        given = _Given(turn)
        findings: list[Finding] = []
        for claim in claims:
            if claim.entity_type is not None or claim.fault is not None:
                continue
            if claim.citations or turn.cited is not None:
                findings.append(await self._judge(claim, given))
            elif turn.citations_required:
                findings.append(_judge_uncited(claim, turn))
            elif turn.retrieved:
                quoted = check_uncited(claim, _state(claim), given.passages, turn)
                findings.extend([] if quoted is None else [quoted])
        return tuple(findings)

    async def _judge(self, claim: Claim, given: _Given) -> Finding:
        turn, readings = given.turn, given.read(claim)
        strange = [label for label, found in readings.items() if not found]
        if strange:
            return await self._not_given(claim, strange, turn)
        unclear = tuple(label for label, found in readings.items() if len(found) > 1)
        if unclear:
            detail = f"{', '.join(unclear) or 'an empty mark'} may point to several sources"
            return _left_ambiguous(claim, detail, unclear)
        chunks = list({id(found[0]): found[0] for found in readings.values()}.values())
        barred = [chunk for chunk in chunks if not is_allowed(chunk, turn)]
        if barred:
            names = tuple(dict.fromkeys(chunk.source for chunk in barred))
            detail = f"not permitted for this task: {', '.join(names)}"
            return _reject(claim, VerdictCode.UNAPPROVED_SOURCE, detail, names)
        if not any(chunk.text.strip() for chunk in chunks):
            detail = "the text of what it cites is not at hand"
            return find_unverifiable(claim, Reason.INCOMPLETE_EVIDENCE, detail)
        found = self._compare(claim, chunks, given)
        return weigh_age(found, chunks, turn.retrieved, self.now)

    async def _not_given(self, claim: Claim, labels: Sequence[str], turn: Turn) -> Finding:
        targets = {turn.numbering.get(label, label): label for label in labels}
        known: frozenset[str] = frozenset()
        if self.find_chunks is not None:
            try:
                known = await self.find_chunks(tuple(targets))
            except VerifierError as error:
                return find_unverifiable(claim, Reason.DATABASE_UNAVAILABLE, str(error))
        unknown = tuple(label for target, label in targets.items() if target not in known)
        if unknown:
            detail = (
                f"there is no {', '.join(one or 'source in the empty mark' for one in unknown)}"
            )
            return _reject(claim, VerdictCode.UNKNOWN_CITATION, detail, unknown)
        detail = f"{', '.join(labels)} was not given to this turn"
        return _reject(claim, VerdictCode.CITATION_NOT_RETRIEVED, detail, tuple(labels))

    def _compare(self, claim: Claim, chunks: Sequence[RetrievedChunk], given: _Given) -> Finding:
        check = check_quotations(claim, _state(claim), chunks, given.passages, given.turn)
        if check.finding is not None and check.settles:
            headed = head_quotation(read_parts(claim, check.stated, given.turn), claim.above)
            return _weigh_quoted(check.finding, headed, chunks, given)
        found = self._compare_statement(claim, check.stated, chunks, given)
        accepted = found.disposition is Disposition.ACCEPTED
        return check.finding if check.finding is not None and accepted else found

    def _compare_statement(
        self, claim: Claim, stated: str, chunks: Sequence[RetrievedChunk], given: _Given
    ) -> Finding:
        text = read_cited_text(chunks, ReadingTerms.of(given.turn))
        held = sum(len(one.clause.values) for one in text.clauses)
        if held * max(1, len(claim.assertions)) > _MOST_COMPARISONS:
            detail = "the statement and what it cites hold too many values"
            return find_unverifiable(claim, Reason.TOO_LARGE, detail)
        parts = read_parts(claim, stated, given.turn)
        if not parts or not text.clauses:
            return find_unverifiable(claim, Reason.NO_EVIDENCE, "there is nothing to compare")
        strict = given.turn.level is Level.STRICT_EXTRACTIVE

        def compare(own: Sequence[Clause], held: CitedText) -> StatementResult:
            found = compare_statement(own, held, given.said, given.told)
            return hold_to_words(own, found) if strict else found

        headed = put_under_heads(parts, claim.above)
        result = compare_under_heads(headed, text, compare)
        result = weigh_question(result, headed, text, given.asked)
        result = weigh_standing(result, parts, text.texts)
        evidence = tuple(show_clause(one, chunks) for one in result.clauses[:_MOST_EVIDENCE])
        finding = Finding(
            claim=claim.claim_id,
            tier=Tier.DOCUMENT,
            code=result.code,
            detail=result.detail,
            evidence=evidence or (show_span(chunks[0]),),
            corrected_value=result.right,
            values=result.values,
        )
        if len(chunks) > 1:
            finding = _weigh_alone(finding, headed.settle(text), chunks, given)
        if finding.code in {VerdictCode.SUPPORTED, VerdictCode.SOURCE_CONFLICT}:
            return finding
        return _with_places(finding, given.elsewhere.find(headed, chunks))


class _Given:
    """What of a turn the claims of one answer are held against, read once."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.chunks = ChunkIndex(turn)
        self.passages = PassageReader(turn)
        self.elsewhere = Elsewhere(turn)

    @cached_property
    def said(self) -> tuple[Value, ...]:
        """The values that the user told."""
        return tuple(
            mention.value
            for text in self.asked
            for mention in extract_quantities(text, locale=self.turn.locale, now=self.turn.now)
        )

    @cached_property
    def told(self) -> tuple[CitedClause, ...]:
        """The clauses of what the user said."""
        return number_clauses(self.asked, ReadingTerms.of(self.turn))

    @property
    def asked(self) -> tuple[str, ...]:
        """The texts of the user."""
        return (self.turn.question or "", *self.turn.said)

    def read(self, claim: Claim) -> dict[str, tuple[RetrievedChunk, ...]]:
        """Return the chunks that each label of the claim may mean: of all readings of its mark."""
        found: dict[str, tuple[RetrievedChunk, ...]] = {}
        for citation in claim.citations:
            labels = citation.readings or (citation.label,)
            meant = tuple(chunk for label in labels for chunk in self.chunks.find(label))
            found[citation.label] = meant
        if not claim.citations and self.turn.cited is not None:
            found[self.turn.cited] = self.chunks.find(self.turn.cited)
        return found


def _state(claim: Claim) -> str:
    return read_stated(claim.text, claim.citations, claim.span.start)


def _weigh_alone(
    finding: Finding, stated: HeadedStatement, chunks: Sequence[RetrievedChunk], given: _Given
) -> Finding:
    """Return the finding with what each cited chunk comes to by itself, contested where they disagree."""
    each = [stated.narrow(one) or one for one in _read_each(chunks, given)]
    accepted = finding.disposition is Disposition.ACCEPTED
    if accepted and is_contested(stated.parts, each, given.said):
        finding = _contest(finding)
    told = ", ".join(
        f"{chunk.label}: {compare_statement(stated.parts, text, given.said).code}"
        for chunk, text in zip(chunks[:_MOST_ALONE], each, strict=False)
    )
    return replace(finding, detail=f"{finding.detail}; by itself {told}")


def _weigh_quoted(
    finding: Finding, stated: HeadedStatement, chunks: Sequence[RetrievedChunk], given: _Given
) -> Finding:
    """Return the finding on a quotation, contested where another cited chunk says otherwise.

    One that does not stand under the headings that the answer puts it under is left for review.
    """
    if finding.disposition is not Disposition.ACCEPTED:
        return finding
    text = read_cited_text(chunks, ReadingTerms.of(given.turn)) if stated.heads else None
    if text is not None and not quotes_under_heads(stated, text):
        return replace(finding, code=VerdictCode.NEEDS_ENTAILMENT_REVIEW, detail=NOT_UNDER)
    if len(chunks) < _FEWEST_TO_DISAGREE:
        return finding
    contested = is_contested(stated.parts, _read_each(chunks, given), given.said)
    return _contest(finding) if contested else finding


def _read_each(chunks: Sequence[RetrievedChunk], given: _Given) -> list[CitedText]:
    return [read_cited_text((chunk,), ReadingTerms.of(given.turn)) for chunk in chunks]


def _contest(finding: Finding) -> Finding:
    return replace(finding, code=VerdictCode.SOURCE_CONFLICT, detail=CONFLICT)


def _with_places(finding: Finding, elsewhere: tuple[Evidence, ...]) -> Finding:
    """Return the finding with where the statement stands instead."""
    if not elsewhere:
        return finding
    places = ", ".join(dict.fromkeys(name_source(one) for one in elsewhere))
    evidence = tuple(dict.fromkeys((*finding.evidence, *elsewhere)))
    return replace(finding, detail=f"{finding.detail}; it stands in {places}", evidence=evidence)


def _judge_uncited(claim: Claim, turn: Turn) -> Finding:
    code, detail = judge_uncited(claim.text, turn.level)
    return Finding(claim=claim.claim_id, tier=Tier.DOCUMENT, code=code, detail=detail)


def _left_ambiguous(claim: Claim, detail: str, values: tuple[str, ...]) -> Finding:
    return Finding(
        claim=claim.claim_id,
        tier=Tier.DOCUMENT,
        code=VerdictCode.AMBIGUOUS,
        detail=detail,
        values=values,
    )


def _reject(claim: Claim, code: VerdictCode, detail: str, values: tuple[str, ...]) -> Finding:
    return Finding(
        claim=claim.claim_id, tier=Tier.DOCUMENT, code=code, detail=detail, values=values
    )
