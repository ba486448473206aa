"""Which of several things alike is meant: the ones that are all that the sentence says they are like.

"Speaker (blue, 20 hours, no microphone): $271.89" is held against the blue ones of 20 hours without one.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from verifier.core.binding.judging import Fate, Judgement
from verifier.core.binding.subjects import NAMING, are_comparable, numbers_of
from verifier.core.binding.vocabulary import load_weights
from verifier.core.facts.model import NamedBy
from verifier.core.relations import Outcome
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from verifier.core.binding.comparing import Compared, Comparisons
    from verifier.core.binding.passages import Passage
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import Thing, ThingMention

_MOST_THINGS: Final = 400


def decide_described(
    compared: Comparisons, passage: Passage, stated: StatedValue
) -> Judgement | None:
    """Return a proof by the things that all descriptions of the sentence fit; None where they prove nothing.

    A price or the like must be that of each of them. A description itself need only be true of one in each
    list that has such things: there is a blue one among the order's items, and one among the variants.
    """
    things = _fitting(passage, stated, passage.sentence.span) or _fitting(
        passage, stated, _own_part(passage, stated)
    )
    if not things:
        return None
    meant = _best_named(list(compared.of_things(things)))
    agreeing = [one for one in meant if one.outcome is Outcome.AGREE]
    if not agreeing or not _is_proof(meant, agreeing, describes=_describes(passage, stated)):
        return None
    deciding = tuple(one.candidate for one in agreeing)
    fact = deciding[0].fact.fact
    detail = f"{' '.join(fact.attribute) or 'it'} is {fact.value.text!r} of what is so described"
    return Judgement(fate=Fate.PROVED, detail=detail, deciding=deciding, described=True)


def _is_proof(meant: Sequence[Compared], agreeing: Sequence[Compared], *, describes: bool) -> bool:
    if not describes:
        return len(agreeing) == len(meant)
    lists: defaultdict[int, bool] = defaultdict(bool)
    for one in meant:
        lists[_list_of(one)] |= one.outcome is Outcome.AGREE
    return all(lists.values())


def _list_of(one: Compared) -> int:
    thing = one.candidate.fact.thing
    outer = None if thing is None else thing.outer
    return -1 if outer is None else outer.number


def _describes(passage: Passage, stated: StatedValue) -> bool:
    """Return whether the value itself says what a thing is like."""
    return any(
        one.by == NamedBy.DESCRIPTOR and one.span.overlaps(stated.span) for one in passage.mentions
    )


def _best_named(own: Sequence[Compared]) -> list[Compared]:
    """Return the facts whose words fit best; that one of them has no such field says nothing."""
    weights = load_weights()
    points = [one.candidate.attribute - one.candidate.unmatched for one in own]
    best = max(points, default=0)
    near = [one for one, each in zip(own, points, strict=True) if each >= best - weights.near]
    strong = all(one.candidate.strength >= weights.accept for one in near)
    return near if strong and all(one.candidate.fact.clause is None for one in near) else []


def _own_part(passage: Passage, stated: StatedValue) -> Span:
    """Return the part of a sentence from the value of this kind before to the end of the value's clause."""
    before = [
        one.span.end
        for one in passage.values
        if one.span.end <= stated.span.start and are_comparable(one.value, stated.value)
    ]
    start = max(before, default=passage.sentence.span.start)
    return Span(start, max(start, passage.clause_of(stated.span).end))


def _fitting(passage: Passage, stated: StatedValue, part: Span) -> frozenset[int]:
    """Return the numbers of the things that every description and name of a part of the sentence fits.

    Names above the sentence count where some of the things are inside of what they name.
    """
    described = [
        one
        for one in passage.mentions
        if one.by == NamedBy.DESCRIPTOR
        and part.contains(one.span)
        and not one.span.overlaps(stated.span)
        and len(one.things) <= _MOST_THINGS
    ]
    if not described:
        return frozenset()
    found = dict.fromkeys(described[0].things)
    for mention in described[1:]:
        kept = set(mention.things)
        found = {one: None for one in found if one in kept}
    fitting: list[Thing] = list(found)
    for mention in passage.mentions:
        if mention.by == NamedBy.DESCRIPTOR or not part.contains(mention.span):
            continue
        inside = [one for one in fitting if _is_of(one, mention)]
        if not inside:
            return frozenset()
        fitting = inside
    for mention in _above(passage):
        fitting = [one for one in fitting if _is_of(one, mention)] or fitting
    return frozenset(one.number for one in fitting)


def _above(passage: Passage) -> Iterator[ThingMention]:
    parents: Iterable[Passage] = passage.parents or passage.recent[:1]
    for parent in parents:
        yield from (one for one in parent.mentions if one.by in NAMING)


def _is_of(thing: Thing, mention: ThingMention) -> bool:
    around = numbers_of(thing)
    return any(one.number in around for one in mention.things)
