"""Values that follow from others: totals, differences, shares, changes, dates; only where a cue names it."""

from __future__ import annotations

from verifier.core.derivation.operations import Cues, Derivation, Direction, Operand, Operation

__all__ = ["Cues", "Derivation", "Direction", "Operand", "Operation"]
