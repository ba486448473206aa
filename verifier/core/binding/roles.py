"""Which of two things a customer has, and which takes its place: what tells a refund from a charge."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from verifier.core.binding.subjects import enclosing
from verifier.core.facts.model import FactOrigin
from verifier.core.lexicons import load_word_lists
from verifier.core.text import fold
from verifier.core.text_stems import stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verifier.core.facts.model import EvidenceFact, Thing, TurnEvidence
    from verifier.core.turns import Turn

_MOST_IDS: Final = 100


class Role(StrEnum):
    """What a thing is in an exchange; the values are words that tell earlier from later."""

    OLD = "old"
    NEW = "new"


class Roles:
    """The roles that a turn's records and the calls that swapped one thing for another give.

    Where a call named what it replaced by what, only its arguments tell. Where none did, what stands in
    an order or the like is had, and what stands elsewhere with an id could take its place.
    """

    def __init__(self, evidence: TurnEvidence, turn: Turn) -> None:
        self._swapped: dict[str, Role] = {}
        for call in turn.calls:
            if call.ok:
                self._swapped.update(_read_swap(call.arguments))
        held = [thing for thing in evidence.things if _is_held(thing)]
        self._held = frozenset(key for thing in held for key in thing.keys)

    def swapped(self, fact: EvidenceFact) -> Role | None:
        """Return the role that a call, or the name of its record, gives the thing whose fact this is."""
        thing = fact.thing
        if thing is None:
            return None
        role = self._told_by_call(thing)
        if role is not None:
            return role
        lists = load_word_lists("derivation_cues")
        for role, words in ((Role.NEW, lists["put"]), (Role.OLD, lists["replaced"])):
            if thing.kinds & {stem(word) for word in words}:
                return role
        return None

    def of(self, fact: EvidenceFact) -> Role | None:
        """Return the role of the thing whose fact this is, or None where nothing tells it."""
        thing = fact.thing
        if thing is None or fact.origin is not FactOrigin.RESULT:
            return None
        if self._swapped:
            return self._told_by_call(thing)
        if _is_held(thing) or not self._held.isdisjoint(thing.keys):
            return Role.OLD
        return Role.NEW if thing.keys and self._held else None

    def _told_by_call(self, thing: Thing) -> Role | None:
        told = {self._swapped[key] for key in thing.keys if key in self._swapped}
        return told.pop() if len(told) == 1 else None


def _is_held(thing: Thing) -> bool:
    """Return whether a thing is, or stands in, what a customer has: an order, a booking."""
    kinds = load_word_lists("derivation_cues")["held"]
    return any(not kinds.isdisjoint(one.kinds) for one in (thing, *enclosing(thing)))


def _read_swap(arguments: Mapping[str, object]) -> dict[str, Role]:
    """Return the roles of the ids that a call names as replaced and as put in their place.

    Only arguments of one name tell, one of which says that it is new: `item_ids` and `new_item_ids`.
    """
    lists = load_word_lists("derivation_cues")
    named: dict[tuple[str, ...], dict[Role, tuple[str, ...]]] = {}
    for name, value in arguments.items():
        words = fold(name.replace("_", " ")).split()
        role = Role.NEW if lists["put"].intersection(words) else Role.OLD
        rest = tuple(word for word in words if word not in lists["put"] | lists["replaced"])
        named.setdefault(rest, {})[role] = tuple(_ids_of(value))
    return {
        key: role
        for roles in named.values()
        if len(roles) == len(Role)
        for role, keys in roles.items()
        for key in keys
        if not all(key in other for other in roles.values())
    }


def _ids_of(value: object) -> Iterator[str]:
    values = value[:_MOST_IDS] if isinstance(value, list | tuple) else (value,)
    return (fold(one) for one in values if isinstance(one, str))
