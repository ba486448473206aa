"""A process that polls a store while others write it, and tells whatever no reader may ever see.

`python -m casework.ingest_reader DSN STOP` polls until the file STOP is there; a line for each fault, then
how often it polled.
"""

from __future__ import annotations

import asyncio
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import TENANT
from verifier.store.pool import open_pool, tenant_transaction
from verifier.store.search import semantic_search
from verifier.store.spaces import active_space, space_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from asyncpg import Record

    from verifier.store.pool import Pool
    from verifier.store.spaces import SpaceId

QUERY: Final = "refund of a cancelled subscription"
HITS: Final = 30
PAUSE_S: Final = 0.005


def look(space_id: SpaceId) -> str:
    """Return the statement that tells, in one snapshot, what is offered of each source."""
    return f"""
    SELECT s.key, v.seq, v.state, count(*) AS offered, count(e.input_hash) FILTER (WHERE e.live) AS live,
           (SELECT count(*)
              FROM chunk c
             WHERE c.tenant_id = v.tenant_id AND c.version_id = v.version_id) AS chunks,
           (SELECT t.basis FROM tenant t WHERE t.tenant_id = v.tenant_id) AS basis,
           (SELECT count(*)
              FROM document_version o
             WHERE o.tenant_id = v.tenant_id AND o.source_id = s.source_id
               AND o.state = 'current') AS current_versions
      FROM current_chunk n
           JOIN source s USING (tenant_id, source_id)
           JOIN document_version v USING (tenant_id, version_id)
           LEFT JOIN {space_table(space_id)} e USING (tenant_id, input_hash)
     WHERE n.tenant_id = current_tenant()
     GROUP BY s.key, s.source_id, v.tenant_id, v.version_id, v.seq, v.state
"""  # noqa: S608 -- the identifier comes from space_table


def find_faults(rows: list[Record], seen: Mapping[str, int]) -> Iterator[str]:
    """Yield what is mixed, missing or gone back, against the newest seq seen so far of each key."""
    seqs: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        seqs[row["key"]].append(row["seq"])
        counts = row["offered"], row["live"]
        if counts != (row["chunks"],) * 2 or row["current_versions"] != 1:
            yield f"{row['key']}@{row['seq']} is not whole: {dict(row)}"
        if row["state"] != "current":
            yield f"{row['key']}@{row['seq']} is offered and {row['state']}"
    for key, found in seqs.items():
        if len(found) > 1:
            yield f"{key} is mixed of {found}"
        if max(found) < seen.get(key, 0):
            yield f"{key} went back from {seen[key]} to {found}"
    yield from (f"{key} is gone" for key in seen.keys() - seqs.keys())


async def poll(pool: Pool, seen: dict[str, int]) -> list[str]:
    """Look once, search once, and return the faults."""
    async with tenant_transaction(pool, TENANT, read_only=True) as conn:
        active = await active_space(conn)
        if active is None:
            return []
        rows = await conn.fetch(look(active[0]))
    faults = list(find_faults(rows, seen))
    seen.update({row["key"]: row["seq"] for row in rows})
    if rows:
        result = await semantic_search(
            pool, QUERY, tenant=TENANT, embedder=HashingEmbedder(), k=HITS
        )
        found: dict[str, set[int]] = defaultdict(set)
        for hit in result.hits:
            found[hit.source].add(hit.seq)
        faults += [f"a search mixed {key}: {seqs}" for key, seqs in found.items() if len(seqs) > 1]
        offered = min(HITS, sum(row["offered"] for row in rows))
        if result.basis == rows[0]["basis"] and len(result.hits) < offered:
            faults.append(f"a search found {len(result.hits)} of {offered}")
    return faults


async def watch(dsn: str, stop: str) -> None:
    """Poll until told to stop."""
    pool = await open_pool(dsn)
    seen: dict[str, int] = {}
    polls = 0
    print("begins", flush=True)
    while not await asyncio.to_thread(Path(stop).exists):
        for fault in await poll(pool, seen):
            print(f"FAULT {fault}", flush=True)
        polls += 1
        await asyncio.sleep(PAUSE_S)
    await pool.close()
    print(f"polls {polls}", flush=True)


if __name__ == "__main__":
    asyncio.run(watch(*sys.argv[1:]))
