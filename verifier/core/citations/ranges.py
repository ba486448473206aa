"""Ranges over two marks: [1]–[3] cites 2 as well."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.citations.model import Citation

_DASH: Final = re.compile(
    r"[*_]{0,3}(?:[-–—‑−~…]|\.{2,3}|(?P<apart>\s(?:[-–—−]|to|through|bis)\s))[*_]{0,3}"
)
_ENDS: Final = re.compile(r"[*_]{0,3}\s*(?:[.,;:!?)\]]|\Z|\n)")
_NUMBERED: Final = re.compile(r"(?P<stem>.*?)(?P<number>[0-9]{1,3})", re.DOTALL)
_LONGEST_RANGE: Final = 30
_LONGEST_DASH: Final = 16


def join_ranges(text: str, found: Sequence[Citation]) -> Iterator[Citation]:
    """Yield the citations, and between the two ends of a range those that it leaves out."""
    for at, one in enumerate(found):
        before = found[at - 1] if at else None
        alone = at + 1 == len(found) or found[at + 1].mark != one.mark
        between = [] if before is None or not alone else _find_between(text, before, one)
        if before is None or not between or (at > 1 and found[at - 2].mark == before.mark):
            yield one
            continue
        mark = Span(before.mark.end, one.mark.end)
        for label in between:
            yield replace(one, label=label, span=mark, mark=mark)
        yield replace(one, mark=mark)


def _find_between(text: str, first: Citation, last: Citation) -> list[str]:
    """Return the labels between those of two marks with a dash between; none where it is another dash."""
    if not first.mark.end < last.mark.start <= first.mark.end + _LONGEST_DASH:
        return []
    dash = _DASH.fullmatch(text, first.mark.end, last.mark.start)
    if dash is None or (dash["apart"] and not _ENDS.match(text, last.mark.end)):
        return []
    ends = [_NUMBERED.fullmatch(one.label) for one in (first, last)]
    if None in ends or first.readings or last.readings:
        return []
    (stem, start), (other, end) = [(one["stem"], int(one["number"])) for one in ends if one]
    if stem != other or not start < end <= start + _LONGEST_RANGE:
        return []
    return [f"{stem}{number}" for number in range(start + 1, end)]
