"""Comparing a value with what may be meant by it: the best facts first, no more of them than it takes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from verifier.core.attribute_comparison import compare_attribute
from verifier.core.binding.flows import words_of_paying
from verifier.core.binding.vocabulary import load_weights
from verifier.core.lexicons import load_word_lists
from verifier.core.relations import Outcome
from verifier.core.text import fold
from verifier.core.text_stems import stem
from verifier.core.units import unit_of
from verifier.core.values import Interval, Kind, Quantity, TextValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet

    from verifier.core.binding.scoring import Candidate, Ranking
    from verifier.core.binding.setting import Setting
    from verifier.core.facts.model import EvidenceFact
    from verifier.core.values import Value

_ZONE: Final = re.compile(
    r"\b(?!AM\b|PM\b)[A-Z]{2,5}\b|[+-]\d|\b(?:[Ee]ast|[Ww]est|[Cc]entral|[Pp]acific|[Mm]ountain)"
)
_NAMED_ZONE: Final = re.compile(r"\b(?!AM\b|PM\b)[A-Z]{2,4}\Z")  # "14:00 EST"
_CODE: Final = re.compile(r"\d{1,4}[a-z]{1,3}")  # 4k, 17in
_CALENDAR: Final = frozenset({Kind.DATE, Kind.TIME, Kind.QUARTER})
MOST_NEAR: Final = 100
"""Of more facts that are equally near nothing tells which is meant."""
_HELD: Final = frozenset({Outcome.AGREE, Outcome.COULD_BE})
_VALUED: Final = _HELD | {Outcome.DISAGREE}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Compared:
    """A candidate with the relation of its value to the claimed one."""

    candidate: Candidate
    outcome: Outcome


class Comparisons(Iterable[Compared]):
    """Candidates with their outcomes, the best first; each is compared when it is asked for."""

    def __init__(
        self, ranked: Ranking, compare: Callable[[Iterable[Candidate]], Iterator[Compared]]
    ) -> None:
        self._ranked = ranked
        self._compare = compare
        self._coming = compare(ranked)
        self._found: list[Compared] = []

    def __iter__(self) -> Iterator[Compared]:
        at = 0
        while at < len(self._found) or self._draw():
            yield self._found[at]
            at += 1

    def near(self, within: int) -> list[Compared]:
        """Return the best, and those at most so many points behind it; of thousands alike the first."""
        near: list[Compared] = []
        for one in self:
            far = near and one.candidate.points < near[0].candidate.points - within
            if far or len(near) == MOST_NEAR:
                break
            near.append(one)
        return near

    @property
    def kinds(self) -> frozenset[str]:
        """What the things are that have facts among them."""
        return self._ranked.kinds

    def within(self, numbers: AbstractSet[int]) -> Iterator[Compared]:
        """Return those of the things of these numbers, and of what lies in these, the best first."""
        return self._compare(self._ranked.within(numbers))

    def of_named(self) -> Iterator[Compared]:
        """Return those of the things that the clause names, the best first."""
        return self._compare(self._ranked.of_named())

    def of_things(self, numbers: AbstractSet[int]) -> Iterator[Compared]:
        """Return those of the things of these numbers, the best first."""
        return self._compare(self._ranked.of_things(numbers))

    def _draw(self) -> bool:
        one = next(self._coming, None)
        if one is not None:
            self._found.append(one)
        return one is not None


def compare_all(value: Value, ranked: Ranking, setting: Setting, *, denied: bool) -> Comparisons:
    """Return the candidates with their outcomes, those that can't be compared left out.

    A refund is written without the sign that a record of payments gives it, and an amount per month where
    the words around say so ("Price per month: 9 EUR").
    """
    floor = ranked[0].points - load_weights().clear if ranked else 0

    def compare(candidates: Iterable[Candidate]) -> Iterator[Compared]:
        for one in candidates:
            if one.points < floor and _is_far(value, one.fact.fact.value):
                yield Compared(candidate=one, outcome=Outcome.DISAGREE)
                continue
            outcome = _compare_here(value, one.fact, setting)
            if outcome in _VALUED:
                yield Compared(candidate=one, outcome=_turned(outcome) if denied else outcome)

    return Comparisons(ranked, compare)


def may_be_any(
    value: Quantity, compared: Comparisons, facts: Iterable[EvidenceFact], setting: Setting
) -> bool:
    """Return whether a value is, or could be, that of any of the facts, be it meant or not."""
    near = compared.near(load_weights().clear)
    return any(one.outcome is not Outcome.DISAGREE for one in near) or any(
        not _is_far(value, fact.fact.value) and _compare_here(value, fact, setting) in _HELD
        for fact in facts
    )


def _compare_here(value: Value, fact: EvidenceFact, setting: Setting) -> Outcome:
    held = fact.fact.value
    unsigned = "refund" in setting.groups | setting.near_groups or _is_payment(fact, setting)
    claim = _as_field_says(_per_what(value, held, setting), fact)
    return compare_value(claim, _unsigned(held) if unsigned else held)


def _is_payment(fact: EvidenceFact, setting: Setting) -> bool:
    """Return whether the clause speaks of paying, and the fact is the amount of a record of its own."""
    return fact.thing is not None and not words_of_paying().isdisjoint(setting.clause)


def _is_far(value: Value, held: Value) -> bool:
    """Return whether two plain amounts are so far apart that no rounding or minor unit makes them one.

    It spares what no longer matters but for its presence the whole relation.
    """
    if not isinstance(value, Quantity) or not isinstance(held, Quantity):
        return False
    if value.kind in _CALENDAR or held.kind in _CALENDAR:
        return False
    if value.unit != held.unit and value.unit is not None and held.unit is not None:
        return False
    if value.alternatives or held.alternatives or not value.interval.is_point:
        return False
    mine, theirs = value.interval.low, held.interval.low
    if not held.interval.is_point or not mine or not theirs:
        return False
    one = abs(mine.numerator * theirs.denominator)
    other = abs(theirs.numerator * mine.denominator)
    small, large = sorted((one, other))
    return small * 2 <= large and not small * 50 < large < small * 200


def _per_what(value: Value, held: Value, setting: Setting) -> Value:
    """Return an amount with the time that it is per, where the words around it tell the evidence's."""
    if not isinstance(value, Quantity) or not isinstance(held, Quantity):
        return value
    if value.per is not None or held.per is None:
        return value
    words = load_word_lists("cautions").get(f"per_{held.per}", frozenset())
    told = {stem(word) for word in words} & (setting.clause | setting.around)
    return replace(value, per=held.per) if told else value


def _as_field_says(value: Value, fact: EvidenceFact) -> Value:
    """Return a value without what the field's name says for it: the zone of `departure_time_est`."""
    if not isinstance(value, Quantity) or fact.clause is not None:
        return value
    zone = _NAMED_ZONE.search(value.text) if value.kind in _CALENDAR else None
    local = getattr(fact.fact.value, "utc_offset_s", 0) is None
    if zone is not None and local and fold(zone.group()) in fact.fact.attribute:
        return replace(value, utc_offset_s=None, text=value.text[: zone.start()].rstrip())
    return value


def _unsigned(value: Value) -> Value:
    if not isinstance(value, Quantity) or value.interval.high is None or value.interval.high >= 0:
        return value
    low, high = value.interval.low, value.interval.high
    nominal = None if value.nominal is None else abs(value.nominal)
    interval = Interval(low=-high, high=None if low is None else -low)
    return replace(value, interval=interval, nominal=nominal)


def _turned(outcome: Outcome) -> Outcome:
    opposite = {Outcome.AGREE: Outcome.DISAGREE, Outcome.DISAGREE: Outcome.AGREE}
    return opposite.get(outcome, outcome)


def compare_value(claim: Value, evidence: Value) -> Outcome:
    """Return the relation of two values; counted things are compared by their number."""
    if isinstance(claim, Quantity) and isinstance(evidence, Quantity):
        claim = _in_zone_of(claim, evidence)
    if isinstance(claim, TextValue) and isinstance(evidence, TextValue):
        same = claim.folded == evidence.folded
        return Outcome.AGREE if same else Outcome.DISAGREE
    outcome = compare_attribute(claim, evidence)
    if outcome is Outcome.INCOMPARABLE and _is_same_code(claim, evidence):
        return Outcome.AGREE
    if outcome is Outcome.AGREE and _leaves_period_out(claim, evidence):
        return Outcome.COULD_BE
    if outcome is Outcome.INCOMPARABLE and _leaves_period_out(claim, evidence):
        assert isinstance(claim, Quantity)  # noqa: S101 -- the line above looked
        bare = compare_attribute(replace(claim, per=None), evidence)
        return Outcome.COULD_BE if bare is Outcome.AGREE else outcome
    return outcome


def _is_same_code(claim: Value, evidence: Value) -> bool:
    """Return whether both are written alike, in figures and letters: the 4K of a screen, read as a number."""
    written = fold(claim.text)
    return _CODE.fullmatch(written) is not None and written == fold(evidence.text)


def _leaves_period_out(claim: Value, evidence: Value) -> bool:
    """Return whether a claim is per month or the like, and the evidence does not say per what."""
    if not isinstance(claim, Quantity) or not isinstance(evidence, Quantity):
        return False
    return claim.per is not None and evidence.per is None


def _in_zone_of(claim: Quantity, evidence: Quantity) -> Quantity:
    """Return a time without its zone where neither it nor the evidence writes one: both are local."""
    open_ = claim.utc_offset_s is not None and evidence.utc_offset_s is None
    return replace(claim, utc_offset_s=None) if open_ and not _ZONE.search(claim.text) else claim


def bare_count(value: Value) -> Value:
    """Return "two orders" as the number two: what is counted is a matter of words, not of units."""
    if not isinstance(value, Quantity) or value.kind is not Kind.QUANTITY or value.unit is None:
        return value
    if unit_of(value.unit) is None and value.per is None:
        return replace(value, kind=Kind.NUMBER, unit=None, alternatives=())
    return value
