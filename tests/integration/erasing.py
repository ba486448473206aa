"""Erasing as tests do it: through the service, with the proof, and looking at all that is left."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import TENANT, dump
from verifier.service import open_verifier
from verifier.store.erasure import ErasureOrder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database
    from verifier.service import Verifier
    from verifier.store.erasure_proof import ProvenErasure

OF_ANNA = (
    "Anna Meier of Lindenweg 12 in Bern may return her three blue lamps until the last day of March"
)
"""Seventeen words and more that stand nowhere else."""


def order(key: str, *, seq: int | None = None, labels: bool = False) -> ErasureOrder:
    return ErasureOrder(key=key, by="ada", reason="a request of 3 May", seq=seq, labels=labels)


@asynccontextmanager
async def service(database: Database, tenant: str = TENANT) -> AsyncIterator[Verifier]:
    async with open_verifier(
        database.app_dsn, tenant=tenant, embedder=HashingEmbedder()
    ) as verifier:
        yield verifier


async def erase(
    database: Database, key: str, *, seq: int | None = None, labels: bool = False
) -> ProvenErasure:
    async with service(database) as verifier:
        return await verifier.sources.erase(order(key, seq=seq, labels=labels))


async def rows_with(database: Database, text: str) -> dict[str, int]:
    """In which tables rows hold the text, of whatever tenant, as the superuser reads them."""
    tables = await dump(database, physical=True)
    found = {name: sum(text in row for row in rows) for name, rows in tables.items()}
    return {name: number for name, number in found.items() if number}
