"""What must not speak against a proof: hedges, narrower nouns, other things, filters, qualified fields."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.binding.agents import find_untold_agent
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
from verifier.core.binding.ended_things import find_ended
from verifier.core.binding.explained import find_head_word, find_unexplained
from verifier.core.binding.fact_words import find_told
from verifier.core.binding.flows import find_other_flow
from verifier.core.binding.lead_ins import find_lead_word
from verifier.core.binding.loose_bounds import find_loose_bound
from verifier.core.binding.misread_fields import find_misread_field
from verifier.core.binding.other_amounts import find_compound, find_multiple
from verifier.core.binding.other_fields import find_closer_field
from verifier.core.binding.other_kinds import find_generic, find_other_kind
from verifier.core.binding.other_subjects import find_other_name, find_others, find_quantifier
from verifier.core.binding.paired import find_other_whole
from verifier.core.binding.parallel_parts import find_other_part
from verifier.core.binding.part_of_whole import find_part_of_whole
from verifier.core.binding.passages import Passage, Spot
from verifier.core.binding.qualifiers import find_qualifier
from verifier.core.binding.rule_matching import is_same_value
from verifier.core.binding.scope import scope_of
from verifier.core.binding.settled_amounts import find_unsettled
from verifier.core.binding.speaking import denies
from verifier.core.binding.states import read_states
from verifier.core.binding.subjects import numbers_around, takes_turns
from verifier.core.binding.ways import find_turned_way
from verifier.core.facts.model import NamedBy
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.text import content_stems, fold
from verifier.core.text_stems import stem
from verifier.core.values import Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

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
    facts = (fact, *(one.fact for one in together))
    spot = Spot(passage=passage, stated=stated, clause=clause)
    case = _Case(
        spot=spot,
        fact=fact,
        facts=facts,
        told=find_told(passage.text_without_dates(clause), facts, view),
        setting=setting,
        view=view,
        together=together,
        in_order=in_order,
        described=described,
    )
    words = chain(_against_by_words(case), _against_by_records(case))
    return next((word for word in words if word is not None), None)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Case:
    """A value in its place with the fact that may prove it, and all that decide together."""

    spot: Spot
    fact: EvidenceFact
    facts: tuple[EvidenceFact, ...]
    told: frozenset[str]
    setting: Setting
    view: EvidenceView
    together: Sequence[Candidate]
    in_order: bool
    described: bool

    @property
    def permits(self) -> bool:
        """Whether the value is a bound, of which "may" and "can" say nothing more."""
        value = self.spot.stated.value
        return isinstance(value, Quantity) and value.writing is Writing.BOUND


def _against_by_words(case: _Case) -> Iterator[str | None]:
    """Yield what the words of the statement make of its value."""
    spot, fact = case.spot, case.fact
    passage, stated, clause = spot.passage, spot.stated, spot.clause
    known = fact.cues | case.told | _with_denial(spot)
    yield find_turning(passage, clause, known, permits=case.permits)
    yield find_narrowing(passage, clause, stated, fact, case.told)
    yield find_time_shift(passage, clause, stated)
    if not case.in_order:
        yield find_quantifier(spot, fact)
    if not case.in_order and not _is_code(stated):
        yield find_qualifier(spot, fact, case.setting)
    yield _stranger(passage, clause, stated, case.view)
    yield find_multiple(passage, clause, stated)
    yield _alternative(passage, clause, stated)
    yield find_other_bound(spot, fact, case.view.turn.now, in_pair=case.in_order)
    yield find_loose_bound(spot, fact, case.setting)
    extra = allowed_words(spot, fact)
    yield find_head_word(spot, case.facts, case.view, extra)
    yield find_lead_word(spot, fact, case.view)
    extra |= (_JOINT if case.in_order else _NONE) | (PERMITTING if case.permits else _NONE)
    yield find_unexplained(
        passage, clause, stated, case.facts, case.view, extra=extra, told=case.told
    )


def _against_by_records(case: _Case) -> Iterator[str | None]:
    """Yield what of the statement is of something else than the record that the fact is of."""
    spot, fact, view = case.spot, case.fact, case.view
    if not takes_turns(spot.passage, spot.stated):
        yield _unknown_thing(spot, fact, view, case.together)
    yield _filtered(spot.stated, fact, case.setting)
    yield find_compound(spot, fact)
    if not case.described:
        yield _shared_name(fact, case.setting, case.together)
    if not takes_turns(spot.passage, spot.stated):
        yield find_others(spot, fact, case.together, case.told, view)
    yield find_other_name(spot, fact, case.setting)
    yield find_misread_field(spot, fact, view)
    yield find_turned_way(spot, fact, view)
    yield find_other_flow(spot, fact, view)
    yield find_closer_field(spot, fact, case.setting, view)
    yield find_generic(spot, [*case.facts])
    yield find_other_kind(spot, fact, view)
    yield find_other_part(spot, fact, view)
    yield find_part_of_whole(spot, fact)
    yield find_untold_agent(spot, fact, view)
    yield find_ended(spot, fact, view)
    yield find_unsettled(spot, fact, view)
    yield find_other_whole(spot.passage, spot.stated, fact, view)
    yield find_contradiction(spot, case.facts, view)


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
        if not things & own and not beside and not _have_same(things, fact, view):
            return other.value.text
    return None


def _have_same(things: Collection[int], fact: EvidenceFact, view: EvidenceView) -> bool:
    """Return whether all of these things have the fact's value in the same field: it is said of them too."""
    return bool(things) and all(
        any(
            one.fact.attribute == fact.fact.attribute
            and is_same_value(one.fact.value, fact.fact.value)
            for one in view.beside(number)
        )
        for number in things
    )


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


def _alternative(passage: Passage, clause: Span, stated: StatedValue) -> str | None:
    """Return the "or" between a value and another of the clause."""
    text, offset = passage.sentence.text, passage.sentence.span.start
    values = [one for one in passage.values if clause.contains(one.span)]
    for one, other in pairwise(values):
        between = text[one.span.end - offset : other.span.start - offset]
        if stated in {one, other} and between.strip(" ,").casefold() == "or":
            return "or"
    return None


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
