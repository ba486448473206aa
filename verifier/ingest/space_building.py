"""Filling an embedding space beside the one that answers, from what is stored.

Each batch is committed by itself, and only what has no vector yet is embedded: a build that was killed
goes on where it was. Builds that run at once begin at random places and skip what another embedded.
"""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from verifier.core.spaces import BuildExtent
from verifier.errors import DatabaseTimeout, ModelError, UnknownThing
from verifier.ingest.embedding import EMBED_BATCH, BatchEmbedding
from verifier.store.pool import retrying, tenant_transaction
from verifier.store.space_vectors import (
    Era,
    count_vectors,
    fill_space,
    find_page_end,
    list_embedded,
    list_missing,
    list_missing_of_sources,
)
from verifier.store.spaces import SpaceState, get_space, index_space, list_spaces, open_space

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

    from verifier.core.documents import InputHash
    from verifier.core.ports import Embedder
    from verifier.ingest.embedding import EmbeddedBatch
    from verifier.store.pool import Connection, Pool
    from verifier.store.space_vectors import SpaceCounts
    from verifier.store.spaces import SpaceId, StoredSpace

T = TypeVar("T")

PAGE_PASSAGES: Final = 1_000
"""Passages looked through at a time: their texts fit memory, and other builds are noticed soon."""

REFUSALS_LIMIT: Final = 1_000
"""Passages without a vector after which the model is given up on."""


class BuildPhase(StrEnum):
    """What a build is at."""

    CURRENT = "current"
    PAST = "past"
    INDEX = "index"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildProgress:
    """How far a phase of a build is; `seconds_left` is None before the first batch and for the index."""

    phase: BuildPhase
    embedded: int = 0
    to_embed: int = 0
    seconds_left: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceBuild:
    """What a build did, and what the space lacks now. `refused` is the first reason of the model."""

    space: StoredSpace
    embedded: int
    counts: SpaceCounts
    refused: str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every draft and current version has its vectors, so that it can be switched to."""
        return self.counts.missing_current == 0


async def build_space(
    pool: Pool,
    tenant: str,
    embedder: Embedder,
    *,
    extent: BuildExtent = BuildExtent.ALL,
    on_progress: Callable[[BuildProgress], None] | None = None,
) -> SpaceBuild:
    """Fill the embedder's space with what the store has, the present first, then index it.

    Searches and ingests go on; writers of this space alone wait for its index. Raises ModelError where
    the model can't be loaded or refuses a thousand passages, UnknownThing where the space is dropped
    meanwhile.
    """
    space = await asyncio.to_thread(lambda: embedder.space)
    await embedder.embed_documents(["a model that fails is found before anything is made"])
    async with tenant_transaction(pool, tenant) as conn:
        stored = await open_space(conn, space)
    filling = SpaceFilling(pool=pool, tenant=tenant, embedder=embedder, space_id=stored.space_id)
    filling.on_progress = on_progress
    await filling.embed_era(Era.CURRENT)
    if extent is BuildExtent.ALL:
        await filling.embed_era(Era.PAST)
    filling.report(BuildProgress(phase=BuildPhase.INDEX))
    async with tenant_transaction(pool, tenant) as conn:
        await index_space(conn, stored.space_id)
    async with tenant_transaction(pool, tenant, read_only=True) as conn:
        return SpaceBuild(
            space=await get_space(conn, stored.space_id),
            embedded=filling.embedded,
            counts=await count_vectors(conn, stored.space_id),
            refused=next(iter(filling.embedding.refused.values()), None),
        )


async def embed_beside(pool: Pool, tenant: str, embedder: Embedder, keys: Collection[str]) -> int:
    """Embed what the sources use into the embedder's space, if it is one being built; return how many.

    What the model refuses, or what comes while the space is indexed, stays missing there for the build.
    """
    space = await asyncio.to_thread(lambda: embedder.space)
    async with tenant_transaction(pool, tenant, read_only=True) as conn:
        building = [
            each.space_id
            for each in await list_spaces(conn)
            if each.space == space and each.state is SpaceState.BUILDING
        ]
        if not building or not keys:
            return 0
        missing = await list_missing_of_sources(conn, building[0], keys)
    filling = SpaceFilling(
        pool=pool, tenant=tenant, embedder=embedder, space_id=building[0], keeps_waiting=False
    )
    with suppress(DatabaseTimeout, UnknownThing):
        await filling.embed(missing, lambda _: None)
    return filling.embedded


@dataclass(slots=True, kw_only=True)
class SpaceFilling:
    """One run that fills a space."""

    pool: Pool
    tenant: str
    embedder: Embedder
    space_id: SpaceId
    keeps_waiting: bool = True
    embedded: int = 0
    on_progress: Callable[[BuildProgress], None] | None = None
    embedding: BatchEmbedding = field(init=False)

    def __post_init__(self) -> None:
        self.embedding = BatchEmbedding(
            embedder=self.embedder, dimension=self.embedder.space.dimension
        )

    async def embed_era(self, era: Era) -> None:
        """Embed every passage of an era that lacks its vector, also those that come meanwhile."""
        counts = await self._read(lambda conn: count_vectors(conn, self.space_id))
        missing = counts.missing_current if era is Era.CURRENT else counts.missing_past
        pace = _Pace(phase=BuildPhase(era.value), to_embed=missing, report=self.report)
        pace.tell(0)
        start = os.urandom(32) if missing > PAGE_PASSAGES else b""
        while await self._pass_over(era, start, pace) or start:
            start = b""

    async def embed(self, inputs: Mapping[InputHash, str], tell: Callable[[int], None]) -> None:
        """Embed the inputs in batches of like length, beginning anywhere, so that builds share them."""
        ordered = await self.embedding.order(inputs)
        starts = range(0, len(ordered), EMBED_BATCH)
        first = int.from_bytes(os.urandom(4), "big") % len(starts) if starts else 0
        for start in (*starts[first:], *starts[:first]):
            batch = ordered[start : start + EMBED_BATCH]
            self.embedded += await self._embed_batch(batch, inputs)
            tell(len(batch))

    def report(self, progress: BuildProgress) -> None:
        """Tell whoever asked for it how far the run is."""
        if self.on_progress is not None:
            self.on_progress(progress)

    async def _pass_over(self, era: Era, after: bytes, pace: _Pace) -> bool:
        """Go once through all passages behind `after`, and return whether any lacked its vector."""
        found = False
        end: bytes | None = after
        while end is not None:
            after = end
            end = await self._read(partial(find_page_end, after=after, passages=PAGE_PASSAGES))
            missing = await self._read(
                partial(list_missing, space_id=self.space_id, era=era, after=after, upto=end)
            )
            refused = self.embedding.refused
            wanted = {each: text for each, text in missing.items() if each not in refused}
            found = found or bool(wanted)
            await self.embed(wanted, pace.tell)
        return found

    async def _embed_batch(
        self, batch: Sequence[InputHash], inputs: Mapping[InputHash, str]
    ) -> int:
        standing = await self._read(lambda conn: list_embedded(conn, self.space_id, batch))
        left = [each for each in batch if each not in standing]
        embedded = await self.embedding.embed(left, inputs)
        if len(self.embedding.refused) >= REFUSALS_LIMIT:
            reason = next(iter(self.embedding.refused.values()))
            raise ModelError(
                f"{self.embedder.space} gave no vector for {REFUSALS_LIMIT:,} passages, first: {reason};"
                " choose a model that reads as much as the chunks hold"
            )
        if not embedded.hashes:
            return 0
        kept = await self._transact(partial(self._keep, embedded=embedded))
        return len(embedded.hashes) if kept else 0

    async def _keep(self, conn: Connection, embedded: EmbeddedBatch) -> bool:
        await get_space(conn, self.space_id)
        if not self.keeps_waiting:
            await conn.execute("SET LOCAL lock_timeout = '1s'")
        return await fill_space(conn, self.space_id, embedded.hashes, embedded.vectors)

    async def _read(self, ask: Callable[[Connection], Awaitable[T]]) -> T:
        async with tenant_transaction(self.pool, self.tenant, read_only=True) as conn:
            await get_space(conn, self.space_id)
            return await ask(conn)

    async def _transact(self, act: Callable[[Connection], Awaitable[T]]) -> T:
        async def attempt() -> T:
            async with tenant_transaction(self.pool, self.tenant) as conn:
                return await act(conn)

        return await retrying(attempt)


@dataclass(slots=True, kw_only=True)
class _Pace:
    """How fast a phase goes, for the time that is left."""

    phase: BuildPhase
    to_embed: int
    report: Callable[[BuildProgress], None]
    done: int = 0
    started_at: float = field(default_factory=time.monotonic)

    def tell(self, done: int) -> None:
        """Report `done` more passages."""
        self.done += done
        self.to_embed = max(self.to_embed, self.done)
        spent = time.monotonic() - self.started_at
        left = (self.to_embed - self.done) * spent / self.done if self.done else None
        self.report(
            BuildProgress(
                phase=self.phase, embedded=self.done, to_embed=self.to_embed, seconds_left=left
            )
        )
