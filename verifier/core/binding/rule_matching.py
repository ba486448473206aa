"""Whether one clause of an answer says what one clause of a text says: all of it, and no more."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.binding.rule_words import SLOT, stem_of
from verifier.core.comparison import relate
from verifier.core.lexicons import load_word_lists
from verifier.core.values import Kind, TextValue, Writing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.binding.rule_words import RuleWords, Word
    from verifier.core.values import Value

_POINTS: Final = frozenset({Writing.EXACT, Writing.ROUNDED})
_ALL: Final = "all"
_CHARGE: Final = "charg"


def says_the_same(
    claim: RuleWords, rule: RuleWords, above: frozenset[str], around: frozenset[str]
) -> bool:
    """Return whether a claim says what a rule says, with all that the rule depends on.

    `above` are the stems of what stands above the rule, `around` of what stands above the claim.
    """
    if not claim.needed or not claim.needed & rule.stems:
        return False
    if not _is_all_told(claim, rule, above, around) or not _have_same_modes(claim, rule):
        return False
    slots = _pair_values(claim.values, rule.values)
    if slots is None:
        return False
    mine = _kept(claim, rule, above, slots)
    theirs = _kept(rule, claim, around, {at: at for at in range(len(rule.values))})
    return _is_same_order(mine, theirs)


def is_same_value(one: Value, other: Value) -> bool:
    """Return whether two values say the same, bounds and periods included; a rounded one does not."""
    if isinstance(one, TextValue) or isinstance(other, TextValue):
        return one.kind is other.kind and relate(one, other).agrees
    if one.per != other.per or one.fault or other.fault:
        return False
    if one.writing is not other.writing and not {one.writing, other.writing} <= _POINTS:
        return False
    mine, theirs = one.interval, other.interval
    ends = ((mine.low, theirs.low), (mine.high, theirs.high))
    if any((low is None) is not (high is None) for low, high in ends):
        return False
    if (mine.low_open, mine.high_open) != (theirs.low_open, theirs.high_open):
        return False
    return relate(one, other).agrees and relate(other, one).agrees


def _is_all_told(
    claim: RuleWords, rule: RuleWords, above: frozenset[str], around: frozenset[str]
) -> bool:
    """Return whether each side has all words that the other one needs, or has them above it."""
    told = claim.stems | around
    known = rule.stems | above
    if _ALL in claim.stems and _ALL not in known:
        return False
    if not (rule.needed <= told and above <= told | rule.stems):
        return False
    if not (claim.needed <= known and around <= known):
        return False
    return not _changes_person(claim, rule) and not _turns_charge(claim, rule)


def _changes_person(claim: RuleWords, rule: RuleWords) -> bool:
    """Return whether a person is named on one side only, beside another person: "the seller's customer"."""
    persons = {one for one in (claim.stems ^ rule.stems) if one in _person_stems()}
    shared = {one for one in (claim.stems & rule.stems) if one in _person_stems()}
    return bool(persons and shared)


def _turns_charge(claim: RuleWords, rule: RuleWords) -> bool:
    """Return whether somebody charges on one side only: what hosts charge is no fee that hosts pay."""
    for one, other in ((claim, rule), (rule, claim)):
        charges = any(word.stem == _CHARGE and not word.passive for word in one.order)
        if charges and _CHARGE not in other.stems and one.stems & _person_stems():
            return True
    return False


def _person_stems() -> frozenset[str]:
    return frozenset(stem_of(word) for word in load_word_lists("rule_words")["persons"])


def _have_same_modes(claim: RuleWords, rule: RuleWords) -> bool:
    if (claim.modes ^ rule.modes) & {"obliging", "advising"}:
        return False
    free = {"permitting", "entitling"}
    for one, other in ((claim, rule), (rule, claim)):
        if "permitting" in one.modes and not other.modes & free:
            return False
        pays = "costing" in one.modes and "costing" not in other.modes
        if pays and "entitling" in other.modes and _has_money(rule):
            return False
    return True


def _has_money(words: RuleWords) -> bool:
    return any(one.kind is Kind.MONEY for one in words.values)


def _pair_values(claimed: Sequence[Value], told: Sequence[Value]) -> dict[int, int] | None:
    """Return which value of the rule each claimed one is; None where one is left over on any side."""
    pairs: dict[int, int] = {}
    left = list(range(len(told)))
    for at, value in enumerate(claimed):
        found = next((one for one in left if is_same_value(value, told[one])), None)
        if found is None:
            return None
        left.remove(found)
        pairs[at] = found
    return None if left else pairs


def _kept(
    words: RuleWords, other: RuleWords, elsewhere: frozenset[str], slots: dict[int, int]
) -> list[Word]:
    """Return the order that counts: without what may be left away, and what stands above the other side.

    A single value may stand anywhere, several only in their places.
    """
    single = len(words.values) < 2
    kept: list[Word] = []
    for word in words.order:
        if word.slot is not None:
            if not single:
                kept.append(replace(word, stem=f"{SLOT}{slots[word.slot]}"))
        elif word.stem in other.stems or word.stem not in words.optional | elsewhere:
            kept.append(word)
    return kept


def _is_same_order(mine: list[Word], theirs: list[Word]) -> bool:
    """Return whether two orders are one, but for a block that a small word moves, or a passive verb."""
    one, other = _signs(mine), _signs(theirs)
    if one == other:
        pairs = zip(mine, theirs, strict=True)
        return all(word.passive is told.passive for word, told in pairs)
    if len(one) != len(other) or set(one) != set(other):
        return False
    if len(_person_stems().intersection(one)) > 1:
        return False
    return _is_rotated(mine, theirs) or _is_turned(mine, theirs) or _is_turned(theirs, mine)


def _signs(words: Sequence[Word]) -> list[str]:
    return [word.stem for word in words]


def _is_rotated(mine: list[Word], theirs: list[Word]) -> bool:
    """Return whether the end of one is the start of the other, as in "for theft, the excess is"."""
    one, other = _signs(mine), _signs(theirs)
    for at in range(1, len(one)):
        if one[at:] + one[:at] == other:
            moved = (mine[0], mine[at], theirs[0], theirs[len(other) - at])
            return any(word.led for word in moved)
    return False


def _is_turned(active: list[Word], passive: list[Word]) -> bool:
    """Return whether only a verb has moved behind its object, and is passive there."""
    told = _signs(passive)
    for at, verb in enumerate(active):
        back = told.index(verb.stem)
        if verb.passive or back <= at or not passive[back].passive:
            continue
        if _signs(active[:at] + active[at + 1 :]) == told[:back] + told[back + 1 :]:
            return True
    return False
