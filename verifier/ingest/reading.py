"""What a reader makes of the bytes of a document."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The text of a document, the title that it gives itself, and what of it could not be read."""

    text: str
    title: str | None = None
    caveat: str | None = None
