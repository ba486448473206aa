"""What must not speak against a proof: hedges, narrower nouns, other things, filters, qualified fields."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.binding.allowed_words import allowed_words
from verifier.core.binding.cautions import (
    PERMITTING,
    find_narrowing,
    find_time_shift,
    find_turning,
    rest_of_clause,
)
from verifier.core.binding.contradictions import find_contradiction
from verifier.core.binding.date_bounds import find_other_bound
from verifier.core.binding.explained import find_head_word, find_unexplained
from verifier.core.binding.fact_words import find_told
from verifier.core.binding.misread_fields import find_misread_field
from verifier.core.binding.other_kinds import find_other_kind
from verifier.core.binding.other_subjects import find_other_name, find_others, find_quantifier
from verifier.core.binding.paired import find_other_whole
from verifier.core.binding.passages import Passage, Spot
from verifier.core.binding.qualifiers import find_qualifier
from verifier.core.binding.scope import scope_of
from verifier.core.binding.speaking import denies
from verifier.core.binding.states import read_states
from verifier.core.binding.subjects import numbers_around, takes_turns
from verifier.core.binding.vocabulary import groups_of
from verifier.core.facts.model import NamedBy
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.text import content_stems, fold
from verifier.core.text_stems import stem
from verifier.core.values import Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.scoring import Candidate
    from verifier.core.binding.setting import Setting
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import EvidenceFact
    from verifier.core.spans import Span

_LIMIT: Final = re.compile(  # "in Canada", "with code SAVE"
    r"\b(?:in|with|for|at|under)\s+(?:the\s+)?(?:[a-z]+\s+)?(?P<name>[A-Z][A-Za-z]{2,30})\b"
)
_NONE: Final[frozenset[str]] = frozenset()
_JOINT: Final = frozenset(
    {"both", "each", "all", "every", "from", "to", "and", "of", "them", "two"}
)
_VERB_ENDS: Final = ("s", "ed")


def find_objection(
    passage: Passage,
    stated: StatedValue,
    fact: EvidenceFact,
    setting: Setting,
    view: EvidenceView,
    *,
    together: Sequence[Candidate] = (),
    in_order: bool = False,
    described: bool = False,
) -> str | None:
    """Return the word that speaks against the fact being what the clause says, or None."""
    clause = scope_of(passage, stated)
    spot = Spot(passage=passage, stated=stated, clause=clause)
    facts = (fact, *(one.fact for one in together))
    told = find_told(
        clause.shift(-passage.sentence.span.start).of(passage.sentence.text), facts, view
    )
    value = stated.value
    permits = isinstance(value, Quantity) and value.writing is Writing.BOUND
    checks = (
        find_turning(passage, clause, fact.cues | told | _with_denial(spot), permits=permits),
        find_narrowing(passage, clause, stated, fact, told),
        find_time_shift(passage, clause, stated),
        None if in_order or _is_code(stated) else find_qualifier(spot, fact, setting),
        _unknown_thing(spot, fact, view, together),
        _filtered(stated, fact, setting),
        _stranger(passage, clause, stated, view),
        _compound(spot, fact),
        _multiplied(passage, clause, stated),
        _alternative(passage, clause, stated),
        None if described else _shared_name(fact, setting, together),
        None if in_order else find_quantifier(spot, fact),
        None if takes_turns(passage, stated) else find_others(spot, fact, together, told),
        find_other_name(spot, fact, setting),
        _is_to_come(passage, clause, stated, view),
        find_misread_field(spot, fact, view),
        find_other_kind(spot, fact),
        find_other_whole(passage, stated, fact),
        find_other_bound(spot, fact, view.turn.now),
        find_contradiction(spot, facts, view),
        find_head_word(spot, facts, view, allowed_words(spot, fact)),
        find_unexplained(
            passage,
            clause,
            stated,
            facts,
            view,
            extra=allowed_words(spot, fact)
            | (_JOINT if in_order else _NONE)
            | (PERMITTING if permits else _NONE),
        ),
    )
    return next((word for word in checks if word is not None), None)


def _is_code(stated: StatedValue) -> bool:
    return stated.is_text and stated.value.kind is not Kind.STATE


def _with_denial(spot: Spot) -> frozenset[str]:
    """Return the word that a denied state may have: "has not been delivered yet"."""
    denied = spot.stated.is_text and denies(spot.passage, spot.clause, spot.stated)
    return frozenset({"yet"}) if denied else frozenset()


def _unknown_thing(
    spot: Spot, fact: EvidenceFact, view: EvidenceView, together: Sequence[Candidate]
) -> str | None:
    """Return an id in the clause that is none of the things that decided, nor stands in their call."""
    own = {
        number
        for one in (*(each.fact for each in together), fact)
        for number in numbers_around(one)
    }
    for other in spot.passage.values:
        if other is spot.stated or other.value.kind is not Kind.IDENTIFIER:
            continue
        if not spot.clause.contains(other.span):
            continue
        things = {thing.number for thing in other.key.things} if other.key is not None else set()
        holding = view.evidence.holds_text(fold(other.value.text))
        beside = any(
            one.position == fact.position
            and (fact.thing is None or (one.thing is not None and one.thing.number in own))
            for one in holding
        )
        if not things & own and not beside:
            return other.value.text
    return None


def _filtered(stated: StatedValue, fact: EvidenceFact, setting: Setting) -> str | None:
    """Return what a counted list was filtered by, where the clause does not say so."""
    if not fact.whole_list or not fact.fact.condition:
        return None
    known = setting.clause | setting.around | frozenset(content_stems(stated.value.text))
    filters = load_word_lists("cautions")["filters"]
    for part in fact.fact.condition.split(";"):
        name, _, told = part.partition(":")
        if not filters & set(read_words(name.replace("_", " "))) and not read_states(told.strip()):
            continue
        wanted = content_stems(told)
        missing = next((one for one in wanted if one not in known), None)
        if missing is not None:
            return missing
    return None


def _stranger(
    passage: Passage, clause: Span, stated: StatedValue, view: EvidenceView
) -> str | None:
    """Return a proper name that limits a price and that the evidence never mentions: "in Canada"."""
    if stated.value.kind is not Kind.MONEY:
        return None
    for match in _LIMIT.finditer(rest_of_clause(passage, clause)):
        name = match["name"]
        if not view.evidence.holds_text(fold(name)) and stem(fold(name)) not in view.cues:
            return name
    return None


def _compound(spot: Spot, fact: EvidenceFact) -> str | None:
    """Return the noun that makes a name another thing's: the pillow of "the wool throw pillow"."""
    passage = spot.passage
    text, offset = passage.sentence.text, passage.sentence.span.start
    for mention in passage.mentions:
        if mention.by not in {NamedBy.NAME, NamedBy.PART} or not spot.clause.contains(mention.span):
            continue
        if 0 <= spot.stated.span.start - mention.span.end <= 1:
            continue
        after = text[mention.span.end - offset :]
        word = after.split()[0] if after.startswith(" ") and after.split() else ""
        kinds = frozenset().union(*(thing.kinds for thing in mention.things))
        if word.strip(".,;:!?)").isdecimal() or _makes_other(word, fact.cues | kinds):
            return word
    return None


def _makes_other(word: str, known: frozenset[str]) -> bool:
    """Return whether a word behind a name is a noun of its own, not a verb nor what the thing is."""
    lists = load_word_lists("cautions")
    if not word.isalpha() or not word.islower() or word.endswith(_VERB_ENDS):
        return False
    if word in lists["plain"] or word in lists["after_names"]:
        return False
    stems = frozenset({stem(word)})
    return not stems & known and not groups_of(stems)


def _multiplied(passage: Passage, clause: Span, stated: StatedValue) -> str | None:
    """Return the count before a name, or behind "for", that makes a price the price of several."""
    if stated.value.kind is not Kind.MONEY:
        return None
    text, offset = passage.sentence.text, passage.sentence.span.start
    for other in passage.values:
        counted = other.value.kind is Kind.QUANTITY and clause.contains(other.span)
        before = read_words(text[: other.span.start - offset])[-1:]
        if counted and before == ("for",) and _is_several(read_words(other.value.text)[0]):
            return other.value.text
    for mention in passage.mentions:
        before = tuple(text[: mention.span.start - offset].split())[-1:]
        named = mention.by in {NamedBy.NAME, NamedBy.PART} and clause.contains(mention.span)
        if named and before and _is_several(before[0]):
            return before[0]
    return None


def _is_several(word: str) -> bool:
    return word.casefold() in load_word_lists("cautions")["several"] or (
        word.isdecimal() and word != "1"
    )


def _alternative(passage: Passage, clause: Span, stated: StatedValue) -> str | None:
    """Return the "or" between a value and another of the clause."""
    text, offset = passage.sentence.text, passage.sentence.span.start
    values = [one for one in passage.values if clause.contains(one.span)]
    for one, other in pairwise(values):
        between = text[one.span.end - offset : other.span.start - offset]
        if stated in {one, other} and between.strip(" ,").casefold() == "or":
            return "or"
    return None


def _is_to_come(
    passage: Passage, clause: Span, stated: StatedValue, view: EvidenceView
) -> str | None:
    """Return the word that tells of a date to come as if it were past: "was returned on" next Friday."""
    value, now = stated.value, view.turn.now
    if now is None or not isinstance(value, Quantity) or value.kind is not Kind.DATE:
        return None
    if value.interval.low is None or value.interval.low <= now.toordinal():
        return None
    words = read_words(rest_of_clause(passage, clause))
    return next((word for word in words if word in {"was", "were", "had"}), None)


def _shared_name(fact: EvidenceFact, setting: Setting, together: Sequence[Candidate]) -> str | None:
    """Return that several things bear the name, and not all of them decided."""
    if fact.thing is None:
        return None
    deciding = {one.fact.thing.number for one in together if one.fact.thing is not None}
    points = setting.things.get(fact.thing.number, 0)
    for mention in setting.mentions:
        alike = [one for one in mention.things if setting.things.get(one.number, 0) == points]
        if fact.thing not in alike or {one.number for one in alike} <= deciding:
            continue
        if len({one.keys for one in alike if one.keys and one.kinds & fact.thing.kinds}) > 1:
            return "the name of several"
    return None


def says_all(passage: Passage, clause: Span) -> bool:
    """Return whether the clause says the same of each of the things that it names."""
    if {"both", "each", "all", "every"} & set(read_words(rest_of_clause(passage, clause))):
        return True
    named = [
        one
        for one in passage.mentions
        if one.by in {NamedBy.KEY, NamedBy.NAME} and clause.contains(one.span)
    ]
    text, offset = passage.sentence.text, passage.sentence.span.start
    between = (
        text[one.span.end - offset : other.span.start - offset].strip(" ,").casefold()
        for one, other in pairwise(named)
    )
    return len(named) > 1 and all(one in {"and", "&", ""} for one in between)
