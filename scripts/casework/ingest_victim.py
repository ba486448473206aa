"""A process that ingests the public policy pages and may be killed at any moment.

`python -m casework.ingest_victim DSN MANIFEST LOG PAGE…` writes a line when it begins, and to LOG a line for
each text that it has a vector made of, before anything of it is stored.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.policy_pages import read_pages
from tests.integration.store_reading import TENANT
from verifier.core.documents import hash_input
from verifier.errors import StoreError
from verifier.ingest.pipeline import ingest_documents
from verifier.store.pool import open_pool

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

SECONDS_A_CALL: Final = 0.01
"""What a call of the model takes at least, so that kills meet it at work too."""


@dataclass(slots=True, kw_only=True)
class LoggedEmbedder(HashingEmbedder):
    """Writes down what it embeds, so that work done twice can be counted after a kill."""

    log: int

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors, a little later than they are there."""
        lines = "".join(f"{hash_input(text).hex()}\n" for text in texts)
        os.write(self.log, lines.encode())
        await asyncio.to_thread(time.sleep, SECONDS_A_CALL)
        return await super(LoggedEmbedder, self).embed_documents(texts)


async def ingest_pages(dsn: str, manifest: str, log: str, *pages: str) -> None:
    """Ingest the pages in the order of their dates."""
    requests = read_pages(Path(manifest), pages or None)
    written = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    pool = await open_pool(dsn)
    print("begins", flush=True)
    try:
        summary = await ingest_documents(pool, TENANT, LoggedEmbedder(log=written), requests)
        print(f"ended, {len(summary.failed)} failed", flush=True)
    finally:
        await pool.close()
        os.close(written)


if __name__ == "__main__":
    try:
        asyncio.run(ingest_pages(*sys.argv[1:]))
    except StoreError as error:
        sys.exit(f"{type(error).__name__}: {error}")
