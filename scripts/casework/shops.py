"""The public shops as canonical tables of a Postgres, a schema each."""

from __future__ import annotations

import sqlite3
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from casework.retail_rows import read_json, read_retail
from casework.shop_tables import DUMMYJSON, RETAIL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    import asyncpg

SHOPS: Final = ("retail", "northwind", "chinook", "dummyjson")
_TYPES: Final = {
    "INTEGER": "bigint",
    "NUMERIC": "numeric",
    "REAL": "numeric",
    "DATETIME": "timestamp",
    "DATE": "date",
    "BLOB": "bytea",
}


async def load_shop(connection: asyncpg.Connection, name: str, folder: Path) -> Mapping[str, int]:
    """Make the schema `name` anew from the public data in `folder`; return how many rows each table has."""
    async with connection.transaction():
        await connection.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE; CREATE SCHEMA {name}")
        if name in {"northwind", "chinook"}:
            counts = await _copy_database(connection, name, _open_database(name, folder))
        else:
            await connection.execute(RETAIL if name == "retail" else DUMMYJSON)
            rows = read_retail(folder) if name == "retail" else _dummyjson_rows(folder)
            counts = {
                table: await insert_rows(connection, (name, table), listed)
                for table, listed in rows.items()
            }
    await connection.execute("ANALYZE")
    return counts


def _open_database(name: str, folder: Path) -> sqlite3.Connection:
    if name == "chinook":
        file = folder / "Chinook_Sqlite.sqlite"
        return sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)
    database = sqlite3.connect(":memory:")
    database.executescript((folder / "create.sql").read_text("utf-8", errors="replace"))
    return database


async def _copy_database(
    connection: asyncpg.Connection, schema: str, database: sqlite3.Connection
) -> dict[str, int]:
    """Copy tables, keys and references of an SQLite database, with the names that it gives them."""
    listed = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
    tables = [name for (name,) in listed if not name.startswith("sqlite_")]
    for table in tables:
        await connection.execute(_declare_table(database, schema, table))
    counts: dict[str, int] = {}
    for table in tables:
        columns = database.execute(f"PRAGMA table_info({_quoted(table)})").fetchall()
        rows = database.execute(f"SELECT * FROM {_quoted(table)}")  # noqa: S608 -- a name of the file
        kinds = {column[1]: _type_of(column[2]) for column in columns}
        records = (dict(zip(kinds, row, strict=True)) for row in rows)
        counts[table] = await insert_rows(connection, (schema, table), records, kinds)
    for table in tables:
        for reference in _references(database, schema, table):
            await connection.execute(reference)
    return counts


def _declare_table(database: sqlite3.Connection, schema: str, table: str) -> str:
    columns = database.execute(f"PRAGMA table_info({_quoted(table)})").fetchall()
    lines = [f"{_quoted(name)} {_type_of(kind)}" for _, name, kind, *_ in columns]
    keys = sorted((place, name) for _, name, _, _, _, place in columns if place)
    if keys:
        lines.append(f"PRIMARY KEY ({', '.join(_quoted(name) for _, name in keys)})")
    return f"CREATE TABLE {schema}.{_quoted(table)} ({', '.join(lines)})"


def _references(database: sqlite3.Connection, schema: str, table: str) -> Iterator[str]:
    for _, _, other, here, there, *_ in database.execute(
        f"PRAGMA foreign_key_list({_quoted(table)})"
    ):
        yield (
            f"ALTER TABLE {schema}.{_quoted(table)} ADD FOREIGN KEY ({_quoted(here)})"
            f" REFERENCES {schema}.{_quoted(other)} ({_quoted(there or here)}) NOT VALID"
        )
        yield f"CREATE INDEX ON {schema}.{_quoted(table)} ({_quoted(here)})"


def _type_of(declared: str) -> str:
    return _TYPES.get(declared.partition("(")[0].strip().upper(), "text")


async def insert_rows(
    connection: asyncpg.Connection,
    table: tuple[str, str],
    rows: Iterable[Mapping[str, Any]],
    kinds: Mapping[str, str] | None = None,
) -> int:
    """Copy rows into a table; every row names the same columns."""
    listed = list(rows)
    if not listed:
        return 0
    columns = list(listed[0])
    told = kinds or {}
    await connection.copy_records_to_table(
        table[1],
        schema_name=table[0],
        columns=columns,
        records=[[_converted(row[name], told.get(name)) for name in columns] for row in listed],
    )
    return len(listed)


def _converted(value: Any, kind: str | None) -> Any:  # noqa: ANN401 -- whatever a column holds
    if value is None or kind is None:
        return value
    if kind == "numeric":
        return Decimal(str(value))
    if kind == "timestamp":
        return datetime.fromisoformat(str(value))
    if kind == "date":
        return date.fromisoformat(str(value)[:10])
    return value if kind in {"bigint", "bytea"} else str(value)


def _dummyjson_rows(folder: Path) -> dict[str, Iterable[Mapping[str, Any]]]:
    products, carts = (read_json(folder / f"{name}.json") for name in ("products", "carts"))
    return {
        "products": [
            {column: one.get(field) for column, field in _PRODUCT.items()} for one in products
        ],
        "carts": [{column: one[field] for column, field in _CART.items()} for one in carts],
        "cart_products": [
            {"cart_id": cart["id"], "line_no": at}
            | {column: one[field] for column, field in _IN_CART.items()}
            for cart in carts
            for at, one in enumerate(cart["products"], 1)
        ],
    }


_PRODUCT: Final = {
    "id": "id",
    "title": "title",
    "category": "category",
    "price": "price",
    "discount_percentage": "discountPercentage",
    "rating": "rating",
    "stock": "stock",
    "brand": "brand",
    "sku": "sku",
    "weight": "weight",
    "warranty": "warrantyInformation",
    "shipping": "shippingInformation",
    "availability_status": "availabilityStatus",
    "return_policy": "returnPolicy",
    "minimum_order_quantity": "minimumOrderQuantity",
}
_CART: Final = {
    "id": "id",
    "user_id": "userId",
    "total": "total",
    "discounted_total": "discountedTotal",
    "total_products": "totalProducts",
    "total_quantity": "totalQuantity",
}
_IN_CART: Final = {
    "product_id": "id",
    "price": "price",
    "quantity": "quantity",
    "total": "total",
    "discount_percentage": "discountPercentage",
}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
