"""Which claims a sentence that cites makes: one for each clause with citations of its own, or predicate."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.citations import CitationFinder, name_chunk
from verifier.core.citations.places import assign_citations, split_by_citations
from verifier.core.citations.splitting import split_cited
from verifier.core.coordination import split_predicates
from verifier.core.quotations import find_quotations, join_quoted, leaves_only_frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.citations import Citation
    from verifier.core.claims import Claim
    from verifier.core.quotations import Quotation
    from verifier.core.sentences import Sentence
    from verifier.core.spans import Span
    from verifier.core.turns import Turn

_BEFORE: Final = 12


def find_given_citations(answer: str, turn: Turn) -> tuple[Citation, ...]:
    """Return the citations of an answer, told what the turn was given.

    A mark within a quotation that stands so in a retrieved text is the text's own, and cites nothing here.
    """
    labels = {label for chunk in turn.retrieved for label in name_chunk(chunk)}
    finder = CitationFinder(
        labels,
        numbering=turn.numbering,
        style=turn.mark_style,
        bibliography=turn.bibliography,
    )
    found = finder.find(answer)
    quotations = find_quotations(answer) if found and turn.retrieved else ()
    if not quotations:
        return found
    quoted = _within(found, quotations)
    return tuple(one for one in found if one.mark not in quoted or not _is_own(answer, one, turn))


def split_given(answer: str, citations: Sequence[Citation], turn: Turn) -> tuple[Sentence, ...]:
    """Return the sentences; where there are documents to quote from, a quotation stays whole."""
    sentences = split_cited(answer, citations)
    return join_quoted(answer, sentences) if turn.retrieved else sentences


def cites_throughout(answer: str, turn: Turn) -> bool:
    """Return whether every sentence of an answer cites, so that nothing is left to bind to other evidence."""
    if not turn.retrieved:
        return False
    given = find_given_citations(answer, turn)
    sentences = split_given(answer, given, turn)
    cited = assign_citations(answer, sentences, given)
    return all(cited.get(one.span) for one in sentences)


def is_quotation(sentence: Sentence) -> bool:
    """Return whether a sentence is nothing but a passage that it presents as verbatim."""
    quotations = find_quotations(sentence.text)
    passages = any(one.is_passage for one in quotations)
    return passages and leaves_only_frame(sentence.text, quotations)


def split_claim(claim: Claim) -> Iterator[Claim]:
    """Yield a claim for each clause of a sentence that has citations of its own, else for each predicate.

    Predicates cite what the sentence cites, unless each has citations of its own. A quotation is never cut.
    """
    offset = claim.span.start
    local = [one.shift(-offset) for one in claim.citations if claim.span.contains(one.mark)]
    clauses = split_by_citations(claim.text, local) if len(local) == len(claim.citations) else ()
    if clauses and not _cuts_quotation(claim.text, clauses):
        for span in clauses:
            yield _part_of(claim, span.shift(offset))
        return
    parts = split_predicates(claim.text)
    if not parts or _cuts_quotation(claim.text, [part.span for part in parts]):
        yield claim
        return
    for part in parts:
        yield _part_of(claim, part.span.shift(offset), subject=part.subject)


def _part_of(claim: Claim, span: Span, *, subject: str = "") -> Claim:
    own = tuple(one for one in claim.citations if span.contains(one.mark))
    return replace(
        claim,
        span=span,
        text=span.shift(-claim.span.start).of(claim.text),
        assertions=tuple(one for one in claim.assertions if span.contains(one.span)),
        citations=own or claim.citations,
        subject_text=subject,
    )


def _cuts_quotation(text: str, spans: Sequence[Span]) -> bool:
    marks = [one.mark for one in find_quotations(text)]
    return any(mark.start < span.end < mark.end for span in spans[:-1] for mark in marks)


def _within(citations: Sequence[Citation], quotations: Sequence[Quotation]) -> set[Span]:
    """Return the marks that stand within a quotation; both come in order."""
    found: set[Span] = set()
    at = 0
    for one in citations:
        while at < len(quotations) and quotations[at].mark.end <= one.mark.start:
            at += 1
        if at < len(quotations) and quotations[at].span.contains(one.mark):
            found.add(one.mark)
    return found


def _is_own(answer: str, citation: Citation, turn: Turn) -> bool:
    written = answer[max(0, citation.mark.start - _BEFORE) : citation.mark.end]
    return any(written in chunk.text for chunk in turn.retrieved)
