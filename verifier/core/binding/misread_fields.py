"""Fields that are easily misread: a plan for a fact, a number for a count, a cost for a price."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.binding.vocabulary import groups_of
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import find_row, read_words
from verifier.core.text_stems import stem
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Spot
    from verifier.core.facts.model import EvidenceFact

_PAST: Final = frozenset({"was", "were", "had", "has", "have"})
_COST: Final = "cost"
_LONGEST_PLACE: Final = 60
_AMOUNTS: Final = frozenset({Kind.MONEY, Kind.NUMBER, Kind.QUANTITY, Kind.DATE, Kind.TIME})


def find_misread_field(spot: Spot, fact: EvidenceFact, view: EvidenceView) -> str | None:
    """Return the word of a field that is another attribute than the clause takes it for, or None."""
    turned = _turned_round(spot, fact, view)
    if turned is not None or fact.clause is not None or len(fact.fact.attribute) != 1:
        return turned
    name = fact.fact.attribute[0]
    taken = (
        _is_plan(spot, name, view)
        or _is_number(spot, name)
        or (name == _COST and _has_price(fact, view))
    )
    return name if taken else None


def _turned_round(spot: Spot, fact: EvidenceFact, view: EvidenceView) -> str | None:
    """Return the place that a clause tells as the other end of the way: "from CDG" of what goes to it."""
    words = read_words(spot.text)
    lists = load_word_lists("cautions")
    for names, place in _places(fact, view):
        told = read_words(place[:_LONGEST_PLACE])
        if not told:
            continue
        for leading, fields in (
            (lists["going"], lists["reaching"]),
            (lists["coming"], lists["leaving"]),
        ):
            if names & fields and any(
                find_row((word, *told), words) is not None for word in leading
            ):
                return place
    return None


def _places(fact: EvidenceFact, view: EvidenceView) -> Iterator[tuple[set[str], str]]:
    """Yield the texts of a fact's record and of its call's arguments, with the words of their names."""
    thing = fact.thing
    beside = view.unnamed(fact.position) if thing is None else view.beside(thing.number)
    for one in beside:
        if one.fact.value.kind not in _AMOUNTS:
            names = {part for name in one.fact.attribute for part in read_words(name)}
            yield names, one.fact.value.text
    call = view.call_of(fact)
    for name, value in call.arguments.items() if call is not None else ():
        if isinstance(value, str):
            yield set(read_words(name.replace("_", " "))), value


def _is_plan(spot: Spot, name: str, view: EvidenceView) -> bool:
    """Return whether a date that was planned is told as done: "was returned on" of the field `return`."""
    value = spot.stated.value
    if value.kind is not Kind.DATE or name not in load_word_lists("cautions")["planned"]:
        return False
    if view.turn.now is not None:
        return False
    words = read_words(spot.text)
    done = any(word != name and stem(word) == stem(name) for word in words)
    return done and bool(_PAST & set(words))


def _is_number(spot: Spot, name: str) -> bool:
    """Return whether what tells one of several is told as a count: "2 floors" of the field `floor`."""
    value = spot.stated.value
    if not isinstance(value, Quantity) or value.kind is not Kind.QUANTITY or value.unit is None:
        return False
    return name in load_word_lists("cautions")["numbered"] and stem(name) == stem(value.unit)


def _has_price(fact: EvidenceFact, view: EvidenceView) -> bool:
    """Return whether the record has a price beside its cost, which is then what was paid for it."""
    if fact.thing is None:
        return False
    return any(
        "price" in groups_of(one.cues) and _COST not in one.fact.attribute
        for one in view.beside(fact.thing.number)
    )
