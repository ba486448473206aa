"""What of a turn's evidence proves anything to it, with an index of states."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from verifier.core.binding.evidence_index import (
    asked_calls,
    by_thing,
    find_bare_prices,
    parts_of_records,
    place_cues,
    signs_of_lists,
    stems_of_call,
    without_thing,
)
from verifier.core.binding.judging import Fate, Judgement, unbound
from verifier.core.binding.pools import Pool
from verifier.core.binding.prose_evidence import ProseEvidence
from verifier.core.binding.roles import Roles
from verifier.core.binding.states import State, groups_of_state, read_states
from verifier.core.facts.model import FactOrigin, NamedBy
from verifier.core.lexicons import load_word_lists
from verifier.core.statements import ReadingTerms
from verifier.core.text import content_stems, fold
from verifier.core.values import Kind, TextValue
from verifier.core.verdicts import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from verifier.core.binding.passages import Passage
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import EvidenceFact, Thing, TurnEvidence
    from verifier.core.turns import ToolCall, Turn
    from verifier.core.values import Interval, Value

_PROOF: Final = frozenset({FactOrigin.RESULT, FactOrigin.DOCUMENT, FactOrigin.SYSTEM})

_FOUND: Final = frozenset({"found", "exists"})
_VALID: Final = "valid"
_LONGEST_STATE: Final = 60
_SAID_BEFORE: Final = 3


class EvidenceView:
    """The evidence of one turn as far as it may see it. Facts of hidden things prove nothing."""

    def __init__(self, evidence: TurnEvidence, turn: Turn, hidden: frozenset[str]) -> None:
        self.evidence = evidence
        self.turn = turn
        self._hidden = hidden
        proof = self.proof(evidence.facts)
        self.prose = ProseEvidence(proof, ReadingTerms.of(turn))
        self._states: dict[str, list[EvidenceFact]] = {}
        for fact in proof:
            for state in states_of(fact):
                self._states.setdefault(state.group, []).append(fact)
        self._in_state: dict[str, tuple[Thing, ...]] = {}
        self.flags: dict[str, list[EvidenceFact]] = {}
        for fact in proof:
            if fact.fact.value.kind is Kind.BOOLEAN and len(fact.fact.attribute) == 1:
                self.flags.setdefault(fact.fact.attribute[0], []).append(fact)
        self.asked = frozenset(
            thing.number
            for text in (turn.question or "", *turn.said[-_SAID_BEFORE:])
            for mention in evidence.find_things(text)
            if mention.by == NamedBy.KEY
            for thing in mention.things
        )
        done = {
            call.tool: at
            for at, call in enumerate(turn.calls)
            if call.ok and call.complete and call.call_id not in evidence.incomplete
        }
        self.incomplete = frozenset(
            call.call_id
            for at, call in enumerate(turn.calls)
            if call.call_id in evidence.incomplete and done.get(call.tool, -1) < at
        )
        self._lacks_text = any(not one.text and one.seq is not None for one in turn.retrieved)
        self.names_nothing = not any(one.names or one.keys for one in evidence.things)
        self.asked_stems = frozenset(content_stems(turn.question or ""))
        self._by_id = {call.call_id: call for call in reversed(turn.calls)}  # the first of an id
        self._calls = {call.call_id: stems_of_call(call) for call in turn.calls}
        self._beside = by_thing(self.proof(evidence.facts))
        self._unnamed = without_thing(self.proof(evidence.facts))
        self.newest = max((fact.position for fact in evidence.facts), default=0)
        self.cues = frozenset().union(*(fact.cues for fact in evidence.facts))
        self.asked_calls = asked_calls(turn)
        self.cue_places = place_cues(self.proof(evidence.facts))
        self._proves = any(fact.origin in _PROOF for fact in evidence.facts)
        self._pools: dict[Hashable, Pool] = {}
        self.stems_of: dict[EvidenceFact, frozenset[str]] = {}
        self.told: dict[Hashable, frozenset[str]] = {}
        self.sizes: dict[Pool, Mapping[Hashable, int]] = {}

    def pool(self, key: Hashable, find: Callable[[], Sequence[EvidenceFact]]) -> Pool:
        """Return the facts that `find` gives; of one key they are found, and put in sorts, once."""
        found = self._pools.get(key)
        if found is None:
            found = self._pools[key] = Pool(find(), self)
        return found

    @cached_property
    def labels(self) -> frozenset[str]:
        """The stems of the fields of bare numbers."""
        return frozenset(
            cue
            for fact in self.evidence.facts
            if fact.clause is None and fact.fact.value.kind is Kind.NUMBER
            for cue in fact.cues
        )

    @cached_property
    def unavailable(self) -> frozenset[Thing]:
        """The things that the evidence says can't be had: not available, out of stock."""
        lists = load_word_lists("derivation_cues")
        return frozenset(
            fact.thing
            for fact in self.proof(self.evidence.facts)
            if fact.thing is not None
            and (
                (lists["stocking"].intersection(fact.fact.attribute) and _is_none(fact.fact.value))
                or fold(fact.fact.value.text).replace(" ", "_") in lists["sold_out"]
            )
        )

    @cached_property
    def several(self) -> frozenset[Thing]:
        """The things of which a record has another number than one: its price is that of a piece."""
        names = load_word_lists("derivation_cues")["pieces"]
        return frozenset(
            fact.thing
            for fact in self.proof(self.evidence.facts)
            if fact.thing is not None
            and names.intersection(fact.fact.attribute)
            and not isinstance(fact.fact.value, TextValue)
            and fact.fact.value.interval.low != 1
        )

    @cached_property
    def parts(self) -> Mapping[tuple[int | None, int], Mapping[frozenset[str], Sequence[Thing]]]:
        """The things of each record, or of none, by their kinds."""
        return parts_of_records(self.evidence.things)

    @cached_property
    def signs(self) -> Mapping[Hashable, frozenset[bool]]:
        """Whether the amounts of a field of a list are above zero, below it, or both."""
        return signs_of_lists(self.proof(self.evidence.facts))

    @cached_property
    def bare_prices(self) -> Mapping[Interval, Sequence[EvidenceFact]]:
        """The bare numbers of results that tell a currency, by their size."""
        return find_bare_prices(self.evidence.facts)

    @cached_property
    def periods(self) -> Sequence[str]:
        """The periods of all facts, in order."""
        told = (fact.fact.period for fact in self.evidence.facts)
        return sorted({one for one in told if one is not None})

    @cached_property
    def roles(self) -> Roles:
        """What the turn's records and calls say is had, and what takes its place."""
        return Roles(self.evidence, self.turn)

    def was_asked(self, folded: str) -> bool:
        """Return whether the user wrote a text, folded, in the question or shortly before."""
        texts = (self.turn.question or "", *self.turn.said[-_SAID_BEFORE:])
        return any(folded in fold(text) for text in texts)

    def beside(self, number: int) -> Sequence[EvidenceFact]:
        """Return the facts of the thing with this number: the fields of its record."""
        return self._beside.get(number, ())

    def record_of(self, fact: EvidenceFact) -> Sequence[EvidenceFact]:
        """Return the facts of the same record, this one among them."""
        thing = fact.thing
        return self.unnamed(fact.position) if thing is None else self.beside(thing.number)

    def unnamed(self, position: int) -> Sequence[EvidenceFact]:
        """Return the facts of the result at a position that are of no thing that has a name."""
        return self._unnamed.get(position, ())

    def call_of(self, fact: EvidenceFact) -> ToolCall | None:
        """Return the call that a fact comes from."""
        call_id = _call_of(fact)
        return None if call_id is None else self._by_id.get(call_id)

    def call_stems(self, fact: EvidenceFact) -> frozenset[str]:
        """Return the stems of the name of the call that a fact comes from, and of its arguments."""
        call_id = _call_of(fact)
        return self._calls.get(call_id, frozenset()) if call_id is not None else frozenset()

    def is_incomplete(self, fact: EvidenceFact) -> bool:
        """Return whether a fact comes from a result that was not read to its end."""
        return _call_of(fact) in self.evidence.incomplete

    def proof(self, facts: Iterable[EvidenceFact]) -> list[EvidenceFact]:
        """Return the facts that prove anything to this turn."""
        found = [fact for fact in facts if fact.origin in _PROOF]
        if not self._hidden:
            return found
        return [fact for fact in found if not self._is_hidden(fact)]

    def proof_for(self, passage: Passage, facts: Iterable[EvidenceFact]) -> list[EvidenceFact]:
        """Return the facts that prove anything of a passage: only those of the calls that it names in [ ]."""
        proof, named = self.proof(facts), self.named_calls(passage)
        return [fact for fact in proof if _call_of(fact) in named] if named else proof

    def named_calls(self, passage: Passage) -> frozenset[str]:
        """Return the calls that a passage names in [ ]."""
        text = passage.sentence.text
        if "[" not in text:
            return frozenset()
        return frozenset(call.call_id for call in self.turn.calls if f"[{call.call_id}]" in text)

    def states(self, passage: Passage, name: str) -> Pool:
        """Return the facts that tell a state of a class of this one, or a flag of its name."""

        def find() -> Sequence[EvidenceFact]:
            groups = (self._states.get(group, ()) for group in sorted(groups_of_state(name)))
            found = dict.fromkeys(fact for group in groups for fact in group)
            found |= dict.fromkeys(self.flags.get(name, ()))
            return self.proof_for(passage, found)

        return self.pool((Kind.STATE, name, self.named_calls(passage)), find)

    def in_state(self, name: str) -> tuple[Thing, ...]:
        """Return the things of which the evidence tells this state."""
        found = self._in_state.get(name)
        if found is None:
            groups = (self._states.get(group, ()) for group in groups_of_state(name))
            facts = (fact for group in groups for fact in group)
            told = (one.thing for one in facts if any(s.name == name for s in states_of(one)))
            things = (one for one in dict.fromkeys(told) if one is not None)
            found = self._in_state[name] = tuple(things)
        return found

    def missing(
        self, stated: StatedValue, held: Sequence[EvidenceFact], *, denied: bool
    ) -> Judgement:
        """Judge a value that no proof holds: the user's, the model's own, or absent from all."""
        origins = {fact.origin for fact in held}
        if origins & _PROOF or denied:
            return unbound()
        if FactOrigin.USER in origins:
            detail = "it is what the user said; that proves nothing"
            return Judgement(fate=Fate.ECHOED, detail=detail, reason=Reason.UNBOUND)
        if FactOrigin.ARGUMENT in origins:
            detail = "only the arguments of a call hold it; they prove nothing"
            return Judgement(fate=Fate.OPEN, detail=detail, reason=Reason.UNBOUND)
        if not self._proves:
            detail = "no evidence was given that could hold it"
            unread = Reason.INCOMPLETE_EVIDENCE if self._lacks_text else Reason.NO_EVIDENCE
            reason = Reason.FAILED_CALL if self.incomplete else unread
            return Judgement(fate=Fate.OPEN, detail=detail, reason=reason)
        if self.incomplete or self._lacks_text:
            detail = "it is absent from the evidence, which is not complete"
            return Judgement(fate=Fate.OPEN, detail=detail, reason=Reason.INCOMPLETE_EVIDENCE)
        text = stated.value.text
        detail = f"{text!r} stands nowhere in the evidence, and follows from nothing there"
        return Judgement(fate=Fate.ABSENT, detail=detail)

    def _is_hidden(self, fact: EvidenceFact) -> bool:
        thing = fact.thing
        while thing is not None:
            if not self._hidden.isdisjoint(thing.keys):
                return True
            thing = thing.outer
        return False


def _is_none(value: Value) -> bool:
    if isinstance(value, TextValue):
        return value.kind is Kind.BOOLEAN and value.folded in {"false", "no"}
    return value.interval.is_point and value.interval.low == 0


def _call_of(fact: EvidenceFact) -> str | None:
    return getattr(fact.fact.locator, "call_id", None)


def states_of(fact: EvidenceFact) -> Sequence[State]:
    """Return the states that a fact tells, as text (`status: shipped`) or as a flag (`shipped: true`)."""
    value = fact.fact.value
    if not isinstance(value, TextValue) or fact.origin is not FactOrigin.RESULT:
        return ()
    if fact.clause is not None:
        return ()
    words = " ".join(fact.fact.attribute) if value.kind is Kind.BOOLEAN else value.text
    words = _VALID if words in _FOUND and value.kind is Kind.BOOLEAN else words
    return read_states(words) if len(words) <= _LONGEST_STATE else ()
