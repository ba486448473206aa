"""The steps of the demonstration on its sample: documents ingested, rows written, answers verified."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Any

from verifier.core.turns import RetrievedChunk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.core.documents import SearchHit, SearchResult
    from verifier.core.report import GroundingReport
    from verifier.ingest.requests import IngestOutcome
    from verifier.interfaces.cli.progress import ProgressLine
    from verifier.service import Verifier
    from verifier.settings import Settings

BY = "demo"
"""Who ingests the sample's documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownExchange:
    """One exchange of the sample with what was found for it and what its answer came to."""

    exchange_id: str
    title: str
    question: str
    tool_calls: tuple[str, ...]
    found: SearchResult | None
    report: GroundingReport


def read_sample(name: str) -> str:
    """Return the text of a file of the sample."""
    return files("verifier.sample").joinpath(name).read_text("utf-8")


async def ingest_documents(verifier: Verifier, progress: ProgressLine) -> tuple[IngestOutcome, ...]:
    """Ingest the sample's documents in their versions; what stands already is left as it is."""
    outcomes: list[IngestOutcome] = []
    for entry in json.loads(read_sample("documents.json")):
        review = entry["review_until"]
        outcomes += await ingest_file(
            verifier,
            entry,
            progress,
            valid_from=datetime.fromisoformat(entry["valid_from"]),
            review_until=None if review is None else datetime.fromisoformat(review),
        )
    return tuple(outcomes)


async def ingest_file(
    verifier: Verifier,
    entry: Mapping[str, Any],
    progress: ProgressLine,
    *,
    valid_from: datetime | None = None,
    review_until: datetime | None = None,
) -> tuple[IngestOutcome, ...]:
    """Ingest the sample's file of an entry as a version of its key."""
    with ExitStack() as unpacked:
        path = unpacked.enter_context(as_file(files("verifier.sample").joinpath(entry["file"])))
        summary = await verifier.ingest(
            path,
            key=entry["key"],
            by=BY,
            valid_from=valid_from,
            review_until=review_until,
            on_progress=progress.tell_ingest,
        )
    return summary.outcomes


async def put_rows(
    settings: Settings, rows: Mapping[str, Sequence[Mapping[str, object]]]
) -> datetime:
    """Write rows of the sample shop as the owner, which the service never is; return when they stood."""
    import asyncio
    from datetime import UTC

    from verifier.embedded import start_embedded
    from verifier.store.pool import open_pool
    from verifier.store.sample_shop import put_sample_rows

    server = await asyncio.to_thread(start_embedded, settings.data_dir)
    try:
        pool = await open_pool(server.owner_dsn, min_size=0, max_size=1)
        async with pool, pool.acquire() as conn:
            await put_sample_rows(conn, rows)
    finally:
        await asyncio.to_thread(server.stop)
    return datetime.now(UTC)


async def verify_exchange(
    verifier: Verifier, told: Mapping[str, Any], *, kept: SearchResult | None = None
) -> ShownExchange:
    """Search where the exchange asks for it, and verify its answer.

    Nothing is searched where `kept` is given, which was found before: its chunks count as they stand now.
    """
    found = kept
    if kept is None and "search" in told:
        found = await verifier.semantic_search(told["search"], k=3)
    hits = found.hits if found else ()
    turn = verifier.turn(
        turn_id=told["id"],
        question=told["question"],
        principal=told.get("principal"),
        numbering={str(number): hit.chunk_id for number, hit in enumerate(hits, start=1)},
    )
    calls = told.get("calls", [])
    for call in calls:
        turn.record(call["tool"], call["arguments"], call["result"])
    if kept is not None:
        turn.retrieved([_by_id(hit) for hit in kept.hits])
    elif found is not None:
        turn.retrieved(found)
    return ShownExchange(
        exchange_id=told["id"],
        title=told["title"],
        question=told["question"],
        tool_calls=tuple(f"{call['tool']} → {json.dumps(call['result'])}" for call in calls),
        found=found,
        report=await verifier.verify(told["answer"], turn),
    )


def _by_id(hit: SearchHit) -> RetrievedChunk:
    """Return the chunk as a turn names it whose text the store is asked for."""
    return RetrievedChunk(
        label=hit.chunk_id, source=hit.source, text="", seq=hit.seq, ordinal=hit.ordinal
    )
