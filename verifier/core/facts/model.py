"""What the evidence of a turn says: things, facts about them, and how both are found again."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from verifier.core.facts.dimensions import groups_for
from verifier.core.values import TextValue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.core.evidence import Fact
    from verifier.core.facts.naming import ThingIndex
    from verifier.core.spans import Span
    from verifier.core.statements import Clause
    from verifier.core.values import Value


class FactOrigin(StrEnum):
    """Where a fact comes from; only results, documents and the operator's text prove anything."""

    RESULT = "result"
    DOCUMENT = "document"
    SYSTEM = "system"
    USER = "user"
    ARGUMENT = "argument"


class NamedBy(StrEnum):
    """What of a thing stands in a text: its id, its name, part of its name, or what it is like."""

    KEY = "key"
    NAME = "name"
    PART = "part"
    DESCRIPTOR = "descriptor"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Thing:
    """Something that the evidence speaks of: a record that opens a subject, or an element of a list.

    `number` is its index among the turn's things, `position` that of its call (the newest counts).
    `keys` are its ids, folded, with and without "#"; `names` are as written; `kinds` are stems of what it
    is ("order", "item"); `descriptors` are folded short texts of its own fields and of its options
    ("red", "10 hours"), without ids, states and addresses.
    """

    number: int
    keys: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    kinds: frozenset[str] = frozenset()
    descriptors: tuple[str, ...] = ()
    outer: Thing | None = None
    position: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ThingMention:
    """Where a text speaks of things: all that bear the same id, name, part of a name or descriptor."""

    span: Span
    things: tuple[Thing, ...]
    by: NamedBy


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EvidenceFact:
    """A fact, whose it is, and by what words it can be told.

    `thing` is the nearest one; None for prose and for results that name no subject. `cues` are content
    stems: of the attribute's words, of a clause, of a table's row and column heads. `whole_list` marks a
    count: the length of a list that is complete, or the total that a result states of one. A fact of
    prose whose value is the clause's own text stands for the clause as a whole.
    """

    fact: Fact
    thing: Thing | None
    origin: FactOrigin
    position: int
    cues: frozenset[str] = frozenset()
    clause: Clause | None = None
    whole_list: bool = False

    @property
    def is_whole_clause(self) -> bool:
        """Whether the value is the text of the clause itself, not a value in it."""
        value = self.fact.value
        return (
            self.clause is not None
            and isinstance(value, TextValue)
            and value.text == self.clause.text
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TurnEvidence:
    """Everything that the turn's evidence says.

    `incomplete` are ids of calls that failed, were truncated, paged or too large, and labels of documents
    read in part: they prove no absence.
    `former` are facts that a newer call on the same thing replaced; they are not among `facts`.
    """

    facts: tuple[EvidenceFact, ...]
    things: tuple[Thing, ...]
    incomplete: frozenset[str]
    former: tuple[EvidenceFact, ...] = ()
    _index: ThingIndex = field(repr=False)
    _by_group: Mapping[str, tuple[EvidenceFact, ...]] = field(default_factory=dict, repr=False)
    _by_text: Mapping[str, tuple[EvidenceFact, ...]] = field(default_factory=dict, repr=False)

    def of_dimension(self, value: Value) -> Sequence[EvidenceFact]:
        """Return the facts that could be compared with `value`, whatever theirs is, in order.

        Money comes with bare numbers of money-like keys, measures and shares with bare numbers, numbers
        with all amounts; dates with dates and moments, states with states and short texts.
        """
        groups = [self._by_group.get(name, ()) for name in groups_for(value)]
        found = [group for group in groups if group]
        if len(found) < 2:
            return found[0] if found else ()
        return list(dict.fromkeys(fact for group in found for fact in group))

    def find_things(self, text: str) -> Sequence[ThingMention]:
        """Return where `text` names things, from left to right, without overlap; the longest wins."""
        return self._index.find(text)

    def holds_text(self, folded: str) -> Sequence[EvidenceFact]:
        """Return the facts whose text value, or a token of it, is `folded` (by `core.text.fold`)."""
        return self._by_text.get(folded) or self._by_text.get(folded.lstrip("#"), ())

    def says_nothing_of(self) -> Sequence[EvidenceFact]:
        """Return the counts of lists that are complete and empty: what they say is that there is none."""
        return [fact for fact in self.facts if fact.whole_list and _is_zero(fact.fact.value)]


def _is_zero(value: Value) -> bool:
    return not isinstance(value, TextValue) and value.interval.is_point and value.interval.low == 0
