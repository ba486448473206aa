"""What came of a load on a server: statuses, times, memory, and what of it must not be."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

DESIGNED: Final = frozenset({200, 201, 429, 503})
GROWTH: Final = 1.15
"""By how much the last fifth of the load may need more memory than the second; the first fills caches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How many clients, for how long, and the steady rate after them."""

    clients: int
    seconds: int
    rate: int
    steady_s: int
    goal_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Milliseconds of those that were answered with 200 or 201."""

    answered: int
    p50_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadResult:
    """What came of it: statuses and times by verb, memory by fifths of the load, and the steady rate.

    `processor_ms` is what a verification at the steady rate costs the server's processor.
    """

    plan: Plan
    statuses: dict[str, dict[str, int]]
    times: dict[str, Times]
    memory_mb: tuple[float, ...]
    failures: tuple[str, ...]
    steady: Times
    steady_statuses: dict[str, int]
    bare: Times
    processor_ms: float

    @property
    def faults(self) -> tuple[str, ...]:
        """What must not be, each in words."""
        counts = Counter(self.steady_statuses)
        for each in self.statuses.values():
            counts.update(each)
        told = [
            f"{number:,} answers of status {status}"
            for status, number in sorted(counts.items())
            if int(status) not in DESIGNED
        ]
        told += (
            [f"{len(self.failures):,} requests failed: {self.failures[0]}"] if self.failures else []
        )
        if len(self.memory_mb) > 2 and self.memory_mb[-1] > self.memory_mb[1] * GROWTH:
            told.append(f"memory grew from {self.memory_mb[1]:.0f} to {self.memory_mb[-1]:.0f} MB")
        if not self.steady.p50_ms < self.plan.goal_ms:
            told.append(f"median of {self.steady.p50_ms:.1f} ms, goal {self.plan.goal_ms:g} ms")
        return tuple(told)

    def lines(self) -> Iterator[str]:
        """Yield the result for people."""
        plan = self.plan
        yield f"{plan.clients} clients for {plan.seconds} s"
        for verb, times in self.times.items():
            counted = ", ".join(f"{status}: {n:,}" for status, n in self.statuses[verb].items())
            yield f"  {verb:16} p50 {times.p50_ms:8.1f} ms  p99 {times.p99_ms:8.1f} ms  {counted}"
        memory = " → ".join(f"{one:.0f}" for one in self.memory_mb)
        yield f"  memory of the server by fifths of the time: {memory} MB"
        yield f"verify without model at {plan.rate} a second for {plan.steady_s} s"
        counted = ", ".join(f"{status}: {n:,}" for status, n in self.steady_statuses.items())
        for name, times, told in (
            ("verify", self.steady, counted),
            ("bare SELECT", self.bare, f"{self.bare.answered:,}"),
        ):
            yield f"  {name:16} p50 {times.p50_ms:8.2f} ms  p99 {times.p99_ms:8.2f} ms  {told}"
        yield f"  a verification costs the server {self.processor_ms:.1f} ms of its processor"
        yield f"  a verification takes {self.steady.p50_ms / self.bare.p50_ms:.1f} times a bare SELECT"
        yield from (f"FAULT: {one}" for one in self.faults)


def summarise(seconds: list[float]) -> Times:
    """Return the median and the 99th percentile."""
    if not seconds:
        return Times(answered=0, p50_ms=float("inf"), p99_ms=float("inf"))
    ordered = sorted(seconds)
    return Times(
        answered=len(ordered),
        p50_ms=ordered[len(ordered) // 2] * 1000,
        p99_ms=ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)] * 1000,
    )
