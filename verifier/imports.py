"""Importing tables of other retrieval stores, with the vectors that they have."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from verifier.connections import STORE_DATABASE
from verifier.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Unpack

    from verifier.connections import Connections
    from verifier.core.ports import Embedder
    from verifier.core.spaces import EmbeddingSpace
    from verifier.ingest.foreign_rows import Grouping
    from verifier.ingest.requests import IngestOutcome, IngestTerms, Progress
    from verifier.ingest.taken_vectors import TakenVectors
    from verifier.ingest.taking_over import ImportReport
    from verifier.settings import Settings
    from verifier.store.foreign_places import ForeignPlace


class Imports:
    """Takes over tables of LangChain and LlamaIndex for one tenant. `Verifier.imports` is one."""

    def __init__(
        self, connections: Connections, settings: Settings, *, load_embedder: Callable[[], Embedder]
    ) -> None:
        self._connections = connections
        self._settings = settings
        self._load_embedder = load_embedder

    async def take_over(
        self,
        place: ForeignPlace,
        grouping: Grouping | None = None,
        *,
        database: str = STORE_DATABASE,
        trust_vectors: bool = False,
        skip_unusable: bool = False,
        on_read: Callable[[int], None] | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        **terms: Unpack[IngestTerms],
    ) -> ImportReport:
        """Make versions of the rows of a table, each row a chunk, and keep its vectors.

        The vectors must be of the model of the settings: a sample is embedded anew and compared, unless
        they are trusted, which also lets a store be filled whose model is not on this machine. Importing
        again leaves alone what did not change. Nothing is written before all rows were read, and never
        anything to their table, in `database`, which the settings declare. Raises InputError and its kin
        for what is wrong with table, rows or model, StoreError and ModelError.
        """
        from verifier.ingest.foreign_rows import Grouping
        from verifier.ingest.taken_rows import keeping_rows
        from verifier.ingest.taken_vectors import TakenVectors, compare_rows
        from verifier.ingest.taking_over import Collecting, summarise
        from verifier.store.foreign_tables import reading_foreign

        space, model = await self._choose_space(trusted=trust_vectors)
        pool = await self._connections.canonical(database)
        timeout_s = self._connections.canonical_timeout_s(database)
        with keeping_rows() as rows:
            collecting = Collecting(
                rows=rows, form=place.form, grouping=grouping or Grouping(), on_read=on_read
            )
            async with reading_foreign(pool, place, timeout_s=timeout_s) as stream:
                await collecting.collect(stream)
            await asyncio.to_thread(collecting.check, space, skip_unusable=skip_unusable)
            repetitions = await asyncio.to_thread(rows.leave_out_repeated, space.dimension)
            comparison = None
            if model is not None and not trust_vectors:
                comparison = await compare_rows(rows, model)
            await asyncio.to_thread(rows.index)
            vectors = TakenVectors(rows=rows, space=space, model=model)
            outcomes = await self._ingest(vectors, terms, on_progress)
            return summarise(
                collecting, outcomes, repetitions, comparison=comparison, embedded=vectors.asked
            )

    async def _ingest(
        self,
        vectors: TakenVectors,
        terms: IngestTerms,
        on_progress: Callable[[Progress], None] | None,
    ) -> tuple[IngestOutcome, ...]:
        from verifier.ingest.pipeline import ingest_documents
        from verifier.ingest.taken_documents import TakenRequests

        pool = await self._connections.store()
        _, sources = await asyncio.to_thread(vectors.rows.count)
        requests = TakenRequests(rows=vectors.rows, terms=terms, sources=sources)
        summary = await ingest_documents(
            pool, self._settings.tenant, vectors, requests, on_progress=on_progress
        )
        return summary.outcomes

    async def _choose_space(self, *, trusted: bool) -> tuple[EmbeddingSpace, Embedder | None]:
        """Return the space of the vectors, and the model where it is on this machine.

        Raises WrongEmbeddingSpace where the store's vectors are of another space.
        """
        from verifier.store.spaces import check_same_space

        active = await self._find_active()
        try:
            embedder = self._load_embedder()
            space = await asyncio.to_thread(lambda: embedder.space)
        except ModelError as error:
            if trusted and active is not None and active.model == self._settings.model:
                return active, None
            raise ModelError(
                f"{error}; without the model, vectors can be imported with --trust-vectors into a store"
                " that has vectors of it"
            ) from error
        if active is not None:
            check_same_space(active, space)
        return space, embedder

    async def _find_active(self) -> EmbeddingSpace | None:
        from verifier.store.pool import tenant_transaction
        from verifier.store.spaces import active_space

        pool = await self._connections.store()
        async with tenant_transaction(pool, self._settings.tenant, read_only=True) as conn:
            active = await active_space(conn)
        return None if active is None else active[1]
