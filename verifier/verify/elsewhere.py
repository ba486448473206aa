"""Where a statement stands that the cited text does not bear out: among what was retrieved and not cited."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from verifier.core.claim_heads import compare_under_heads
from verifier.core.evidence import SpanLocator
from verifier.core.statement_comparison import compare_statement
from verifier.core.statements import ReadingTerms, list_stems
from verifier.core.verdicts import VerdictCode
from verifier.verify.cited_texts import is_allowed, read_cited_text, show_clause

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.claim_heads import HeadedStatement
    from verifier.core.evidence import Evidence
    from verifier.core.turns import RetrievedChunk, Turn

NOTE: Final = "stands here, which is not cited"
_MOST_PLACES: Final = 3
_MOST_COMPARISONS: Final = 500
_LONGEST_TEXT: Final = 50_000


@dataclass(slots=True)
class Elsewhere:
    """Searches the chunks of one turn; what it costs is bounded for a whole report."""

    turn: Turn
    _left: int = _MOST_COMPARISONS
    _stems: list[tuple[RetrievedChunk, frozenset[str]]] | None = field(default=None, repr=False)

    def find(
        self, stated: HeadedStatement, cited: Sequence[RetrievedChunk]
    ) -> tuple[Evidence, ...]:
        """Return where the statement's clauses stand as they are, outside of what it cites."""
        wanted = frozenset().union(*(part.stems for part in stated.written))
        found: list[Evidence] = []
        if not wanted:
            return ()
        for chunk, stems in self._read():
            if len(found) >= _MOST_PLACES or self._left <= 0:
                break
            if not wanted <= stems or any(chunk is one for one in cited):
                continue
            self._left -= 1
            text = read_cited_text((chunk,), ReadingTerms.of(self.turn))
            result = compare_under_heads(stated, text, compare_statement)
            if result.code is VerdictCode.SUPPORTED and result.clauses:
                found.append(show_clause(result.clauses[0], (chunk,), note=NOTE))
        return tuple(found)

    def _read(self) -> list[tuple[RetrievedChunk, frozenset[str]]]:
        if self._stems is None:
            self._stems = [
                (chunk, frozenset(list_stems(chunk.text)))
                for chunk in self.turn.retrieved[:_MOST_COMPARISONS]
                if len(chunk.text) <= _LONGEST_TEXT and is_allowed(chunk, self.turn)
            ]
        return self._stems


def name_source(evidence: Evidence) -> str:
    """Return the document version that evidence stands in, as people name it."""
    locator = evidence.locator
    if not isinstance(locator, SpanLocator):
        return ""
    return locator.source if locator.seq is None else f"{locator.source}@{locator.seq}"
