"""The sample shop's rows: the one place that writes canonical tables, and only those in schema `sample`."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.store.driver_errors import translate_errors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.store.pool import Connection

PUT_PRODUCTS: Final[LiteralString] = """
    INSERT INTO sample.product (id, name, price, currency, stock, deleted_at)
    SELECT id, name, price, currency, stock, deleted_at
      FROM jsonb_populate_recordset(NULL::sample.product, $1::text::jsonb)
    ON CONFLICT (id) DO UPDATE
       SET name = excluded.name, price = excluded.price, currency = excluded.currency,
           stock = excluded.stock, deleted_at = excluded.deleted_at
"""

PUT_CUSTOMERS: Final[LiteralString] = """
    INSERT INTO sample.customer (id, name, email)
    SELECT id, name, email
      FROM jsonb_populate_recordset(NULL::sample.customer, $1::text::jsonb)
    ON CONFLICT (id) DO UPDATE
       SET name = excluded.name, email = excluded.email
"""

PUT_ORDERS: Final[LiteralString] = """
    INSERT INTO sample.orders (id, customer_id, status, total, currency, tracking_number, placed_at)
    SELECT id, customer_id, status, total, currency, tracking_number, placed_at
      FROM jsonb_populate_recordset(NULL::sample.orders, $1::text::jsonb)
    ON CONFLICT (id) DO UPDATE
       SET customer_id = excluded.customer_id, status = excluded.status, total = excluded.total,
           currency = excluded.currency, tracking_number = excluded.tracking_number,
           placed_at = excluded.placed_at
"""

_STATEMENTS: Final[Mapping[str, LiteralString]] = MappingProxyType(
    {"product": PUT_PRODUCTS, "customer": PUT_CUSTOMERS, "orders": PUT_ORDERS}
)
"""In the order of their foreign keys."""


async def put_sample_rows(
    conn: Connection, rows: Mapping[str, Sequence[Mapping[str, object]]]
) -> None:
    """Insert or update `rows`, a list of JSON objects a table, in one transaction."""
    with translate_errors():
        async with conn.transaction():
            for table, statement in _STATEMENTS.items():
                await conn.execute(statement, json.dumps(rows.get(table, ())))
