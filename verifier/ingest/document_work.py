"""One document on its way through an ingest: what was decided, and what its version still lacks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from verifier.core.documents import VersionState
from verifier.errors import InputError
from verifier.ingest.decision import UNPUBLISHED
from verifier.ingest.requests import IngestOutcome, Outcome
from verifier.store.passages import count_chunks, list_unembedded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.core.documents import InputHash
    from verifier.ingest.decision import Decision
    from verifier.ingest.preparation import PreparedDocument
    from verifier.store.pool import Connection
    from verifier.store.spaces import SpaceId


@dataclass(slots=True, kw_only=True)
class DocumentWork:
    """One document on its way: what was decided, and which inputs lack a vector, with their chunk."""

    document: PreparedDocument
    decision: Decision
    chunks: int = 0
    missing: Mapping[InputHash, int] = field(default_factory=dict)
    embedded: int = 0

    def outcome(self, outcome: Outcome, error: str | None = None) -> IngestOutcome:
        """Return the outcome with the figures gathered so far."""
        version = self.decision.version
        written = outcome in {Outcome.NEW, Outcome.PENDING}
        return IngestOutcome(
            key=self.document.key,
            outcome=outcome,
            seq=None if version is None else version.seq,
            chunks=self.chunks,
            embedded=self.embedded,
            reused=self.chunks - self.embedded if written else 0,
            error=error,
        )


async def measure(conn: Connection, space_id: SpaceId, works: Sequence[DocumentWork]) -> None:
    """Count the chunks of each version, and find the inputs without a vector of those that need them."""
    versions = [work.decision.version for work in works if work.decision.version is not None]
    chunks = await count_chunks(conn, [version.version_id for version in versions])
    needed = [v.version_id for v in versions if v.state in {VersionState.CURRENT, *UNPUBLISHED}]
    missing = await list_unembedded(conn, space_id, needed)
    for work in works:
        version = work.decision.version
        if version is not None:
            work.chunks = chunks.get(version.version_id, 0)
            work.missing = missing.get(version.version_id, {})


def require_vectors(work: DocumentWork, refused: Mapping[InputHash, str]) -> None:
    """Raise InputError naming the first chunk of the document whose input was refused, and why."""
    for input_hash, ordinal in work.missing.items():
        if input_hash in refused:
            raise InputError(f"chunk {ordinal} could not be embedded: {refused[input_hash]}")


def failed(key: str, error: Exception) -> IngestOutcome:
    """Return the outcome of a document that could not be ingested."""
    return IngestOutcome(
        key=key, outcome=Outcome.FAILED, error=str(error), error_type=type(error).__name__
    )
