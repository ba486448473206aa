"""Whether one of several cited texts speaks against what another of them supports."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.speech import read_words
from verifier.core.statement_comparison import CitedText, compare_statement
from verifier.core.verdicts import VerdictCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.statements import Clause
    from verifier.core.values import Value

_COPULAS: Final = frozenset({"is", "are", "was", "were"})
CONFLICT: Final = "one of the cited texts says otherwise"


def is_contested(
    parts: Sequence[Clause], each: Sequence[CitedText], said: Sequence[Value] = ()
) -> bool:
    """Return whether cited texts, `each` by itself, say two things of a statement, or one contradicts it."""
    together = CitedText(
        texts=tuple(text for one in each for text in one.texts),
        clauses=tuple(
            replace(clause, text_number=number)
            for number, one in enumerate(each)
            for clause in one.clauses
        ),
    )
    if compare_statement(parts, together, said).code is VerdictCode.SOURCE_CONFLICT:
        return True
    if any(_describes_otherwise(part, one.clause) for part in parts for one in together.clauses):
        return True
    codes = (compare_statement(parts, one, said).code for one in each)
    return VerdictCode.CONTRADICTED in codes


def _describes_otherwise(part: Clause, clause: Clause) -> bool:
    """Return whether a clause says the same but for the word behind its verb: "is blue", "is red"."""
    stated, cited = read_words(part.text), read_words(clause.text)
    if len(stated) != len(cited) or part.values or clause.values:
        return False
    pairs = list(zip(stated, cited, strict=True))
    apart = [at for at, (one, other) in enumerate(pairs) if one != other]
    return len(apart) == 1 and apart[0] > 0 and stated[apart[0] - 1] in _COPULAS
