"""Values that follow from others: totals, differences, shares, changes, dates; only where a cue names it."""

from __future__ import annotations

from verifier.core.derivation.contradicting import contradicts
from verifier.core.derivation.cues import find_cues
from verifier.core.derivation.deadlines import in_window, says_inside
from verifier.core.derivation.deriving import derive
from verifier.core.derivation.operations import Cues, Derivation, Direction, Operand, Operation

__all__ = [
    "Cues",
    "Derivation",
    "Direction",
    "Operand",
    "Operation",
    "contradicts",
    "derive",
    "find_cues",
    "in_window",
    "says_inside",
]
