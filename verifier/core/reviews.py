"""Reviews: what a person is asked to decide of a claim, and where an entry of the queue stands."""

from __future__ import annotations

from enum import StrEnum


class ReviewState(StrEnum):
    """Where an entry of the queue stands."""

    OPEN = "open"
    DECIDED = "decided"
    EXPIRED = "expired"


class Decision(StrEnum):
    """What a reviewer says of a claim and its evidence."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"
    UNCLEAR = "unclear"


class Expiry(StrEnum):
    """Why decisions no longer hold: what became of the evidence."""

    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"
    ERASED = "erased"
    ROW_CHANGED = "row_changed"


class ReviewOrder(StrEnum):
    """What stands first in the queue: what most answers rest on, or what waits longest."""

    ANSWERS = "answers"
    OLDEST = "oldest"
