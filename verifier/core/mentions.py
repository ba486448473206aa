"""What a sentence mentions: things by id or name, values, and words for states."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final

from verifier.core.catalog.declarations import AttributeKind
from verifier.core.catalog.keys import find_key, is_distinctive
from verifier.core.evidence import Subject
from verifier.core.known_keys import KnownKeys, abbreviates, is_capitals, is_code, may_be_key
from verifier.core.spans import Span
from verifier.core.speech import list_words
from verifier.core.state_words import find_states
from verifier.core.taken_spans import Taken
from verifier.core.text import fold
from verifier.core.turn_values import read_quantities
from verifier.core.values import Kind, TextValue

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from verifier.core.catalog import Attribute, Catalog, EntityType
    from verifier.core.labelled_texts import LabelledText
    from verifier.core.ledger import Ledger
    from verifier.core.names import NameIndex
    from verifier.core.turns import Turn
    from verifier.core.values import Value

_TOKEN: Final = re.compile(r"[^\s,;()\[\]\"'“”‘’<>`*]+")
_TRAILING: Final = ".!?:…"
_LONGEST_TOKEN: Final = 100
_BETWEEN: Final = frozenset(
    {"no", "number", "id", "is", "#", "nr", "of", "for", "your", "the", "this", "it"}
)
_MOST_LINKS: Final = 8
_MOST_BEFORE: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectMention:
    """A thing where it stands in the sentence, by its id or by a name that several may bear."""

    span: Span
    subjects: tuple[Subject, ...]
    by_id: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeMention:
    """A value where it stands; `attribute` is told for states and identifiers, which only it can hold."""

    span: Span
    value: Value
    attribute: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mentions:
    """All that a sentence mentions, in order; spans are the sentence's own."""

    subjects: tuple[SubjectMention, ...]
    values: tuple[AttributeMention, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionReader:
    """Reads sentences against one catalog, ledger and index of names."""

    catalog: Catalog
    ledger: Ledger
    names: NameIndex
    turn: Turn
    keys: KnownKeys = field(default_factory=KnownKeys)

    def list_possible(self, text: str) -> Iterator[Subject]:
        """Yield every thing with a key that `text` may speak of, by id or by name."""
        for token, before in _tokens(text):
            for entity, key in self._fitting(token, before):
                formed = is_distinctive(entity) or may_be_key(entity, token)
                if formed or _is_titled(entity, before):
                    yield Subject(entity_type=entity.name, key=key)
        for mention in self.names.find(text):
            yield from (subject for subject in mention.subjects if subject.key is not None)

    def read(
        self, text: str, *, apart: Sequence[Span] = (), labelled: Sequence[LabelledText] = ()
    ) -> Mentions:
        """Return what `text` mentions outside the spans `apart` (its citations).

        `labelled` are the texts that labels lead to; the first that is of a thing of the sentence counts.
        """
        taken = Taken(len(text), apart)
        named = [
            *self._ids(text),
            *(
                SubjectMention(span=one.span, subjects=one.subjects, by_id=False)
                for one in self.names.find(text)
            ),
        ]
        told = list(_list_told(labelled, [one for one in named if taken.is_free(one.span)]))
        cells = [one for one, whole in told if whole and taken.claim(one.span)]
        subjects = [one for one in named if taken.claim(one.span)]
        labels = [one for one, whole in told if not whole]
        numbers = [one for one in labels if one.value.kind is Kind.IDENTIFIER]
        values = [*cells, *(one for one in numbers if taken.claim(one.span))]
        values += [one for one in self._identifiers(text, taken) if taken.claim(one.span)]
        values += [one for one in self._states(text) if taken.claim(one.span)]
        values += [one for one in labels if one not in numbers and taken.claim(one.span)]
        values += [
            AttributeMention(span=span, value=one.value)
            for one in read_quantities(text, self.turn)
            if (span := taken.claim_start(one.span)) is not None
        ]
        return Mentions(
            subjects=tuple(sorted(subjects, key=lambda one: one.span)),
            values=tuple(sorted(values, key=lambda one: one.span)),
        )

    def _ids(self, text: str) -> Iterator[SubjectMention]:
        for match, before in _find_tokens(text):
            token = match.group().rstrip(_TRAILING)
            subjects = tuple(self._subjects_of(token, before))
            if subjects:
                span = Span(match.start(), match.start() + len(token))
                yield SubjectMention(span=span, subjects=subjects, by_id=True)

    def _fitting(self, token: str, before: Sequence[str]) -> list[tuple[EntityType, str]]:
        """Return the types that a token may be the id of; one of capitals alone only behind its type."""
        fitting = [
            (entity, key)
            for entity in self.catalog.entity_types
            if (key := find_key(entity, token)) is not None
        ]
        if any(character.isdigit() for character in token):
            return fitting
        if not is_capitals(token):
            return []
        return [one for one in fitting if _is_titled(one[0], before)]

    def _subjects_of(self, token: str, before: Sequence[str]) -> Iterator[Subject]:
        """Yield the thing that a token is the id of: by its type before it, by rows, ledger or form."""
        fitting = self._fitting(token, before)
        if not any(character.isdigit() for character in token):
            fitting = [one for one in fitting if self._is_known(one)]
        titled = [one for one in fitting if _is_titled(one[0], before)]
        formed = [one for one in fitting if is_distinctive(one[0])]
        if token.isdigit():  # a postal code, a phone number: an id only where it is one's
            formed = [one for one in formed if self._is_known(one)]
        free = [one for one in fitting if may_be_key(one[0], token)]
        stored = [one for one in (*formed, *free) if (one[0].name, one[1]) in self.keys.found]
        known = [one for one in formed if self.ledger.find_by_key(*one)]
        for entity, key in (
            titled or stored or known or formed or self._unknown(free, token, before)
        ):
            yield Subject(entity_type=entity.name, key=key)

    def _is_known(self, one: tuple[EntityType, str]) -> bool:
        """Return whether the tables or the ledger have this thing."""
        return (one[0].name, one[1]) in self.keys.found or bool(self.ledger.find_by_key(*one))

    def _unknown(
        self, free: Sequence[tuple[EntityType, str]], token: str, before: Sequence[str]
    ) -> Sequence[tuple[EntityType, str]]:
        """Return the one type that a code without a row can only be an id of, by the word before it."""
        if len(free) != 1 or not is_code(token) or not before:
            return ()
        names_kind = before[-1] in list_words("kinds") or abbreviates(token, before[-1])
        absent = (free[0][0].name, free[0][1]) in self.keys.absent
        return free if names_kind and absent else ()

    def _identifiers(self, text: str, taken: Taken) -> Iterator[AttributeMention]:
        """Yield tokens that follow a label of an identifier, such as `tracking number TRK9002`."""
        folded = fold(text)
        if len(folded) != len(text):
            return
        for entity in self.catalog.entity_types:
            for attribute in entity.attributes:
                if attribute.kind is AttributeKind.IDENTIFIER:
                    yield from _after_labels(text, folded, entity, attribute, taken)

    def _states(self, text: str) -> Iterator[AttributeMention]:
        for span, value, attribute in find_states(text, self.catalog):
            yield AttributeMention(span=span, value=value, attribute=attribute)


def _list_told(
    labelled: Sequence[LabelledText], subjects: Sequence[SubjectMention]
) -> Iterator[tuple[AttributeMention, bool]]:
    """Yield the values behind labels, and whether each is whole: names in it are then no subjects.

    The type is that of a thing beside it; that of a cell in a row without any name or id is not told.
    """
    for one in labelled:
        beside = [named for named in subjects if not one.span.contains(named.span)]
        types = {subject.entity_type for named in beside for subject in named.subjects}
        if one.attribute[0] in types or (one.whole and not subjects):
            attribute = one.attribute if types else None
            whole = one.whole or any(named.span == one.span for named in subjects)
            yield AttributeMention(span=one.span, value=one.value, attribute=attribute), whole


def _find_tokens(text: str) -> Iterator[tuple[re.Match[str], Sequence[str]]]:
    """Yield each token that may be an id, with the folded tokens before it."""
    before: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match.group().rstrip(_TRAILING)
        if token and len(token) <= _LONGEST_TOKEN:
            yield match, before
        before = [*before[-_MOST_BEFORE:], fold(token)]


def _tokens(text: str) -> Iterator[tuple[str, Sequence[str]]]:
    for match, before in _find_tokens(text):
        yield match.group().rstrip(_TRAILING), before


def _is_titled(entity: EntityType, before: Sequence[str]) -> bool:
    words = [bare for word in before if (bare := word.strip("#:")) not in _BETWEEN]
    return any(
        words[-len(parts) :] == parts for title in entity.titles if (parts := title.split("_"))
    )


def _after_labels(
    text: str, folded: str, entity: EntityType, attribute: Attribute, taken: Taken
) -> Iterator[AttributeMention]:
    passed = _BETWEEN | set(entity.titles)
    for label in attribute.labels:
        at = folded.find(fold(label))
        while at >= 0:
            end = at + len(label)
            span = _next_code(text, end, passed, taken)
            if span is not None:
                token = span.of(text)
                value = TextValue(kind=Kind.IDENTIFIER, text=token, folded=fold(token))
                told = (entity.name, attribute.name)
                yield AttributeMention(span=span, value=value, attribute=told)
            at = folded.find(fold(label), end)


def _next_code(text: str, start: int, passed: Collection[str], taken: Taken) -> Span | None:
    """Return the next token with a digit, with only linking words and ids between."""
    for match in islice(_TOKEN.finditer(text, start, start + 2 * _LONGEST_TOKEN), _MOST_LINKS):
        token = match.group().rstrip(_TRAILING)
        span = Span(match.start(), match.start() + len(token))
        if not token or not taken.is_free(span) or fold(token) in passed:
            continue
        return span if any(character.isdigit() for character in token) else None
    return None
