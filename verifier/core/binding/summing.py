"""Whether a sum has all that the text speaks of, and nothing else."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.binding.members import find_named, number_of
from verifier.core.binding.roles import Role
from verifier.core.binding.scoring import Candidate
from verifier.core.binding.subjects import NAMING
from verifier.core.derivation import Operation
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Passage, Spot
    from verifier.core.derivation import Derivation, Operand

_COUNTS: Final = frozenset({Kind.NUMBER, Kind.QUANTITY})


class Summing:
    """Judges the sums for one value; `refunds` and `charges` tell which way its money goes."""

    def __init__(self, spot: Spot, view: EvidenceView, *, refunds: bool, charges: bool) -> None:
        passage = spot.passage
        self._spot = spot
        self._view = view
        self._refunds = refunds
        self._charges = charges
        self._near = tuple(dict.fromkeys((passage, *passage.parents, *passage.recent)))
        self._named = frozenset(
            thing.number
            for one in self._near
            for mention in one.mentions
            if mention.by in NAMING
            for thing in mention.things
        )
        self._words = frozenset(read_words(spot.text))

    def allows(self, derivation: Derivation, facts: Sequence[Operand], own: frozenset[int]) -> bool:
        """Return whether the sum may be meant; `own` are the ids of operands that the answer stated."""
        return (
            self._flows_right(derivation)
            and self._names_all(derivation, own)
            and self._counts_rightly(derivation)
            and self._adds_alike(derivation)
            and self._is_whole(derivation, facts, own)
        )

    def _flows_right(self, derivation: Derivation) -> bool:
        """Return whether money that comes back is of what is had and not kept, and money taken is not."""
        roles = [
            self._view.roles.of(one.key.fact)
            for one in derivation.operands
            if isinstance(one.key, Candidate) and one.value.kind is Kind.MONEY
        ]
        if derivation.operation is Operation.BALANCE:
            return roles[-1:] != [Role.NEW] and Role.OLD in {None, *roles}
        if self._refunds and self._are_kept(derivation):
            return False
        wrong = {Role.NEW} if self._refunds else set[Role]()
        wrong |= {Role.OLD} if self._charges else set()
        return wrong.isdisjoint(roles)

    def _are_kept(self, derivation: Derivation) -> bool:
        """Return whether the text that names the things says that they are kept."""
        keeping = load_word_lists("derivation_cues")["keeping"]
        return any(
            not keeping.isdisjoint(read_words(one.sentence.text))
            for one in self._near
            if find_named(one, derivation.operands)
        )

    def _names_all(self, derivation: Derivation, own: frozenset[int]) -> bool:
        """Return whether the text names none of the things that are summed, or each of them.

        Where the sentence names none, speaks of no whole, and the answer has not stated each value, the
        sentence before it tells which are meant.
        """
        named = self._named_in(self._spot.passage, derivation)
        stated = all(id(one) in own for one in derivation.operands)
        is_whole = not self._words.isdisjoint(load_word_lists("derivation_cues")["wholes"])
        if not (named or stated or is_whole):
            near = (self._named_in(one, derivation) for one in self._spot.passage.recent)
            named = next((one for one in near if one), named)
        return not named or named.issuperset(map(number_of, derivation.operands))

    def _named_in(self, passage: Passage, derivation: Derivation) -> set[int | None]:
        return set[int | None]().union(*find_named(passage, derivation.operands))

    def _counts_rightly(self, derivation: Derivation) -> bool:
        """Return whether as many values are summed as the clause counts, where it counts any."""
        counted = {
            one.value.interval.low
            for one in self._spot.passage.values
            if one is not self._spot.stated
            and self._spot.clause.contains(one.span)
            and isinstance(one.value, Quantity)
            and one.value.kind in _COUNTS
        }
        if "both" in self._words:
            counted.add(Fraction(2))
        used = [one for one in derivation.operands if isinstance(one.key, Candidate)]
        return not counted or len(used) < len(derivation.operands) or len(used) in counted

    def _adds_alike(self, derivation: Derivation) -> bool:
        """Return whether nothing summed is taken off by its name, nor is a price of several pieces."""
        facts = [one.key.fact for one in derivation.operands if isinstance(one.key, Candidate)]
        if any(one.thing in self._view.several for one in facts if one.thing is not None):
            return derivation.result.kind is not Kind.MONEY
        off = load_word_lists("derivation_cues")["deducted"]
        deducted = [bool(off.intersection(one.fact.attribute)) for one in facts]
        return derivation.operation is Operation.BALANCE or all(deducted) or not any(deducted)

    def _is_whole(
        self, derivation: Derivation, facts: Sequence[Operand], own: frozenset[int]
    ) -> bool:
        """Return whether each list is summed whole, or what is summed of it is named or was stated."""
        mixed = len({one.group for one in derivation.operands}) > 1
        if mixed and not all(_is_meant(one) for one in derivation.operands if id(one) not in own):
            return False
        for operand in derivation.operands:
            members = [one for one in facts if one.group is not None and one.group == operand.group]
            if members and not self._takes_all(members, derivation):
                return False
        return True

    def _takes_all(self, members: Sequence[Operand], derivation: Derivation) -> bool:
        """Return whether a list is summed whole, or just what the text names of it."""
        used = {id(one.key) for one in derivation.operands}
        if all(id(one.key) in used for one in members):
            return True
        summed = {number_of(one) for one in members if id(one.key) in used}
        here = set[int | None]().union(*find_named(self._spot.passage, members))
        return summed == here if here else summed <= self._named


def _is_meant(operand: Operand) -> bool:
    """Return whether the words of the sentence tell that a fact is meant: its thing or its attribute."""
    key = operand.key
    return not isinstance(key, Candidate) or key.named or key.direct
