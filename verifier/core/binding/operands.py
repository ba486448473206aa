"""Values that a calculation may use: what the answer has stated, and facts of results, the nearest first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from verifier.core.binding.compared import keep_compared
from verifier.core.binding.comparing import bare_count, compare_value
from verifier.core.binding.scoring import Candidate, rank_facts
from verifier.core.binding.subjects import enclosing
from verifier.core.derivation import Operand
from verifier.core.derivation.periods import tells_side
from verifier.core.facts.model import FactOrigin
from verifier.core.lexicons import load_word_lists
from verifier.core.relations import Outcome
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from verifier.core.binding.compared import Comparison
    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Passage, Spot
    from verifier.core.binding.pools import Pool
    from verifier.core.binding.setting import Setting
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.derivation import Derivation
    from verifier.core.facts.model import EvidenceFact

_MOST_SINGLE: Final = 12
_MOST_FORMER: Final = 4
_MOST_GROUPED: Final = 400
_MOST_STATED: Final = 60
COUNTS: Final = frozenset({Kind.NUMBER, Kind.QUANTITY})
_COUNTED: Final = COUNTS | {Kind.DURATION}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StatedBefore:
    """A value that the answer has stated: the fact's where one has proved it, else its own.

    `given` is what the user said, or what follows from evidence: an answer may apply it.
    """

    passage: Passage
    stated: StatedValue
    value: Quantity
    candidate: Candidate | None
    given: bool = False
    derivation: Derivation | None = None


def find_facts(
    kinds: frozenset[Kind], setting: Setting, view: EvidenceView, compared: Comparison | None
) -> list[Operand]:
    """Return the facts that may be operands, the nearest first."""
    pool = _usable(kinds, view, former=False)
    ranked: Iterable[Candidate] = rank_facts(setting, pool, view)
    ranked = chain(_replaced(kinds, setting, view), ranked)
    if len(setting.mentions) > 1:
        ranked = (one for one in ranked if one.fact.thing is None or _is_named(one, setting))
    available = _available(ranked, setting, view)
    if compared is None:
        return _operands(available, pool, setting, view)
    operands = _operands(keep_compared(list(available), compared), pool, setting, view)
    return [replace(one, is_subject=_is_first(one, compared)) for one in operands]


def _replaced(kinds: frozenset[Kind], setting: Setting, view: EvidenceView) -> Iterator[Candidate]:
    """Yield the first facts that newer ones have replaced by what no fact says now."""

    def find() -> list[EvidenceFact]:
        said = {_saying(one) for one in _usable(kinds, view, former=False).facts}
        return [one for one in former.facts if _saying(one) not in said]

    former = _usable(kinds, view, former=True)
    gone = view.pool(("replaced", kinds), find)
    found = (one for one in rank_facts(setting, former, view) if one.fact in gone.members)
    return islice(found, min(_MOST_FORMER, len(gone)))


def _saying(fact: EvidenceFact) -> object:
    """Return what a fact says of what thing, however often it was read."""
    around = () if fact.thing is None else (fact.thing, *enclosing(fact.thing))
    return tuple(one.keys for one in around), fact.fact.attribute, fact.fact.value.text


def find_again(value: Quantity, before: Sequence[StatedBefore]) -> list[list[Operand]]:
    """Return what the answer has derived the same value from before: it may tell it again."""
    return [
        list(one.derivation.operands)
        for one in before[-_MOST_STATED:]
        if one.derivation is not None
        and one.value.kind is value.kind
        and one.value.interval == value.interval
    ]


def find_held(own: Sequence[Operand], facts: Sequence[Operand]) -> list[Operand]:
    """Return facts of the values that the answer states and that nothing has proved."""
    stated = [one.value for one in own if one.key is None and not one.from_user]
    return [
        one
        for one in facts
        if any(compare_value(value, one.value) is Outcome.AGREE for value in stated)
    ]


def _available(
    ranked: Iterable[Candidate], setting: Setting, view: EvidenceView
) -> Iterable[Candidate]:
    """Return the facts without those of things that are not available, where the clause speaks of such."""
    if load_word_lists("derivation_cues")["availability"].isdisjoint(setting.clause):
        return ranked
    gone = view.unavailable
    return (one for one in ranked if one.fact.thing is None or one.fact.thing not in gone)


def take_beside(own: Sequence[Operand], facts: Sequence[Operand]) -> list[Operand]:
    """Return the facts; no other numbers where the sentence has a count itself."""
    counted = any(one.from_user for one in own)
    return [one for one in facts if not (counted and one.value.kind is Kind.NUMBER)]


def _is_first(operand: Operand, compared: Comparison) -> bool:
    key = operand.key
    return isinstance(key, Candidate) and compared.is_first(key.fact) is True


def find_stated(
    spot: Spot, before: Sequence[StatedBefore], kinds: frozenset[Kind], view: EvidenceView
) -> tuple[list[Operand], bool]:
    """Return what the answer stated itself, and whether some of it is not proved.

    That are values of this sentence with its counts, and those of the list and sentences before it.
    """
    found: list[Operand] = []
    known = {id(other.stated): other for other in before[-_MOST_STATED:]}
    unproved = False
    for one in spot.passage.values:
        if one is spot.stated or not isinstance(one.value, Quantity):
            continue
        held = known.get(id(one))
        if held is not None:
            unproved = unproved or not (held.candidate or held.given)
            found.append(_operand_of(held, view))
        elif COUNTS & kinds and one.value.kind in _COUNTED & kinds:
            count = bare_count(one.value)
            if isinstance(count, Quantity):
                found.append(Operand(value=count, key=None, from_user=True))
    for other in before[-_MOST_STATED:]:
        if other.passage is not spot.passage and other.value.kind in kinds | {Kind.MONEY}:
            unproved = unproved or not (other.candidate or other.given)
            operand = replace(_operand_of(other, view), group="the answer's list")
            found.append(operand)
    return found, unproved


def _operand_of(held: StatedBefore, view: EvidenceView) -> Operand:
    return Operand(
        value=held.value,
        key=held.candidate,
        period=None if held.candidate is None else _period(held.candidate.fact, view),
        from_user=held.given,
    )


def _period(fact: EvidenceFact, view: EvidenceView) -> str | None:
    """Return what tells whether a fact is the earlier of two: its period, its words, or its thing's role."""
    words = " ".join(fact.fact.attribute)
    if fact.fact.period is not None or tells_side(words):
        return fact.fact.period or words
    return view.roles.of(fact) or words or None


def _usable(kinds: frozenset[Kind], view: EvidenceView, *, former: bool) -> Pool:
    """Return the facts of results that are complete, or those that newer ones have replaced."""

    def find() -> list[EvidenceFact]:
        return [
            fact
            for fact in (view.evidence.former if former else view.evidence.facts)
            if fact.fact.value.kind in kinds
            and fact.origin is not FactOrigin.ARGUMENT
            and getattr(fact.fact.locator, "call_id", None) not in view.evidence.incomplete
        ]

    return view.pool(("operands", kinds, former), find)


def _is_named(candidate: Candidate, setting: Setting) -> bool:
    thing = candidate.fact.thing
    return thing is not None and (
        thing.number in setting.named
        or any(outer.number in setting.named for outer in enclosing(thing))
    )


def _operands(
    ordered: Iterable[Candidate], pool: Pool, setting: Setting, view: EvidenceView
) -> list[Operand]:
    """Return the best single facts, and every fact of a list that one of them stands in.

    No more of the facts are looked at than it takes to find these.
    """
    former = view.pool("former", lambda: view.evidence.former).members
    chosen, passed, rest = _choose(ordered)
    groups = {_group(one.fact) for one in chosen} - {None}
    sizes = _sizes_of_groups(pool, view)
    most = sum(sizes.get(one, 0) for one in groups)
    most += sum(_group(one.fact) in groups for one in (*chosen, *passed) if one.fact in former)
    most -= sum(_group(one.fact) in groups for one in chosen)
    others = (one for one in chain(passed, rest) if _group(one.fact) in groups)
    members = list(islice(others, min(_MOST_GROUPED, most)))
    found = []
    for candidate in (*chosen, *members):
        fact = candidate.fact
        if isinstance(fact.fact.value, Quantity):
            found.append(
                Operand(
                    value=fact.fact.value,
                    key=candidate,
                    group=None if fact in former else _group(fact),
                    period=_period(fact, view),
                    from_user=fact.origin is FactOrigin.USER,
                    is_subject=len(setting.mentions) == 1 and _is_named(candidate, setting),
                )
            )
    return found


def _choose(
    ordered: Iterable[Candidate],
) -> tuple[list[Candidate], list[Candidate], Iterator[Candidate]]:
    """Return the first that each say another value of an attribute, those passed over, and the rest."""
    seen: set[object] = set()
    chosen: list[Candidate] = []
    passed: list[Candidate] = []
    coming = iter(ordered)
    for one in coming:
        value = one.fact.fact.value
        said = (value.text, one.fact.fact.attribute[-1:])
        (passed if said in seen else chosen).append(one)
        seen.add(said)
        if len(chosen) == _MOST_SINGLE:
            break
    return chosen, passed, coming


def _sizes_of_groups(pool: Pool, view: EvidenceView) -> Mapping[Hashable, int]:
    """Return how many facts of a pool stand in each list."""
    found = view.sizes.get(pool)
    if found is None:
        found = view.sizes[pool] = Counter(map(_group, pool.facts))
    return found


def _group(fact: EvidenceFact) -> Hashable | None:
    """Return the list that a fact stands in: those of one attribute whose things one record encloses."""
    if fact.thing is None or not fact.fact.attribute:
        return None
    outer = fact.thing.outer.number if fact.thing.outer is not None else -1 - fact.position
    return outer, fact.fact.attribute
