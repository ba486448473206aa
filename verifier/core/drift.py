"""How a canonical row that a past answer rests on stands today."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Drift(StrEnum):
    """Why a row is not what an answer rested on, the gravest first.

    `gone`: no such row applies, or is visible to whom the answer was for. `changed`: what the answer rests on
    reads otherwise. `undeclared`: no type of the catalog has the table any more. `other_catalog`: it comes to
    another text by the catalog of today, which is not the one that it was read by: either may have changed.
    """

    GONE = "gone"
    CHANGED = "changed"
    UNDECLARED = "undeclared"
    OTHER_CATALOG = "other_catalog"


DRIFT_ORDER: Final = tuple(Drift)
