"""Ingesting a corpus, and again after 1% of its chunks changed."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.integration.hashing_embedder import HashingEmbedder
from verifier.core.documents import Document, SourceKey
from verifier.core.spaces import DEFAULT_MODEL
from verifier.embedded import start_embedded
from verifier.inference.backends import make_embedder
from verifier.ingest.pipeline import ingest_documents
from verifier.ingest.requests import IngestRequest
from verifier.store.pool import open_pool
from verifier.store.schema import upgrade_schema

if TYPE_CHECKING:
    from verifier.core.ports import Embedder
    from verifier.ingest.requests import IngestSummary
    from verifier.store.pool import Pool

TENANT: Final = "bench"
PARAGRAPHS: Final = 20
"""Of a document; each becomes one chunk."""
WORDS: Final = 100
"""Of a paragraph: two of them are more than a chunk holds, by the tokens of either embedder."""
KNOWN: Final = (
    "the a of to and in is for that with on by this order refund price days after before store ship customer"
    " paid return item new used each plan month year fee free cost may must not only when within from until"
    " account team support card sale lamp desk chair table wood glass steel paper blue green red large small"
)
CHANGED: Final = 0.01
GOAL: Final = 50.0


async def time_again(count: int, *, with_model: bool) -> int:
    """Print the seconds of both runs and what they embedded, and return the exit code."""
    rng = random.Random(1)  # noqa: S311 -- a measurement, repeated by its seed
    texts = [
        [_paragraph(rng, n) for n in range(PARAGRAPHS)] for _ in range(-(-count // PARAGRAPHS))
    ]
    with (
        tempfile.TemporaryDirectory(prefix="verifier-bench-") as folder,
        start_embedded(Path(folder) / "server") as server,
    ):
        embedder: Embedder = (
            make_embedder(DEFAULT_MODEL, "torch", cache=Path(folder))
            if with_model
            else HashingEmbedder(dimension=384)
        )
        await embedder.embed_query("The model is loaded before anything is timed.")
        await upgrade_schema(server.owner_dsn)
        pool = await open_pool(server.app_dsn, command_timeout_s=3_600)
        try:
            seconds, first = await _ingest(pool, embedder, texts)
            chunks = sum(outcome.chunks for outcome in first.outcomes)
            print(f"first: {seconds:8.2f} s, {chunks} chunks, {first.embedded} embedded")
            unchanged_s, same = await _ingest(pool, embedder, texts)
            print(
                f"unchanged: {unchanged_s:4.2f} s, {same.embedded} embedded,"
                f" {seconds / unchanged_s:.0f} times as fast"
            )
            changed = _change(rng, texts)
            again_s, again = await _ingest(pool, embedder, texts)
        finally:
            await pool.close()
    print(
        f"{changed} chunks changed: {again_s:.2f} s, {again.embedded} embedded,"
        f" {seconds / again_s:.0f} times as fast"
    )
    print(f"goal {GOAL:.0f} times with the default model, and nothing embedded but what changed")
    missed = again.embedded != changed or (with_model and seconds / again_s < GOAL)
    return 1 if missed else 0


def _change(rng: random.Random, texts: list[list[str]]) -> int:
    """Change 1% of the paragraphs, near each other as edits are: five in a document."""
    wanted = max(1, round(CHANGED * sum(len(document) for document in texts)))
    changed = 0
    for document in texts:
        for place in range(0, len(document), 4):
            if changed < wanted:
                document[place] = _paragraph(rng, place)
                changed += 1
    return changed


def _paragraph(rng: random.Random, number: int) -> str:
    return f"Paragraph {number} {' '.join(rng.choices(KNOWN.split(), k=WORDS))}."


async def _ingest(
    pool: Pool, embedder: Embedder, texts: list[list[str]]
) -> tuple[float, IngestSummary]:
    requests = [
        IngestRequest(document=Document(key=SourceKey(f"d{n}"), text="\n\n".join(paragraphs)))
        for n, paragraphs in enumerate(texts)
    ]
    begun = time.perf_counter()
    summary = await ingest_documents(pool, TENANT, embedder, requests)
    if summary.failed:
        raise RuntimeError(f"an ingest failed: {summary.failed[0].error}")
    return time.perf_counter() - begun, summary
