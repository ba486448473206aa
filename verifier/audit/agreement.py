"""How far reviewers agree, beyond what chance would have them agree: Cohen's kappa."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.store.review_agreement import count_decisions, pair_decisions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.store.pool import Connection

Pair = tuple[str, str]
"""Two labels of one case, one of each reviewer."""

_FEWEST_LABELS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAgreement:
    """Two reviewers: how many cases both judged, in how many they agree, and Cohen's kappa in [-1, 1].

    `kappa` is None where it is not defined: no case in common, or both gave one and the same label to all.
    """

    reviewer: str
    other: str
    shared: int
    agreed: int
    kappa: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Cases that were decided, by several reviewers, by several alike; and every two reviewers, by name."""

    decided: int
    shared: int
    agreed: int
    disputed: int
    pairs: tuple[PairAgreement, ...]


async def measure_agreement(conn: Connection) -> Agreement:
    """Return how far the reviewers of the queue agree; each entry counts once a round, also expired ones."""
    counts = await count_decisions(conn)
    pairs: defaultdict[Pair, dict[Pair, int]] = defaultdict(dict)
    for one in await pair_decisions(conn):
        labels = one.decision.value, one.other_decision.value
        pairs[one.reviewer, one.other][labels] = one.entries
    return Agreement(
        decided=counts.decided,
        shared=counts.shared,
        agreed=counts.shared - counts.disputed,
        disputed=counts.disputed,
        pairs=tuple(compare_reviewers(*names, counted) for names, counted in pairs.items()),
    )


def compare_reviewers(reviewer: str, other: str, counted: Mapping[Pair, int]) -> PairAgreement:
    """Return how far two reviewers agree; `counted` says how often each pair of labels was given."""
    return PairAgreement(
        reviewer=reviewer,
        other=other,
        shared=sum(counted.values()),
        agreed=sum(number for (one, two), number in counted.items() if one == two),
        kappa=measure_kappa(counted),
    )


def measure_kappa(counted: Mapping[Pair, int]) -> float | None:
    """Return Cohen's kappa of counted pairs of labels; None where chance alone would agree on all of them."""
    given: Sequence[Pair] = [pair for pair, number in counted.items() if number]
    if len({label for pair in given for label in pair}) < _FEWEST_LABELS:
        return None
    from sklearn.metrics import cohen_kappa_score

    return float(
        cohen_kappa_score(
            [one for one, _ in given],
            [other for _, other in given],
            sample_weight=[counted[pair] for pair in given],
        )
    )
