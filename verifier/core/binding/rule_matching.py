"""Whether one clause of an answer says what one clause of a text says: all of it, and no more."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final

from verifier.core.binding.rule_words import SLOT, stem_of
from verifier.core.comparison import relate
from verifier.core.lexicons import load_word_lists
from verifier.core.text import fold
from verifier.core.values import Kind, TextValue, Writing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.binding.rule_words import RuleWords, Word
    from verifier.core.values import Value

_POINTS: Final = frozenset({Writing.EXACT, Writing.ROUNDED})
_DAY: Final = re.compile(r"(?<!\d)\d{1,2}(?!\d)")  # by 31 October, not by October
_ALL: Final = "all"
_CHARGE: Final = "charg"
_DIRECTIONS: Final = frozenset({"to", "by", "with"})
_RECEIVING: Final = frozenset({"to", "for"})  # added to your line, or for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Above:
    """Stems of what a rule depends on, all of which a claim must tell, and of names of it that it may tell.

    A record `{"tariff": "Night"}` is told by "the night tariff" or "at night".
    """

    stems: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


def says_the_same(claim: RuleWords, rule: RuleWords, above: Above, around: frozenset[str]) -> bool:
    """Return whether a claim says what a rule says, with all that the rule depends on.

    `above` is what stands above the rule, `around` are the stems of what stands above the claim.
    """
    if not claim.needed or not claim.needed & rule.stems:
        return False
    if not _is_all_told(claim, rule, above, around) or not _have_same_modes(claim, rule):
        return False
    slots = _pair_values(claim.values, rule.values)
    if slots is None:
        return False
    theirs = _kept(rule.order, rule, claim, around)
    order = tuple(_in_slots(claim.order, slots))
    outer = above.stems | above.names
    back = _kept(order[::-1], claim, rule, outer)[::-1]
    return any(
        _is_same_order(mine, theirs) and _are_all_led_alike(mine, theirs, claim, rule)
        for mine in (_kept(order, claim, rule, outer), back)
    )


def without_words(words: RuleWords, left_out: frozenset[str]) -> RuleWords:
    """Return the words without those that are left out, folded: plain ones, or values by their text."""
    kept: list[Word] = []
    values: list[Value] = []
    for word in words.order:
        value = words.values[word.slot] if word.slot is not None else None
        if (fold(value.text) if value is not None else word.stem) in left_out:
            continue
        if value is None:
            kept.append(word)
        else:
            kept.append(replace(word, stem=f"{SLOT}{len(values)}", slot=len(values)))
            values.append(value)
    return (
        words
        if len(kept) == len(words.order)
        else replace(words, order=tuple(kept), values=tuple(values))
    )


def _in_slots(order: Sequence[Word], slots: dict[int, int]) -> Iterator[Word]:
    """Yield the words, a value under the sign of the one that it is in the other order."""
    for word in order:
        yield word if word.slot is None else replace(word, stem=f"{SLOT}{slots[word.slot]}")


def _are_all_led_alike(
    mine: list[Word], theirs: list[Word], claim: RuleWords, rule: RuleWords
) -> bool:
    return all(
        _are_led_alike(word, told, claim, rule)
        for word in mine
        for told in theirs
        if word.stem == told.stem
    )


def _are_led_alike(one: Word, other: Word, claim: RuleWords, rule: RuleWords) -> bool:
    """Return whether two words stand in one relation: paid to sellers, or by sellers; our or your receipt.

    "With the Duo plan you get" is "the Duo plan includes".
    """
    if one.party and other.party and one.party != other.party:
        return False
    leads = {one.lead, other.lead}
    if len(leads) == 1 or not leads & _DIRECTIONS:
        return True
    if leads == _RECEIVING and claim.stems & rule.stems & _giving_stems():
        return True
    bare = claim if not one.lead else rule
    return leads == {"", "with"} and "entitling" in bare.modes


def is_same_value(one: Value, other: Value) -> bool:
    """Return whether two values say the same, bounds and periods included; a rounded one does not."""
    if isinstance(one, TextValue) or isinstance(other, TextValue):
        return one.kind is other.kind and relate(one, other).agrees
    if one.per != other.per or one.fault or other.fault:
        return False
    if one.unit == other.unit and one.interval != other.interval:  # most pairs differ, and at once
        return False
    if one.writing is not other.writing and not {one.writing, other.writing} <= _POINTS:
        return False
    mine, theirs = one.interval, other.interval
    ends = ((mine.low, theirs.low), (mine.high, theirs.high))
    if any((low is None) is not (high is None) for low, high in ends):
        return False
    if (mine.low_open, mine.high_open) != (theirs.low_open, theirs.high_open):
        return False
    if one.kind is Kind.DATE and bool(_DAY.search(one.text)) is not bool(_DAY.search(other.text)):
        return False
    return relate(one, other).agrees and relate(other, one).agrees


def _is_all_told(claim: RuleWords, rule: RuleWords, above: Above, around: frozenset[str]) -> bool:
    """Return whether each side has all words that the other one needs, or has them above it."""
    told = claim.stems | around
    known = rule.stems | above.stems | above.names
    if _ALL in claim.stems and _ALL not in known:
        return False
    if not (rule.needed <= told and above.stems <= told | rule.stems):
        return False
    if not (claim.needed <= known and around <= known):
        return False
    return not _changes_person(claim, rule, above.stems | around) and not _turns_charge(claim, rule)


def _changes_person(claim: RuleWords, rule: RuleWords, outer: frozenset[str]) -> bool:
    """Return whether a person is named on one side only, beside another person: "the seller's customer"."""
    persons = _person_stems()
    return bool(
        ((claim.stems ^ rule.stems) - outer) & persons and claim.stems & rule.stems & persons
    )


def _turns_charge(claim: RuleWords, rule: RuleWords) -> bool:
    """Return whether somebody charges on one side only: what hosts charge is no fee that hosts pay."""
    for one, other in ((claim, rule), (rule, claim)):
        charges = any(word.stem == _CHARGE and not word.passive for word in one.order)
        if charges and _CHARGE not in other.stems and one.stems & _person_stems():
            return True
    return False


@cache
def _person_stems() -> frozenset[str]:
    return frozenset(stem_of(word) for word in load_word_lists("rule_words")["persons"])


@cache
def _giving_stems() -> frozenset[str]:
    return frozenset(stem_of(word) for word in load_word_lists("rule_words")["giving"])


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
    order: Sequence[Word], words: RuleWords, other: RuleWords, elsewhere: frozenset[str]
) -> list[Word]:
    """Return the words that count: without what may be left away, and what stands above the other side.

    Of a word that stands there and here, the first ones are left away. A single value may stand anywhere,
    several only in their places.
    """
    told = Counter(word.stem for word in other.order)
    over = Counter(word.stem for word in order if word.stem in elsewhere) - told
    kept: list[Word] = []
    for word in order:
        if word.slot is not None:
            if len(words.values) > 1:
                kept.append(word)
        elif over[word.stem]:
            over[word.stem] -= 1
        elif told[word.stem] or word.stem not in words.optional:
            kept.append(word)
    return kept


def _is_same_order(mine: list[Word], theirs: list[Word]) -> bool:
    """Return whether two orders are one, but for a block that a small word moves, or a passive verb."""
    one, other = _signs(mine), _signs(theirs)
    if one == other:
        pairs = zip(mine, theirs, strict=True)
        return all(word.passive is told.passive for word, told in pairs)
    if Counter(one) != Counter(other):
        return False
    if _has_moved_adverb(mine, other):
        return True
    if len(_person_stems().intersection(one)) > 1:
        return False
    return _is_rotated(mine, theirs) or _is_turned(mine, theirs) or _is_turned(theirs, mine)


def _has_moved_adverb(mine: list[Word], theirs: list[str]) -> bool:
    """Return whether an adverb has changed sides with the word beside it, and nothing else differs."""
    one = _signs(mine)
    at = next(at for at, (word, told) in enumerate(zip(one, theirs, strict=True)) if word != told)
    moved = mine[at].adverb or mine[at + 1].adverb
    return moved and [*one[:at], one[at + 1], one[at], *one[at + 2 :]] == theirs


def _signs(words: Sequence[Word]) -> list[str]:
    return [word.stem for word in words]


def _is_rotated(mine: list[Word], theirs: list[Word]) -> bool:
    """Return whether the end of one is the start of the other, as in "for theft, the excess is"."""
    one, other = _signs(mine), _signs(theirs)
    for at in range(1, len(one)):
        if one[at:] + one[:at] == other:
            moved = (mine[0], mine[at], theirs[0], theirs[len(other) - at])
            return any(word.lead for word in moved)
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
