"""Quotations: text that an answer presents as verbatim, and where it stands in its source."""

from __future__ import annotations

from verifier.core.quotations.finding import Quotation, find_quotations, leaves_only_frame
from verifier.core.quotations.locating import Fate, Location, locate_quotation
from verifier.core.quotations.merging import join_quoted
from verifier.core.quotations.signs import makes_other_power, makes_other_word
from verifier.core.quotations.standing import find_doubt_around
from verifier.core.quotations.unit_case import makes_other_unit

__all__ = [
    "Fate",
    "Location",
    "Quotation",
    "find_doubt_around",
    "find_quotations",
    "join_quoted",
    "leaves_only_frame",
    "locate_quotation",
    "makes_other_power",
    "makes_other_unit",
    "makes_other_word",
]
