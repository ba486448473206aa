"""What verifying a logged answer again comes to: claim by claim what flipped, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from verifier.core.verdicts import DISPOSITIONS, Disposition

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.core.spans import Span
    from verifier.core.verdicts import VerdictCode


class Cause(StrEnum):
    """Why a verdict is another than it was, or can't be told.

    `row_added`: what it rests on is as it was, but another row now answers to the same name.
    """

    ROW_CHANGED = "row_changed"
    ROW_GONE = "row_gone"
    ROW_ADDED = "row_added"
    SPAN_CHANGED = "span_changed"
    WITHDRAWN = "withdrawn"
    UNAPPROVED = "unapproved"
    ERASED = "erased"
    REVIEW_LAPSED = "review_lapsed"
    CLOCK = "clock"
    CATALOG_CHANGED = "catalog_changed"
    VERIFIER_CHANGED = "verifier_changed"
    UNREADABLE = "unreadable"
    UNREACHABLE = "unreachable"
    UNEXPLAINED = "unexplained"


class Standing(StrEnum):
    """How an answer, or a claim of it, stands today, the gravest first.

    `wrong`: it was accepted and is rejected now. `doubtful`: it was accepted and nothing proves it now.
    `open`: it could not be told. `changed`: it was not accepted and is not, by another code. `righted`: it
    was not accepted and is now.
    """

    WRONG = "wrong"
    DOUBTFUL = "doubtful"
    OPEN = "open"
    CHANGED = "changed"
    RIGHTED = "righted"
    HOLDS = "holds"


STANDING_ORDER: Final = tuple(Standing)
FALLEN: Final = frozenset({Standing.WRONG, Standing.DOUBTFUL})
"""An answer that was right when it was given, and no longer is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that is another than when the answer was given.

    `place` is `source@seq` or `table:key`; `old` and `new` are what stood and stands there, None where
    nothing does or where it may not be shown.
    """

    cause: Cause
    place: str | None = None
    column: str | None = None
    old: str | None = None
    new: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecheckedClaim:
    """A claim with its verdict then and now; `now` is None where it can't be told."""

    claim_id: str
    span: Span
    text: str
    before: VerdictCode
    now: VerdictCode | None
    standing: Standing
    detail: str
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recheck:
    """A logged answer, verified again. `basis` is what was known, `moment` the clock that it was held to.

    `as_of` is that clock where it was asked for; `reason` tells why the whole answer is open. `claims` has
    every claim, flipped or not.
    """

    report_id: str
    created_at: datetime
    moment: datetime
    as_of: datetime | None
    basis: int
    standing: Standing
    claims: tuple[RecheckedClaim, ...]
    reason: str | None = None

    @property
    def has_fallen(self) -> bool:
        """Whether the answer was right when it was given, and is not, or not provably, now."""
        return self.standing in FALLEN

    @property
    def flips(self) -> tuple[RecheckedClaim, ...]:
        """The claims that do not stand as they did."""
        return tuple(one for one in self.claims if one.standing is not Standing.HOLDS)


def stand(before: VerdictCode, now: VerdictCode | None) -> Standing:
    """Return how a claim stands by its codes then and now."""
    if now is None:
        return Standing.OPEN
    was = DISPOSITIONS[before] is Disposition.ACCEPTED
    found = DISPOSITIONS[now]
    if was:
        if found is Disposition.ACCEPTED:
            return Standing.HOLDS
        return Standing.WRONG if found is Disposition.REJECTED else Standing.DOUBTFUL
    if found is Disposition.ACCEPTED:
        return Standing.RIGHTED
    return Standing.HOLDS if before is now else Standing.CHANGED


def worst(claims: tuple[RecheckedClaim, ...]) -> Standing:
    """Return the gravest standing of the claims; without any, an answer holds."""
    found = {one.standing for one in claims}
    return next((one for one in STANDING_ORDER if one in found), Standing.HOLDS)
