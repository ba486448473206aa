"""Clauses of prose, of a cited text or of a claim: what they speak of, their values, their polarity.

Both sides are read alike, so that they can be compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.clause_cuts import cut_clauses
from verifier.core.coordination import split_predicates
from verifier.core.frequencies import add_frequencies, find_frequency
from verifier.core.inline_marks import blank_comments, blank_emphasis
from verifier.core.lead_ins import Context, takes_back, weakens_what_follows
from verifier.core.lexicons import load_word_lists
from verifier.core.quantities import ValueMention, extract_quantities
from verifier.core.sentences import BlockKind, split_sentences
from verifier.core.spans import Span
from verifier.core.speech import read_words
from verifier.core.surroundings import SurroundingsReader
from verifier.core.text import content_stems, normal_form
from verifier.core.text_stems import stem
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.sentences import Sentence
    from verifier.core.surroundings import Surroundings
    from verifier.core.turns import Turn

OFTEN: Final = " interval "  # stands for "every", "once per", "at intervals of"
_PERMITTING: Final = frozenset({"can", "may", "could", "might"})
_DENIALS: Final = frozenset({"not", "no", "never", "without", "neither", "nor", "none", "cannot"})
_CONDITION: Final = re.compile(
    r"\b(?:if|when|whenever|unless|except|only|provided|until|while|once|where|for|during|on|in)\b",
    re.IGNORECASE,
)
_RELATIVE_DENIAL: Final = re.compile(  # a parcel that could not be handed over
    r"\b(?:that|which|who|whose|whom)\b[^,;.]*?(?:\b(?:not|no|never|cannot)\b|n['’]t\b)",
    re.IGNORECASE,
)
_ON: Final = re.compile(r"\bon\s\Z", re.IGNORECASE)  # not that of "compensation 2018"
_LEADING: Final = re.compile(r"[ \t*_]*(?:[:;–—-]|\n)")
_BARRED: Final = re.compile(r"\S[ \t]*\|[ \t]*\S")  # Revenue | 4,210
_LABELLED: Final = re.compile(r"[^:]{1,80}:\s")
_NUMBER_IN_CLAUSE: Final = frozenset({BlockKind.CODE, BlockKind.CARD, BlockKind.RULE})
_TIMES: Final = frozenset({"now", "currentli", "todai", "formerli", "previousli", "originalli"})
_CACHED_TEXTS: Final = 512
_LONGEST_CACHED: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A clause with its span in the text.

    `stems` leave out values and words that only deny, `order` has them as they come. `words` are all
    words outside values, "can" and "may" as one. `condition` are the stems of what it depends on ("if less
    than 20% is completed"), `before` those of the sentence before it in the same block, without that
    one's own condition. `leads` tells that a colon, a dash or a line end stands behind it. `stated` is the
    text without its values. `place` is where its sentence stands, in a text.
    """

    span: Span
    text: str
    stems: frozenset[str]
    order: tuple[str, ...]
    values: tuple[ValueMention, ...]
    denied: bool
    words: frozenset[str] = frozenset()
    condition: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    whole: bool = True
    unsettled: bool = False
    leads: bool = field(default=False, compare=False)
    stated: str = field(default="", compare=False, repr=False)
    place: Surroundings | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ReadingTerms:
    """What of a turn decides how values are read."""

    locale: str | None = None
    timezone: str | None = None
    default_currency: str | None = None
    fiscal_year_start: int = 1

    @classmethod
    def of(cls, turn: Turn) -> ReadingTerms:
        """Return the terms of a turn; relative dates of a document are not the turn's."""
        return cls(turn.locale, turn.timezone, turn.default_currency, turn.fiscal_year_start)


def read_clauses(text: str, terms: ReadingTerms) -> tuple[Clause, ...]:
    """Return the clauses of a text, in order; code and cards hold none."""
    if len(text) > _LONGEST_CACHED:
        return tuple(_read(text, terms))
    return _read_cached(text, terms)


def denies_in_passing(clause: Clause) -> bool:
    """Return whether what a clause denies may be a part that only describes its subject."""
    return _RELATIVE_DENIAL.search(clause.text) is not None


def list_stems(text: str) -> tuple[str, ...]:
    """Return the content stems of a text in order, without its denials, synonyms as one."""
    same = _synonyms()
    return tuple(same.get(one, one) for one in content_stems(text) if one not in _DENIALS)


def _without(text: str, apart: Sequence[Span], instead: Sequence[str] = ()) -> str:
    """Return the text with each of the spans, which are in order, replaced by a space or by `instead`."""
    kept, at = [], 0
    for number, span in enumerate(apart):
        kept += [text[at : max(at, span.start)], instead[number] if instead else " "]
        at = max(at, span.end)
    kept.append(text[at:])
    return "".join(kept)


def plain_form(text: str) -> str:
    """Return the normal form of a clause without the stop and the spaces at its end."""
    return normal_form(text).text.strip().rstrip(".!。;:, ").strip()


def make_clause(text: str, span: Span, values: Sequence[ValueMention]) -> Clause:
    """Return the clause of `text` at `span`; `values` are those of the whole text."""
    inside = tuple(one for one in values if span.contains(one.span))
    covered = span.of(text)
    often = [find_frequency(text, one) for one in inside]
    apart = [
        (told or _with_on(text, one)).shift(-span.start)
        for told, one in zip(often, inside, strict=True)
    ]
    stated = _without(covered, apart, [OFTEN if told else " " for told in often])
    words = read_words(stated)
    order = list_stems(stated)
    return Clause(
        span=span,
        text=covered.strip(),
        stems=frozenset(order),
        order=order,
        values=inside,
        denied=_is_denied(words),
        words=frozenset("can" if word in _PERMITTING else word for word in words),
        condition=_condition(stated),
        leads=_LEADING.match(text, span.end) is not None,
        stated=stated,
    )


def _is_denied(words: Sequence[str]) -> bool:
    """Return whether an odd number of words denies; a "nor" goes on with the denial before it."""
    denials = [word for word in words if word in _DENIALS or word.endswith("n't")]
    going_on = denials[1:].count("nor")
    return (len(denials) - going_on) % 2 == 1


def _with_on(text: str, value: ValueMention) -> Span:
    """Return the span of a value, of a date with the "on" before it, which turns nothing."""
    start = value.span.start
    dated = getattr(value.value, "kind", None) is Kind.DATE
    on = _ON.search(text, max(0, start - 4), start) if dated else None
    return value.span if on is None else Span(on.start(), value.span.end)


def _condition(stated: str) -> frozenset[str]:
    """Return the stems of the words from a condition's start to its comma, or to the end."""
    kept: list[str] = []
    end = 0
    for match in _CONDITION.finditer(stated):
        if match.start() >= end:
            comma = stated.find(",", match.end())
            end = comma if comma >= 0 else len(stated)
            kept.append(stated[match.start() : end])
    return frozenset(list_stems(" ".join(kept))) if kept else frozenset()


def _read(text: str, terms: ReadingTerms) -> Iterator[Clause]:
    text = blank_comments(text)
    before: frozenset[str] = frozenset()
    context = Context()
    places = SurroundingsReader(text)
    held: list[Clause] = []
    for sentence in split_sentences(text):
        if sentence.block in _NUMBER_IN_CLAUSE:
            continue
        place = places.read(sentence)
        values = extract_quantities(
            blank_emphasis(sentence.text),
            locale=terms.locale,
            timezone=terms.timezone,
            default_currency=terms.default_currency,
            fiscal_year_start=terms.fiscal_year_start,
        )
        values = add_frequencies(sentence.text, values)
        clauses = _clauses_of(sentence, values, before, weak=context.weakens(sentence))
        context.pass_on(sentence, valued=bool(values))
        taken_back = sentence.block is not BlockKind.HEADING and takes_back(sentence.text)
        yield from (replace(one, unsettled=one.unsettled or taken_back) for one in held)
        held = [replace(one, place=place) for one in clauses]
        before = frozenset().union(*(one.stems - one.condition for one in clauses))
    yield from held


def _clauses_of(
    sentence: Sentence, values: Sequence[ValueMention], before: frozenset[str], *, weak: bool
) -> list[Clause]:
    predicates = split_predicates(sentence.text)
    spans = tuple(one.span for one in predicates) or cut_clauses(sentence.text, values)
    in_table = sentence.block is BlockKind.TABLE_ROW or _BARRED.search(sentence.text) is not None
    clauses: list[Clause] = []
    for span in spans:
        clause = make_clause(sentence.text, span, values)
        if clauses and (predicates or (clause.values and clause.stems <= _TIMES)):
            subject = list_stems(predicates[-1].subject) if predicates else clauses[-1].order
            clause = _with_subject(clause, subject)
        clauses.append(
            replace(
                clause,
                span=span.shift(sentence.span.start),
                before=before,
                whole=len(spans) == 1 or (bool(predicates) and not clauses),
                unsettled=weak or in_table or _is_limited_by_label(clause),
            )
        )
        if sentence.text[: span.end + 1].endswith(":"):
            weak = weak or weakens_what_follows(
                span.of(sentence.text), valued=bool(clauses[-1].values)
            )
    return clauses


def _with_subject(clause: Clause, before: Sequence[str]) -> Clause:
    """Return a clause that leaves its subject to the words before it ("now $8", "weighs 9 kg")."""
    shared = tuple(one for one in before if one not in _TIMES)
    return replace(clause, stems=clause.stems | frozenset(shared), order=(*shared, *clause.order))


def _is_limited_by_label(clause: Clause) -> bool:
    label = _LABELLED.match(clause.text) if clause.values else None
    return label is not None and weakens_what_follows(label.group(), valued=False)


@lru_cache(maxsize=_CACHED_TEXTS)
def _read_cached(text: str, terms: ReadingTerms) -> tuple[Clause, ...]:
    return tuple(_read(text, terms))


@cache
def _synonyms() -> dict[str, str]:
    groups = load_word_lists("synonyms")
    return {stem(word): stem(name) for name, words in groups.items() for word in words}
