"""A statement and the documents that it cites, judged without a turn: what the narrow checks share."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from verifier.core.asked_heads import weigh_question
from verifier.core.cited_cells import read_cells
from verifier.core.cited_conflicts import CONFLICT, is_contested
from verifier.core.cited_standing import weigh_standing
from verifier.core.claim_heads import (
    NOT_UNDER,
    compare_under_heads,
    head_quotation,
    put_under_heads,
    quotes_under_heads,
)
from verifier.core.clause_cuts import FINITE_VERB, cut_clauses
from verifier.core.frequencies import add_frequencies
from verifier.core.inline_marks import blank_emphasis
from verifier.core.narrow_comparison import compare_narrowly
from verifier.core.narrow_results import CitedSpan, NarrowResult
from verifier.core.plain_clauses import has_turning_sign
from verifier.core.quantities import extract_quantities
from verifier.core.quoted_statement import judge_quotations
from verifier.core.spans import Span
from verifier.core.spoken_leads import blank_spoken_leads
from verifier.core.statement_comparison import CitedText
from verifier.core.statement_results import CitedClause, StatementResult
from verifier.core.statements import make_clause, read_clauses
from verifier.core.turns import Level
from verifier.core.verdicts import VerdictCode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from verifier.core.claim_heads import HeadedStatement
    from verifier.core.quantities import ValueMention
    from verifier.core.statements import Clause, ReadingTerms

    Reader: TypeAlias = Callable[[tuple[str, ...], ReadingTerms], CitedText]

_JOINED: Final = re.compile(r",?\s+(?:and|but|so|while|whereas)\s+", re.IGNORECASE)
_SHORT_VERB: Final = re.compile(r"\w['’](?:re|ve|ll|s|d|m)\b", re.IGNORECASE)  # you're
_MOST_COMPARISONS: Final = 200_000
_FEWEST_TO_DISAGREE: Final = 2
_KEPT_READINGS: Final = 64
_CACHED_STATEMENTS: Final = 16  # one statement is held against several documents, one by one


@lru_cache(maxsize=_CACHED_STATEMENTS)
def read_statement(text: str, terms: ReadingTerms) -> tuple[Clause, ...]:
    """Return the clauses of a statement that cites nothing itself, each with a verb of its own."""
    text = blank_spoken_leads(blank_emphasis(text))
    values = add_frequencies(
        text,
        extract_quantities(
            text,
            locale=terms.locale,
            timezone=terms.timezone,
            default_currency=terms.default_currency,
            fiscal_year_start=terms.fiscal_year_start,
        ),
    )
    spans = [
        Span(start, end)
        for span in cut_clauses(text, values)
        for start, end in _cut_further(text, span, values)
    ]
    clauses = [make_clause(text, span, values) for span in spans]
    return tuple(filter(tells_anything, clauses)) or tuple(clauses[:1])


def tells_anything(clause: Clause) -> bool:
    """Return whether a clause has a word, a value, a denial or a sign to hold against a text."""
    told = clause.stems or clause.values or clause.denied
    return bool(told) or has_turning_sign(clause.text)


def _cut_further(text: str, span: Span, values: Sequence[ValueMention]) -> list[tuple[int, int]]:
    """Return where a clause is cut at an "and" or "so" that has a verb on both sides."""
    edges = [span.start]
    for match in _JOINED.finditer(text, span.start, span.end):
        inside = any(
            one.span.start < match.end() and match.start() < one.span.end for one in values
        )
        before, after = text[edges[-1] : match.start()], text[match.end() : span.end]
        if not inside and _has_verb(before) and _has_verb(after):
            concluding = match.group().strip(" ,").casefold() == "so"
            edges.append(match.start() if concluding else match.end())
    return list(zip(edges, [*edges[1:], span.end], strict=True))


def _has_verb(text: str) -> bool:
    return FINITE_VERB.search(text) is not None or _SHORT_VERB.search(text) is not None


def read_cited(texts: Sequence[str], terms: ReadingTerms) -> CitedText:
    """Return the clauses and table cells of the texts."""
    cells = tuple(
        (number, cell) for number, each in enumerate(texts) for cell in read_cells(each, terms)
    )
    return CitedText(texts=tuple(texts), clauses=number_clauses(texts, terms), cells=cells)


def keep_readings() -> Reader:
    """Return a `read_cited` for one run, which reads what it was lately asked for no second time."""
    return lru_cache(maxsize=_KEPT_READINGS)(read_cited)


def judge_statement(
    text: str,
    cited: Mapping[str, str],
    terms: ReadingTerms,
    *,
    said: Sequence[str] = (),
    above: Sequence[str] = (),
    level: Level = Level.SYNTHESIS,
    read: Reader = read_cited,
) -> NarrowResult:
    """Return what the texts of the documents that a statement cites say of it, taken together.

    `above` are the headings and leads of the answer that the statement stands under. `read` is
    `read_cited`, or what `keep_readings` returned.
    """
    names, texts = tuple(cited), tuple(cited.values())
    if not any(one.strip() for one in texts):
        return _leave_open("the text of what it cites is not at hand")
    quoted = judge_quotations(text, cited, said)
    parts = read_statement(quoted.stated, terms)
    stated = put_under_heads(parts, above)
    whole = read(texts, terms)
    if quoted.result is not None:
        stated = head_quotation(parts, above)
        placed = _weigh_heads(quoted.result, stated, whole)
        return _weigh_conflict(placed, stated, texts, terms, read)
    held = sum(len(one.clause.values) for one in whole.clauses)
    if not parts or held * sum(len(one.values) for one in parts) > _MOST_COMPARISONS:
        return _leave_open("there is nothing to compare, or too much")
    told = number_clauses(said, terms)
    found = compare_under_heads(
        stated, whole, lambda own, held: compare_narrowly(own, held, said=told, level=level)
    )
    found = weigh_question(found, stated, whole, said)
    weighed = _name_documents(weigh_standing(found, parts, texts), parts, names)
    return _weigh_conflict(weighed, stated, texts, terms, read)


def _weigh_heads(found: NarrowResult, stated: HeadedStatement, cited: CitedText) -> NarrowResult:
    """Return a review of a quotation that does not stand under what the answer puts it under."""
    if found.code is not VerdictCode.SUPPORTED or quotes_under_heads(stated, cited):
        return found
    return replace(found, code=VerdictCode.NEEDS_ENTAILMENT_REVIEW, detail=NOT_UNDER)


def _weigh_conflict(
    found: NarrowResult,
    stated: HeadedStatement,
    texts: Sequence[str],
    terms: ReadingTerms,
    read: Reader,
) -> NarrowResult:
    """Return what is supported as in conflict, where the cited texts do not agree on it."""
    if found.code is not VerdictCode.SUPPORTED or len(texts) < _FEWEST_TO_DISAGREE:
        return found
    each = [read((text,), terms) for text in texts]
    if not is_contested(stated.parts, [stated.settle(one).narrow(one) or one for one in each]):
        return found
    return replace(found, code=VerdictCode.SOURCE_CONFLICT, detail=CONFLICT)


def _leave_open(detail: str) -> NarrowResult:
    return NarrowResult(code=VerdictCode.UNVERIFIABLE, detail=detail)


def number_clauses(texts: Sequence[str], terms: ReadingTerms) -> tuple[CitedClause, ...]:
    """Return the clauses of the texts, each with the number of its text."""
    return tuple(
        CitedClause(clause=clause, text_number=number)
        for number, each in enumerate(texts)
        for clause in read_clauses(each, terms)
    )


def _name_documents(
    found: StatementResult, parts: Sequence[Clause], names: Sequence[str]
) -> NarrowResult:
    written = [one for part in parts for one in part.values]
    return NarrowResult(
        code=found.code,
        detail=found.detail,
        values=tuple(one for one in written if one.value.text in found.values),
        evidence=tuple(
            CitedSpan(document=names[one.text_number], span=one.clause.span, text=one.clause.text)
            for one in found.clauses[:5]
        ),
    )
