"""Whether operands are the ones that are meant, where many pairs of values would come out right.

A bound is met by half of all pairs, and some two days are always as far apart as is said.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.binding.scoring import Candidate
from verifier.core.binding.subjects import NAMING, enclosing, numbers_of
from verifier.core.calendar_relations import RECURRING
from verifier.core.derivation import Operation
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.text_stems import stem
from verifier.core.values import Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Spot
    from verifier.core.derivation import Derivation, Operand
    from verifier.core.facts.model import EvidenceFact, Thing

_OF_DATES: Final = frozenset({Operation.DATE_DIFFERENCE, Operation.DATE_SHIFT})
_COUNTS: Final = frozenset({Kind.NUMBER, Kind.QUANTITY})
_BETWEEN: Final = _OF_DATES | {Operation.DIFFERENCE}
_PARTS: Final = frozenset({Operation.RATIO, Operation.SHARE})
_LINKS: Final = frozenset({"is", "was", "of", "comes", "to", "are", "were", "at"})
_WHOLES: Final = frozenset({"total", "limit", "included", "capacity", "goal", "maximum", "max"})
_YEAR: Final = "yr"
_TODAY: Final = frozenset({"today", "now", "current", "as"})


def may_be_chance(
    spot: Spot, value: Quantity, derivation: Derivation, own: frozenset[int], view: EvidenceView
) -> bool:
    """Return whether nothing tells that just these operands are meant; `own` are those the answer stated."""
    free = [one for one in derivation.operands if id(one) not in own]
    keys = [one.key for one in free if isinstance(one.key, Candidate)]
    facts = [one.fact for one in keys]
    if value.writing is Writing.RANGE and value.kind is not Kind.DATE:
        return True
    if derivation.operation in _BETWEEN and (
        _names_other(spot, value, facts, view) or _is_of_several(spot, value)
    ):
        return True
    if value.writing is Writing.BOUND and not _is_bounded(spot, value, derivation, keys):
        return True
    if derivation.operation is Operation.SUM and value.kind is Kind.NUMBER:
        return not all(one.direct for one in keys)
    if derivation.operation not in _OF_DATES:
        return False
    if value.unit == RECURRING and any(one.value.unit == _YEAR for one in derivation.operands):
        return True
    words = read_words(spot.text)
    return (
        not _are_together(spot, facts)
        or (view.turn.now is not None and _is_of_today(words, derivation.operands))
        or _is_one_end(words, facts)
    )


def _names_other(
    spot: Spot, value: Quantity, facts: Sequence[EvidenceFact], view: EvidenceView
) -> bool:
    """Return whether the words before the value name another field of the record: "the change fee is"."""
    offset = spot.passage.sentence.span.start
    text = spot.passage.sentence.text
    before = read_words(text[spot.clause.start - offset : spot.stated.span.start - offset])
    while before and before[-1] in _LINKS:
        before = before[:-1]
    things = {fact.thing.number for fact in facts if fact.thing is not None}
    return any(
        _ends_in(before, one.fact.attribute)
        for number in things
        for one in view.beside(number)
        if one.fact.value.kind is value.kind and one not in facts
    )


def _is_of_several(spot: Spot, value: Quantity) -> bool:
    """Return whether the clause begins with how many it is of, of which no price tells: "Two seats save"."""
    first = next((one for one in spot.passage.values if spot.clause.contains(one.span)), None)
    if first is None or first is spot.stated or value.kind is not Kind.MONEY:
        return False
    if first.value.kind not in _COUNTS or not isinstance(first.value, Quantity):
        return False
    return first.span.start == spot.clause.start and first.value.interval.low != 1


def _ends_in(words: tuple[str, ...], name: tuple[str, ...]) -> bool:
    return len(name) > 1 and words[-2:] == name[-2:]


def _is_bounded(
    spot: Spot, value: Quantity, derivation: Derivation, keys: Sequence[Candidate]
) -> bool:
    """Return whether the words tell each operand, and days are of one record, a part is of its whole."""
    if not all(one.direct for one in keys):
        return False
    if derivation.operation in _OF_DATES | _PARTS and _are_apart([one.fact.thing for one in keys]):
        return False
    if derivation.operation not in _PARTS:
        return True
    whole = 100 if value.kind is Kind.PERCENT else 1
    low, result = value.interval.low, derivation.result.interval.low
    if low is not None and result is not None and low <= whole < result:
        return False
    return all(_is_whole(spot, part, whole) for part, whole in pairwise(one.fact for one in keys))


def _is_whole(spot: Spot, part: EvidenceFact, whole: EvidenceFact) -> bool:
    """Return whether the clause names what tells a field from the part, or that is the whole."""
    apart = set(whole.fact.attribute) - set(part.fact.attribute)
    told = {stem(word) for word in read_words(spot.text)}
    wholes = load_word_lists("derivation_cues")["wholes"] | _WHOLES
    return not apart or bool(apart & wholes) or bool({stem(word) for word in apart} & told)


def _are_apart(things: Sequence[Thing | None]) -> bool:
    """Return whether two of the things are not one, and none holds the other."""
    told = [one for one in things if one is not None]
    return any(
        one is not other and one not in enclosing(other) and other not in enclosing(one)
        for one, other in combinations(told, 2)
    )


def _are_together(spot: Spot, facts: Sequence[EvidenceFact]) -> bool:
    """Return whether all are of one record, or the sentence names the thing of each, or of none."""
    things = [one.thing for one in facts if one.thing is not None]
    if not _are_apart(things):
        return True
    outer = [{one.number for one in (thing, *enclosing(thing))} for thing in things]
    if not set.intersection(*outer):
        return False
    named = {
        number
        for one in spot.passage.mentions
        if one.by in NAMING or spot.passage.text_of(one.span)[:1].isupper()
        for thing in one.things
        for number in numbers_of(thing)
    }
    told = [one.number in named for one in things]
    return all(told) or not any(told)


def _is_of_today(words: tuple[str, ...], operands: Sequence[Operand]) -> bool:
    """Return whether what is left until a day, or is overdue, is not reckoned from today, or else is."""
    lists = load_word_lists("derivation_cues")
    names = [set(one.key.fact.fact.attribute) for one in operands if isinstance(one.key, Candidate)]
    if len(operands) == 1:
        return (lists["from_today"] | lists["till_today"]).isdisjoint(words)
    if lists["from_today"].isdisjoint(words):
        return False
    return len(names) > 1 and not any(one & _TODAY for one in names)


def _is_one_end(words: tuple[str, ...], facts: Sequence[EvidenceFact]) -> bool:
    """Return whether how long it takes is told of two days for one end: promised and estimated."""
    if load_word_lists("derivation_cues")["lasting"].isdisjoint(words) or len(facts) < 2:
        return False
    one, other = facts[0], facts[1]
    return one.thing is other.thing and one.fact.attribute[-1:] == other.fact.attribute[-1:]
