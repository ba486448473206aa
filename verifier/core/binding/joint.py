"""Values that are judged together: the same of several things, several in order, one said twice."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.binding.comparing import compare_value
from verifier.core.binding.gates import says_all
from verifier.core.binding.judging import Fate, Judgement
from verifier.core.binding.subjects import enclosing, family, in_turn
from verifier.core.binding.vocabulary import load_weights
from verifier.core.derivation.periods import is_earlier
from verifier.core.part_phrases import is_amount
from verifier.core.relations import Outcome
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.binding.comparing import Compared, Comparisons
    from verifier.core.binding.passages import Passage
    from verifier.core.binding.setting import Setting
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.values import Value

_AGAIN: Final = re.compile(
    r",?\s*(?:that\s+is|that['’]s|i\.e\.|which\s+is|meaning|equivalent\s+to)?,?\s*(?:about\s+)?[(=]?\s*\Z",
    re.IGNORECASE,
)
_LONGEST_LINK: Final = 24
_MOST_THINGS: Final = 400


def find_restated(passage: Passage, stated: StatedValue) -> Judgement | None:
    """Return a refutation where a value only says the one before it again, and is not the same.

    "6000 cents ($60.00)" says one thing twice; "50 basis points, that is 5%" two.
    """
    values = passage.values
    at = values.index(stated)
    before = values[at - 1] if at else None
    if before is None or not _says_again(passage, before, stated):
        return None
    if compare_value(_as_percent(before.value), _as_percent(stated.value)) is not Outcome.DISAGREE:
        return None
    detail = f"{stated.value.text!r} is not {before.value.text!r}, which it says again"
    return Judgement(fate=Fate.REFUTED, detail=detail, right=None)


def _as_percent(value: Value) -> Value:
    """Return points of a percentage as a percentage: said again, "50 basis points" are "0.5%"."""
    if isinstance(value, Quantity) and value.kind is Kind.PERCENTAGE_POINT:
        return replace(value, kind=Kind.PERCENT)
    return value


def _says_again(passage: Passage, before: StatedValue, stated: StatedValue) -> bool:
    offset = passage.sentence.span.start
    start, end = before.span.end - offset, stated.span.start - offset
    if not 0 < end - start <= _LONGEST_LINK:
        return False
    link = passage.sentence.text[start:end]
    return bool(link.strip(" ,")) and _AGAIN.fullmatch(link) is not None


def decide_each(
    compared: Comparisons, passage: Passage, stated: StatedValue, setting: Setting
) -> Judgement | None:
    """Return a judgement of what is said of each of several named things; None where one is meant."""
    clause = passage.clause_of(stated.span)
    in_turn = "respectively" in passage.sentence.text.casefold()
    if in_turn or not says_all(passage, clause):
        return None
    best: list[Compared] = []
    groups = [{thing.number for thing in one.things} for one in setting.mentions]
    several = len(groups) > 1
    find, groups = (
        (compared.within, groups)
        if several
        else (compared.of_things, _all_of_kind(compared, passage, setting))
    )
    for numbers in groups:
        of_it = list(find(numbers))
        told = stated.is_text or len(of_it) == 1
        if not of_it or (not told and of_it[0].candidate.attribute < load_weights().cue):
            return None
        own = of_it[0]
        best.append(own)
    if not best:
        return None
    deciding = tuple(one.candidate for one in best)
    other = next((one for one in best if one.outcome is Outcome.DISAGREE), None)
    if other is not None:
        fact = other.candidate.fact.fact
        detail = f"{' '.join(fact.attribute)} of one of them is {fact.value.text!r}"
        ordered = tuple(dict.fromkeys((other.candidate, *deciding)))
        return Judgement(fate=Fate.REFUTED, detail=detail, deciding=ordered, in_order=True)
    if all(one.outcome is Outcome.AGREE for one in best):
        detail = "it is said of each of them in the evidence"
        return Judgement(fate=Fate.PROVED, detail=detail, deciding=deciding, in_order=True)
    return None


def decide_in_turn(
    compared: Comparisons, passage: Passage, stated: StatedValue
) -> Judgement | None:
    """Return a refutation by the thing that "respectively" gives a value to, whatever the others have."""
    own = in_turn(passage.mentions, stated, passage)
    if own is None or not isinstance(stated.value, Quantity):
        return None
    of_it = list(compared.of_things({thing.number for thing in own.things}))
    if not of_it or not _is_told_by_words(of_it, stated.value):
        return None
    best = of_it[0].candidate.points
    near = [one for one in of_it if one.candidate.points >= best - load_weights().near]
    rights = {one.candidate.fact.fact.value.text for one in near}
    if any(one.outcome is not Outcome.DISAGREE for one in of_it) or len(rights) != 1:
        return None
    fact = near[0].candidate.fact.fact
    return Judgement(
        fate=Fate.REFUTED,
        detail=f"{' '.join(fact.attribute) or 'it'} is {fact.value.text!r}",
        deciding=tuple(one.candidate for one in near),
        right=fact.value.text,
        in_order=True,
    )


def _is_told_by_words(of_it: Sequence[Compared], value: Quantity) -> bool:
    """Return whether words tell the field, or the unit does: only one of the thing is a weight."""
    if of_it[0].candidate.attribute >= load_weights().cue:
        return True
    fields = {one.candidate.fact.fact.attribute for one in of_it}
    return value.kind is Kind.QUANTITY and is_amount(value) and len(fields) == 1


def _all_of_kind(compared: Comparisons, passage: Passage, setting: Setting) -> list[set[int]]:
    """Return every thing of the kind that the clause names in the plural: "both rooms", "all orders".

    A thing of the kind without such a fact leaves it open what is said of all.
    """
    told_of = compared.kinds & setting.clause
    alike = [one for one in passage.known if one.kinds & told_of] if told_of else []
    if not 1 < len(alike) <= _MOST_THINGS:
        return []
    told = [one.candidate.fact.thing for one in compared]
    kinds = {kind for thing in told if thing is not None for kind in thing.kinds & setting.clause}
    alike = [one for one in passage.known if one.kinds & kinds]
    outers = {outer.number for one in alike for outer in enclosing(one)}
    things = {one.number for one in alike} - outers
    return [{number} for number in sorted(things)] if len(things) > 1 else []


def decide_in_order(
    compared: Comparisons, passage: Passage, stated: StatedValue
) -> Judgement | None:
    """Return a proof where as many facts are equally near as the clause has values, in their order.

    "from 85 to 102" of 2025: 85, 2026: 102: no fact is used twice.
    """
    if not isinstance(stated.value, Quantity):
        return None
    clause = passage.clause_of(stated.span)
    alike = [
        one
        for one in passage.values
        if clause.contains(one.span)
        and isinstance(one.value, Quantity)
        and family(one.value) == family(stated.value)
    ]
    if len(alike) < 2 or len(near := compared.near(load_weights().near)) != len(alike):
        return None
    attributes = {one.candidate.fact.fact.attribute[-1:] for one in near}
    periods = [one.candidate.fact.fact.period for one in near]
    if len(attributes) == 1 and None not in periods:
        ordered = sorted(near, key=lambda one: str(one.candidate.fact.fact.period))
    elif len(near) == 2 and _is_earlier(near[1], near[0]):
        ordered = [near[1], near[0]]
    elif len(near) == 2 and _is_earlier(near[0], near[1]):
        ordered = list(near)
    else:
        return None
    own = ordered[alike.index(stated)]
    if own.outcome is not Outcome.AGREE:
        return None
    fact = own.candidate.fact.fact
    when = f" in {fact.period}" if fact.period else ""
    detail = f"{' '.join(fact.attribute)} is {fact.value.text!r}{when}"
    return Judgement(fate=Fate.PROVED, detail=detail, deciding=(own.candidate,), in_order=True)


def _is_earlier(one: Compared, other: Compared) -> bool:
    """Return whether the fields' names tell that one is the earlier value: rate_before, rate_after."""
    first, second = (" ".join(each.candidate.fact.fact.attribute) for each in (one, other))
    return is_earlier(first, second) is True
