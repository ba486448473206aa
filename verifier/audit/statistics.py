"""Shares with the interval in which they lie, and whether two runs differ by more than chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """`count` of `total`. `low` and `high` bound it with 95% confidence; all None where `total` is 0."""

    count: int
    total: int
    share: float | None
    low: float | None
    high: float | None


def measure_share(count: int, total: int) -> Share:
    """Return a share with the score interval of Wilson (1927), which holds for few cases and none of many."""
    if total == 0:
        return Share(count=0, total=0, share=None, low=None, high=None)
    from scipy.stats import binomtest

    interval = binomtest(count, total).proportion_ci(CONFIDENCE, method="wilson")
    return Share(
        count=count,
        total=total,
        share=count / total,
        low=float(interval.low),
        high=float(interval.high),
    )


def compare_paired(fixed: int, broken: int) -> float | None:
    """Return the two-sided p of McNemar's exact test; None where no case came out otherwise.

    Of the cases that only one run has right, as many are expected either way (McNemar 1947, exact form).
    """
    if fixed + broken == 0:
        return None
    from scipy.stats import binomtest

    return float(binomtest(fixed, fixed + broken, 0.5).pvalue)
