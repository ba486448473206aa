"""Mending what `doctor` finds: what can be made again from what is stored, and what nothing uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, LiteralString

from verifier.store.basis import BasisAction, take_basis
from verifier.store.passages import add_current_chunks, remove_current_chunks
from verifier.store.sources import lock_source
from verifier.store.spaces import LONGEST_WAIT_S
from verifier.store.versions import find_current_version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.store.pool import Connection

PASSAGES_A_STEP: Final = 2_000

MEND_SEARCH_COLUMN: Final[LiteralString] = """
    SELECT mend_passage_search($1)
"""
SWEEP_PASSAGES: Final[LiteralString] = """
    SELECT sweep_passages($1)
"""
ANALYZE_STORE: Final[LiteralString] = """
    SELECT analyze_store()
"""


async def mend_search_column(conn: Connection) -> int:
    """Compute some text-search columns anew that differ from their text; return how many, 0 at the end."""
    mended: int = await conn.fetchval(MEND_SEARCH_COLUMN, PASSAGES_A_STEP, timeout=LONGEST_WAIT_S)
    return mended


async def sweep_passages(conn: Connection) -> int:
    """Remove some passages of which no chunk consists, with their vectors; return how many, 0 at the end.

    Waits for every transaction that is adding chunks.
    """
    swept: int = await conn.fetchval(SWEEP_PASSAGES, PASSAGES_A_STEP, timeout=LONGEST_WAIT_S)
    return swept


async def mend_current_chunks(conn: Connection, key: str) -> None:
    """Offer searches the chunks of the source's current version, and no others."""
    source = await lock_source(conn, key)
    current = await find_current_version(conn, source.source_id)
    await remove_current_chunks(conn, source.source_id)
    if current is not None:
        await add_current_chunks(conn, current.version_id)


CLOSE_PUBLICATIONS: Final[LiteralString] = """
    UPDATE publication
       SET basis_to = $2
     WHERE tenant_id = current_tenant() AND publication_id = ANY ($1::bigint[]) AND basis_to IS NULL
"""


async def close_overlapped(conn: Connection, key: str, publications: Sequence[int]) -> None:
    """Close publications that newer ones of the source overlap, as a correction of validity of its own."""
    source = await lock_source(conn, key)
    basis = await take_basis(
        conn, source.source_id, BasisAction.CORRECT_VALIDITY, by="verifier doctor"
    )
    await conn.execute(CLOSE_PUBLICATIONS, list(publications), basis)


async def analyze_store(conn: Connection) -> None:
    """Gather the planner's statistics of every table of the store."""
    await conn.execute(ANALYZE_STORE, timeout=LONGEST_WAIT_S)
