"""Percents whose number comes last: `percents of twenty`, `percentage of 7.5`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.quantities.amounts import PERCENT_PAIRS, PERCENT_WORDS
from verifier.core.quantities.tokens import BREAK, END
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream

_BEFORE: Final = frozenset(
    {"", ".", ",", ";", ":", "!", "?", "at", "to", "by", "with", "and", "or", "just", "only"}
    | {"about", "exactly", "need", "needs", "is", "was", "are", "were", "use", "choose"}
)
"""What leaves a percent to be told by what follows; `what` and `a small` before it do not."""
_AFTER: Final = frozenset({".", ",", ";", ":", "!", "?", ")", "and", "or"})


def read_percents_of(stream: Stream, readings: list[Reading]) -> list[Reading]:
    """Return the readings with `percent of 10` read as 10%; the bare 10 stays as its second reading.

    Where anything else tells how many percent (`20 percent of 10`) or what the number counts or is worked
    out for (`percent of 10 people`, `percent of 10 is 2`), the number is left as it is.
    """
    found: list[Reading] = []
    for reading in readings:
        taken = None
        if reading.kind is Kind.NUMBER and reading.start > 1:
            taken = _percent_before(stream, reading, found[-1].end if found else 0)
        found.append(reading if taken is None else _as_percent(stream, reading, taken))
    return found


def _percent_before(stream: Stream, reading: Reading, read_to: int) -> int | None:
    """Return the index of the percent word that takes its number from a reading, or None."""
    of = reading.start - 1
    if stream.folds[of] != "of":
        return None
    if stream.folds[of - 1] in PERCENT_WORDS:
        first = of - 1
    elif of > 1 and stream.phrase(of - 2, 2) in PERCENT_PAIRS:
        first = of - 2
    else:
        return None
    opens = stream.opens_line(first) or stream.folds[first - 1] in _BEFORE
    ends = stream.kinds[reading.end] in {END, BREAK} or stream.folds[reading.end] in _AFTER
    return first if opens and ends and first >= read_to else None


def _as_percent(stream: Stream, reading: Reading, first: int) -> Reading:
    return reading._replace(
        kind=Kind.PERCENT, start=first, begins=stream.starts[first], plain=False, rivals=(reading,)
    )
