"""The public history of policy pages, as requests; run as a program, it ingests them and tells how far it is.

Arguments of the program: the database's connection string, the manifest, and the pages to take.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import TENANT
from tests.shared_data import find_shared
from verifier.ingest.manifest import read_manifest
from verifier.ingest.pipeline import ingest_documents
from verifier.store.pool import open_pool

if TYPE_CHECKING:
    from collections.abc import Collection

    from verifier.ingest.requests import IngestRequest, Progress

REPOSITORY = Path(__file__).parents[2]


def find_manifest() -> Path:
    """The manifest among the public data."""
    return find_shared("policies", "versions.csv")


def read_pages(manifest: Path, pages: Collection[str] | None = None) -> tuple[IngestRequest, ...]:
    requests = read_manifest(manifest, key_column="page", valid_from_column="committed_at")
    return tuple(r for r in requests if pages is None or r.document.key in pages)


async def _ingest(dsn: str, manifest: str, *pages: str) -> None:
    def tell(progress: Progress) -> None:
        sys.stdout.write(f"{progress.documents} {progress.embedded}\n")
        sys.stdout.flush()

    pool = await open_pool(dsn)
    requests = read_pages(Path(manifest), pages)
    await ingest_documents(pool, TENANT, HashingEmbedder(), requests, on_progress=tell)
    await pool.close()


if __name__ == "__main__":
    asyncio.run(_ingest(*sys.argv[1:]))
