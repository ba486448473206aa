"""Gathering what is read: numbered things, facts with what a newer call may replace, incomplete calls."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from verifier.core.facts.dimensions import CLAUSE, COUNT, OPEN, PLAIN, group_of
from verifier.core.facts.model import EvidenceFact, Thing, TurnEvidence
from verifier.core.facts.naming import index_things
from verifier.core.values import Kind, TextValue

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from verifier.core.evidence import Fact
    from verifier.core.facts.model import FactOrigin
    from verifier.core.statements import Clause

Path = tuple[tuple[int, str], ...]
"""The fields that lead to a fact, of each numbered owner on the way, outside in."""

_MOST_PROSE = 200_000  # characters: seconds
_LONGEST_INDEXED = 200
_PUNCTUATION = ".,;:!?()[]{}\"'"


_Draft = tuple["EvidenceFact", Path, bool]
"""A fact, the path to it, and whether it is a further reading of the value before it."""


@dataclass(slots=True)
class Collector:
    """Collects the evidence of one turn. Not frozen: readers add to it, one call after the other."""

    things: list[Thing] = field(default_factory=list)
    incomplete: set[str] = field(default_factory=set)
    _prose_left: int = _MOST_PROSE
    _drafts: list[_Draft] = field(default_factory=list)
    _newest: dict[tuple[int, str], int] = field(default_factory=dict)
    _owners: dict[Hashable, int] = field(default_factory=dict)

    def add_thing(
        self,
        *,
        keys: tuple[str, ...] = (),
        names: tuple[str, ...] = (),
        kinds: frozenset[str] = frozenset(),
        descriptors: tuple[str, ...] = (),
        outer: Thing | None = None,
        position: int,
    ) -> Thing:
        """Return a new thing with the next number."""
        thing = Thing(
            number=len(self.things),
            keys=keys,
            names=names,
            kinds=kinds,
            descriptors=descriptors,
            outer=outer,
            position=position,
        )
        self.things.append(thing)
        return thing

    def number_owner(self, identity: Hashable) -> int:
        """Return the number of what an identity identifies, the same in every call."""
        return self._owners.setdefault(identity, len(self._owners))

    def take_prose(self, text: str, source: str) -> str:
        """Return as much of a text as is still read of the turn, and note the source of a shortened one."""
        left, self._prose_left = self._prose_left, max(0, self._prose_left - len(text))
        if len(text) <= left:
            return text
        self.incomplete.add(source)
        return text[: max(text.rfind(". ", 0, left), text.rfind("\n", 0, left), 0)]

    def see_fields(
        self, owner: int, within: str | None, names: Iterable[str], position: int
    ) -> None:
        """Note that a call tells fields of an owner, or all within one, and so replaces older ones."""
        if within is not None:
            self._newest[owner, within] = position
        else:
            self._newest.update(((owner, name), position) for name in names)

    def add_fact(
        self,
        fact: Fact,
        *,
        thing: Thing | None,
        origin: FactOrigin,
        position: int,
        cues: frozenset[str],
        clause: Clause | None = None,
        whole_list: bool = False,
        path: Path = (),
        twin: bool = False,
    ) -> None:
        """Add a fact; a `twin` is a further reading of the value before it."""
        read = EvidenceFact(
            fact=fact,
            thing=thing,
            origin=origin,
            position=position,
            cues=cues,
            clause=clause,
            whole_list=whole_list,
        )
        self._drafts.append((read, path, twin))

    def finish(self) -> TurnEvidence:
        """Return what was collected, without what a newer call replaced."""
        kept: list[_Draft] = []
        former: list[EvidenceFact] = []
        for draft in self._drafts:
            if self._is_replaced(draft):
                former.append(draft[0])
            else:
                kept.append(draft)
        return TurnEvidence(
            facts=tuple(draft[0] for draft in kept),
            things=tuple(self.things),
            incomplete=frozenset(self.incomplete),
            former=tuple(former),
            _index=index_things(self.things),
            _by_group=_by_group(kept),
            _by_text=_by_text(kept),
        )

    def _is_replaced(self, draft: _Draft) -> bool:
        position, newest = draft[0].position, self._newest
        for step in draft[1]:  # noqa: SIM110 -- a generator would cost three times as much
            if newest.get(step, position) > position:
                return True
        return False


def _by_group(drafts: Sequence[_Draft]) -> dict[str, tuple[EvidenceFact, ...]]:
    found: defaultdict[str, list[EvidenceFact]] = defaultdict(list)
    for draft in drafts:
        for group in _groups(draft):
            found[group].append(draft[0])
    return {group: tuple(facts) for group, facts in found.items()}


def _groups(draft: _Draft) -> tuple[str, ...]:
    fact, value = draft[0], draft[0].fact.value
    if draft[2]:
        return (PLAIN,)
    if fact.whole_list:
        return (COUNT,)
    if isinstance(value, TextValue):
        return (CLAUSE,) if fact.clause is not None and fact.is_whole_clause else (value.kind,)
    if value.kind is Kind.NUMBER and not fact.fact.attribute and fact.clause is None:
        return (OPEN,)
    return group_of(value, fact.cues)


def _by_text(drafts: Sequence[_Draft]) -> dict[str, tuple[EvidenceFact, ...]]:
    found: defaultdict[str, dict[EvidenceFact, None]] = defaultdict(dict)
    for draft in drafts:
        value = draft[0].fact.value
        if isinstance(value, TextValue) and len(value.folded) <= _LONGEST_INDEXED:
            for token in _tokens(value.folded):
                found[token][draft[0]] = None
    return {token: tuple(facts) for token, facts in found.items()}


@lru_cache(maxsize=16_384)
def _tokens(folded: str) -> tuple[str, ...]:
    if folded.startswith("#"):
        return (folded, folded[1:])
    if " " not in folded:
        return (folded,)
    words = (word.strip(_PUNCTUATION) for word in folded.split())
    return (folded, *dict.fromkeys(word for word in words if word))
