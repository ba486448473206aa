"""What is to be derived, prepared for trying: the target, the amounts that fit it, and how many to try."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.derivation.amounts import Amount, is_like, read_amounts, read_target, times
from verifier.core.derivation.operations import Operation
from verifier.core.values import Kind, Writing

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from datetime import datetime

    from verifier.core.derivation.amounts import Target
    from verifier.core.derivation.operations import Cues, Operand
    from verifier.core.values import Quantity

MOST_LOOSE: Final = 12
"""How many operands may be combined freely, and how many may be in no group: else only groups are tried."""
MOST_TRIED: Final = 1_000
_FEWEST_TRIED: Final = 4
_FEWEST_OPEN: Final = 2
_CHANCE: Final = Fraction(1, 20)
_SINGLE: Final = frozenset(
    {Operation.COUNT, Operation.EXTREME, Operation.AS_PERCENT, Operation.WINDOW}
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """One claimed value with its cues and operands.

    `near` are the amounts that may be combined freely. `like` are the amounts of the claim's own family,
    nearest first, `scaled` their numbers as integers (times a common factor), `low` and `high` the target
    on that scale. `lists` are the whole groups, `groups` those of the claim's family, `loose` its amounts
    that are in no group. `tried` is how many combinations of single operands each operation may try.
    """

    claimed: Quantity
    cues: Cues
    operands: tuple[Operand, ...]
    target: Target
    amounts: tuple[Amount, ...]
    near: tuple[Amount, ...]
    like: tuple[Amount, ...]
    scaled: tuple[int, ...]
    low: int | None
    high: int | None
    lists: tuple[tuple[Amount, ...], ...]
    groups: tuple[tuple[Amount, ...], ...]
    loose: tuple[Amount, ...]
    pairs: tuple[tuple[int, int], ...]
    triples: tuple[tuple[int, int, int], ...]
    tried: int
    now: datetime | None

    def holds_scaled(self, number: int) -> bool:
        """Return whether a sum of `scaled` numbers is the claimed number, rounding allowed."""
        return (self.low is None or self.low <= number) and (
            self.high is None or number <= self.high
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidate:
    """A calculation whose number is near enough to the claim to be held against it.

    `number` is in the base unit of the claim's family; `template` is the value whose kind, unit and
    currency the result has.
    """

    operation: Operation
    used: tuple[Operand, ...]
    number: Fraction
    template: Quantity
    wording: str
    direction_open: bool = False


def set_problem(
    claimed: Quantity, cues: Cues, operands: Sequence[Operand], *, now: datetime | None
) -> Problem | None:
    """Return the problem, or None where the claimed value is no amount that can be computed."""
    target = read_target(claimed)
    if target is None:
        return None
    amounts = tuple(read_amounts(operands))
    like = tuple(amount for amount in amounts if is_like(amount.family, target.family))
    lists = _whole_groups(operands, amounts)
    bounds = [bound for bound in (target.low, target.high) if bound is not None]
    scale = math.lcm(*(number.denominator for number in (*(a.number for a in like), *bounds)))
    competing = max(1, len(cues.operations - _SINGLE))
    tried = max(_FEWEST_OPEN, count_tried(claimed) // competing)
    near = _near(operands, amounts)
    size = sum(is_like(amount.family, target.family) for amount in near)
    return Problem(
        claimed=claimed,
        cues=cues,
        operands=tuple(operands),
        target=target,
        amounts=amounts,
        near=near,
        like=like,
        scaled=tuple(times(amount.number, scale) for amount in like),
        low=None if target.low is None else times(target.low, scale),
        high=None if target.high is None else times(target.high, scale),
        lists=lists,
        groups=tuple(found for found in lists if is_like(found[0].family, target.family)),
        loose=_loose(like),
        pairs=_pairs(size)[:tried],
        triples=_triples(size)[: max(0, tried - len(_pairs(size)))],
        tried=tried,
        now=now,
    )


def count_tried(claimed: Quantity) -> int:
    """Return how many combinations may be tried so that one in twenty hits by chance at most.

    A combination hits by chance about as often as the claimed number is wide (the last place that it
    writes) against its size: one in 20 for "20%", one in 7,400 for "$74.12". The nearest few are
    always tried.
    """
    low, high = claimed.interval.low, claimed.interval.high
    if low is None or high is None or claimed.kind is Kind.DATE:
        return _FEWEST_OPEN if claimed.writing is Writing.BOUND else _FEWEST_TRIED
    places = max(-12, min(claimed.places or 0, 12))
    width = max(high - low, Fraction(10) ** -places)
    size = max(abs(low), abs(high))
    allowed = int(_CHANCE * size / width)
    return max(_FEWEST_TRIED, min(allowed, MOST_TRIED))


@lru_cache(maxsize=64)
def _pairs(size: int) -> tuple[tuple[int, int], ...]:
    """Return pairs of indices, those of the nearest operands first."""
    return tuple((one, other) for other in range(size) for one in range(other))


@lru_cache(maxsize=64)
def _triples(size: int) -> tuple[tuple[int, int, int], ...]:
    return tuple((*pair, last) for last in range(size) for pair in _pairs(last))


def _near(operands: Sequence[Operand], amounts: Sequence[Amount]) -> tuple[Amount, ...]:
    """Return the amounts of the nearest operands; none where too many are in no group."""
    if sum(operand.group is None for operand in operands) > MOST_LOOSE:
        return ()
    nearest = {id(operand) for operand in operands[:MOST_LOOSE]}
    return tuple(amount for amount in amounts if id(amount.operand) in nearest)


def _loose(like: Sequence[Amount]) -> tuple[Amount, ...]:
    loose = tuple(amount for amount in like if amount.operand.group is None)
    return loose if len(loose) <= MOST_LOOSE else ()


def _whole_groups(
    operands: Sequence[Operand], amounts: Sequence[Amount]
) -> tuple[tuple[Amount, ...], ...]:
    """Return the groups of two and more whose members are all amounts of one family."""
    sizes: dict[Hashable, int] = {}
    for operand in operands:
        if operand.group is not None:
            sizes[operand.group] = sizes.get(operand.group, 0) + 1
    members: dict[Hashable, list[Amount]] = {}
    for amount in amounts:
        if amount.operand.group is not None:
            members.setdefault(amount.operand.group, []).append(amount)
    return tuple(
        tuple(found)
        for group, found in members.items()
        if len(found) == sizes[group] > 1 and len({amount.family for amount in found}) == 1
    )


def fit(used: Sequence[Amount]) -> bool:
    """Return whether amounts may stand in one sum: none is zero, and no two count different things."""
    named = {amount.family for amount in used if amount.family[0] != "number"}
    return len(named) <= 1 and all(amount.number for amount in used)


def combine(
    operation: Operation,
    used: Sequence[Amount],
    number: Fraction,
    wording: str,
    *,
    is_open: bool = False,
) -> Candidate:
    """Return the candidate whose result has the kind and unit of the amounts that it combines."""
    template = next((amount for amount in used if amount.family[0] != "number"), used[0])
    return Candidate(
        operation=operation,
        used=tuple(amount.operand for amount in used),
        number=number,
        template=template.value,
        wording=wording,
        direction_open=is_open,
    )
