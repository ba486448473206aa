"""Whether a sum, mean or extreme is of the very values that its sentence selects: by state, date, field."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.binding.ended_things import find_ended
from verifier.core.binding.parallel_parts import find_other_part
from verifier.core.binding.periods import read_period
from verifier.core.binding.roles import Role
from verifier.core.binding.states import read_states
from verifier.core.binding.subjects import numbers_around
from verifier.core.binding.vocabulary import groups_of
from verifier.core.comparison import relate
from verifier.core.derivation import Operation
from verifier.core.facts.model import NamedBy
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.text_stems import stem
from verifier.core.values import Kind, Quantity, TextValue, flag_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.judging import Judgement
    from verifier.core.binding.passages import Spot
    from verifier.core.facts.model import EvidenceFact, Thing

OVER_MANY: Final = frozenset({Operation.SUM, Operation.EXTREME, Operation.AVERAGE, Operation.COUNT})
_ADDING: Final = frozenset({Operation.SUM, Operation.AVERAGE})
_CALENDAR: Final = frozenset({Kind.DATE, Kind.QUARTER})
_WHICH: Final = frozenset({"that", "which", "who"})
_LINKING: Final = frozenset({"is", "are", "was", "were", "has", "have", "been", "you", "we"})


def find_other_selection(spot: Spot, derived: Judgement, view: EvidenceView) -> str | None:
    """Return the word by which the sentence selects other values than those calculated with, or None."""
    if derived.derivation is None or derived.derivation.operation not in OVER_MANY:
        return None
    facts = [one.fact for one in derived.deciding]
    if any(fact.clause is not None for fact in facts):
        return "a text that may tell more of them"
    checks = (
        _after_more(spot, facts),
        _other_descriptions(spot, facts),
        _other_periods(spot, facts),
        _other_dates(spot, facts, view),
        _other_states(spot, facts, view),
        _other_fields(spot, facts, view),
        _other_parts(spot, facts, view),
        (word for fact in facts if (word := find_ended(spot, fact, view)) is not None),
        _replaced(facts, view) if derived.derivation.operation in _ADDING else iter(()),
    )
    return next((word for check in checks for word in check), None)


def _other_descriptions(spot: Spot, facts: Sequence[EvidenceFact]) -> Iterator[str]:
    """Yield a description in the clause that fits some of the things, and not the others."""
    for mention in spot.passage.mentions:
        told = mention.by == NamedBy.DESCRIPTOR and spot.clause.contains(mention.span)
        inside = [fact.thing in mention.things for fact in facts]
        if told and any(inside) and not all(inside):
            yield spot.passage.text_of(mention.span)


def _after_more(spot: Spot, facts: Sequence[EvidenceFact]) -> Iterator[str]:
    """Yield what a sum is said to be told after or without, where nothing of it is: "after discount"."""
    lists = load_word_lists("cautions")
    cues = frozenset[str]().union(*(fact.cues for fact in facts))
    for word, following in pairwise(read_words(spot.text)):
        narrows = following in lists["narrowing"] and stem(following) not in cues
        if word in lists["following"] and narrows:
            yield f"{word} {following}"


def _dates(spot: Spot) -> Iterator[Quantity]:
    for one in spot.passage.values:
        value = one.value
        if one is not spot.stated and isinstance(value, Quantity) and value.kind in _CALENDAR:
            yield value


def _other_periods(spot: Spot, facts: Sequence[EvidenceFact]) -> Iterator[str]:
    """Yield a date of the sentence that is none of the periods of the facts, where they have any."""
    periods = sorted({str(fact.fact.period) for fact in facts if fact.fact.period is not None})
    known = [each for each in map(read_period, periods) if each is not None]
    for date in _dates(spot):
        if known and not any(_meet(date, each) for each in known):
            yield date.text


def _other_dates(spot: Spot, facts: Sequence[EvidenceFact], view: EvidenceView) -> Iterator[str]:
    """Yield a date of the sentence that the record of one of the facts does not bear out.

    Of several dates of a record those count that the clause names: "due in May".
    """
    words = {stem(word) for word in read_words(spot.text)}
    for date in _dates(spot):
        for fact in facts:
            told = [one for one in _around(fact, view) if one.fact.value.kind is Kind.DATE]
            meant = [one for one in told if one.cues & words] or told
            if fact.fact.period is None and not _bear_out(date, meant):
                yield date.text


def _around(fact: EvidenceFact, view: EvidenceView) -> list[EvidenceFact]:
    """Return the fields of the fact's record and of those around it."""
    numbers = sorted(numbers_around(fact))
    found = [one for number in numbers for one in view.beside(number)]
    return [*found, *view.unnamed(fact.position)]


def _bear_out(date: Quantity, told: Sequence[EvidenceFact]) -> bool:
    values = [one.fact.value for one in told]
    return bool(values) and all(isinstance(one, Quantity) and _meet(date, one) for one in values)


def _meet(one: Quantity, other: Quantity) -> bool:
    return relate(one, other).agrees or relate(other, one).agrees


def _other_states(spot: Spot, facts: Sequence[EvidenceFact], view: EvidenceView) -> Iterator[str]:
    """Yield a word that tells the things by their state or by what befell them, and not each is so told."""
    for word in _selecting(spot, facts, view):
        if not all(_is_told(word, fact, view) for fact in facts):
            yield word


def _selecting(spot: Spot, facts: Sequence[EvidenceFact], view: EvidenceView) -> Iterator[str]:
    """Yield values of the records, participles and states: before the things' noun or behind "that are"."""
    values = {text for fact in facts if fact.thing is not None for text in _texts(fact.thing, view)}
    kinds = {kind for fact in facts if fact.thing is not None for kind in fact.thing.kinds}
    kinds |= {stem(word) for word in load_word_lists("cautions")["generic"]}
    kinds |= {stem(word) for fact in facts for word in fact.fact.attribute}
    words = read_words(spot.text)
    for word, following in pairwise(words):
        if stem(following) in kinds and (word in values or _is_selecting(word)):
            yield word
    for at, word in enumerate(words):
        behind = next((one for one in words[at + 1 :] if one not in _LINKING), "")
        if word in _WHICH and at and stem(words[at - 1]) in kinds and _is_selecting(behind):
            yield behind


def _texts(thing: Thing, view: EvidenceView) -> Iterator[str]:
    """Yield the values of a record that are one word, folded."""
    for one in view.beside(thing.number):
        if isinstance(one.fact.value, TextValue):
            yield one.fact.value.folded


def _is_selecting(word: str) -> bool:
    if read_states(word):
        return True
    return word.endswith("ed") and word not in load_word_lists("cautions")["leading"] | {"combined"}


def _is_told(word: str, fact: EvidenceFact, view: EvidenceView) -> bool:
    """Return whether the fact's record tells the word: as its state, a value, or the field itself."""
    flag = _flag(word, fact, view)
    if flag is not None:
        return flag
    names = {state.name for state in read_states(word)}
    numbers = numbers_around(fact)
    if any(thing.number in numbers for name in names for thing in view.in_state(name)):
        return True
    return stem(word) in fact.cues or any(
        stem(word) in {stem(part) for part in read_words(one.fact.value.text)}
        for number in numbers
        for one in view.beside(number)
    )


def _flag(word: str, fact: EvidenceFact, view: EvidenceView) -> bool | None:
    """Return what a field of yes or no beside the fact says, which the word names; None where none does."""
    names = {(word,), (*fact.fact.attribute[:-1], word)}
    told = (flag_of(one.fact.value) for one in view.record_of(fact) if one.fact.attribute in names)
    return next((flag for flag in told if flag is not None), None)


def _other_fields(spot: Spot, facts: Sequence[EvidenceFact], view: EvidenceView) -> Iterator[str]:
    """Yield what tells the field from another one of its record that is named alike, and the text lacks.

    The use in kWh is not that by day, where the record has one by night.
    """
    stems = {stem(word) for word in (*read_words(spot.text), *spot.passage.stems)}
    for fact in facts:
        own = fact.fact.attribute
        for other in _siblings(fact, view):
            apart = [word for word in own if word not in other.fact.attribute]
            told = {stem(word) for word in apart}
            if apart and not told & stems and not groups_of(told) & groups_of(stems):
                yield " ".join(apart)


def _siblings(fact: EvidenceFact, view: EvidenceView) -> Iterator[EvidenceFact]:
    value = fact.fact.value
    for one in view.record_of(fact):
        other = one.fact.value
        shared = set(one.fact.attribute) & set(fact.fact.attribute)
        alike = other.kind is value.kind
        alike &= getattr(other, "unit", None) == getattr(value, "unit", None)
        if one is not fact and shared and alike:
            yield one


def _other_parts(spot: Spot, facts: Sequence[EvidenceFact], view: EvidenceView) -> Iterator[str]:
    """Yield what the sentence tells of another part of the record than the one that was picked."""
    other = find_other_part(spot, facts[0], view) if len(facts) == 1 else None
    if other is not None:
        yield other


def _replaced(facts: Sequence[EvidenceFact], view: EvidenceView) -> Iterator[str]:
    """Yield that one of the things takes the place of another: they are never had together."""
    if {view.roles.swapped(fact) for fact in facts} >= set(Role):
        yield "one in place of another"
