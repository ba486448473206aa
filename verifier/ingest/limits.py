"""How much of a document is read, and what reading it may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MOST_CHARACTERS: Final = 50_000_000
"""Characters of one document; Postgres takes texts of 1 GB, but nobody cites a chunk of those."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """Limits of one document. Seconds and memory are those of the process that reads what may be hostile."""

    max_bytes: int = 50_000_000
    max_pages: int = 1_000
    max_seconds: float = 60.0
    max_memory_mb: int = 2_048
