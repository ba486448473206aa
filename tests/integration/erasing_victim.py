"""A program that erases a source and tells how far it is, to be killed; arguments: DSN, tenant, key."""

from __future__ import annotations

import asyncio
import sys

from tests.integration.erasing import order
from tests.integration.hashing_embedder import HashingEmbedder
from verifier.service import open_verifier


async def _erase(dsn: str, tenant: str, key: str) -> None:
    def tell(told: str) -> None:
        sys.stdout.write(f"{told}\n")
        sys.stdout.flush()

    async with open_verifier(dsn, tenant=tenant, embedder=HashingEmbedder()) as verifier:
        await verifier.sources.erase(order(key), tell=tell)


if __name__ == "__main__":
    asyncio.run(_erase(*sys.argv[1:]))
