"""The gate of quotations: what a claim presents as verbatim must stand in what it cites, unaltered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from verifier.core.quotations import (
    Fate,
    Location,
    find_quotations,
    leaves_only_frame,
    locate_quotation,
)
from verifier.core.quoted_statement import QUOTATION_CODES, unquote
from verifier.core.speech import read_words
from verifier.core.text import fold
from verifier.core.verdicts import Finding, Tier, VerdictCode
from verifier.verify.elsewhere import NOTE, name_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from verifier.core.claims import Claim
    from verifier.core.evidence import Evidence
    from verifier.core.quotations import Quotation
    from verifier.core.turns import RetrievedChunk, Turn
    from verifier.verify.passages import Passage, PassageReader

_MOST_SEARCHED: Final = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotationCheck:
    """What the quotations of a claim came to.

    `finding` decides the claim where `settles`: a quotation failed, or the claim is nothing but quotations;
    then `stated` are their words. Else `stated`, the claim without quotation marks, is left to compare, and a
    finding keeps it from being accepted.
    """

    finding: Finding | None
    stated: str
    settles: bool = True


def check_quotations(
    claim: Claim, stated: str, chunks: Sequence[RetrievedChunk], reader: PassageReader, turn: Turn
) -> QuotationCheck:
    """Return what the quotations in `stated`, the claim without its citations, come to in the chunks.

    A sentence with a citation of its own presents what it quotes as the source's. Where only the whole
    answer cites, marks within a statement may be the writer's own: what fails there is left for review.
    """
    quotations = find_quotations(stated)
    names = frozenset(word for chunk in chunks for word in read_words(chunk.source))
    alone = bool(quotations) and leaves_only_frame(stated, quotations, names)
    sought = [one for one in quotations if one.is_passage or alone]
    sought = [one for one in sought if alone or not _is_said(one, turn)]
    if not sought:
        return QuotationCheck(finding=None, stated=stated)
    passages = _passages(chunks, reader)
    found = [_locate(one, passages) for one in sought]
    worst = min(found, key=lambda one: one[0].fate)
    plain = unquote(stated, sought)
    cut = worst[0].fate is Fate.OPEN and not alone
    if worst[0].fate is not Fate.FOUND and not (cut and _stands_whole(plain, passages)):
        quotation = sought[found.index(worst)]
        failed = _failed(claim, quotation, worst, _others(passages, reader))
        if alone or claim.citations:
            return QuotationCheck(finding=failed, stated=stated)
        review = replace(failed, code=VerdictCode.NEEDS_ENTAILMENT_REVIEW)
        return QuotationCheck(finding=review, stated=stated, settles=False)
    evidence = tuple(dict.fromkeys(one for _, shown in found for one in shown))
    if alone:
        finding = _finding(claim, found[0][0], evidence)
        quoted = " ".join(one.text for one in sought)
        return QuotationCheck(finding=finding, stated=quoted)
    return QuotationCheck(finding=None, stated=plain)


def _stands_whole(statement: str, passages: Iterable[Passage]) -> bool:
    """Return whether the words around a quotation are the text’s too: guests may “cancel at once” free."""
    return any(locate_quotation(statement, passage.text).fate is Fate.FOUND for passage in passages)


def check_uncited(claim: Claim, stated: str, reader: PassageReader, turn: Turn) -> Finding | None:
    """Return what a claim that is a quotation and cites nothing comes to in all that was retrieved.

    None where it is no such claim, or where something else of the turn may be what it quotes.
    """
    quotations = find_quotations(stated)
    sought = [one for one in quotations if one.is_passage]
    if not sought or not leaves_only_frame(stated, quotations) or not turn.retrieved:
        return None
    passages = list(reader.all())
    found = [_locate(one, passages) for one in sought]
    worst = min(found, key=lambda one: one[0].fate)
    if worst[0].fate is Fate.FOUND:
        evidence = tuple(dict.fromkeys(one for _, shown in found for one in shown))
        return _finding(claim, worst[0], evidence)
    absent = worst[0].fate is Fate.ABSENT
    if absent and (turn.calls or any(_is_said(one, turn) for one in sought)):
        return None
    return _failed(claim, sought[found.index(worst)], worst, ())


def _passages(chunks: Iterable[RetrievedChunk], reader: PassageReader) -> list[Passage]:
    found: list[Passage] = []
    for chunk in chunks:
        if not any(passage.holds(chunk) for passage in found):
            found.append(reader.around(chunk))
    return found


def _others(passages: Sequence[Passage], reader: PassageReader) -> Iterable[Passage]:
    taken = {id(part.chunk) for passage in passages for part in passage.parts}
    return (one for one in reader.all() if id(one.parts[0].chunk) not in taken)


def _locate(
    quotation: Quotation, passages: Iterable[Passage], *, note: str | None = None
) -> tuple[Location, tuple[Evidence, ...]]:
    """Return the best place of a quotation among the passages, with the evidence of it."""
    best = Location(fate=Fate.ABSENT, detail="these words do not stand in what it cites")
    shown: tuple[Evidence, ...] = ()
    searched = 0
    for passage in passages:
        searched += len(passage.text)
        if searched > _MOST_SEARCHED and shown:
            break
        location = locate_quotation(quotation.text, passage.text)
        if location.fate > best.fate:
            best, shown = location, tuple(passage.show(location.spans, note=note))
        if best.fate is Fate.FOUND:
            break
    return best, shown


def _failed(
    claim: Claim,
    quotation: Quotation,
    found: tuple[Location, tuple[Evidence, ...]],
    others: Iterable[Passage],
) -> Finding:
    """Return that a quotation is altered or absent, and where else it stands."""
    location, evidence = found
    finding = _finding(claim, location, evidence)
    elsewhere, shown = _locate(quotation, others, note=NOTE)
    if elsewhere.fate >= Fate.OPEN:
        places = ", ".join(dict.fromkeys(name_source(one) for one in shown))
        detail = f"{location.detail}; it stands in {places}"
        finding = replace(finding, evidence=(*evidence, *shown), detail=detail)
    return replace(finding, values=(quotation.text[:200],))


def _finding(claim: Claim, location: Location, evidence: tuple[Evidence, ...]) -> Finding:
    return Finding(
        claim=claim.claim_id,
        tier=Tier.DOCUMENT,
        code=QUOTATION_CODES[location.fate],
        detail=location.detail,
        evidence=evidence,
    )


def _is_said(quotation: Quotation, turn: Turn) -> bool:
    """Return whether the user said these words: then they are the user's, not a source's."""
    wanted = fold(quotation.text).strip(" .,;:!?")
    return any(wanted in fold(text) for text in (turn.question or "", *turn.said))
