"""Whether what supports a statement stands under another heading than the one that the user asks about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.claim_heads import read_head_words
from verifier.core.statement_results import review
from verifier.core.value_presence import differ
from verifier.core.verdicts import VerdictCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.claim_heads import HeadedStatement
    from verifier.core.statement_comparison import CitedText
    from verifier.core.statement_results import CitedClause, StatementResult
    from verifier.core.statements import Clause


def weigh_question(
    found: StatementResult, stated: HeadedStatement, cited: CitedText, asked: Sequence[str]
) -> StatementResult:
    """Return a review of what stands under a heading that nobody names, where the asked one says otherwise.

    To "How long is the kettle covered?", "The warranty lasts 2 years" is no answer where that stands under
    Toasters, and the part under Kettles has a warranty of 3 years. A statement that names its heading is
    one, and so is all that the asked part has no other value for.
    """
    words = frozenset[str]().union(*map(read_head_words, asked))
    if found.code is not VerdictCode.SUPPORTED or not words:
        return found
    own = frozenset[str]().union(*(read_head_words(part.text) for part in stated.parts))
    own = own.union(*(head.words for head in stated.heads))
    for one in found.clauses:
        if not _stands_apart(one, words | own):
            continue
        for other in cited.clauses:
            if _is_asked(other, one, words) and _tells_otherwise(stated.parts, other):
                return review("the cited text says so of another thing than is asked", (one, other))
    return found


def _stands_apart(one: CitedClause, named: frozenset[str]) -> bool:
    """Return whether the innermost heading of a clause has no word that the user or the statement has."""
    above = _list_heads(one)
    return bool(above) and bool(above[-1]) and not above[-1] & named


def _is_asked(other: CitedClause, one: CitedClause, words: frozenset[str]) -> bool:
    """Return whether a clause stands under a heading that is asked about, and `one` does not."""
    above = _list_heads(other)
    return (
        bool(above) and bool(above[-1]) and above[-1] <= words and above[-1] not in _list_heads(one)
    )


def _tells_otherwise(parts: Sequence[Clause], other: CitedClause) -> bool:
    return any(
        part.stems & other.clause.stems and differ(part.values, other.clause.values)
        for part in parts
    )


def _list_heads(one: CitedClause) -> list[frozenset[str]]:
    place = one.clause.place
    return [] if place is None else [read_head_words(text) for text in place.above]
