"""Tables as LangChain's and LlamaIndex's own stores make them, filled with real vectors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import asyncpg

from tests.integration.hashing_embedder import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.integration.conftest import Database

# What the models of langchain-postgres 0.0.19 and of LlamaIndex's PGVectorStore 0.9 become.
PGVECTOR = """
    CREATE TABLE langchain_pg_collection (
        uuid uuid NOT NULL PRIMARY KEY, name varchar NOT NULL UNIQUE, cmetadata json);
    CREATE TABLE langchain_pg_embedding (
        id varchar NOT NULL PRIMARY KEY,
        collection_id uuid REFERENCES langchain_pg_collection (uuid) ON DELETE CASCADE,
        embedding vector, document varchar, cmetadata jsonb);
    CREATE INDEX ix_cmetadata_gin ON langchain_pg_embedding USING gin (cmetadata jsonb_path_ops)
"""
PGVECTOR_STORE = """
    CREATE TABLE "public"."handbook" (
        "langchain_id" uuid PRIMARY KEY, "content" text NOT NULL, "embedding" vector(64) NOT NULL,
        "source" text, "pages" integer, "langchain_metadata" json)
"""
LLAMA_INDEX = """
    CREATE TABLE public.data_handbook (
        id bigserial PRIMARY KEY, text varchar NOT NULL, metadata_ json, node_id varchar,
        embedding vector(64));
    CREATE INDEX handbook_idx_1 ON public.data_handbook ((metadata_ ->> 'ref_doc_id'))
"""
READABLE = "GRANT SELECT ON ALL TABLES IN SCHEMA public TO verifier_reader"


async def write(vector_of: str, *, embedder: HashingEmbedder | None = None) -> str:
    """The vector of a text, in pgvector's text form."""
    [row] = await (embedder or HashingEmbedder()).embed_documents([vector_of])
    return "[" + ",".join(map(str, row.tolist())) + "]"


async def fill(database: Database, statement: str, rows: Sequence[Sequence[Any]]) -> None:
    """Run a statement as the owner for each row, in order."""
    connection = await asyncpg.connect(database.owner_dsn)
    try:
        await connection.executemany(statement, rows)
    finally:
        await connection.close()


async def make_pgvector(
    database: Database,
    rows: Sequence[tuple[str, str, Mapping[str, Any]]],
    *,
    collection: str = "handbook",
    number: int = 1,
) -> None:
    """A collection with rows of id, text and metadata, in PGVector's pair of tables."""
    if number == 1:
        await database.execute(PGVECTOR)
    key = f"00000000-0000-0000-0000-{number:012}"
    await fill(
        database, "INSERT INTO langchain_pg_collection VALUES ($1, $2, NULL)", [(key, collection)]
    )
    await add_pgvector(database, rows, number=number)
    await database.execute(READABLE)


async def add_pgvector(
    database: Database, rows: Sequence[tuple[str, str, Mapping[str, Any]]], *, number: int = 1
) -> None:
    """Rows of id, text and metadata; one of a known id is replaced, as LangChain's upsert does."""
    await fill(
        database,
        """INSERT INTO langchain_pg_embedding (id, collection_id, embedding, document, cmetadata)
           VALUES ($1, $2, $3::text::vector, $4, $5)
               ON CONFLICT (id) DO UPDATE SET embedding = EXCLUDED.embedding,
                  document = EXCLUDED.document, cmetadata = EXCLUDED.cmetadata""",
        [
            (
                name,
                f"00000000-0000-0000-0000-{number:012}",
                await write(text),
                text,
                json.dumps(told),
            )
            for name, text, told in rows
        ],
    )


async def make_llama_index(
    database: Database, rows: Sequence[tuple[str, str, Mapping[str, Any], str]]
) -> None:
    """Nodes of id, text, metadata and document, embedded with their metadata above the text."""
    await database.execute(LLAMA_INDEX)
    await add_llama_index(database, rows)
    await database.execute(READABLE)


async def add_llama_index(
    database: Database, rows: Sequence[tuple[str, str, Mapping[str, Any], str]]
) -> None:
    """Nodes added as LlamaIndex does: always a new row."""
    await fill(
        database,
        """INSERT INTO data_handbook (text, metadata_, node_id, embedding)
           VALUES ($1, $2, $3, $4::text::vector)""",
        [
            (
                text,
                json.dumps(node_metadata(told, document)),
                name,
                await write(embedded(text, told)),
            )
            for name, text, told, document in rows
        ],
    )


def embedded(text: str, metadata: Mapping[str, Any]) -> str:
    """What LlamaIndex embeds of a node by default."""
    lines = [f"{name}: {value}" for name, value in metadata.items() if name != "secret"]
    return "\n".join(lines) + f"\n\n{text}" if lines else text


def node_metadata(metadata: Mapping[str, Any], document: str) -> dict[str, Any]:
    node = {
        "id_": "n",
        "metadata": dict(metadata),
        "excluded_embed_metadata_keys": ["secret"],
        "excluded_llm_metadata_keys": [],
        "metadata_template": "{key}: {value}",
        "metadata_separator": "\n",
        "text": "",
        "text_template": "{metadata_str}\n\n{content}",
        "class_name": "TextNode",
    }
    told = {"_node_content": json.dumps(node), "_node_type": "TextNode"}
    return {**metadata, **told, **dict.fromkeys(("document_id", "doc_id", "ref_doc_id"), document)}
