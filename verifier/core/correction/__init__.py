"""Writing right values into an answer: what is changed, how it is written, and what is left alone."""

from verifier.core.correction.applying import apply_edits, place_edits
from verifier.core.correction.proposing import Proposal, propose_edits

__all__ = ["Proposal", "apply_edits", "place_edits", "propose_edits"]
