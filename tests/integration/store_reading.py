"""What tests ask of a store: opening one, ingesting texts, and reading all that is in its tables."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypedDict, Unpack

import asyncpg

from tests.integration.hashing_embedder import HashingEmbedder
from verifier.core.documents import Document, SourceKey
from verifier.ingest.pipeline import ingest_documents
from verifier.ingest.requests import Actor, IngestOutcome, IngestRequest, IngestSummary
from verifier.store.pool import Pool, open_pool, tenant_transaction
from verifier.store.spaces import active_space

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
    from datetime import datetime

    from tests.integration.conftest import Database
    from verifier.core.documents import SearchHit
    from verifier.core.ports import Embedder

TENANT = "acme"


@asynccontextmanager
async def opened(database: Database) -> AsyncIterator[Pool]:
    pool = await open_pool(database.app_dsn)
    try:
        yield pool
    finally:
        await pool.close()


class Conditions(TypedDict, total=False):
    """What `request` takes besides key and text."""

    title: str
    url: str
    media_type: str
    actor: Actor
    by: str
    metadata: Mapping[str, object]
    valid_from: datetime
    review_until: datetime
    verified_by: str
    expected_current_version: int


def request(key: str, text: str, **conditions: Unpack[Conditions]) -> IngestRequest:
    document = Document(
        key=SourceKey(key),
        text=text,
        title=conditions.get("title"),
        url=conditions.get("url"),
        media_type=conditions.get("media_type", "text/plain"),
    )
    return IngestRequest(
        document=document,
        actor=conditions.get("actor", Actor.OPERATOR),
        by=conditions.get("by"),
        metadata=conditions.get("metadata"),
        valid_from=conditions.get("valid_from"),
        review_until=conditions.get("review_until"),
        verified_by=conditions.get("verified_by"),
        expected_current_version=conditions.get("expected_current_version"),
    )


async def ingest(
    pool: Pool, *requests: IngestRequest | IngestOutcome, embedder: Embedder | None = None
) -> IngestSummary:
    return await ingest_documents(pool, TENANT, embedder or HashingEmbedder(), requests)


async def ingest_one(
    pool: Pool,
    key: str,
    text: str,
    *,
    embedder: Embedder | None = None,
    **conditions: Unpack[Conditions],
) -> IngestOutcome:
    summary = await ingest(pool, request(key, text, **conditions), embedder=embedder)
    return summary.outcomes[0]


def paragraphs(*lines: str) -> str:
    """One chunk a line: each is long enough that no two share one."""
    return "\n\n".join(f"{line}. {FILLER}" for line in lines)


FILLER = " ".join(["The rest of this paragraph is of no interest to anybody at all."] * 8)


async def fetch(pool: Pool, statement: str, *arguments: object) -> list[asyncpg.Record]:
    async with tenant_transaction(pool, TENANT, read_only=True) as conn:
        return list(await conn.fetch(statement, *arguments))


async def fetch_value(pool: Pool, statement: str, *arguments: object) -> object:
    return (await fetch(pool, statement, *arguments))[0][0]


async def states(pool: Pool, key: str) -> dict[int, str]:
    rows = await fetch(
        pool,
        """SELECT v.seq, v.state FROM document_version v JOIN source s USING (tenant_id, source_id)
            WHERE s.key = $1 ORDER BY v.seq""",
        key,
    )
    return {row["seq"]: row["state"] for row in rows}


async def current_texts(pool: Pool, key: str) -> list[str]:
    rows = await fetch(
        pool,
        """SELECT substr(v.text, c.start_at + 1, c.end_at - c.start_at) AS text
             FROM current_chunk n
                  JOIN source s USING (tenant_id, source_id)
                  JOIN chunk c USING (tenant_id, version_id, ordinal)
                  JOIN document_version v USING (tenant_id, version_id)
            WHERE s.key = $1 AND n.permission = 'approved'
            ORDER BY n.ordinal""",
        key,
    )
    return [row["text"] for row in rows]


async def search(
    pool: Pool, query: str, *, k: int = 5, embedder: Embedder | None = None
) -> list[tuple[str, str]]:
    """Chunk ids and texts of the k nearest."""
    from verifier.store.search import semantic_search

    result = await semantic_search(
        pool, query, tenant=TENANT, embedder=embedder or HashingEmbedder(), k=k
    )
    return [(hit.chunk_id, hit.text) for hit in result.hits]


def similarity_of(hit: SearchHit) -> float:
    """The similarity of a hit that has one."""
    assert hit.similarity is not None
    return hit.similarity


async def live_share(pool: Pool) -> tuple[int, int]:
    """Live vectors of the active space, and all of them."""
    async with tenant_transaction(pool, TENANT, read_only=True) as conn:
        active = await active_space(conn)
        assert active is not None
        row = await conn.fetchrow(
            f"SELECT count(*) FILTER (WHERE live), count(*) FROM embedding_{active[0]}"  # noqa: S608
        )
    return row[0], row[1]


CLOCKS = "{created_at,recorded_at,permission_at,last_verified_at}"


async def dump(database: Database, *, physical: bool = False) -> Mapping[str, Sequence[str]]:
    """Every row of every table of the store as text, in order, and every sequence's value.

    `physical` adds each row's place and writing transaction, so that a rewrite of equal rows shows;
    without it the clocks are left out, so that two stores can be compared.
    """
    connection = await asyncpg.connect(database.owner_dsn)
    try:
        await connection.execute("SET search_path = verifier, public")
        tables = await connection.fetch(
            """SELECT c.relname, c.relkind FROM pg_class c
                WHERE c.relnamespace = 'verifier'::regnamespace AND c.relkind IN ('r', 'S')"""
        )
        rows: dict[str, list[str]] = {}
        for name, kind in ((t["relname"], t["relkind"]) for t in tables):
            place = "t.ctid::text || ' ' || t.xmin::text || ' '" if physical else "''"
            text = (
                "t::text"
                if physical or kind == b"S"
                else f"(to_jsonb(t) - '{CLOCKS}'::text[])::text"
            )
            statement = (
                f"SELECT last_value::text || is_called FROM {name}"  # noqa: S608
                if kind == b"S"
                else f"SELECT {place} || {text} FROM {name} t ORDER BY 1"  # noqa: S608
            )
            rows[name] = [row[0] for row in await connection.fetch(statement)]
        return rows
    finally:
        await connection.close()


HISTORY = {
    "sources": """
        SELECT key, title, url, permission, permission_by, metadata FROM source ORDER BY key""",
    "versions": """
        SELECT s.key, v.seq, v.content_hash, v.text, v.state, p.seq AS supersedes, v.reason, v.valid_from
          FROM document_version v
               JOIN source s USING (tenant_id, source_id)
               LEFT JOIN document_version p ON p.version_id = v.supersedes
         ORDER BY s.key, v.seq""",
    "chunks": """
        SELECT s.key, v.seq, c.ordinal, c.start_at, c.end_at, c.input_hash, c.heading_path
          FROM chunk c
               JOIN document_version v USING (tenant_id, version_id)
               JOIN source s USING (tenant_id, source_id)
         ORDER BY s.key, v.seq, c.ordinal""",
    "current chunks": """
        SELECT s.key, v.seq, c.ordinal, c.input_hash, c.permission
          FROM current_chunk c
               JOIN document_version v USING (tenant_id, version_id)
               JOIN source s ON s.source_id = c.source_id
         ORDER BY s.key, c.ordinal""",
    "publications": """
        SELECT s.key, v.seq, p.valid_from, p.valid_to, p.basis_from, p.basis_to
          FROM publication p
               JOIN document_version v USING (tenant_id, version_id)
               JOIN source s ON s.source_id = p.source_id
         ORDER BY p.basis_from, p.valid_from, v.seq""",
    "changes": """
        SELECT b.basis, b.action, s.key, v.seq
          FROM basis_change b
               JOIN source s USING (tenant_id, source_id)
               LEFT JOIN document_version v USING (tenant_id, version_id)
         ORDER BY b.basis""",
    "passages": "SELECT input_hash, input FROM passage ORDER BY input_hash",
    "tenant": "SELECT tenant_id, basis FROM tenant",
}


async def history(pool: Pool) -> Mapping[str, Sequence[object]]:
    """All that a store knows, by keys and seqs instead of numbers that a crash may use up."""
    known: dict[str, Sequence[object]] = {}
    for name, statement in HISTORY.items():
        known[name] = [tuple(row) for row in await fetch(pool, statement)]
    async with tenant_transaction(pool, TENANT, read_only=True) as conn:
        active = await active_space(conn)
        assert active is not None
        known["vectors"] = [
            tuple(row)
            for row in await conn.fetch(
                f"SELECT input_hash, live, vec::text FROM embedding_{active[0]} ORDER BY 1"  # noqa: S608
            )
        ]
    return known
