"""Tables of other retrieval stores, found and read as they are: rows with a text, a vector and metadata.

Known are the tables of LangChain (PGVector's pair of collection and embedding, and the newer
PGVectorStore's one table) and of LlamaIndex (PGVectorStore). Nothing is ever written to them.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.errors import InputError, UnknownThing
from verifier.store.canonical_statement import quote_identifier
from verifier.store.foreign_places import ForeignForm, ForeignPlace, ForeignRow
from verifier.store.row_export import ROWS_A_FETCH, reading_rows

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from asyncpg import Record

    from verifier.store.canonical_pool import CanonicalPool
    from verifier.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    """The columns that a form has by default; the first of several that is there."""

    row_id: tuple[str, ...]
    text: str
    vector: str
    metadata: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    name: str
    type: str
    type_schema: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Relation:
    name: str
    kind: str
    columns: Mapping[str, _Column]

    @property
    def has_collections(self) -> bool:
        """Whether it is PGVector's table, whose rows belong to named collections."""
        return self.name.endswith(PGVECTOR_TABLE) and _COLLECTION in self.columns


PGVECTOR: Final = _Names(
    row_id=("id", "uuid"), text="document", vector="embedding", metadata="cmetadata"
)
PGVECTOR_STORE: Final = _Names(
    row_id=("langchain_id",), text="content", vector="embedding", metadata="langchain_metadata"
)
LLAMA_INDEX: Final = _Names(
    row_id=("node_id",), text="text", vector="embedding", metadata="metadata_"
)
PGVECTOR_TABLE: Final = "langchain_pg_embedding"
PGVECTOR_COLLECTIONS: Final = "langchain_pg_collection"
_COLLECTION: Final = "collection_id"
_VECTORS: Final = frozenset({"vector", "halfvec"})
_HAVE_PLACES: Final = frozenset("rm")
"""Tables and materialised views, whose rows have a place on the disk."""

LOCATE_RELATION: Final[LiteralString] = """
    SELECT c.oid::regclass::text AS relation, c.relkind::text AS kind, a.attname AS name,
           t.typname AS type, n.nspname AS type_schema
      FROM pg_catalog.pg_class c
           JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
           JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
           JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
     WHERE c.oid = coalesce(to_regclass($1), to_regclass(quote_ident($1)), to_regclass($2))
       AND c.relkind IN ('r', 'v', 'm', 'p', 'f')
     ORDER BY a.attnum
"""
LIST_VECTOR_TABLES: Final[LiteralString] = """
    SELECT DISTINCT c.oid::regclass::text AS relation
      FROM pg_catalog.pg_class c
           JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace AND s.nspname <> 'verifier'
           JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
           JOIN pg_catalog.pg_type t ON t.oid = a.atttypid AND t.typname IN ('vector', 'halfvec')
     WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f')
     ORDER BY 1
     LIMIT 10
"""


@asynccontextmanager
async def reading_foreign(
    pool: CanonicalPool, place: ForeignPlace, *, timeout_s: float
) -> AsyncIterator[AsyncIterator[ForeignRow]]:
    """Yield the rows, in no certain order and all of one state of the database.

    `timeout_s` is for each thousand rows. Raises InputError naming a table, a column or a collection that
    is not there, with those that are; DatabaseTimeout and DatabaseUnavailable.
    """
    async with reading_rows(pool, timeout_s) as connection:
        relation = await _locate(connection, place)
        collection = await _find_collection(connection, place, relation)
        source = f"{relation.name} AS t"
        arguments = () if collection is None else (collection,)
        if arguments:
            source = f"{source} WHERE t.{_COLLECTION} = $1"
        selected, is_half = _write_columns(place, relation)
        statement = f"SELECT {selected} FROM {source}"  # noqa: S608 -- names from the catalog, quoted
        yield _rows(connection, statement, arguments, is_half=is_half)


async def _rows(
    connection: Connection, statement: str, arguments: Sequence[object], *, is_half: bool
) -> AsyncIterator[ForeignRow]:
    async for row in connection.cursor(statement, *arguments, prefetch=ROWS_A_FETCH):
        yield ForeignRow(**dict(row), is_half=is_half)


async def _locate(connection: Connection, place: ForeignPlace) -> _Relation:
    told = place.table or _default_table(place.form)
    alternative = f"data_{told.lower()}" if place.form is ForeignForm.LLAMA_INDEX else told
    rows: list[Record] = await connection.fetch(LOCATE_RELATION, told, alternative)
    if not rows:
        there = [row["relation"] for row in await connection.fetch(LIST_VECTOR_TABLES)]
        raise UnknownThing(
            f"there is no table {told!r} to import from; name it with --table, with its schema if need be"
            f" (tables with vectors: {', '.join(there) or 'none'})"
        )
    columns = {
        row["name"]: _Column(name=row["name"], type=row["type"], type_schema=row["type_schema"])
        for row in rows
    }
    return _Relation(name=rows[0]["relation"], kind=rows[0]["kind"], columns=columns)


def _default_table(form: ForeignForm) -> str:
    return PGVECTOR_TABLE if form is ForeignForm.LANGCHAIN else "data_llamaindex"


def _list_collections(table: str) -> str:
    return f"SELECT name, uuid FROM {table} ORDER BY name"  # noqa: S608 -- as the catalog writes it


async def _find_collection(
    connection: Connection, place: ForeignPlace, relation: _Relation
) -> object:
    """Return the id of the collection that is meant, None where the table has none."""
    if not relation.has_collections:
        if place.collection is not None:
            raise InputError(f"{relation.name} has no collections; leave --collection out")
        return None
    table = f"{relation.name.removesuffix(PGVECTOR_TABLE)}{PGVECTOR_COLLECTIONS}"
    rows = await connection.fetch(_list_collections(table))
    known = {row["name"]: row["uuid"] for row in rows}
    if place.collection is None and len(known) == 1:
        return next(iter(known.values()))
    if place.collection not in known:
        names = ", ".join(repr(name) for name in list(known)[:20]) or "none"
        raise UnknownThing(
            f"name one collection of {relation.name} with --collection (there are: {names})"
            if place.collection is None
            else f"there is no collection {place.collection!r} (there are: {names})"
        )
    return known[place.collection]


def _write_columns(place: ForeignPlace, relation: _Relation) -> tuple[str, bool]:
    """Return what is selected of each row, and whether its vectors are of half precision."""
    names = _names(place, relation)
    row_id = _choose(relation, place.id_column, names.row_id, "--id-column")
    text = _choose(relation, place.text_column, (names.text,), "--text-column")
    vector = _choose(relation, place.vector_column, (names.vector,), "--vector-column")
    if vector.type not in _VECTORS:
        raise InputError(
            f"the column {vector.name!r} of {relation.name} is a {vector.type}, no vector; name the one"
            " with the vectors with --vector-column"
        )
    metadata = relation.columns.get(place.metadata_column or names.metadata)
    if place.metadata_column is not None:
        metadata = _choose(relation, place.metadata_column, (), "--metadata-column")
    send = f"{quote_identifier(vector.type_schema)}.{vector.type}_send"
    used = {column.name for column in (row_id, text, vector, metadata) if column is not None}
    parts = (
        f"{_quote(row_id)}::text AS row_id",
        f"{_quote(text)}::text AS text",
        f"{send}({_quote(vector)}) AS vector",
        f"{'NULL' if metadata is None else _quote(metadata)}::text AS metadata",
        f"{_write_further(relation, used, place.form)} AS columns",
        f"{_write_place(relation)} AS place",
    )
    return ", ".join(parts), vector.type == "halfvec"


def _names(place: ForeignPlace, relation: _Relation) -> _Names:
    if place.form is ForeignForm.LLAMA_INDEX:
        return LLAMA_INDEX
    return PGVECTOR if relation.has_collections else PGVECTOR_STORE


def _choose(relation: _Relation, told: str | None, names: Sequence[str], option: str) -> _Column:
    wanted = (told,) if told is not None else names
    for name in wanted:
        if name in relation.columns:
            return relation.columns[name]
    raise InputError(
        f"{relation.name} has no column {wanted[0]!r}; name the right one with {option}"
        f" (there are: {', '.join(relation.columns)})"
    )


def _write_further(relation: _Relation, used: set[str], form: ForeignForm) -> str:
    """Return the JSON text of the columns that are metadata too, each under its name."""
    numbered = form is ForeignForm.LLAMA_INDEX or relation.has_collections
    left_out = {*used, _COLLECTION, "id"} if numbered else used
    further = [
        column
        for column in relation.columns.values()
        if column.name not in left_out and column.type not in {*_VECTORS, "tsvector", "bytea"}
    ]
    if not further:
        return "NULL::text"
    names = ", ".join(_quote(column) for column in further)
    return f"(SELECT to_jsonb(further)::text FROM (SELECT {names}) AS further)"  # noqa: S608 -- quoted


def _write_place(relation: _Relation) -> str:
    number = relation.columns.get("id")
    if number is not None and number.type in {"int4", "int8"}:
        return "t.id::bigint"
    if relation.kind not in _HAVE_PLACES:
        return "0::bigint"
    return "((t.ctid::text::point)[0]::bigint * 65536 + (t.ctid::text::point)[1]::bigint)"


def _quote(column: _Column) -> str:
    return f"t.{quote_identifier(column.name)}"
