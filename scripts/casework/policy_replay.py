"""Dated versions of pages, ingested in some order, held against what their dates alone say of any instant."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from verifier.ingest.pipeline import ingest_documents
from verifier.ingest.requests import Outcome
from verifier.store.pool import tenant_transaction
from verifier.store.search import semantic_search

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from verifier.core.ports import Embedder
    from verifier.ingest.requests import IngestRequest, Progress
    from verifier.store.pool import Pool

TENANT: Final = "policies"
K: Final = 10
QUERIES: Final = (
    "can I get my money back",
    "when is my data deleted",
    "uptime and service credits",
    "who pays the taxes",
    "how do I cancel my account",
)
EDGE: Final = timedelta(days=60)
TICK: Final = timedelta(microseconds=1)

HELD_AT: Final = """
    SELECT s.key, v.valid_from
      FROM publication p
           JOIN source s USING (tenant_id, source_id)
           JOIN document_version v USING (tenant_id, version_id)
     WHERE p.tenant_id = current_tenant()
       AND p.valid_from <= $1 AND (p.valid_to IS NULL OR p.valid_to > $1)
       AND p.basis_from <= $2 AND (p.basis_to IS NULL OR p.basis_to > $2)
"""
COUNT_CHUNKS: Final = """
    SELECT count(*)
      FROM chunk c
           JOIN document_version v USING (tenant_id, version_id)
           JOIN source s USING (tenant_id, source_id)
     WHERE v.tenant_id = current_tenant()
       AND (s.key, v.valid_from) IN (SELECT * FROM unnest($1::text[], $2::timestamptz[]))
"""
READ_END: Final = """
    SELECT s.key, v.valid_from, v.state, encode(v.content_hash, 'hex') AS content,
           p.valid_from AS holds_from, p.valid_to AS holds_to,
           (SELECT count(*) FROM current_chunk n WHERE n.version_id = v.version_id) AS offered
      FROM document_version v
           JOIN source s USING (tenant_id, source_id)
           LEFT JOIN publication p ON p.version_id = v.version_id AND p.basis_to IS NULL
     ORDER BY s.key, v.valid_from
"""
COUNT_TEXTS: Final = "SELECT count(DISTINCT input_hash) FROM chunk"


@dataclass(slots=True, kw_only=True)
class Replayed:
    """What a replay wrote and what was wrong; `end` is all that is known of versions afterwards."""

    versions: int
    embedded: int
    reused: int
    texts: int
    end: tuple[tuple[object, ...], ...]
    instants: int = 0
    searches: int = 0
    faults: list[str] = field(default_factory=list)


def find_truth(requests: Sequence[IngestRequest], instant: datetime) -> Mapping[str, datetime]:
    """Return the newest date of each page that is not after the instant."""
    dates: dict[str, datetime] = {}
    for request in requests:
        moment, key = request.valid_from, request.document.key
        if moment is None or moment > instant:
            continue
        if key not in dates or dates[key] < moment:
            dates[key] = moment
    return dates


def choose_instants(requests: Sequence[IngestRequest], number: int, *, seed: int) -> list[datetime]:
    """Return random instants from before the first date to after the last, on dates and just before some."""
    dates = sorted({request.valid_from for request in requests if request.valid_from is not None})
    chance = random.Random(seed)  # noqa: S311 -- which instants are looked at, no secret
    first, span = dates[0] - EDGE, dates[-1] - dates[0] + 2 * EDGE
    chosen = [first + span * chance.random() for _ in range(number)]
    for place in range(0, number, 10):
        chosen[place] = chance.choice(dates) - chance.choice((TICK, timedelta(0)))
    return chosen


async def replay(
    pool: Pool,
    embedder: Embedder,
    requests: Sequence[IngestRequest],
    on_progress: Callable[[Progress], None] | None = None,
) -> Replayed:
    """Ingest the versions in the order given."""
    summary = await ingest_documents(pool, TENANT, embedder, requests, on_progress=on_progress)
    async with tenant_transaction(pool, TENANT, read_only=True) as conn:
        end = tuple(tuple(row) for row in await conn.fetch(READ_END))
        texts = await conn.fetchval(COUNT_TEXTS)
    return Replayed(
        versions=summary.counts[Outcome.NEW],
        embedded=summary.embedded,
        reused=summary.reused,
        texts=texts,
        end=end,
        faults=[f"{outcome.key}: {outcome.error}" for outcome in summary.failed],
    )


async def look_back(
    pool: Pool,
    embedder: Embedder,
    requests: Sequence[IngestRequest],
    told: Replayed,
    instants: Sequence[datetime],
) -> None:
    """Hold `publication` and searches as of each instant against the dates; every third at an older basis."""
    for number, instant in enumerate(instants):
        basis = 1 + number * 7 % len(requests) if number % 3 == 2 else len(requests)
        truth = find_truth(requests[:basis], instant)
        place = f"as of {instant:%Y-%m-%dT%H:%M:%S.%f%z}, basis {basis}"
        async with tenant_transaction(pool, TENANT, read_only=True) as conn:
            held = await conn.fetch(HELD_AT, instant, basis)
            possible = await conn.fetchval(COUNT_CHUNKS, list(truth), list(truth.values()))
            seqs = await conn.fetch(
                """SELECT s.key, v.seq, v.valid_from
                     FROM document_version v JOIN source s USING (tenant_id, source_id)"""
            )
        told.instants += 1
        if sorted((row["key"], row["valid_from"]) for row in held) != sorted(truth.items()):
            told.faults.append(f"{place}: publication has {[tuple(row) for row in held]}")
        allowed = {
            (row["key"], row["seq"]) for row in seqs if truth.get(row["key"]) == row["valid_from"]
        }
        query = QUERIES[number % len(QUERIES)]
        found = await semantic_search(
            pool, query, tenant=TENANT, embedder=embedder, k=K, as_of=instant, basis=basis
        )
        told.searches += 1
        strangers = [hit.chunk_id for hit in found.hits if (hit.source, hit.seq) not in allowed]
        if strangers:
            told.faults.append(f"{place}: search returned {strangers}")
        if len(found.hits) != min(K, possible):
            told.faults.append(f"{place}: search returned {len(found.hits)} of {possible}")
