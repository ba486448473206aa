"""The document tier: cited sentences against the chunks that they cite."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from verifier.core.verdicts import Finding, Tier

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.core.claims import Claim
    from verifier.core.turns import Turn

FindChunks: TypeAlias = Callable[[Sequence[str]], Awaitable[frozenset[str]]]
"""Tells which of the chunk ids exist in the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTier:
    """Judges cited sentences by the cited text."""

    now: datetime
    find_chunks: FindChunks | None = None

    @property
    def tier(self) -> Tier:
        """The documents."""
        return Tier.DOCUMENT

    @property
    def round_trips(self) -> int:
        """None on canonical tables."""
        return 0

    async def judge(self, claims: Sequence[Claim], turn: Turn) -> tuple[Finding, ...]:
        """Return findings on the claims that cite."""
        return ()
