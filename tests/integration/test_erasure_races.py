"""An erasure beside ingests, searches, other erasures, and killed in the middle: all of it, or nothing."""

from __future__ import annotations

import asyncio
import os
import random
import sys
from typing import TYPE_CHECKING

import asyncpg

from tests.integration.erasing import OF_ANNA, erase, order, rows_with, service
from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.policy_pages import REPOSITORY
from tests.integration.store_invariants import find_breaches
from tests.integration.store_reading import (
    TENANT,
    dump,
    fetch_value,
    ingest_one,
    opened,
    paragraphs,
    states,
)
from verifier.errors import InputError
from verifier.ingest.requests import Outcome

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tests.integration.conftest import Database
    from verifier.store.erasure_proof import ProvenErasure

PRIVATE = paragraphs(OF_ANNA, "Lamps of other people are no concern of this letter")


class InterruptedEmbedder(HashingEmbedder):
    """Lets something happen while the model works for the first time."""

    meanwhile: Callable[[], Awaitable[object]] | None = None

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        act, self.meanwhile = self.meanwhile, None
        if act is not None:
            await act()
        return await super().embed_documents(texts)


async def test_a_version_that_is_erased_while_it_is_embedded_is_not_published(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", paragraphs("An older letter"))
        embedder = InterruptedEmbedder()
        embedder.meanwhile = lambda: erase(fresh_database, "d")
        outcome = await ingest_one(pool, "d", PRIVATE, embedder=embedder)
        assert outcome.outcome is Outcome.FAILED
        assert "d@2 was erased meanwhile" in (outcome.error or "")
        assert await states(pool, "d") == {1: "erased", 2: "erased"}
        assert await rows_with(fresh_database, OF_ANNA) == {}
        assert await fetch_value(pool, "SELECT count(*) FROM embedding_1") == 0
        assert await find_breaches(pool) == []


async def test_of_two_erasures_one_is_told_that_nothing_is_left(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", PRIVATE)
        done = await asyncio.gather(
            *(erase(fresh_database, "d") for _ in range(3)), return_exceptions=True
        )
        refused = [one for one in done if isinstance(one, InputError)]
        assert len(refused) == 2
        assert all("nothing left to erase" in str(one) for one in refused)
        assert await fetch_value(pool, "SELECT count(*) FROM tombstone") == 1
        assert await rows_with(fresh_database, OF_ANNA) == {}


async def wait_for_more(seen: Sequence[object]) -> None:
    """Wait until each of three searchers has ended a search that began after this call."""
    enough = len(seen) + 6
    async with asyncio.timeout(60):
        while len(seen) < enough:  # noqa: ASYNC110 - a list tells nobody that it grew
            await asyncio.sleep(0.01)


async def test_searches_meanwhile_see_all_of_it_or_nothing(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest_one(pool, "d", PRIVATE)
        await ingest_one(pool, "e", paragraphs("Another letter"))
        seen: list[frozenset[str]] = []
        ended = asyncio.Event()

        async def look() -> None:
            while not ended.is_set():
                result = await verifier.semantic_search(OF_ANNA, k=5)
                assert all(hit.text for hit in result.hits)
                seen.append(frozenset(hit.chunk_id for hit in result.hits))

        looking = [asyncio.create_task(look()) for _ in range(3)]
        await wait_for_more(seen)
        assert (await erase(fresh_database, "d")).proven
        await wait_for_more(seen)
        ended.set()
        await asyncio.gather(*looking)
        assert set(seen) == {frozenset({"d@1#0", "d@1#1", "e@1#0"}), frozenset({"e@1#0"})}


async def test_the_same_text_comes_before_the_erasure_or_not_at_all(
    fresh_database: Database,
) -> None:
    chosen = random.Random(5)  # noqa: S311 - no secret
    async with opened(fresh_database) as pool:
        came = []
        for number in range(12):
            text = PRIVATE.replace("Anna", f"Anna {number}")
            await ingest_one(pool, f"d{number}", text)

            async def erase_later(key: str, wait_s: float) -> ProvenErasure:
                await asyncio.sleep(wait_s)
                return await erase(fresh_database, key)

            outcome, done = await asyncio.gather(
                ingest_one(pool, f"e{number}", text),
                erase_later(f"d{number}", chosen.uniform(0, 0.05)),
            )
            assert done.proven
            if outcome.outcome is Outcome.NEW:
                assert f"e{number}@1" in done.proof.also_stands_in
                assert await states(pool, f"e{number}") == {1: "current"}
            else:
                assert "was erased on" in (outcome.error or "")
                assert await rows_with(fresh_database, f"Anna {number} Meier") == {}
            came.append(outcome.outcome)
        assert await find_breaches(pool) == []


async def wait_for_backends(database: Database) -> None:
    """Wait until no other session is left in the database: a killed client's transaction has ended."""
    connection = await asyncpg.connect(database.owner_dsn)
    try:
        while await connection.fetchval(  # noqa: ASYNC110 - the server tells nobody when a session ends
            """SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                  AND backend_type = 'client backend'"""
        ):
            await asyncio.sleep(0.02)
    finally:
        await connection.close()


async def test_killed_in_the_middle_it_did_all_or_nothing(fresh_database: Database) -> None:
    chosen = random.Random(8)  # noqa: S311 - no secret
    keys = [f"d{number}" for number in range(10)]
    async with opened(fresh_database) as pool:
        for key in keys:
            lines = [
                f"{key} line {n} of what {key} told Anna Meier about lamps of {key}"
                for n in range(60)
            ]
            await ingest_one(pool, key, paragraphs(*lines))
        await fresh_database.execute(
            f"""INSERT INTO verifier.report (tenant_id, report_id, answer, turn, report, accepted, claims,
                       verifier_version)
                SELECT '{TENANT}', 'r' || n, said, '{{}}', jsonb_build_object('answer', said), true, 0, '0'
                  FROM generate_series(0, 999) AS n,
                       LATERAL (SELECT format('%1$s line 7 of what %1$s told Anna Meier about lamps of %1$s',
                                       'd' || n % 10) AS said) AS t"""  # noqa: S608 - own constants
        )
    ended = []
    for key in keys:
        before = await dump(fresh_database)
        victim = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.integration.erasing_victim"),
            *(fresh_database.app_dsn, TENANT, key),
            stdout=asyncio.subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        )
        assert victim.stdout is not None
        for _ in range(chosen.randrange(1, 12)):
            await victim.stdout.readline()
        await asyncio.sleep(chosen.uniform(0, 0.05))
        victim.kill()
        await victim.wait()
        await wait_for_backends(fresh_database)
        left = await rows_with(fresh_database, f"{key} line")
        ended.append(bool(left))
        if left:
            after = await dump(fresh_database)
            tables = [name for name in before if not name.endswith("_seq")]
            assert {name: after[name] for name in tables} == {name: before[name] for name in tables}
        else:
            async with opened(fresh_database) as pool:
                assert await states(pool, key) == {1: "erased"}
                redacted = "SELECT count(*) FROM report WHERE answer = '[erased]'"
                erased = sum(not undone for undone in ended)
                assert await fetch_value(pool, redacted) == 100 * erased
    assert set(ended) == {True, False}
    async with opened(fresh_database) as pool:
        assert await find_breaches(pool) == []
        for key, undone in zip(keys, ended, strict=True):
            if undone:
                async with service(fresh_database) as verifier:
                    assert (await verifier.sources.erase(order(key))).proven
        assert await rows_with(fresh_database, "told Anna Meier") == {}
