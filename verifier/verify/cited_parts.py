"""A cited sentence as the clauses that are compared, without its citations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.clause_cuts import cut_clauses
from verifier.core.frequencies import add_frequencies
from verifier.core.statements import make_clause
from verifier.core.text import normal_form
from verifier.core.turn_values import read_quantities
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.claims import Claim
    from verifier.core.statements import Clause
    from verifier.core.turns import Turn
    from verifier.core.values import Value

_LIST_MARK: Final = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")  # "- ", "2. "
_QUOTES: Final = frozenset('"“”„«»')
_OMISSION: Final = re.compile(r"\[[^\]]*\]|…|\.\.\.")  # [...], [he], …
_REFERENCE: Final = re.compile(r"\[[0-9, –-]{1,20}\]")  # [12] of the source itself
_WORD: Final = re.compile(r"[^\W_]+(?:[.,'][^\W_]+)*")  # keeps 1.5 apart from 15


def read_parts(claim: Claim, turn: Turn) -> tuple[Clause, ...]:
    """Return the clauses of a claim's sentence, citations left out, quotation marks around it dropped."""
    text = find_quotation(claim) or f"{claim.subject_text} {_stated_text(claim)}".strip()
    values = read_quantities(text, turn)
    values = add_frequencies(text, values)
    values = tuple(one for one in values if not _names_a_thing(one.value, claim))
    clauses = tuple(make_clause(text, span, values) for span in cut_clauses(text, values))
    return tuple(one for one in clauses if one.stems or one.values) if len(clauses) > 1 else clauses


def _names_a_thing(value: Value, claim: Claim) -> bool:
    """Return whether an id is that of a catalogued thing, which is no assertion of the statement."""
    asserted = {one.value.text for one in claim.assertions if one.value is not None}
    return value.kind is Kind.IDENTIFIER and value.text not in asserted


def find_quotation(claim: Claim) -> str | None:
    """Return what stands between the quotation marks of a claim that is a quotation from end to end."""
    text = _stated_text(claim).rstrip(" .!")
    if len(text) < 3 or text[0] not in _QUOTES or text[-1] not in _QUOTES:
        return None
    inside = text[1:-1]
    return None if any(mark in inside for mark in _QUOTES) else inside.strip()


def quotes(text: str, quotation: str) -> bool:
    """Return whether the text holds the quotation's words, marks and signs aside.

    A quotation that leaves something out by a mark of its own is not told here.
    """
    if _OMISSION.search(quotation):
        return True
    return f" {_bare_words(quotation)} " in f" {_bare_words(text)} "


def _bare_words(text: str) -> str:
    unmarked = _REFERENCE.sub(" ", text)
    joined = normal_form(unmarked).text.replace("-", "")
    return " ".join(_WORD.findall(joined))


def _stated_text(claim: Claim) -> str:
    text = _without_citations(claim)
    mark = _LIST_MARK.match(text)
    return (text[mark.end() :] if mark else text).strip()


def _without_citations(claim: Claim) -> str:
    offset = claim.span.start
    kept, at = [], 0
    for citation in claim.citations:
        if not claim.span.contains(citation.span):
            continue
        start = claim.text.rfind("[", 0, citation.span.start - offset + 1)
        end = claim.text.find("]", citation.span.end - offset)
        start, end = max(start, at), end + 1 if end >= 0 else citation.span.end - offset
        kept.append(claim.text[at : max(at, start)])
        at = max(at, end)
    kept.append(claim.text[at:])
    return "".join(kept)
