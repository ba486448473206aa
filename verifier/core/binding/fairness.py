"""Whether a calculation that comes out right is the one that the sentence means."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

from verifier.core.binding.members import find_named, number_of
from verifier.core.binding.scoring import Candidate
from verifier.core.binding.subjects import NAMING, enclosing, numbers_around
from verifier.core.binding.summing import Summing
from verifier.core.derivation import Operation
from verifier.core.derivation.periods import is_earlier
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.text import fold
from verifier.core.text_stems import stem
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Spot
    from verifier.core.derivation import Cues, Derivation, Operand
    from verifier.core.facts.model import Thing

_WHOLE: Final = frozenset({Operation.SUM, Operation.AVERAGE, Operation.BALANCE})
_COUNTS: Final = frozenset({Kind.NUMBER, Kind.QUANTITY})
_QUANTITIES: Final = frozenset({"quantity", "qty", "count"})
MULTIPLYING: Final = frozenset(
    {
        Operation.PRODUCT,
        Operation.DISCOUNT,
        Operation.MARKUP,
        Operation.PERCENT_OF,
        Operation.UNIT_PRICE,
    }
)
_SAVING: Final = frozenset({stem(word) for word in ("save", "saving")})
_DIFFERENCE: Final = stem("difference")


class Fairness:
    """Judges the calculations for one value by the words of its sentence."""

    def __init__(self, spot: Spot, stems: frozenset[str], view: EvidenceView) -> None:
        lists = load_word_lists("derivation_cues")
        clause = read_words(spot.text)
        sentence = read_words(spot.passage.sentence.text)
        self._spot = spot
        self._view = view
        self._stems = stems
        self._words = frozenset(clause)
        self._is_rest = not lists["rests"].isdisjoint(clause)
        self._refunds = _tells(lists["refunds"], clause, sentence)
        self._charges = _tells(lists["charges"], clause, sentence)
        self._summing = Summing(spot, view, refunds=self._refunds, charges=self._charges)

    def settle(self, cues: Cues) -> Cues:
        """Return the cues without a direction where a rest is told, whoever has to pay it."""
        return replace(cues, direction=None) if self._is_rest else cues

    @property
    def _is_undirected(self) -> bool:
        """Whether no direction has to be known: of what is saved, of a difference that nobody pays."""
        if _SAVING & self._stems:
            return True
        return _DIFFERENCE in self._stems and not (self._refunds or self._charges)

    def allows(
        self, derivation: Derivation, facts: Sequence[Operand], stated: Sequence[Operand]
    ) -> bool:
        """Return whether the direction is told where it matters, and no sum leaves out what it should have.

        Some of a list are only summed where the answer names each of them, or has `stated` them.
        """
        if (derivation.direction_open and not self._is_undirected) or self._is_of_others(
            derivation
        ):
            return False
        own = frozenset(id(one) for one in stated)
        if derivation.operation is Operation.DIFFERENCE:
            return self._is_told(derivation, own) and self._may_change_places(derivation)
        if derivation.operation is Operation.EXTREME:
            return self._is_of_named(derivation, facts)
        if derivation.operation is Operation.COUNT:
            return self._counts_all(derivation)
        if derivation.operation in MULTIPLYING:
            return self._multiplies(derivation, facts)
        if derivation.operation is Operation.DATE_DIFFERENCE:
            return _is_of_one(derivation)
        return derivation.operation not in _WHOLE or self._summing.allows(derivation, facts, own)

    def _is_of_others(self, derivation: Derivation) -> bool:
        """Return whether the clause names a thing of the kind of the operands', and none is of it."""
        facts = [one.key.fact for one in derivation.operands if isinstance(one.key, Candidate)]
        things = [one.thing for one in facts if one.thing is not None]
        around = frozenset[int]().union(*map(numbers_around, facts))
        kinds = frozenset[str]().union(*(one.kinds for one in things))
        named = [
            thing
            for one in self._spot.passage.mentions
            if one.by in NAMING and self._spot.clause.contains(one.span)
            for thing in one.things
        ]
        alike = any(thing.kinds & kinds for thing in named)
        return alike and not any(thing.number in around for thing in named)

    def _is_told(self, derivation: Derivation, own: frozenset[int]) -> bool:
        """Return whether two values are of one attribute, of an earlier and a later one, or stated here."""
        facts = [one.key.fact.fact for one in derivation.operands if isinstance(one.key, Candidate)]
        if len(facts) < len(derivation.operands):
            return True
        vague = load_word_lists("derivation_cues")["vague"].intersection(facts[0].attribute[-1:])
        if len({one.attribute if vague else one.attribute[-1:] for one in facts}) == 1:
            return True
        if len({one.attribute[:-1] for one in facts}) == 1 and len(facts[0].attribute) > 1:
            return True
        names = [" ".join(one.attribute) for one in facts]
        if any(is_earlier(one, other) for one in names for other in names):
            return True
        return self._is_rest and (
            all(id(one) in own for one in derivation.operands)
            or _is_part([frozenset(one.attribute) for one in facts])
        )

    def _is_of_named(self, derivation: Derivation, facts: Sequence[Operand]) -> bool:
        """Return whether the first or last of a list is what the sentence names, where it names one."""
        chosen = derivation.operands[0]
        group = [one for one in facts if one.group == chosen.group]
        alike = {
            number_of(one)
            for one in group
            if one.value.interval == chosen.value.interval and one.value.unit == chosen.value.unit
        }
        if not load_word_lists("derivation_cues")["sweeping"].isdisjoint(self._words):
            return False
        return all(numbers & alike for numbers in find_named(self._spot.passage, group))

    def _multiplies(self, derivation: Derivation, facts: Sequence[Operand]) -> bool:
        """Return whether all factors are of the thing that is meant, and each count is told."""
        things = [
            one.key.fact.thing for one in derivation.operands if isinstance(one.key, Candidate)
        ]
        if _are_rivals([one for one in things if one is not None]):
            return False
        if derivation.operation is Operation.UNIT_PRICE and self._is_by_piece(derivation):
            return False
        return all(
            self._is_factor(one) and not self._is_of_other(one, facts)
            for one in derivation.operands
        )

    def _is_by_piece(self, derivation: Derivation) -> bool:
        """Return whether what is divided is the price of a piece already, or of each of some time."""
        key = derivation.operands[0].key
        if not isinstance(key, Candidate):
            return False
        lists, fact = load_word_lists("derivation_cues"), key.fact
        words = set(fact.fact.attribute)
        if words & lists["unit_words"]:
            return True
        return (
            fact.thing in self._view.several and not words & load_word_lists("cautions")["wholes"]
        )

    def _is_of_other(self, operand: Operand, facts: Sequence[Operand]) -> bool:
        """Return whether an operand's thing is not the one of its list that the sentence names."""
        group = [one for one in facts if one.group is not None and one.group == operand.group]
        named = find_named(self._spot.passage, group)
        other = isinstance(operand.key, Candidate) and operand.key.rival
        return other or bool(named and number_of(operand) not in set.union(*named))

    def _is_factor(self, operand: Operand) -> bool:
        """Return whether a count is the sentence's own, or one that its words or its field's name tell."""
        key = operand.key
        if not isinstance(key, Candidate) or operand.value.kind not in _COUNTS:
            return True
        told = (one.value for one in self._spot.passage.values if one is not self._spot.stated)
        names = _QUANTITIES.intersection(key.fact.fact.attribute)
        return bool(names or key.fact.cues & self._stems) or any(
            isinstance(one, Quantity) and one.interval == operand.value.interval for one in told
        )

    def _counts_all(self, derivation: Derivation) -> bool:
        """Return whether no member of the counted list is named alone: "three of the mugs"."""
        named = find_named(self._spot.passage, derivation.operands)
        return not named or len(named) == len(derivation.operands)

    def _may_change_places(self, derivation: Derivation) -> bool:
        """Return whether a refund or charge is of two things of which one may take the other's place."""
        if self._is_rest or not (self._refunds or self._charges):
            return True
        things = [
            one.key.fact.thing for one in derivation.operands if isinstance(one.key, Candidate)
        ]
        if any(one in self._view.unavailable for one in things if one is not None):
            return False
        return _are_namesakes(derivation)


def _tells(words: Collection[str], clause: Sequence[str], sentence: Sequence[str]) -> bool:
    return any(word in words for word in clause) or any(word in words for word in sentence)


def _is_of_one(derivation: Derivation) -> bool:
    """Return whether two dates are of one thing, or of things of which one holds the other."""
    facts = [one.key.fact for one in derivation.operands if isinstance(one.key, Candidate)]
    around = [set(numbers_around(one)) for one in facts if one.thing is not None]
    return len(around) < 2 or bool(set.intersection(*around))


def _are_namesakes(derivation: Derivation) -> bool:
    """Return whether one thing may take the other's place: they share a name, or have none."""
    facts = [one.key.fact for one in derivation.operands if isinstance(one.key, Candidate)]
    named = [
        {fold(name) for thing in (one.thing, *enclosing(one.thing)) for name in thing.names}
        for one in facts
        if one.thing is not None
    ]
    return not all(named) or len(named) < 2 or bool(set.intersection(*named))


def _are_rivals(things: Sequence[Thing]) -> bool:
    """Return whether two of the things are of one kind, and none holds the other: two plans."""
    return any(
        one is not other
        and one.kinds & other.kinds
        and one not in enclosing(other)
        and other not in enclosing(one)
        for one, other in combinations(things, 2)
    )


def _is_part(names: Sequence[frozenset[str]]) -> bool:
    """Return whether the last of several fields is what is used of the first: "data used" of "data"."""
    taken = load_word_lists("derivation_cues")["taken"]
    vague = load_word_lists("derivation_cues")["vague"]
    whole, *parts = names
    return not whole & taken and all(one & taken and one & whole - taken - vague for one in parts)
