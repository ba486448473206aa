"""Reading the rows of a table or of a query, one by one and as JSON, without ever writing."""

from __future__ import annotations

import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, LiteralString

from asyncpg import exceptions as driver

from verifier.errors import DatabaseTimeout, DatabaseUnavailable, InputError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from verifier.store.canonical_pool import CanonicalPool
    from verifier.store.pool import Connection

ROWS_A_FETCH: Final = 1_000
_TABLE: Final = re.compile(  # shop.product, "Order"
    r"""(?: [\w$]+ | "[^"\x00]+" ) (?: \. (?: [\w$]+ | "[^"\x00]+" ) )?""", re.VERBOSE
)
_MISTAKES: Final = (
    driver.SyntaxOrAccessError,
    driver.DataError,
    driver.FeatureNotSupportedError,
    driver.ReadOnlySQLTransactionError,
    driver.CardinalityViolationError,
)

LOCATE_TABLE: Final[LiteralString] = """
    SELECT c.oid::regclass::text AS name,
           (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.place)
              FROM pg_catalog.pg_index i
                   CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (number, place)
                   JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
             WHERE i.indrelid = c.oid AND i.indisprimary) AS primary_key
      FROM pg_catalog.pg_class c
     WHERE c.oid = to_regclass($1) AND c.relkind IN ('r', 'v', 'm', 'p', 'f')
"""


async def export_rows(pool: CanonicalPool, rows: str, *, timeout_s: float) -> AsyncIterator[str]:
    """Yield each row as a line of JSON, figures as Postgres writes them.

    `rows` is the name of a table, whose rows come in the order of its primary key, or one SELECT
    statement. All is read in one read-only transaction; `timeout_s` is for each thousand rows. Raises
    InputError where the statement can't be run, DatabaseTimeout and DatabaseUnavailable.
    """
    async with reading_rows(pool, timeout_s) as connection:
        statement = await _write_statement(connection, rows)
        async for record in connection.cursor(statement, prefetch=ROWS_A_FETCH):
            yield record[0]


async def _write_statement(connection: Connection, rows: str) -> str:
    told = rows.strip().rstrip(";").rstrip()
    if not told or "\x00" in told:
        raise InputError("no rows are named; give a table, or a SELECT statement")
    if _TABLE.fullmatch(told) is None:
        return f"SELECT row_to_json(wanted)::text FROM (\n{told}\n) AS wanted"  # noqa: S608 -- the operator's
    table = await connection.fetchrow(LOCATE_TABLE, told)
    if table is None:
        raise InputError(
            f"there is no table {told}; name it with its schema, or give a SELECT statement"
        )
    order = table["primary_key"] or 'row_to_json(wanted)::text COLLATE "C"'
    return f"SELECT row_to_json(wanted)::text FROM {table['name']} AS wanted ORDER BY {order}"  # noqa: S608 -- from the catalog, quoted


@asynccontextmanager
async def reading_rows(pool: CanonicalPool, timeout_s: float) -> AsyncIterator[Connection]:
    """Yield a connection in a read-only transaction that sees one state of the database.

    `timeout_s` is for each statement or fetch. Raises InputError for mistakes of what is asked,
    DatabaseTimeout and DatabaseUnavailable.
    """
    try:
        async with (
            pool.acquire(timeout=timeout_s) as connection,
            connection.transaction(readonly=True, isolation="repeatable_read"),
        ):
            await connection.execute(
                f"SET LOCAL statement_timeout = {max(int(timeout_s * 1000), 1)}"
            )
            yield connection
    except (TimeoutError, driver.QueryCanceledError) as error:
        raise DatabaseTimeout(
            f"the rows were not read within {timeout_s:g} seconds; simplify the statement, or raise"
            " timeout_s of its database, canonical_timeout_s for the store"
        ) from error
    except driver.InsufficientPrivilegeError as error:
        raise InputError(
            f"the rows can't be read: {error}; grant SELECT on it to the role that reads"
        ) from error
    except _MISTAKES as error:
        raise InputError(f"the rows can't be read: {error}; give a table or one SELECT") from error
    except (OSError, driver.PostgresError, driver.InterfaceError) as error:
        raise DatabaseUnavailable(f"the rows can't be read: {error}") from error
