"""Values that two fields of one record prove together: the whole of a part, the first and last day."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.binding.comparing import bare_count, compare_value
from verifier.core.binding.judging import Fate, Judgement
from verifier.core.derivation.periods import is_earlier
from verifier.core.lexicons import load_word_lists
from verifier.core.relations import Outcome
from verifier.core.text_stems import stem
from verifier.core.units import unit_of
from verifier.core.values import Interval, Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.binding.comparing import Compared, Comparisons
    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Passage
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import EvidenceFact
    from verifier.core.values import Value

_OF: Final = re.compile(r"\s+of\s+(?:(?:the|all|his|her|its|your|their|our)\s+)?", re.IGNORECASE)
_NO_DAYS: Final = Interval(low=None, high=None)
_COUNTS: Final = frozenset({Kind.NUMBER, Kind.QUANTITY})


def decide_pair(compared: Comparisons, passage: Passage, stated: StatedValue) -> Judgement | None:
    """Return a proof by two fields of one record, or None."""
    value = stated.value
    if not isinstance(value, Quantity):
        return None
    if value.kind is Kind.DATE and value.writing is Writing.RANGE:
        return _decide_days(list(compared), value)
    part = _part_before(passage, stated) if value.kind in _COUNTS else None
    return None if part is None else _decide_whole(list(compared), part.value, value)


def _part_before(passage: Passage, stated: StatedValue) -> StatedValue | None:
    """Return the 90 of "90 of the 120 seats"."""
    at = passage.values.index(stated)
    if not at or passage.values[at - 1].value.kind not in _COUNTS:
        return None
    offset = passage.sentence.span.start
    part = passage.values[at - 1]
    between = passage.sentence.text[part.span.end - offset : stated.span.start - offset]
    return part if _OF.fullmatch(between) else None


def find_other_whole(
    passage: Passage, stated: StatedValue, fact: EvidenceFact, view: EvidenceView
) -> str | None:
    """Return the noun of "36 of the 240 passengers" where no field beside the fact counts 240 of them."""
    whole = find_whole(passage, stated)
    if whole is None or whole.unit is None or fact.clause is not None:
        return None
    noun = whole.unit.split()[-1]
    if unit_of(noun) is not None:
        return None
    whole_words = load_word_lists("cautions")["wholes"]
    counted = any(
        compare_value(bare_count(whole), one.fact.value) is Outcome.AGREE
        and (stem(noun) in one.cues or whole_words.issuperset(one.fact.attribute))
        for one in view.record_of(fact)
    )
    return None if counted else noun


def find_whole(passage: Passage, stated: StatedValue) -> Quantity | None:
    """Return the 120 seats of "90 of the 120 seats" for the 90."""
    at = passage.values.index(stated)
    following = passage.values[at + 1 : at + 2]
    if stated.value.kind not in _COUNTS or not following:
        return None
    whole, offset = following[0].value, passage.sentence.span.start
    between = passage.sentence.text[stated.span.end - offset : following[0].span.start - offset]
    if not isinstance(whole, Quantity) or whole.kind is not Kind.QUANTITY:
        return None
    return whole if _OF.fullmatch(between) else None


def _decide_whole(compared: Sequence[Compared], part: Value, whole: Quantity) -> Judgement | None:
    """Return that a field of all of them has the number, beside one of some of them with the part."""
    whole_words = load_word_lists("cautions")["wholes"]
    parts = [
        one.candidate.fact
        for one in compared
        if compare_value(part, one.candidate.fact.fact.value) is Outcome.AGREE
    ]
    for one in compared:
        fact = one.candidate.fact
        nouns = {
            stem(word)
            for word in fact.fact.attribute
            if word not in whole_words and unit_of(word) is None
        }
        beside = any(_is_beside(fact, other) and nouns <= other.cues for other in parts)
        counted = set() if whole.unit is None else {stem(word) for word in whole.unit.split()[-1:]}
        if one.outcome is Outcome.AGREE and nouns and beside and counted <= fact.cues:
            return _proved((one,), f"{' '.join(fact.fact.attribute)} is {fact.fact.value.text!r}")
    return None


def _decide_days(compared: Sequence[Compared], value: Quantity) -> Judgement | None:
    """Return that one date of a record is the first of the days, and a later one of it the last."""
    first, last = value.interval.low, value.interval.high
    if first is None or last is None:
        return None
    starts = [one for one in compared if _interval(one).low == first]
    ends = [one for one in compared if _interval(one).high == last]
    for one in starts:
        for other in ends:
            start, end = one.candidate.fact, other.candidate.fact
            if _is_beside(start, end) and _are_ends(start, end):
                told = f"from {start.fact.value.text!r} to {end.fact.value.text!r}"
                return _proved((one, other), told)
    return None


def _interval(one: Compared) -> Interval:
    value = one.candidate.fact.fact.value
    return value.interval if isinstance(value, Quantity) else _NO_DAYS


def _are_ends(start: EvidenceFact, end: EvidenceFact) -> bool:
    names = (" ".join(start.fact.attribute), " ".join(end.fact.attribute))
    pairs = load_word_lists("cautions")["ends"]
    return is_earlier(*names) is True or "-".join(name.replace(" ", "_") for name in names) in pairs


def _is_beside(one: EvidenceFact, other: EvidenceFact) -> bool:
    return one.thing is other.thing and one.position == other.position and one is not other


def _proved(deciding: tuple[Compared, ...], detail: str) -> Judgement:
    candidates = tuple(one.candidate for one in deciding)
    return Judgement(fate=Fate.PROVED, detail=detail, deciding=candidates, in_order=True)
