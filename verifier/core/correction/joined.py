"""Whether what stands at a span is a number of its own, or a reader sees further digits joined to it."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.core.spans import Span

_UNSEEN: Final = frozenset({"Cf", "Mn", "Me"})
_JOINTS: Final = frozenset("*_~`\\·⁄")  # 48**.90**, 48\.90, 48·90
_POINTS: Final = frozenset(".,'’")
_PARTED: Final = re.compile(r"\s\.\d")  # 48 .90
_FARTHEST: Final = 16


def is_joined(text: str, span: Span) -> bool:
    """Return whether digits that were not read as part of the number at `span` go on from it, or lead to it.

    Between them stand only what nobody sees, marks of emphasis, or a sign that may be a decimal point.
    """
    behind = text[span.end : span.end + _FARTHEST]
    before = text[max(0, span.start - _FARTHEST) : span.start]
    ends, begins = text[span.end - 1].isdecimal(), text[span.start].isdecimal()
    return (ends and (_meets_digit(behind) or _PARTED.match(behind) is not None)) or (
        begins and _meets_digit(reversed(before))
    )


def _meets_digit(signs: Iterable[str]) -> bool:
    """Return whether a digit comes next, behind one joint or more."""
    joints = 0
    for sign in signs:
        if sign.isdecimal():
            return joints > 0
        if sign in _JOINTS or unicodedata.category(sign) in _UNSEEN:
            joints += 1
        elif sign not in _POINTS:
            return False
    return False
