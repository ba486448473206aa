"""What is looked up again and again in a turn's evidence, by thing, by result and by call."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from verifier.core.facts.model import FactOrigin
from verifier.core.speech import read_words
from verifier.core.text import fold
from verifier.core.text_stems import stem
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from verifier.core.facts.model import EvidenceFact, Thing
    from verifier.core.turns import ToolCall, Turn
    from verifier.core.values import Interval

_CURRENCY: Final = "currency"
_LONGEST_NAME: Final = 200


def by_thing(facts: Iterable[EvidenceFact]) -> Mapping[int, Sequence[EvidenceFact]]:
    """Return the facts of each thing, by its number."""
    found: defaultdict[int, list[EvidenceFact]] = defaultdict(list)
    for fact in facts:
        if fact.thing is not None:
            found[fact.thing.number].append(fact)
    return dict(found)


def without_thing(facts: Iterable[EvidenceFact]) -> Mapping[int, Sequence[EvidenceFact]]:
    """Return the fields of records that are no things, by the position of their result."""
    found: defaultdict[int, list[EvidenceFact]] = defaultdict(list)
    for fact in facts:
        if fact.thing is None and fact.clause is None and fact.origin is FactOrigin.RESULT:
            found[fact.position].append(fact)
    return dict(found)


def place_cues(facts: Iterable[EvidenceFact]) -> Mapping[str, frozenset[int]]:
    """Return the positions of the results that have a field named so, by the stems of the names."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    for fact in facts:
        if fact.clause is None and fact.origin is FactOrigin.RESULT:
            for cue in fact.cues:
                found[cue].add(fact.position)
    return {cue: frozenset(places) for cue, places in found.items()}


def find_bare_prices(
    facts: Sequence[EvidenceFact],
) -> Mapping[Interval, Sequence[EvidenceFact]]:
    """Return the bare numbers of results that tell a currency, by their size."""
    priced = {one.position for one in facts if _CURRENCY in one.fact.attribute[-1:]}
    found: defaultdict[Interval, list[EvidenceFact]] = defaultdict(list)
    for fact in facts:
        number = fact.fact.value
        if not isinstance(number, Quantity) or number.kind is not Kind.NUMBER:
            continue
        if fact.position in priced:
            found[number.interval].append(fact)
    return dict(found)


def list_of(fact: EvidenceFact) -> Hashable:
    """Return what the same field of the records of one list has in common."""
    thing = fact.thing
    if thing is None:
        return None
    return thing.outer, thing.position, fact.fact.attribute[-1:]


def signs_of_lists(facts: Iterable[EvidenceFact]) -> Mapping[Hashable, frozenset[bool]]:
    """Return whether the amounts of a list's field are above zero, or below it, or some this, some that."""
    found: defaultdict[Hashable, set[bool]] = defaultdict(set)
    for fact in facts:
        value = fact.fact.value
        low = value.interval.low if isinstance(value, Quantity) else None
        if low and fact.thing is not None:
            found[list_of(fact)].add(low > 0)
    return {place: frozenset(signs) for place, signs in found.items()}


def parts_of_records(
    things: Iterable[Thing],
) -> Mapping[tuple[int | None, int], Mapping[frozenset[str], Sequence[Thing]]]:
    """Return the things of each record by their kinds; a record is told by its number and place."""
    found: defaultdict[tuple[int | None, int], defaultdict[frozenset[str], list[Thing]]]
    found = defaultdict(lambda: defaultdict(list))
    for one in things:
        outer = None if one.outer is None else one.outer.number
        found[outer, one.position][one.kinds].append(one)
    return dict(found)


def asked_calls(turn: Turn) -> frozenset[str]:
    """Return the calls with an argument that stands in the question as a word with a figure: "order 77"."""
    asked = set(fold(turn.question or "").replace("?", " ").split())
    return frozenset(
        call.call_id
        for call in turn.calls
        for value in call.arguments.values()
        if (text := fold(str(value)[:_LONGEST_NAME])) in asked and any(map(str.isdigit, text))
    )


def stems_of_call(call: ToolCall) -> frozenset[str]:
    """Return the stems of a call's name and arguments."""
    texts = (call.tool, *call.arguments, *map(str, call.arguments.values()))
    words = (word for text in texts for word in read_words(text[:_LONGEST_NAME].replace("_", " ")))
    return frozenset(stem(word) for word in words)
