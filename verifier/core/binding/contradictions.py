"""What the sentence says beside a value that the fact's record belies: another colour, a feature it lacks.

A value is not accepted in a sentence that tells its thing falsely.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from verifier.core.binding.evidence_view import states_of
from verifier.core.binding.lead_ins import is_lead
from verifier.core.binding.states import find_states, groups_of_state, read_states
from verifier.core.binding.subjects import NAMING, numbers_around, numbers_of
from verifier.core.facts.model import NamedBy
from verifier.core.lexicons import load_word_lists
from verifier.core.sentences import BlockKind
from verifier.core.speech import find_row, read_words
from verifier.core.text import fold
from verifier.core.text_stems import stem
from verifier.core.values import Kind, TextValue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Passage, Spot
    from verifier.core.facts.model import EvidenceFact, Thing, ThingMention

_YES: Final = frozenset({"yes", "true"})
_NO: Final = frozenset({"no", "false", "none"})
_DENIALS: Final = frozenset({"no", "not", "non", "without", "isn't", "aren't", "lacks", "never"})
_SETTLED: Final = frozenset({"paid", "refunded", "cancelled", "returned"})
_REACH: Final = 3
_LONGEST: Final = 60


def find_contradiction(spot: Spot, facts: Sequence[EvidenceFact], view: EvidenceView) -> str | None:
    """Return what the sentence, a table's cell or the heading says that the things are not, or None."""
    things = [fact.thing for fact in facts if fact.thing is not None]
    found = chain(
        _false_features(spot, facts, view),
        _false_descriptions(spot, things, view) if things else (),
        _false_heads(spot, facts, view) if things else (),
    )
    return next(found, None)


def _false_features(spot: Spot, facts: Sequence[EvidenceFact], view: EvidenceView) -> Iterator[str]:
    """Yield a feature that is told although it is off, or denied although it is on."""
    words = read_words(spot.passage.sentence.text)
    stems = tuple(stem(word) for word in words)
    having = load_word_lists("cautions")["having"]
    for one in _fields_around(facts, view):
        folded = one.fact.value.text.casefold()
        if folded not in _YES | _NO or not one.fact.attribute:
            continue
        names = tuple(
            stem(word)
            for name in one.fact.attribute
            for word in read_words(name)
            if word not in having
        )
        at = find_row(names, stems)
        if at is None:
            continue
        denied = bool(_DENIALS & set(words[max(0, at - _REACH) : at]))
        if denied is (folded in _YES):
            yield " ".join(words[at : at + len(names)])


def _fields_around(facts: Sequence[EvidenceFact], view: EvidenceView) -> Iterator[EvidenceFact]:
    """Yield the fields of the records that the facts are of, and of the results that hold these."""
    for number in sorted({number for fact in facts for number in numbers_around(fact)}):
        yield from view.beside(number)
    for position in sorted({fact.position for fact in facts}):
        yield from view.unnamed(position)


def _false_descriptions(spot: Spot, things: Sequence[Thing], view: EvidenceView) -> Iterator[str]:
    """Yield a word for what another thing is like, where the fact's own is otherwise."""
    named = [one for one in spot.passage.mentions if one.by in NAMING]
    own = {number for thing in things for number in numbers_of(thing)}
    changes = load_word_lists("cautions")["changing"] & set(read_words(spot.passage.sentence.text))
    if changes or any(not own & {one.number for one in mention.things} for mention in named):
        return
    for mention in spot.passage.mentions:
        if mention.by != NamedBy.DESCRIPTOR or mention.span.overlaps(spot.stated.span):
            continue
        if own & {one.number for one in mention.things}:
            continue
        told = fold(spot.passage.text_of(mention.span))
        if any(_is_otherwise(thing, told, mention, view) for thing in things):
            yield told


def _is_otherwise(thing: Thing, told: str, mention: ThingMention, view: EvidenceView) -> bool:
    """Return whether a thing has another value in the field in which the mentioned ones have this."""
    lists = load_word_lists("cautions")
    places = lists["leaving"] | lists["reaching"]
    fields = {
        one.fact.attribute
        for other in mention.things[:_LONGEST]
        for one in view.beside(other.number)
        if fold(one.fact.value.text) == told and not places & set(one.fact.attribute)
    }
    own = {one.fact.attribute: fold(one.fact.value.text) for one in view.beside(thing.number)}
    return any(own.get(field, told) != told for field in fields)


def _false_heads(spot: Spot, facts: Sequence[EvidenceFact], view: EvidenceView) -> Iterator[str]:
    """Yield a state in a heading above, or in a table's head, that the things are not in."""
    things = [fact.thing for fact in facts if fact.thing is not None]
    own = {number for thing in things for number in numbers_of(thing)}
    for parent in spot.passage.parents:
        name = _state_of_lead(parent)
        if name is None or own & {one.number for one in view.in_state(name)}:
            continue
        if name in _SETTLED or _is_in_another(name, own, view):
            yield name
    if spot.passage.sentence.block is BlockKind.TABLE_ROW:
        yield from _false_columns(spot, facts, view)
        yield from _false_cells(spot, things, view)


def _state_of_lead(passage: Passage) -> str | None:
    """Return the one state that a line tells of what it leads to: "Your open orders:", "Out of stock:"."""
    if not is_lead(passage) or _tells_change(passage):
        return None
    names = [
        one.value.folded
        for one in passage.values
        if isinstance(one.value, TextValue) and one.value.kind is Kind.STATE
    ]
    names = names or [one.name for one in read_states(passage.sentence.text.strip(" #*_:"))][:1]
    return names[0] if len(names) == 1 else None


def _false_columns(spot: Spot, facts: Sequence[EvidenceFact], view: EvidenceView) -> Iterator[str]:
    """Yield a state in the head of the value's column or of the first, that the things are not in.

    In the field's own name, it says what the value is.
    """
    own = {number for fact in facts for number in numbers_around(fact)}
    cues = frozenset[str]().union(*(fact.cues for fact in facts))
    for head in (spot.passage.head_of(spot.stated.span), *spot.passage.heads[:1]):
        for span, value in find_states(head):
            told = {one.number for one in view.in_state(value.folded)}
            if not told & own and stem(span.of(head).casefold()) not in cues:
                yield value.text


def _tells_change(passage: Passage) -> bool:
    return bool(load_word_lists("cautions")["changing"] & set(read_words(passage.sentence.text)))


def _is_in_another(name: str, own: set[int], view: EvidenceView) -> bool:
    """Return whether the things are in another state of the class of this one."""
    groups = groups_of_state(name)
    return any(
        state.group in groups and state.name != name
        for number in own
        for one in view.beside(number)
        for state in states_of(one)
    )


def _false_cells(spot: Spot, things: Sequence[Thing], view: EvidenceView) -> Iterator[str]:
    """Yield a cell of the row under the name of a field in which the thing has another text."""
    heads, text = spot.passage.heads, spot.passage.sentence.text
    cells = [cell.strip(" *_`") for cell in text.split("|")[1:]]
    for thing in things:
        fields = {
            stem(one.fact.attribute[-1]): fold(one.fact.value.text)
            for one in view.beside(thing.number)
            if one.fact.attribute and one.fact.value.kind is Kind.TEXT
        }
        for head, cell in zip(heads, cells, strict=False):
            held = next(
                (fields[stem(word)] for word in read_words(head) if stem(word) in fields), None
            )
            if held is not None and cell and fold(cell) != held and fold(cell) not in held:
                yield cell
