"""When each version of a source holds: periods on the axis of valid time that never overlap.

The periods of a source are a tuple in the order of time. Where no end is stated, a period ends where
the next begins, and the last one does not end at all; `settle_ends` keeps that true.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A version holds from `valid_from` up to, but not at, `valid_to`; None: no end is in sight.

    `from_stated` and `to_stated` tell that somebody gave the moment; else the clock gave the first, and
    the second is where the next period begins.
    """

    version_id: int
    valid_from: datetime
    valid_to: datetime | None = None
    from_stated: bool = False
    to_stated: bool = False

    def holds_at(self, moment: datetime) -> bool:
        """Return whether the version holds at that moment."""
        return self.valid_from <= moment and (self.valid_to is None or moment < self.valid_to)

    def lasts_beyond(self, moment: datetime) -> bool:
        """Return whether any of the period is after that moment."""
        return self.valid_to is None or self.valid_to > moment


Timeline: TypeAlias = tuple[Period, ...]


def find_holding(timeline: Sequence[Period], moment: datetime) -> int | None:
    """Return the version that holds at that moment, if one does."""
    return next((each.version_id for each in timeline if each.holds_at(moment)), None)


def find_next_change(timeline: Sequence[Period], moment: datetime) -> datetime | None:
    """Return the first moment after `moment` at which another version holds, or none any more."""
    bounds = {each.valid_from for each in timeline} | {each.valid_to for each in timeline}
    coming = sorted(bound for bound in bounds if bound is not None and bound > moment)
    holding = find_holding(timeline, moment)
    return next((bound for bound in coming if find_holding(timeline, bound) != holding), None)


def publish_from(
    timeline: Timeline, version_id: int, moment: datetime, *, stated: bool
) -> Timeline:
    """Return the periods with the version in force from `moment` to the next stated beginning.

    What was to begin by the clock alone gives way to it.
    """
    later = (each.valid_from for each in timeline if each.from_stated)
    end = min((begins for begins in later if begins > moment), default=None)
    new = Period(version_id=version_id, valid_from=moment, valid_to=end, from_stated=stated)
    return _lay_over(timeline, new)


def correct_period(
    timeline: Timeline, version_id: int, valid_from: datetime, valid_to: datetime | None
) -> Timeline:
    """Return the periods with all of the version's own replaced by this one.

    Without `valid_to` it ends where the next period begins. What holds in its time gives way: a period
    that began before ends where this begins, one that begins within begins where this ends.
    """
    others = settle_ends(tuple(each for each in timeline if each.version_id != version_id))
    later = (each.valid_from for each in others if each.valid_from > valid_from)
    new = Period(
        version_id=version_id,
        valid_from=valid_from,
        valid_to=min(later, default=None) if valid_to is None else valid_to,
        from_stated=True,
        to_stated=valid_to is not None,
    )
    return _lay_over(others, new)


def withdraw_from(timeline: Timeline, version_id: int, moment: datetime) -> Timeline:
    """Return the periods with the version holding no longer than `moment`.

    The time of a period that has not begun falls to the period before it, unless that has a stated end.
    """
    return settle_ends(
        tuple(
            replace(each, valid_to=moment, to_stated=True)
            if each.version_id == version_id and each.holds_at(moment)
            else each
            for each in timeline
            if each.version_id != version_id or each.valid_from <= moment
        )
    )


def settle_ends(timeline: Timeline) -> Timeline:
    """Return the periods in order, each without a stated end lasting till the next begins.

    Periods of one version that touch become one.
    """
    ordered = sorted(timeline, key=lambda each: each.valid_from)
    settled: list[Period] = []
    for each in ordered:
        last = settled[-1] if settled else None
        if last is not None and last.version_id == each.version_id and not last.to_stated:
            settled[-1] = replace(last, valid_to=each.valid_to, to_stated=each.to_stated)
            continue
        if last is not None and not last.to_stated:
            settled[-1] = replace(last, valid_to=each.valid_from)
        settled.append(each)
    if settled and not settled[-1].to_stated:
        settled[-1] = replace(settled[-1], valid_to=None)
    return tuple(settled)


def _lay_over(timeline: Timeline, new: Period) -> Timeline:
    kept = (part for each in timeline for part in _outside(each, new))
    return settle_ends((*kept, new))


def _outside(period: Period, new: Period) -> Iterator[Period]:
    """Yield what of the period is left beside `new`; what began before does not come back after it."""
    if period.valid_from < new.valid_from:
        if period.lasts_beyond(new.valid_from):
            yield replace(period, valid_to=new.valid_from, to_stated=False)
        else:
            yield period
    elif new.valid_to is not None and period.lasts_beyond(new.valid_to):
        yield replace(period, valid_from=max(period.valid_from, new.valid_to))
