"""Texts as facts: tables, labelled lines, and prose by the clause."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.evidence import Polarity
from verifier.core.facts.cells import read_cell
from verifier.core.facts.forms import Role, read_form
from verifier.core.facts.tables import find_tables
from verifier.core.facts.values import LONGEST_SHORT, may_hold_value, read_values, state_value
from verifier.core.field_names import field_words
from verifier.core.quantities import extract_quantities
from verifier.core.spans import Span
from verifier.core.statements import read_clauses
from verifier.core.text import content_stems, fold
from verifier.core.values import Kind, TextValue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.facts.tables import Cell
    from verifier.core.statements import Clause, ReadingTerms
    from verifier.core.values import Value

_LABELLED: Final = re.compile(  # "- **Signal**: poor"
    r"^[ \t]*(?:[-*•][ \t]+)?(?P<label>[^\W\d_][^\n:|.;!?]{0,59}?)[*_`]*:[ \t]+(?P<value>\S[^\n]*)$",
    re.MULTILINE,
)
_STATE_SENTENCE: Final = re.compile(  # "Wi-Fi Calling is currently turned OFF"
    r"""^(?P<label>[^\n:;,.]{2,60}?)\s(?:is|are|has\sbeen|was)
        (?:\s(?:now|currently|already|turned|set\sto|still)){0,3}
        \s(?P<state>on|off|enabled|disabled|active|inactive|connected|disconnected|locked|unlocked|open|closed
            |available|unavailable|pending|suspended|cancell?ed|shipped|delivered|full|empty)[.!]?$""",
    re.VERBOSE | re.IGNORECASE,
)
_SENTENCE: Final = re.compile(  # "Transfers: tickets can be transferred once"
    r"\w\s+(?:can|cannot|may|must|should|shall|will|get|gets|receive|receives|pays?|costs?)\s+\S",
    re.IGNORECASE,
)
_BAR: Final = re.compile(r"\s\|\s")
_MOST_LABEL_WORDS: Final = 6
_LONGEST_LABELLED: Final = 160
_LONGEST_CACHED: Final = 100_000
_LONGEST_CONDITION: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class TextStatement:
    """One statement of a text: a value and the words that it stands beside."""

    span: Span
    value: Value
    attribute: tuple[str, ...] = ()
    cues: frozenset[str] = frozenset()
    head: str | None = None
    clause: Clause | None = None
    period: str | None = None
    polarity: Polarity = Polarity.STATED
    condition: str | None = None
    twin: bool = False


def read_text(text: str, terms: ReadingTerms) -> Sequence[TextStatement]:
    """Return what a text states: of each table the cells, of labelled lines the values, of prose each clause.

    A clause is told once as a whole, its text being the value, and once for each value in it.
    """
    if len(text) > _LONGEST_CACHED:
        return tuple(_statements(text, terms))
    return _read_cached(text, terms)


@lru_cache(maxsize=512)
def _read_cached(text: str, terms: ReadingTerms) -> tuple[TextStatement, ...]:
    return tuple(_statements(text, terms))


def _statements(text: str, terms: ReadingTerms) -> Iterator[TextStatement]:
    taken: list[Span] = []
    for span, cells in find_tables(text):
        taken.append(span)
        for cell in cells:
            yield from _of_cell(cell, terms)
    for label in _labelled(text, taken):
        yield from label_statements(text, label, terms)
        taken.append(Span(label.start(), label.end()))
    for clause in read_clauses(_without(text, taken), terms):
        yield from _of_clause(clause)


def _without(text: str, taken: Sequence[Span]) -> str:
    """Return the text with tables and labelled lines blank, offsets unchanged."""
    if not taken:
        return text
    kept, at = [], 0
    for span in sorted(taken):
        kept.append(text[at : span.start])
        kept.append("\n" * (span.end - max(at, span.start)))
        at = span.end
    return "".join((*kept, text[at:]))


class _Apart:
    """Tells whether a place lies in a table or a labelled line."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = sorted(spans)
        self._starts = [span.start for span in self._spans]

    def holds(self, at: int) -> bool:
        found = bisect_right(self._starts, at)
        return found > 0 and at < self._spans[found - 1].end


def _labelled(text: str, taken: Sequence[Span]) -> list[re.Match[str]]:
    apart = _Apart(taken)
    return [
        match
        for match in _LABELLED.finditer(text)
        if len(match["value"]) <= _LONGEST_LABELLED
        and len(match["label"].split()) <= _MOST_LABEL_WORDS
        and not apart.holds(match.start("label"))
        and not is_sentence(match["value"])
    ]


def is_sentence(text: str) -> bool:
    """Return whether a short text is a sentence, more than a value: "seats can be changed once"."""
    return _SENTENCE.search(text) is not None


def label_statements(
    text: str, match: re.Match[str], terms: ReadingTerms
) -> Iterator[TextStatement]:
    """Yield what a labelled line states; parts between bars are stated one by one."""
    start = match.start("value")
    stops = [found.span() for found in _BAR.finditer(match["value"])]
    edges = [0, *(end for _, end in stops)]
    ends = [*(begin for begin, _ in stops), len(match["value"])]
    for begin, end in zip(edges, ends, strict=True):
        span = Span(start + begin, start + end)
        yield from labelled_values(match["label"], span.of(text), terms, span=span)


def labelled_values(
    label: str, written: str, terms: ReadingTerms, *, span: Span
) -> Iterator[TextStatement]:
    """Yield what a short text under a label states: its value, or itself and the values in it."""
    form = read_form(label)
    values = read_values(written.rstrip("."), form, terms=terms)
    for at, value in enumerate(values):
        yield TextStatement(
            span=span, value=value, attribute=form.words, cues=form.cues, twin=at > 0
        )
    if values and isinstance(values[0], TextValue) and values[0].kind in {Kind.TEXT, Kind.NAME}:
        cues = form.cues | frozenset(content_stems(written))
        for value in contained_values(written, form.role, terms):
            yield TextStatement(span=span, value=value, attribute=form.words, cues=cues)


def contained_values(text: str, role: Role, terms: ReadingTerms) -> tuple[Value, ...]:
    """Return the values in a text that is more than one value; none of addresses and links."""
    if role in {Role.ADDRESS, Role.CODE, Role.PHONE, Role.ID} or not may_hold_value(text):
        return ()
    return _contained(text, terms) if "://" not in text else ()


@lru_cache(maxsize=4096)
def _contained(text: str, terms: ReadingTerms) -> tuple[Value, ...]:
    mentions = extract_quantities(
        text,
        locale=terms.locale,
        timezone=terms.timezone,
        default_currency=terms.default_currency,
        fiscal_year_start=terms.fiscal_year_start,
    )
    return tuple(one.value for one in mentions)


def _of_cell(cell: Cell, terms: ReadingTerms) -> Iterator[TextStatement]:
    words = [part for part in (cell.row_head, cell.column_head) if part and part != cell.period]
    cues = frozenset(content_stems(" ".join((*words, cell.section))))
    attribute = tuple(word for part in words for word in field_words(part))
    for at, value in enumerate(read_cell(cell, terms)):
        yield TextStatement(
            span=cell.span,
            value=value,
            attribute=attribute,
            cues=cues,
            head=cell.row_head or None,
            period=cell.period,
            twin=at > 0,
        )


def _of_clause(clause: Clause) -> Iterator[TextStatement]:
    if not clause.text:
        return
    cues = frozenset(content_stems(clause.text))
    polarity = Polarity.DENIED if clause.denied else Polarity.STATED
    condition = " ".join(sorted(clause.condition)[:_LONGEST_CONDITION]) or None
    whole = TextValue(kind=Kind.TEXT, text=clause.text, folded=fold(clause.text) or clause.text)
    for value in (whole, *(one.value for one in clause.values)):
        yield TextStatement(
            span=clause.span,
            value=value,
            cues=cues,
            clause=clause,
            polarity=polarity,
            condition=condition,
        )
    yield from _state_told(clause)


def _state_told(clause: Clause) -> Iterator[TextStatement]:
    match = _STATE_SENTENCE.match(clause.text) if len(clause.text) <= LONGEST_SHORT else None
    if match is None:
        return
    yield TextStatement(
        span=clause.span,
        value=state_value(match["state"]),
        attribute=field_words(match["label"]),
        cues=frozenset(content_stems(match["label"])),
        polarity=Polarity.DENIED if clause.denied else Polarity.STATED,
    )
