"""The quotations of a statement: each must stand, word for word, in a document that it cites."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.narrow_results import CitedSpan, NarrowResult
from verifier.core.quotations import (
    Fate,
    Location,
    Quotation,
    find_quotations,
    leaves_only_frame,
    locate_quotation,
)
from verifier.core.verdicts import VerdictCode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

QUOTATION_CODES: Final[Mapping[Fate, VerdictCode]] = MappingProxyType(
    {
        Fate.ABSENT: VerdictCode.QUOTE_NOT_FOUND,
        Fate.ALTERED: VerdictCode.QUOTE_NOT_FOUND,
        Fate.OPEN: VerdictCode.NEEDS_ENTAILMENT_REVIEW,
        Fate.FOUND: VerdictCode.SUPPORTED,
    }
)
"""What a quotation comes to by how it stands to the text that it is cited from."""

_Found = tuple[Location, tuple[CitedSpan, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedStatement:
    """What the quotations of a statement come to; None where they leave `stated` to be compared.

    Of a statement that is nothing but quotations, `stated` are their words.
    """

    result: NarrowResult | None
    stated: str


def find_whole_quotation(text: str) -> str | None:
    """Return the quoted words of a statement that is nothing but quotations; None of another."""
    quotations = find_quotations(text)
    if not quotations or not leaves_only_frame(text, quotations):
        return None
    return " ".join(one.text for one in quotations)


def judge_quotations(text: str, cited: Mapping[str, str], said: Sequence[str]) -> QuotedStatement:
    """Return what the quotations of a statement come to in the documents that it cites.

    What only repeats the user between quotation marks, or sets a word or two apart, is none. A quotation
    that is cut is whole where the words around it are the text's too: guests may “cancel at once” for free.
    """
    quotations = find_quotations(text)
    alone = bool(quotations) and leaves_only_frame(text, quotations)
    sought = [one for one in quotations if alone or (one.is_passage and not _is_said(one, said))]
    if not sought:
        return QuotedStatement(result=None, stated=text)
    found = [_locate(one.text, cited) for one in sought]
    worst = min(found, key=lambda one: one[0].fate)
    evidence = tuple(dict.fromkeys(span for _, spans in found for span in spans))
    plain = unquote(text, sought)
    if not alone and worst[0].fate is Fate.OPEN and _locate(plain, cited)[0].fate is Fate.FOUND:
        return QuotedStatement(result=None, stated=plain)
    if alone or worst[0].fate is not Fate.FOUND:
        code, detail = QUOTATION_CODES[worst[0].fate], worst[0].detail
        result = NarrowResult(code=code, detail=detail, evidence=evidence)
        quoted = " ".join(one.text for one in sought)
        return QuotedStatement(result=result, stated=quoted if alone else text)
    return QuotedStatement(result=None, stated=plain)


def locate_in(quotation: str, document: str, text: str) -> _Found:
    """Return how a quotation stands to a document, with the characters that it was found at."""
    location = locate_quotation(quotation, text)
    spans = tuple(
        CitedSpan(document=document, span=span, text=span.of(text)) for span in location.spans
    )
    return location, spans


def _locate(quotation: str, cited: Mapping[str, str]) -> _Found:
    places = [locate_in(quotation, document, text) for document, text in cited.items()]
    return max(places, key=lambda one: one[0].fate)


def _is_said(quotation: Quotation, said: Sequence[str]) -> bool:
    return any(locate_quotation(quotation.text, one).fate is Fate.FOUND for one in said)


def unquote(text: str, quotations: Sequence[Quotation]) -> str:
    """Return `text` without the marks of the quotations, which are in order; their words stay."""
    kept, at = [], 0
    for one in quotations:
        kept += [text[at : one.mark.start], one.span.of(text)]
        at = one.mark.end
    return "".join((*kept, text[at:]))
