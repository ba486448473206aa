"""A store of many chunks made of public sentences, four of five with one word that all of those share."""

from __future__ import annotations

import hashlib
import random
from typing import TYPE_CHECKING, Final

import asyncpg
import numpy as np
from pgvector import HalfVector
from pgvector.asyncpg import register_vector

from casework.retrievalsets import read_sets
from verifier.store.schema import upgrade_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

TENANT: Final = "words"
DIMENSION: Final = 384
FREQUENT: Final = "product"
_CHUNKS_A_SOURCE: Final = 100
_CENTRES: Final = 500
_COPIED: Final = 10_000

ADD_SOURCES: Final = """
    INSERT INTO source (tenant_id, key, permission)
    SELECT $1, 's' || n, 'approved' FROM generate_series(1, $2::integer) AS n
"""
ADD_VERSIONS: Final = """
    INSERT INTO document_version (tenant_id, source_id, seq, text, content_hash, state)
    SELECT tenant_id, source_id, 1, 'text', sha256('text'), 'current' FROM source
"""
LIST_VERSIONS: Final = "SELECT source_id, version_id FROM document_version ORDER BY source_id"
LIST_INDEXES: Final = """
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
      FROM pg_index
     WHERE indrelid = $1::text::regclass AND NOT indisprimary
"""


def list_sentences() -> list[str]:
    """Return sentences of the documentation and of the English paragraphs."""
    sets = {each.corpus: each.texts for each in read_sets() if each.language == "en"}
    texts = [text for one in sets.values() for text in one.values()]
    parts = (part.strip() for text in texts for part in text.replace("\n", " ").split(". "))
    return [part for part in parts if 30 < len(part) < 300]


async def fill_store(
    owner_dsn: str, chunks: int, *, seed: int, say: Callable[[str], None]
) -> NDArray[np.float32]:
    """Make a store of so many current chunks, and return the centres of its vectors."""
    await upgrade_schema(owner_dsn)
    conn = await asyncpg.connect(owner_dsn, server_settings={"search_path": "verifier, public"})
    try:
        await register_vector(conn, schema="public")
        # Rows are made whole and right here: neither foreign keys nor triggers are looked at.
        await conn.execute("SET session_replication_role = replica; SET verifier.tenant = 'words'")
        await conn.execute("INSERT INTO tenant (tenant_id) VALUES ($1)", TENANT)
        space = await conn.fetchval(
            "SELECT ensure_embedding_space('bench', 'centres', '1', $1, 'cosine', '', '')",
            DIMENSION,
        )
        table = f"embedding_{space}"
        sources = -(-chunks // _CHUNKS_A_SOURCE)
        await conn.execute(ADD_SOURCES, TENANT, sources)
        await conn.execute(ADD_VERSIONS)
        indexes = await conn.fetch(LIST_INDEXES, table)
        for index in indexes:
            await conn.execute(f"DROP INDEX {index['name']}")
        centres = np.random.default_rng(seed).normal(size=(_CENTRES, DIMENSION)).astype(np.float32)
        versions = [tuple(row) for row in await conn.fetch(LIST_VERSIONS)]
        rows = _rows(chunks, versions, centres, seed)
        done = 0
        while batch := [row for row, _ in zip(rows, range(_COPIED), strict=False)]:
            await _copy(conn, table, batch)
            done += len(batch)
            say(f"{done} of {chunks} chunks written")
        say("building the index")
        await conn.execute("SET maintenance_work_mem = '1GB'")
        for index in indexes:
            if index["definition"].endswith("live"):
                await conn.execute(index["definition"])
        await conn.execute("VACUUM ANALYZE")
    finally:
        await conn.close()
    return centres


def _rows(
    chunks: int,
    versions: list[tuple[int, int]],
    centres: NDArray[np.float32],
    seed: int,
) -> Iterator[tuple[bytes, str, int, int, int, HalfVector]]:
    """Yield hash, text, source, version, ordinal and vector of each chunk."""
    choose = random.Random(seed)  # noqa: S311 -- repeatable, not secret
    noise = np.random.default_rng(seed)
    sentences = list_sentences()
    for number in range(chunks):
        shared = f" This {FREQUENT} ships." if choose.random() < 0.8 else ""
        text = f"{'. '.join(choose.sample(sentences, 5))}.{shared} It is SKU-{number}."
        source_id, version_id = versions[number // _CHUNKS_A_SOURCE]
        vector = centres[choose.randrange(_CENTRES)] + noise.normal(size=DIMENSION) * 0.5
        yield (
            hashlib.sha256(text.encode()).digest(),
            text,
            source_id,
            version_id,
            number % _CHUNKS_A_SOURCE,
            HalfVector((vector / np.linalg.norm(vector)).astype(np.float32)),
        )


async def _copy(
    conn: asyncpg.Connection,
    table: str,
    rows: list[tuple[bytes, str, int, int, int, HalfVector]],
) -> None:
    copied = {
        "passage": (
            ["tenant_id", "input_hash", "input"],
            [(TENANT, row[0], row[1]) for row in rows],
        ),
        "chunk": (
            ["tenant_id", "version_id", "ordinal", "start_at", "end_at", "input_hash"],
            [(TENANT, row[3], row[4], 0, 4, row[0]) for row in rows],
        ),
        "current_chunk": (
            ["tenant_id", "source_id", "ordinal", "version_id", "input_hash", "permission"],
            [(TENANT, row[2], row[4], row[3], row[0], "approved") for row in rows],
        ),
        table: (
            ["tenant_id", "input_hash", "live", "vec"],
            [(TENANT, row[0], True, row[5]) for row in rows],
        ),
    }
    for name, (columns, records) in copied.items():
        await conn.copy_records_to_table(
            name, schema_name="verifier", columns=columns, records=records
        )
