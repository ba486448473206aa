"""Tables of LangChain and LlamaIndex are taken over: exact texts, the vectors that are there, versions."""

from __future__ import annotations

import asyncio
import json
import resource
from typing import TYPE_CHECKING, Any

import asyncpg
import numpy as np
import pytest

from tests.integration.foreign_stores import (
    PGVECTOR_STORE,
    READABLE,
    add_llama_index,
    add_pgvector,
    embedded,
    fill,
    make_llama_index,
    make_pgvector,
    write,
)
from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import dump
from verifier import open_verifier
from verifier.errors import (
    DatabaseUnavailable,
    InputError,
    ModelError,
    UnknownThing,
    WrongEmbeddingSpace,
)
from verifier.ingest.foreign_rows import Grouping
from verifier.ingest.requests import Outcome
from verifier.interfaces.cli.app import run
from verifier.settings import load_settings
from verifier.store.foreign_places import ForeignForm, ForeignPlace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.integration.conftest import Database
    from verifier import Verifier

LANGCHAIN = ForeignPlace(form=ForeignForm.LANGCHAIN)
LLAMA = ForeignPlace(form=ForeignForm.LLAMA_INDEX, table="handbook")
ROWS = (
    ("1", "Goods may be returned within 30 days.", {"source": "returns.md", "lang": "en"}),
    (
        "2",
        "  Shipping back costs $4.50.\nWe pay for faulty goods. ",
        {"source": "returns.md", "lang": "en"},
    ),
    ("3", "The shop opens at nine.", {"source": "hours.md", "lang": "en"}),
)


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture
async def verifier(fresh_database: Database, embedder: HashingEmbedder) -> AsyncIterator[Verifier]:
    settings = load_settings(
        None,
        dsn=fresh_database.app_dsn,
        databases={"chat": {"dsn": fresh_database.reader_dsn}},
        model="stems",
    )
    async with open_verifier(settings=settings, embedder=embedder) as opened:
        yield opened


async def take_over(verifier: Verifier, place: ForeignPlace = LANGCHAIN, **options: Any) -> Any:
    grouping = Grouping(
        **{
            name: options.pop(name)
            for name in ("source_key", "order_key", "each_row")
            if name in options
        }
    )
    return await verifier.imports.take_over(place, grouping, database="chat", **options)


def outcomes(report: Any) -> dict[str, tuple[str, int | None]]:
    return {one.key: (one.outcome.value, one.seq) for one in report.outcomes}


async def stored(database: Database) -> list[Any]:
    """Every current chunk: source, exact text, its input and its vector."""
    connection = await asyncpg.connect(database.owner_dsn)
    try:
        await connection.execute("SET search_path = verifier, public, extensions")
        return list(
            await connection.fetch(
                """SELECT s.key, n.ordinal, p.input, e.vec::text AS vector, e.live, c.page,
                          substr(v.text, c.start_at + 1, c.end_at - c.start_at) AS text, s.metadata
                     FROM current_chunk n
                          JOIN source s USING (tenant_id, source_id)
                          JOIN chunk c USING (tenant_id, version_id, ordinal)
                          JOIN document_version v USING (tenant_id, version_id)
                          JOIN passage p ON p.input_hash = n.input_hash
                          JOIN embedding_1 e ON e.input_hash = n.input_hash
                    ORDER BY s.key, n.ordinal"""
            )
        )
    finally:
        await connection.close()


async def count_versions(database: Database) -> int:
    connection = await asyncpg.connect(database.owner_dsn)
    try:
        return int(await connection.fetchval("SELECT count(*) FROM verifier.document_version"))
    finally:
        await connection.close()


async def test_a_collection_becomes_sources_with_the_vectors_that_it_has(
    fresh_database: Database, verifier: Verifier, embedder: HashingEmbedder
) -> None:
    await make_pgvector(fresh_database, ROWS)
    report = await take_over(verifier, by="anna")
    assert outcomes(report) == {"hours.md": ("new", 1), "returns.md": ("new", 1)}
    assert (report.rows, report.taken, report.embedded, report.left_out) == (3, 3, 0, {})
    assert report.comparison.compared == 3
    assert report.comparison.least > 0.9999
    assert embedder.calls == 1, "only the sample was embedded"
    rows = await stored(fresh_database)
    assert [(row["key"], row["text"]) for row in rows] == [
        ("hours.md", ROWS[2][1]),
        ("returns.md", ROWS[0][1]),
        ("returns.md", ROWS[1][1]),
    ]
    assert all(row["live"] for row in rows)
    for row in rows:
        [made] = await HashingEmbedder().embed_documents([row["text"]])
        assert float(np.dot(json.loads(row["vector"]), made)) > 0.999
    found = await verifier.semantic_search("may goods be returned", k=1, filters={"lang": "en"})
    assert found.hits[0].chunk_id == "returns.md@1#0"


async def test_importing_again_leaves_alone_what_did_not_change(
    fresh_database: Database, verifier: Verifier
) -> None:
    await make_pgvector(fresh_database, ROWS)
    await take_over(verifier)
    before = await dump(fresh_database, physical=True)
    report = await take_over(verifier)
    assert outcomes(report) == {"hours.md": ("unchanged", 1), "returns.md": ("unchanged", 1)}
    assert await dump(fresh_database, physical=True) == before
    await add_pgvector(fresh_database, [("3", "The shop opens at ten.", ROWS[2][2])])
    report = await take_over(verifier)
    assert outcomes(report) == {"hours.md": ("new", 2), "returns.md": ("unchanged", 1)}
    assert next(row["text"] for row in await stored(fresh_database)) == "The shop opens at ten."


async def test_a_changed_row_costs_no_new_vector_but_its_own(
    fresh_database: Database, verifier: Verifier, embedder: HashingEmbedder
) -> None:
    await make_pgvector(fresh_database, ROWS)
    await take_over(verifier)
    embedder.embedded.clear()
    await add_pgvector(fresh_database, [("2", "Shipping back is free.", ROWS[1][2])])
    await take_over(verifier, trust_vectors=True)
    assert embedder.embedded == []
    texts = {row["text"] for row in await stored(fresh_database) if row["key"] == "returns.md"}
    assert texts == {ROWS[0][1], "Shipping back is free."}


async def test_one_collection_of_several_is_named(
    fresh_database: Database, verifier: Verifier
) -> None:
    await make_pgvector(fresh_database, ROWS[:2])
    await make_pgvector(fresh_database, ROWS[2:], collection="it's", number=2)
    with pytest.raises(UnknownThing, match="handbook"):
        await take_over(verifier)
    with pytest.raises(UnknownThing, match="no collection 'x'"):
        await take_over(verifier, ForeignPlace(form=ForeignForm.LANGCHAIN, collection="x"))
    report = await take_over(verifier, ForeignPlace(form=ForeignForm.LANGCHAIN, collection="it's"))
    assert outcomes(report) == {"hours.md": ("new", 1)}


async def make_store(database: Database) -> None:
    await database.execute(PGVECTOR_STORE)
    await fill(
        database,
        """INSERT INTO handbook VALUES ($1::text::uuid, $2, $3::text::vector, $4, $5, $6)""",
        [
            (
                f"00000000-0000-0000-0000-{number:012}",
                text,
                await write(text),
                told["source"],
                7,
                json.dumps({"lang": told["lang"], "start_index": -number}),
            )
            for number, (_, text, told) in enumerate(ROWS)
        ],
    )
    await database.execute(READABLE)


async def test_columns_of_a_newer_table_are_metadata_too(
    fresh_database: Database, verifier: Verifier
) -> None:
    await make_store(fresh_database)
    place = ForeignPlace(form=ForeignForm.LANGCHAIN, table="handbook")
    await take_over(verifier, place)
    rows = await stored(fresh_database)
    assert [row["text"] for row in rows] == [ROWS[2][1], ROWS[1][1], ROWS[0][1]], "by start_index"
    assert json.loads(rows[1]["metadata"]) == {"source": "returns.md", "pages": 7, "lang": "en"}
    with pytest.raises(InputError, match="has no collections"):
        await take_over(
            verifier, ForeignPlace(form=ForeignForm.LANGCHAIN, table="handbook", collection="x")
        )


async def test_rows_are_ordered_by_a_number_that_they_tell(
    fresh_database: Database, verifier: Verifier
) -> None:
    told = [(str(n), f"Step {n} of the guide.", {"source": "g", "n": str(9 - n)}) for n in range(9)]
    await make_pgvector(fresh_database, told)
    await take_over(verifier, order_key="n")
    texts = [row["text"] for row in await stored(fresh_database)]
    assert texts == [f"Step {n} of the guide." for n in reversed(range(9))]
    await add_pgvector(fresh_database, [("x", "Step x.", {"source": "g", "n": "last"})])
    with pytest.raises(InputError, match="1 without a number in 'n' \\(ids x\\)"):
        await take_over(verifier, order_key="n")


async def test_each_row_may_be_a_source(fresh_database: Database, verifier: Verifier) -> None:
    await make_pgvector(fresh_database, ROWS)
    report = await take_over(verifier, each_row=True)
    assert outcomes(report) == dict.fromkeys("123", ("new", 1))


NODES = (
    (
        "a",
        "Goods may be returned within 30 days.",
        {"file_name": "returns.md", "secret": "s"},
        "doc-1",
    ),
    ("b", "Shipping back costs $4.50.", {"file_name": "returns.md", "page_label": "4"}, "doc-1"),
    ("c", "The shop opens at nine.", {"file_name": "{content} of hours"}, "doc-2"),
)


async def test_nodes_keep_what_they_were_embedded_as_apart_from_their_text(
    fresh_database: Database, verifier: Verifier
) -> None:
    await make_llama_index(fresh_database, NODES)
    report = await take_over(verifier, LLAMA)
    assert outcomes(report) == {"doc-1": ("new", 1), "doc-2": ("new", 1)}
    assert report.comparison.least > 0.9999
    assert not report.comparison.texts_alone
    rows = await stored(fresh_database)
    assert [(row["key"], row["text"], row["page"]) for row in rows] == [
        ("doc-1", NODES[0][1], None),
        ("doc-1", NODES[1][1], 4),
        ("doc-2", NODES[2][1], None),
    ]
    assert [row["input"] for row in rows] == [embedded(text, told) for _, text, told, _ in NODES]
    [hit] = (await verifier.semantic_search("when does the shop open", k=1)).hits
    assert (hit.source, hit.title) == ("doc-2", "{content} of hours")


async def test_vectors_of_bare_texts_are_known_by_comparison(
    fresh_database: Database, verifier: Verifier
) -> None:
    await make_llama_index(fresh_database, ())
    told = {"file_name": "a long name that turns the vector elsewhere altogether.md"}
    for number in range(30):
        name, text = f"n{number}", f"Text {number} stands here."
        await add_llama_index(fresh_database, [(name, text, told, "d")])
        await fill(
            fresh_database,
            "UPDATE data_handbook SET embedding = $1::text::vector WHERE node_id = $2",
            [(await write(text), name)],
        )
    report = await take_over(verifier, LLAMA)
    assert report.comparison.texts_alone
    assert all(row["input"] == row["text"] for row in await stored(fresh_database))


async def test_repeated_rows_are_told_and_left_out(
    fresh_database: Database, verifier: Verifier
) -> None:
    await make_llama_index(fresh_database, NODES)
    await add_llama_index(fresh_database, [("a", "Returned within 14 days.", {}, "doc-1")])
    await add_llama_index(fresh_database, [("again", NODES[1][1], NODES[1][2], "doc-1")])
    await add_llama_index(fresh_database, [("near", "shipping  back costs $4.50.", {}, "doc-1")])
    report = await take_over(verifier, LLAMA)
    assert (report.repetitions.same_id, report.repetitions.repeated) == (1, 1)
    assert report.repetitions.alike == 1
    assert (report.rows, report.taken) == (6, 4)
    texts = [row["text"] for row in await stored(fresh_database) if row["key"] == "doc-1"]
    assert texts == [NODES[1][1], "Returned within 14 days.", "shipping  back costs $4.50."]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("SET document = NULL WHERE id = '1'", "1 without text (ids 1)"),
        ("SET document = E' \\n' WHERE id = '1'", "1 without text (ids 1)"),
        ("SET embedding = NULL WHERE id IN ('1', '2')", "2 without a vector (ids 1, 2)"),
        ("SET embedding = embedding - embedding", "3 with a vector that has no direction"),
        ("SET embedding = '[1,2,3]' WHERE id = '3'", "1 with a vector of 3 dimensions"),
        ("SET cmetadata = '{\"path\": \"x\"}' WHERE id = '3'", "(there are: path)"),
        ("SET cmetadata = NULL", "3 that do not tell their source"),
        ("SET cmetadata = '[1]' WHERE id = '3'", "1 that do not tell their source"),
        ("SET cmetadata = '{\"source\": \" \"}' WHERE id = '3'", "1 that do not tell their source"),
    ],
)
async def test_rows_that_are_no_chunks_stop_the_import_unless_skipped(
    fresh_database: Database, verifier: Verifier, change: str, said: str
) -> None:
    await make_pgvector(fresh_database, ROWS)
    await fresh_database.execute(f"UPDATE langchain_pg_embedding {change}")
    with pytest.raises(InputError) as caught:
        await take_over(verifier)
    assert said in str(caught.value)
    assert "--skip-unusable" in str(caught.value)
    assert await count_versions(fresh_database) == 0
    if "3 " in said:
        return
    report = await take_over(verifier, skip_unusable=True)
    assert report.taken == 3 - sum(report.left_out.values())
    assert report.failed == 0


async def test_vectors_of_another_model_are_refused_and_nothing_is_written(
    fresh_database: Database, verifier: Verifier
) -> None:
    await make_pgvector(fresh_database, ROWS)
    other = await write(ROWS[2][1], embedder=HashingEmbedder(model="other"))
    await fill(
        fresh_database,
        "UPDATE langchain_pg_embedding SET embedding = $1::text::vector WHERE id = $2",
        [(other, "3")],
    )
    with pytest.raises(WrongEmbeddingSpace, match=r"tests/stems@1 .*: of 3 rows"):
        await take_over(verifier)
    assert await count_versions(fresh_database) == 0
    report = await take_over(verifier, trust_vectors=True)
    assert report.comparison is None
    assert len(report.outcomes) == 2


async def test_vectors_of_another_dimension_are_refused(
    fresh_database: Database, verifier: Verifier
) -> None:
    await make_pgvector(fresh_database, ROWS)
    await fresh_database.execute("UPDATE langchain_pg_embedding SET embedding = '[1,2,3]'")
    every: list[dict[str, Any]] = [{}, {"trust_vectors": True}, {"skip_unusable": True}]
    for options in every:
        with pytest.raises(
            WrongEmbeddingSpace, match=r"3 dimensions, those of tests/stems@1 .* 64"
        ):
            await take_over(verifier, **options)


async def test_a_store_of_another_model_is_refused_before_rows_are_read(
    fresh_database: Database, verifier: Verifier
) -> None:
    other = HashingEmbedder(model="other")
    async with open_verifier(fresh_database.app_dsn, embedder=other) as filled:
        await filled.ingest_text("a", "Something else.")
    with pytest.raises(WrongEmbeddingSpace, match="another model"):
        await take_over(verifier)


class AbsentModel(HashingEmbedder):
    """A model that is not on this machine."""

    @property
    def space(self) -> Any:
        raise ModelError("the model is not on this machine")


async def test_trusted_vectors_need_no_model_where_the_store_knows_it(
    fresh_database: Database, verifier: Verifier
) -> None:
    await make_pgvector(fresh_database, ROWS)
    settings = load_settings(
        None,
        dsn=fresh_database.app_dsn,
        databases={"chat": {"dsn": fresh_database.reader_dsn}},
        model="stems",
    )
    async with open_verifier(settings=settings, embedder=AbsentModel()) as without:
        with pytest.raises(ModelError, match="--trust-vectors"):
            await take_over(without)
        with pytest.raises(ModelError, match="that has vectors of it"):
            await take_over(without, trust_vectors=True)
        await verifier.ingest_text("first", "Something that makes the space.")
        report = await take_over(without, trust_vectors=True)
    assert len(report.outcomes) == 2
    assert (await verifier.semantic_search("shop opens", k=1)).hits[0].source == "hours.md"


@pytest.mark.parametrize(
    "place",
    [
        ForeignPlace(form=ForeignForm.LANGCHAIN),
        ForeignPlace(form=ForeignForm.LLAMA_INDEX),
        ForeignPlace(form=ForeignForm.LANGCHAIN, table="nowhere.at_all"),
        ForeignPlace(form=ForeignForm.LANGCHAIN, table='x"; DROP TABLE verifier.source; --'),
        ForeignPlace(form=ForeignForm.LANGCHAIN, table=""),
        ForeignPlace(form=ForeignForm.LANGCHAIN, table="a.b.c.d"),
    ],
)
async def test_a_table_that_is_not_there_is_named(
    fresh_database: Database, verifier: Verifier, place: ForeignPlace
) -> None:
    await make_store(fresh_database)
    with pytest.raises(InputError) as caught:
        await take_over(verifier, place)
    assert "handbook" in str(caught.value) or "can't be read" in str(caught.value)
    assert await count_versions(fresh_database) == 0


async def test_columns_of_other_names_are_chosen(
    fresh_database: Database, verifier: Verifier
) -> None:
    await make_store(fresh_database)
    for old, new in (("content", 'the "Text'), ("embedding", "Vec"), ("langchain_id", "id")):
        quoted = new.replace('"', '""')
        await fresh_database.execute(f'ALTER TABLE handbook RENAME "{old}" TO "{quoted}"')
    await fresh_database.execute('ALTER TABLE handbook RENAME TO "The Handbook"')
    place = ForeignPlace(form=ForeignForm.LANGCHAIN, table="The Handbook")
    with pytest.raises(InputError, match=r"no column 'langchain_id'.*--id-column.*Vec"):
        await take_over(verifier, place)
    named = {"table": "The Handbook", "id_column": "id", "text_column": 'the "Text'}
    with pytest.raises(InputError, match=r"'source' of .* is a text, no vector"):
        await take_over(
            verifier, ForeignPlace(form=ForeignForm.LANGCHAIN, vector_column="source", **named)
        )
    with pytest.raises(InputError, match=r"no column 'meta'.*--metadata-column"):
        await take_over(
            verifier,
            ForeignPlace(
                form=ForeignForm.LANGCHAIN, vector_column="Vec", metadata_column="meta", **named
            ),
        )
    report = await take_over(
        verifier, ForeignPlace(form=ForeignForm.LANGCHAIN, vector_column="Vec", **named)
    )
    assert len(report.outcomes) == 2


async def test_views_and_half_precision_are_read(
    fresh_database: Database, verifier: Verifier
) -> None:
    await make_store(fresh_database)
    await fresh_database.execute(
        """CREATE VIEW seen AS
           SELECT langchain_id, content, embedding::halfvec(64) AS embedding, source FROM handbook""",
        READABLE,
    )
    report = await take_over(
        verifier, ForeignPlace(form=ForeignForm.LANGCHAIN, table="public.seen")
    )
    assert report.comparison.least > 0.999
    assert len(report.outcomes) == 2


async def test_hostile_keys_and_texts_are_plain_data(
    fresh_database: Database, verifier: Verifier
) -> None:
    hostile = "a'; DROP TABLE verifier.source; -- {content} \\ %s $1 \u202e 文"
    await make_pgvector(fresh_database, [("1", f"{hostile} text", {"source": hostile, "n": [1]})])
    report = await take_over(verifier)
    assert outcomes(report) == {hostile: ("new", 1)}
    [row] = await stored(fresh_database)
    assert row["text"] == f"{hostile} text"
    long = "k" * 2_000
    await add_pgvector(fresh_database, [("2", "Fine otherwise.", {"source": long})])
    report = await take_over(verifier)
    assert report.failed == 1
    assert "1000 characters" in next(one.error for one in report.outcomes if one.key == long)


async def test_an_empty_table_and_a_table_out_of_reach_are_told(
    fresh_database: Database, verifier: Verifier
) -> None:
    await make_pgvector(fresh_database, [])
    with pytest.raises(InputError, match="no rows"):
        await take_over(verifier)
    await fresh_database.execute("REVOKE SELECT ON langchain_pg_embedding FROM verifier_reader")
    with pytest.raises(InputError, match=r"permission denied .*; grant SELECT"):
        await take_over(verifier)
    settings = load_settings(
        None,
        dsn=fresh_database.app_dsn,
        databases={"chat": {"dsn": "postgresql://u@127.0.0.1:1/d"}},
    )
    async with open_verifier(settings=settings, embedder=HashingEmbedder()) as elsewhere:
        with pytest.raises(DatabaseUnavailable):
            await take_over(elsewhere)


async def test_another_tenant_sees_nothing_of_it(
    fresh_database: Database, verifier: Verifier
) -> None:
    await make_pgvector(fresh_database, ROWS)
    await take_over(verifier)
    async with open_verifier(
        fresh_database.app_dsn, tenant="other", embedder=HashingEmbedder()
    ) as other:
        assert (await other.semantic_search("shop opens")).hits == ()
        assert await other.sources.list() == ()


async def test_an_import_that_was_cut_off_is_taken_up(
    fresh_database: Database, verifier: Verifier
) -> None:
    rows = [(str(n), f"Document {n} says {n * 7}.", {"source": f"s{n:03}"}) for n in range(200)]
    await make_pgvector(fresh_database, rows)

    def cut_off(progress: Any) -> None:
        if progress.documents > 70:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await take_over(verifier, on_progress=cut_off)
    told: list[int] = []
    report = await take_over(verifier, on_read=told.append)
    assert report.failed == 0
    assert told[-1] == 200
    assert {one.outcome for one in report.outcomes} == {Outcome.NEW, Outcome.UNCHANGED}
    kept = await stored(fresh_database)
    assert [row["text"] for row in kept] == [text for _, text, _ in rows]
    assert await count_versions(fresh_database) == 200


async def test_a_full_disk_is_told_and_nothing_is_written(
    fresh_database: Database, verifier: Verifier
) -> None:
    rows = [(str(n), f"Document {n} says {n}.", {"source": f"s{n}"}) for n in range(400)]
    await make_pgvector(fresh_database, rows)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
    try:
        with pytest.raises(InputError, match="make room there, or set TMPDIR"):
            await take_over(verifier)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert await count_versions(fresh_database) == 0


async def test_their_tables_are_only_read(fresh_database: Database, verifier: Verifier) -> None:
    await make_pgvector(fresh_database, ROWS)
    connection = await asyncpg.connect(fresh_database.owner_dsn)
    try:
        before = await connection.fetch("SELECT ctid, xmin, xmax, * FROM langchain_pg_embedding")
        await take_over(verifier)
        assert (
            await connection.fetch("SELECT ctid, xmin, xmax, * FROM langchain_pg_embedding")
            == before
        )
    finally:
        await connection.close()


def test_the_command_imports_with_the_model_that_is_packaged(
    fresh_database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    from verifier.inference.embedder import SentenceTransformerEmbedder

    async def make() -> None:
        vectors = await SentenceTransformerEmbedder().embed_documents([text for _, text, _ in ROWS])
        await make_pgvector(fresh_database, ROWS)
        await fill(
            fresh_database,
            "UPDATE langchain_pg_embedding SET embedding = $1::text::vector WHERE id = $2",
            [(str(vector.tolist()), row[0]) for vector, row in zip(vectors, ROWS, strict=True)],
        )
        await fresh_database.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO verifier_app")

    asyncio.run(make())
    line = ["import", "langchain", "--dsn", fresh_database.app_dsn, "--collection", "handbook"]
    assert run([*line, "--by", "anna"]) == 0
    shown = capsys.readouterr().out
    assert "returns.md" in shown
    assert "0 passages embedded, 3 taken over as they were" in shown
    assert "3 rows read, 3 taken over" in shown
    assert "3 vectors compared with the model: cosine 1.0000 or more" in shown
    assert run([*line, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["outcome"] for one in told["outcomes"]] == ["unchanged", "unchanged"]
    assert told["repetitions"] == {"same_id": 0, "repeated": 0, "alike": 0}
    search = [
        "search",
        "when does the shop open",
        "--dsn",
        fresh_database.app_dsn,
        "--json",
        "-k",
        "1",
    ]
    assert run(search) == 0
    assert json.loads(capsys.readouterr().out)["hits"][0]["source"] == "hours.md"


def test_the_command_tells_what_is_wrong_and_what_to_do(
    empty_database: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["import", "langchain", "--dsn", empty_database.owner_dsn, "--json"]
    assert run([*line, "--each-row", "--source-column", "x"]) == 2
    assert "leave out" in capsys.readouterr().err
    assert run(["import", "pinecone", "--dsn", empty_database.owner_dsn, "--json"]) == 2
