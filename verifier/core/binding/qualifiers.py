"""Words of a field's name that make it another attribute than the clause speaks of: its maximum."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.binding.vocabulary import groups_of
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.text_stems import stem
from verifier.core.values import Kind, Quantity, Writing

if TYPE_CHECKING:
    from verifier.core.binding.passages import Spot
    from verifier.core.binding.setting import Setting
    from verifier.core.facts.model import EvidenceFact

_LOWER: Final = frozenset({"min", "minimum"})
_UPPER: Final = frozenset({"max", "maximum", "limit", "cap"})
_TIMES: Final = frozenset({"monthly", "daily", "weekly", "yearly", "annual", "hourly", "nightly"})
_EARLIER: Final = frozenset({"before", "previous", "old", "former", "original"})
_LATER: Final = frozenset({"after"})
_FROM: Final = re.compile(r"\bfrom\s+\Z", re.IGNORECASE)
_TO: Final = re.compile(r"\bfrom\b.{1,60}\bto\s+\Z", re.IGNORECASE | re.DOTALL)
_PRONOUNS: Final = frozenset({"it", "its", "this", "that", "they"})


def find_qualifier(spot: Spot, fact: EvidenceFact, setting: Setting) -> str | None:
    """Return a word of the field's name that makes it another attribute, and the clause lacks."""
    if fact.clause is not None:
        return None
    words = {part for name in fact.fact.attribute for part in name.casefold().split()}
    if "per" in words and getattr(spot.stated.value, "per", None) is None and not _tells_rate(spot):
        return "per"
    words -= _told_otherwise(spot, fact)
    known = setting.clause | {stem(word) for word in read_words(spot.stated.value.text)}
    known |= setting.around if _goes_on(spot) else frozenset()
    for word in words & load_word_lists("cautions")["qualifying"] | _participles(fact):
        if stem(word) in known or groups_of((stem(word),)) & setting.groups:
            continue
        if not (word in _LOWER | _UPPER and _is_bound(spot, lower=word in _LOWER)):
            return word
    return None


def _participles(fact: EvidenceFact) -> frozenset[str]:
    """Return the participles that say which value or amount a field is: the declared one, the claimed one."""
    name = fact.fact.attribute
    if name[-1:] == () or name[-1] not in load_word_lists("derivation_cues")["vague"]:
        return frozenset()
    return frozenset(word for word in name if word.endswith("ed"))


def _told_otherwise(spot: Spot, fact: EvidenceFact) -> frozenset[str]:
    """Return words that what the value is for, its unit or its place tell."""
    told = _told_by_place(spot)
    if getattr(fact.fact.value, "per", None) is not None:
        told |= _TIMES
    minutes = spot.stated.value.kind is Kind.DURATION and fact.fact.attribute[-1:] == ("min",)
    return told | {"min"} if minutes else told


def _tells_rate(spot: Spot) -> bool:
    """Return whether the words beside an amount say what it is for: "Price per night: 118 EUR"."""
    return "per" in read_words(spot.text)


def _told_by_place(spot: Spot) -> frozenset[str]:
    """Return the words that a place in "from 3% to 4%" stands for."""
    offset = spot.passage.sentence.span.start
    before = spot.passage.sentence.text[: spot.stated.span.start - offset]
    if _TO.search(before) is not None:
        return _LATER
    return _EARLIER if _FROM.search(before) is not None else frozenset()


def _goes_on(spot: Spot) -> bool:
    """Return whether the clause speaks on of what the one before named: "it is 10 EUR"."""
    words = read_words(spot.text)
    return words[:1] != () and words[0] in _PRONOUNS


def _is_bound(spot: Spot, *, lower: bool) -> bool:
    """Return whether a value is written as the bound that a field's name says it is."""
    value = spot.stated.value
    if not isinstance(value, Quantity) or value.writing is not Writing.BOUND:
        return False
    return (value.interval.high is None) if lower else (value.interval.low in {None, 0})
