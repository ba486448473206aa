"""Quote, then answer: each quotation must stand in its source, and the answer within its quotations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from verifier.core.cited_answers import CheckedSentence, check_cited_answer
from verifier.core.turns import Level
from verifier.core.verdicts import Disposition, VerdictCode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedAnswer:
    """The quotations of an answer and its other statements, each with what it came to."""

    quotations: tuple[CheckedSentence, ...]
    statements: tuple[CheckedSentence, ...]

    @property
    def accepted(self) -> bool:
        """Whether something is stated, every quotation stands, and every statement is within them."""
        every = (*self.quotations, *self.statements)
        return bool(every) and all(one.disposition is Disposition.ACCEPTED for one in every)


def check_quote_then_answer(
    answer: str,
    sources: Mapping[str, str],
    question: str | None = None,
    level: Level | str = Level.SYNTHESIS,
) -> QuotedAnswer:
    """Return what the quotations of an answer come to, and its other sentences against these alone.

    A quotation is a sentence that is nothing but quoted words and citations. A statement that cites a
    source of which nothing true is quoted is a `missing_citation`: it rests on no quotation. All else is
    as `check_cited_answer` says, with its blind spots; that the right passages were quoted is not seen.
    """
    judged = check_cited_answer(answer, sources, question, level)
    quotations = tuple(one for one in judged if one.quoted is not None)
    quoted = dict.fromkeys(sources, "") | _collect(quotations)
    again = check_cited_answer(answer, quoted, question, level)
    statements = tuple(_name_unquoted(one) for one in again if one.quoted is None)
    return QuotedAnswer(quotations=quotations, statements=statements)


def _collect(quotations: Sequence[CheckedSentence]) -> dict[str, str]:
    """Return what was rightly quoted, by the label that it was quoted from."""
    found: dict[str, list[str]] = {}
    for one in quotations:
        if one.quoted is not None and one.disposition is not Disposition.REJECTED:
            for label in one.cited:
                found.setdefault(label, []).append(one.quoted)
    return {label: "\n\n".join(texts) for label, texts in found.items()}


def _name_unquoted(checked: CheckedSentence) -> CheckedSentence:
    """Return a sentence as resting on nothing, where nothing is quoted of what it cites."""
    if checked.code is not VerdictCode.UNVERIFIABLE:
        return checked
    detail = f"nothing is rightly quoted from {', '.join(checked.cited)}"
    return replace(checked, code=VerdictCode.MISSING_CITATION, detail=detail)
