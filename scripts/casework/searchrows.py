"""The rows of a store of many chunks: sources of fifty, three in ten of which had another version before."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from verifier.core.documents import hash_input, hash_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from casework.searchmix import Halves, Mixer

TENANT: Final = "bench"
PER_SOURCE: Final = 50
FIRST: Final = datetime(2024, 1, 1, tzinfo=UTC)
MIDDLE: Final = datetime(2024, 7, 1, tzinfo=UTC)
SECOND: Final = datetime(2025, 1, 1, tzinfo=UTC)
_OLD_SHARE: Final = 0.3
_LINE: Final = 20

COLUMNS: Final = {
    "source": ("tenant_id", "source_id", "key", "permission", "metadata"),
    "document_version": (
        *("tenant_id", "version_id", "source_id", "seq", "text", "content_hash", "state"),
        "valid_from",
    ),
    "passage": ("tenant_id", "input_hash", "input"),
    "chunk": ("tenant_id", "version_id", "ordinal", "start_at", "end_at", "input_hash"),
    "current_chunk": (
        *("tenant_id", "source_id", "ordinal", "version_id", "input_hash", "permission"),
    ),
    "publication": (
        *("tenant_id", "source_id", "version_id", "valid_from", "valid_to", "basis_from"),
        "basis_to",
    ),
}
EMBEDDING: Final = ("tenant_id", "input_hash", "live", "vec")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Vectors by chunk, the present ones before those of the past, and what is known of each source.

    `versions` holds the source of each version; those of the past come after the present ones.
    """

    vectors: Halves
    sources: int
    versions: NDArray[np.int64]
    pages: NDArray[np.int64]

    @property
    def current(self) -> int:
        """How many chunks are current."""
        return self.sources * PER_SOURCE


def make_rows(mixer: Mixer, chunks: int, random: np.random.Generator) -> Rows:
    """Return rows of at least `chunks` current chunks."""
    sources = -(-chunks // PER_SOURCE)
    present = mixer.make(sources * PER_SOURCE)
    changed = np.flatnonzero(random.random(sources) < _OLD_SHARE)
    before = present.reshape(sources, PER_SOURCE, -1)[changed].reshape(-1, present.shape[1])
    return Rows(
        vectors=np.concatenate([present, mixer.revise(before)]),
        sources=sources,
        versions=np.concatenate([np.arange(sources), changed]),
        pages=random.integers(0, 1_000, sources),
    )


def describe_source(rows: Rows, source: int) -> str:
    """Return the metadata of a source as JSON: one shelf of a hundred, pages from 0 to 999."""
    return json.dumps({"shelf": source % 100, "pages": int(rows.pages[source]), "lang": "en"})


def source_rows(rows: Rows) -> Iterator[tuple[Any, ...]]:
    """Yield the sources."""
    for source in range(rows.sources):
        yield (TENANT, source + 1, f"s{source:07}", "approved", describe_source(rows, source))


def version_rows(rows: Rows) -> Iterator[tuple[Any, ...]]:
    """Yield the versions, the present ones first."""
    for version, source in enumerate(rows.versions.tolist()):
        current = version < rows.sources
        text = "".join(f"{version:09} {ordinal:09} "[:_LINE] for ordinal in range(PER_SOURCE))
        state = "current" if current else "superseded"
        digest = bytes.fromhex(hash_text(text))
        seq, since = (2, SECOND) if current else (1, FIRST)
        yield (TENANT, version + 1, source + 1, seq, text, digest, state, since)


def chunk_rows(numbers: range) -> Iterator[tuple[Any, ...]]:
    """Yield the chunks of those numbers."""
    for number in numbers:
        version, ordinal = divmod(number, PER_SOURCE)
        start = ordinal * _LINE
        yield (TENANT, version + 1, ordinal, start, start + _LINE, hash_of(number))


def passage_rows(numbers: range) -> Iterator[tuple[Any, ...]]:
    """Yield what is embedded of the chunks."""
    for number in numbers:
        yield (TENANT, hash_of(number), f"passage {number}")


def embedding_rows(rows: Rows, numbers: range) -> Iterator[tuple[Any, ...]]:
    """Yield the vectors of the chunks."""
    for number in numbers:
        yield (TENANT, hash_of(number), number < rows.current, rows.vectors[number])


def current_rows(numbers: range) -> Iterator[tuple[Any, ...]]:
    """Yield what a search of the present reads."""
    for number in numbers:
        source, ordinal = divmod(number, PER_SOURCE)
        yield (TENANT, source + 1, ordinal, source + 1, hash_of(number), "approved")


def publication_rows(rows: Rows) -> Iterator[tuple[Any, ...]]:
    """Yield when each version held; each was published for itself."""
    changed = set(rows.versions[rows.sources :].tolist())
    for version, source in enumerate(rows.versions.tolist()):
        if version >= rows.sources:
            since, until = FIRST, SECOND
        else:
            since, until = (SECOND if source in changed else FIRST), None
        yield (TENANT, source + 1, version + 1, since, until, version + 1, None)


def hash_of(number: int) -> bytes:
    """Return the hash of a chunk's input."""
    return hash_input(f"passage {number}")
