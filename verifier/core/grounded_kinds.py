"""Kinds of fact that need a source at any level, told by the values and the words of a sentence.

They are the kinds that `prompts.toml` tells the model: prices, dates, terms, schedules, states, identifiers.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from verifier.core.lexicons import load_word_lists
from verifier.core.quantities import extract_quantities
from verifier.core.speech import read_words
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Collection

    from verifier.core.quantities import ValueMention

_LONGEST_PHRASE: Final = 4
_YEAR: Final = re.compile(r"\W*\d{3,4}s?\W*")
_ALWAYS: Final = {
    Kind.MONEY: "a price or an amount of money",
    Kind.PHONE: "a phone number",
    Kind.VERSION: "a version",
}
_MEASURED: Final = frozenset(
    {Kind.NUMBER, Kind.QUANTITY, Kind.PERCENT, Kind.DURATION, Kind.DATE, Kind.TIME}
)
_DEFINITE: Final = frozenset({"the", "this"})


def find_grounded_kind(sentence: str) -> str | None:
    """Return what a sentence tells that needs a source at any level; None for what may be general.

    Prices, days and phone numbers always do; a number, a share or a duration does beside words of an offer or
    a rule ("you may return items within 90 days"), and so do permissions, stock, and states of the user's
    things. How long something usually takes ("refunds take 3 to 5 days"), measures and years are general.
    """
    values = extract_quantities(sentence)
    words = read_words(sentence)
    found = _Words(words)
    return (
        _find_value(values)
        or _find_state(found, values)
        or _find_permission(found)
        or _find_schedule(found, values)
        or (_find_term(found) if _measures(values) else None)
    )


class _Words:
    """The words of a sentence and, in reach, their phrases."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words
        self._held = frozenset(
            words[at : at + length]
            for at in range(len(words))
            for length in range(1, _LONGEST_PHRASE + 1)
        )

    def have(self, name: str) -> bool:
        """Return whether a word or phrase of the list `name` is among them."""
        return not self._held.isdisjoint(_phrases(name))

    def name(self, before: Collection[str], name: str) -> bool:
        """Return whether a word of the list `name` follows one of `before`, at most one word between."""
        known = _firsts(name)
        return any(
            word in before and not known.isdisjoint(self.words[at + 1 : at + 3])
            for at, word in enumerate(self.words)
        )

    def name_one(self, name: str) -> bool:
        """Return whether they name a certain one of a list: "the hotel", but not "the hotel trade"."""
        known, compounds = _firsts(name), _firsts("dealer_compounds")
        triples = zip(self.words, self.words[1:], (*self.words[2:], ""), strict=False)
        return any(
            before in _DEFINITE and word in known and behind not in compounds
            for before, word, behind in triples
        )

    def all_of(self, name: str, other: str) -> bool:
        """Return whether every word of the list `name` among them is one of the list `other` too."""
        return all((word,) in _phrases(other) for word in self.words if (word,) in _phrases(name))


def _find_value(values: tuple[ValueMention, ...]) -> str | None:
    """Return the kind of a value that always needs a source; a year alone does not."""
    for one in values:
        if one.value.kind in _ALWAYS:
            return _ALWAYS[one.value.kind]
        if one.value.kind is Kind.DATE and _YEAR.fullmatch(one.value.text) is None:
            return "a date"
    return None


def _find_state(words: _Words, values: tuple[ValueMention, ...]) -> str | None:
    if words.name({"your"}, "owned_things"):
        return "what the user has"
    identified = any(one.value.kind is Kind.IDENTIFIER for one in values)
    if identified and words.have("owned_things"):
        return "a single order, booking or account"
    if words.name_one("single_things"):
        return "a single order, offer or account"
    told = words.have("thing_states")
    return "the state of a thing" if told and words.name(_DEFINITE, "owned_things") else None


def _find_permission(words: _Words) -> str | None:
    """Return what is permitted or promised, without a number."""
    if words.have("permission_words"):
        return "what is allowed or available"
    if words.have("traded_words") and words.have("granting_words"):
        return "a term of an offer"
    if words.have("traded_words") and words.have("bound_people") and words.have("rule_words"):
        return "what somebody may or must do"
    if words.have("modal_words") and (
        words.have("dealing_people") or words.name({"be"}, "traded_participles")
    ):
        return "what somebody may or must do"
    dealt = words.have("dealing_words") or words.have("rule_words")
    return "what a dealer does" if dealt and words.name_one("dealers") else None


def _measures(values: tuple[ValueMention, ...]) -> bool:
    return any(one.value.kind in _MEASURED for one in values)


def _find_schedule(words: _Words, values: tuple[ValueMention, ...]) -> str | None:
    timed = any(one.value.kind is Kind.TIME for one in values) or words.have("weekday_words")
    scheduled = words.have("schedule_words") or words.have("traded_words")
    return "a schedule" if timed and scheduled else None


def _find_term(words: _Words) -> str | None:
    """Return which term of an offer a sentence with a value tells."""
    limited = words.have("rule_words") or words.have("bound_people")
    usual = (
        words.have("usual_words") and not limited and words.all_of("priced_topics", "usual_topics")
    )
    if words.have("priced_topics") and not usual:
        return "a term of an offer"
    if words.have("traded_words") and limited:
        return "a rule"
    return "what a dealer does" if words.name_one("dealers") else None


@cache
def _firsts(name: str) -> frozenset[str]:
    return frozenset(one[0] for one in _phrases(name))


@cache
def _phrases(name: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(one.split("_")) for one in load_word_lists("grounding")[name])
