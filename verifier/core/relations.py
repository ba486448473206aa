"""What a comparison of two values can say."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """Whether the evidence's value bears out the claim's."""

    AGREE = "agree"
    DISAGREE = "disagree"
    COULD_BE = "could_be"
    INCOMPARABLE = "incomparable"


class How(StrEnum):
    """How an outcome was reached."""

    EQUAL = "equal"
    SAME_UNIT = "same_unit"
    ROUNDED = "rounded"
    TRUNCATED = "truncated"
    FINER = "finer"
    INSIDE = "inside"
    END = "end"
    NOMINAL = "nominal"
    APPROXIMATE = "approximate"
    BOUND = "bound"
    PART = "part"
    DIFFERENT = "different"
    OTHER_KIND = "other_kind"
    OTHER_DIMENSION = "other_dimension"
    OTHER_CURRENCY = "other_currency"
    CURRENCY_OPEN = "currency_open"
    UNIT_UNPROVEN = "unit_unproven"
    PERIOD_OPEN = "period_open"
    ZONE_OPEN = "zone_open"
    CALENDAR = "calendar"
    BINARY_PREFIX = "binary_prefix"
    READINGS = "readings"
    FAULT = "fault"
    VAGUE = "vague"


@dataclass(frozen=True, slots=True)
class Relation:
    """The outcome of comparing a claimed value with one of the evidence, and how it was reached.

    COULD_BE with INSIDE or END: the claim names one number of a range or a bound of the evidence; whether
    that is an instance (fine) or the term restated (wrong) is for the reader of the sentence to say.
    """

    outcome: Outcome
    how: How

    @property
    def agrees(self) -> bool:
        """Whether the evidence bears out the claim."""
        return self.outcome is Outcome.AGREE
