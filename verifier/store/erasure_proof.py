"""Proving an erasure on the database as it is afterwards: by id, by search, by scan, by trying again.

Proved is what the tables hold, not the disk: rows that are gone stay in the table's file until VACUUM, and
in the write-ahead log and in backups as long as those are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.search_options import SearchMode, SearchOptions
from verifier.store.chunks import find_chunks
from verifier.store.scope import get_basis
from verifier.store.search import search_space
from verifier.store.tombstones import find_forbidding
from verifier.store.words import search_words

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from verifier.core.documents import SearchHit
    from verifier.store.erased_pieces import ErasedPieces
    from verifier.store.erasure import Erasure
    from verifier.store.pool import Connection

SEARCH_DEPTH: Final = 20
TIMEOUT_S: Final = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One way of searching for what was erased: how many queries, and how many hits held it."""

    by: str
    queries: int
    found: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableScan:
    """A table whose texts were read through, and how many of its rows held a piece."""

    table: str
    rows_with_text: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureProof:
    """What was tried afterwards. `holds` tells whether nothing of what was erased was found.

    `pieces` counts those that were sought, in all the tenant's tables; with none, the whole text also
    stands in the versions of `also_stands_in`. `refused` counts the texts that may not be ingested again.
    """

    chunk_ids: int
    resolved: int
    searches: tuple[Search, ...]
    pieces: int
    scans: tuple[TableScan, ...]
    texts: int
    refused: int
    also_stands_in: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether no id resolved, no search and no scan found anything, and every text is refused."""
        found = self.resolved + sum(each.found for each in self.searches)
        return found + sum(each.rows_with_text for each in self.scans) == 0 and (
            self.refused == self.texts
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenErasure:
    """An erasure and its proof; `proven` tells whether the proof holds."""

    erasure: Erasure
    proof: ErasureProof
    proven: bool


async def prove_erasure(
    conn: Connection, pieces: ErasedPieces, tell: Callable[[str], None] = lambda _told: None
) -> ErasureProof:
    """Return what a new transaction finds of what was erased."""
    resolved = await find_chunks(conn, pieces.chunk_ids)
    tell("searching for what was erased")
    searches = [each async for each in _search(conn, pieces)]
    scans: list[TableScan] = []
    for table in await _list_text_columns(conn):
        tell(f"reading through the table {table[0]}")
        scans.append(await _scan(conn, table, pieces.distinctive))
    return ErasureProof(
        chunk_ids=len(pieces.chunk_ids),
        resolved=len(resolved),
        searches=tuple(searches),
        pieces=len(pieces.distinctive),
        scans=tuple(scans),
        texts=len(pieces.texts),
        refused=len(await find_forbidding(conn, pieces.texts)),
        also_stands_in=pieces.also_stands_in,
    )


async def _search(conn: Connection, pieces: ErasedPieces) -> AsyncIterator[Search]:
    before = max(await get_basis(conn) - 1, 0)
    for space_id, vectors in pieces.vectors.items():
        for name, basis in (("now", None), (f"basis {before}", before)):
            options = SearchOptions(k=SEARCH_DEPTH, basis=basis)
            found = 0
            for vector in vectors:
                result = await search_space(conn, space_id, vector, options)
                found += sum(_holds(hit, pieces) for hit in result.hits)
            yield Search(by=f"vector, space {space_id}, {name}", queries=len(vectors), found=found)
        if vectors:
            options = SearchOptions(k=SEARCH_DEPTH, mode=SearchMode.WORDS)
            found = 0
            for piece in pieces.distinctive:
                result = await search_words(conn, space_id, vectors[0], options, query=piece)
                found += sum(_holds(hit, pieces) for hit in result.hits)
            yield Search(
                by=f"words, space {space_id}", queries=len(pieces.distinctive), found=found
            )


def _holds(hit: SearchHit, pieces: ErasedPieces) -> bool:
    if (hit.source, hit.seq) in pieces.places:
        return True
    return any(piece in hit.text for piece in pieces.distinctive)


LIST_TEXT_COLUMNS: Final[LiteralString] = """
    SELECT c.relname AS name, format('%I.%I', n.nspname, c.relname) AS qualified,
           string_agg(format('t.%I::text', a.attname), ', ' ORDER BY a.attnum) AS columns
      FROM pg_catalog.pg_class c
           JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
           JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
           JOIN pg_catalog.pg_type y ON y.oid = a.atttypid
     WHERE n.nspname = 'verifier'
       AND c.relkind IN ('r', 'p')
       AND has_table_privilege(c.oid, 'SELECT')
       AND y.typname IN ('text', 'varchar', 'json', 'jsonb', '_text', '_varchar', 'tsvector')
       AND EXISTS (SELECT
                     FROM pg_catalog.pg_attribute k
                    WHERE k.attrelid = c.oid AND k.attname = 'tenant_id')
     GROUP BY n.nspname, c.relname
     ORDER BY c.relname
"""


async def _list_text_columns(conn: Connection) -> tuple[tuple[str, str, str], ...]:
    """Return name, quoted name and quoted text columns of each table with rows of tenants."""
    rows = await conn.fetch(LIST_TEXT_COLUMNS)
    return tuple((row["name"], row["qualified"], row["columns"]) for row in rows)


def _count_rows(qualified: str, columns: str) -> str:
    return f"""
    SELECT count(*)
      FROM {qualified} t
     WHERE t.tenant_id = current_tenant()
       AND EXISTS (SELECT
                     FROM unnest($1::text[]) AS piece (words)
                    WHERE strpos(concat_ws(' ', {columns}), piece.words) > 0)
"""  # noqa: S608 - Postgres itself quoted the names


async def _scan(conn: Connection, table: tuple[str, str, str], pieces: Sequence[str]) -> TableScan:
    name, qualified, columns = table
    found = await conn.fetchval(_count_rows(qualified, columns), list(pieces), timeout=TIMEOUT_S)
    return TableScan(table=name, rows_with_text=found)
