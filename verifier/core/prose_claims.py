"""Claims of prose about catalogued things: values bound to what their clause says outright, no word over."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.attribute_cues import find_attribute, list_cued
from verifier.core.catalog.declarations import AttributeKind
from verifier.core.claims import Assertion, Claim, ClaimForm, ClaimId
from verifier.core.evidence import Polarity
from verifier.core.existence_claims import claim_of_existence
from verifier.core.part_phrases import find_each_item, find_part_word, is_amount
from verifier.core.plain_clauses import (
    denies,
    says_no_more,
    stems_of_words,
    with_kind_word,
    with_number_word,
)
from verifier.core.spans import Span
from verifier.core.speech import holds, is_salutation, read_words
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.catalog import Attribute, Catalog, EntityType
    from verifier.core.evidence import Subject
    from verifier.core.mentions import AttributeMention, Mentions, SubjectMention
    from verifier.core.sentences import Sentence

_CUT: Final = re.compile(r"[;:,—–()]|\s-\s|\b(?:and|but|which|while|whereas|with)\b", re.IGNORECASE)
_LONGEST_CLAUSE: Final = 2_000
_MOST_VALUES: Final = 50  # a clause with more states nothing of one thing


@dataclass(frozen=True, slots=True)
class _Clause:
    span: Span
    subjects: tuple[Subject, ...]
    values: tuple[AttributeMention, ...]
    named: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class _Bound:
    clause: _Clause
    mention: AttributeMention
    subject: Subject | None = None
    attribute: Attribute | None = None
    polarity: Polarity = Polarity.STATED
    period: Span | None = None


def claims_of_sentence(sentence: Sentence, mentions: Mentions, catalog: Catalog) -> Iterator[Claim]:
    """Yield a claim a value, bound or not, and one for a thing of which nothing else is said.

    Unbound values have no subject. The claims have no numbers yet; spans are those of the answer.
    """
    clauses = _cut(sentence.text, mentions)
    bound = _without_rivals(list(_bind(sentence.text, clauses, catalog)))
    for one in bound:
        yield _claim(sentence, one)
    if not bound:
        for mention in mentions.subjects:
            if mention.by_id and len(mention.subjects) == 1:
                yield claim_of_existence(sentence, mention.span, mention.subjects[0])


def _cut(text: str, mentions: Mentions) -> tuple[_Clause, ...]:
    whole = bytearray(len(text))
    spans = [*(one.span for one in mentions.subjects), *(one.span for one in mentions.values)]
    for span in spans:
        whole[span.start : span.end] = b"\1" * (span.end - span.start)
    cuts = [match for match in _CUT.finditer(text) if not any(whole[match.start() : match.end()])]
    edges = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(text)]
    subjects, values = deque(mentions.subjects), deque(mentions.values)
    return _join(
        [
            _clause(Span(start, max(start, end)), subjects, values)
            for start, end in zip(edges, ends, strict=True)
        ],
        text,
    )


def _join(parts: Sequence[_Clause], text: str) -> tuple[_Clause, ...]:
    """Return the parts with those that hold no value joined to one that does: they may turn its sense.

    What names a thing leads to the next value, other words belong to the one before; a greeting to none.
    """
    joined: list[_Clause] = []
    leading: _Clause | None = None
    for part in parts:
        trails = leading is None and not part.values and not part.subjects
        if trails and joined:
            joined[-1] = _together(joined[-1], part)
        elif trails and is_salutation(part.span.of(text)):
            continue
        elif not part.values:
            leading = _together(leading, part)
        else:
            joined.append(_together(leading, part))
            leading = None
    if leading is not None:
        joined.append(_together(joined.pop(), leading) if joined else leading)
    return tuple(joined)


def _together(one: _Clause | None, other: _Clause) -> _Clause:
    if one is None:
        return other
    return _Clause(
        span=Span(one.span.start, other.span.end),
        subjects=tuple(dict.fromkeys((*one.subjects, *other.subjects))),
        values=(*one.values, *other.values),
        named=(*one.named, *other.named),
    )


def _clause(
    span: Span, subjects: deque[SubjectMention], values: deque[AttributeMention]
) -> _Clause:
    named: list[SubjectMention] = []
    while subjects and subjects[0].span.start < span.end:
        named.append(subjects.popleft())
    stated: list[AttributeMention] = []
    while values and values[0].span.start < span.end:
        stated.append(values.popleft())
    return _Clause(
        span=span,
        subjects=tuple(dict.fromkeys(one for mention in named for one in mention.subjects)),
        values=tuple(stated),
        named=tuple(one.span for one in named),
    )


def _bind(text: str, clauses: Sequence[_Clause], catalog: Catalog) -> Iterator[_Bound]:
    everyone = dict.fromkeys(subject for clause in clauses for subject in clause.subjects)
    met: Subject | None = None
    cue: Attribute | None = None
    conditional = holds(read_words(text), "conditions")
    for clause in clauses:
        if len(clause.subjects) == 1:
            met = clause.subjects[0]
        subject = met if len(clause.subjects) == 1 or len(everyone) == 1 else None
        crowded = conditional or len(clause.values) > _MOST_VALUES
        if len(clause.subjects) > 1 or crowded:
            subject = None
        dated = _dated(clause, subject, catalog)
        bound = [
            _attach(
                text,
                clause,
                mention,
                None if crowded else _of_type(text, clause, mention, catalog) or subject,
                catalog=catalog,
                cue=cue,
                dated=dated,
            )
            for mention in clause.values
            if mention is not dated
        ]
        cue = next((one.attribute for one in bound if one.attribute is not None), cue)
        whole = all(one.attribute is not None for one in bound)
        yield from bound if whole else [_Bound(clause, one.mention) for one in bound]


def _of_type(
    text: str, clause: _Clause, mention: AttributeMention, catalog: Catalog
) -> Subject | None:
    """Return the one thing that a name is of, of several types, where value or label tells the type."""
    if len(clause.named) != 1:
        return None
    types = {mention.attribute[0]} if mention.attribute is not None else set()
    if isinstance(mention.value, Quantity) and not types and len(clause.subjects) > 1:
        words, named = (
            read_words(clause.span.of(text)),
            {one.entity_type for one in clause.subjects},
        )
        entities = (catalog.find_type(one or "") for one in named)
        types = {one.name for one in entities if one and list_cued(one, mention.value, words)}
    typed = [one for one in clause.subjects if one.entity_type in types]
    return typed[0] if len(typed) == 1 else None


def _dated(clause: _Clause, subject: Subject | None, catalog: Catalog) -> AttributeMention | None:
    """Return the one date of a clause that tells when the rest of it holds, of a thing with such rows."""
    entity = catalog.find_type(subject.entity_type or "") if subject is not None else None
    if entity is None or not (entity.applies.valid_from or entity.applies.valid_to):
        return None
    if any(one.kind is AttributeKind.DATE for one in entity.attributes):
        return None
    dates = [
        one
        for one in clause.values
        if isinstance(one.value, Quantity) and one.value.kind is Kind.DATE
    ]
    return dates[0] if len(dates) == 1 and len(clause.values) > 1 else None


def _attach(
    text: str,
    clause: _Clause,
    mention: AttributeMention,
    subject: Subject | None,
    *,
    catalog: Catalog,
    cue: Attribute | None,
    dated: AttributeMention | None,
) -> _Bound:
    open_ = _Bound(clause, mention)
    entity = catalog.find_type(subject.entity_type or "") if subject is not None else None
    if subject is None or entity is None:
        return open_
    words = read_words(clause.span.of(text))
    attribute = find_attribute(entity, mention, words, cue)
    named = [with_kind_word(text, with_number_word(text, one, entity)) for one in clause.named]
    apart = (*named, *(value.span for value in clause.values))
    told = (entity, attribute) if attribute is not None else None
    if told is None or not says_no_more(text, clause.span, apart, told, dated=dated is not None):
        return open_
    polarity = Polarity.DENIED if denies(text, clause.span, apart) else Polarity.STATED
    is_other = polarity is Polarity.DENIED and told[1].kind is not AttributeKind.STATE
    if is_other or _is_of_a_part(text, clause, mention, told):
        return open_
    period = dated.span if dated is not None else None
    return _Bound(clause, mention, subject, told[1], polarity, period)


def _is_of_a_part(
    text: str, clause: _Clause, mention: AttributeMention, told: tuple[EntityType, Attribute]
) -> bool:
    """Return whether the clause speaks of a part of the thing: "each item of ORD-7", not of the whole."""
    entity, attribute = told
    if not is_amount(mention.value):
        return False
    if entity.parts and find_each_item(clause.span.of(text)) is not None:
        return True
    own = stems_of_words(" ".join((*attribute.labels, attribute.name.replace("_", " "))))
    return any(
        find_part_word(text[clause.span.start : max(clause.span.start, one.start)], own) is not None
        for one in clause.named
    )


def _without_rivals(bound: list[_Bound]) -> list[_Bound]:
    """Leave open what one sentence says of one attribute twice: only one of the two can be meant."""
    counts: dict[tuple[Subject | None, str | None], int] = {}
    for one in bound:
        key = (one.subject, one.attribute.name if one.attribute else None)
        counts[key] = counts.get(key, 0) + 1
    return [
        one
        if one.attribute is None or counts[one.subject, one.attribute.name] == 1
        else _Bound(one.clause, one.mention)
        for one in bound
    ]


def _claim(sentence: Sentence, bound: _Bound) -> Claim:
    offset = sentence.span.start
    value = bound.mention.value
    known = bound.attribute is not None
    assertion = Assertion(
        subject=bound.subject,
        attribute=(bound.attribute.name,) if bound.attribute is not None else (),
        value=value,
        span=bound.mention.span.shift(offset),
        polarity=bound.polarity,
        period=bound.period.of(sentence.text) if bound.period is not None else None,
        catalogued=known,
    )
    clause = bound.clause.span
    if clause.end - clause.start > _LONGEST_CLAUSE:  # each of its values would repeat it
        clause = bound.mention.span
    covered = clause.of(sentence.text)
    start = clause.start + len(covered) - len(covered.lstrip())
    span = Span(start, start + len(covered.strip())).shift(offset)
    return Claim(
        claim_id=ClaimId(""),
        form=ClaimForm.PROSE,
        span=span,
        text=covered.strip(),
        sentence=sentence.span,
        assertions=(assertion,),
        entity_type=bound.subject.entity_type if bound.subject is not None else None,
    )
