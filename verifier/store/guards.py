"""What keeps tenants apart and plans right: row-level security, indexes made by hand, statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.checks import Check, CheckState

if TYPE_CHECKING:
    from asyncpg import Record

    from verifier.store.pool import Connection

FIND_EVADING: Final[LiteralString] = """
    SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = 'verifier_app'
"""
LIST_UNGUARDED: Final[LiteralString] = """
    SELECT format('verifier.%I', c.relname) AS name, c.relrowsecurity AS enabled,
           EXISTS (SELECT
                     FROM pg_policy p
                    WHERE p.polrelid = c.oid AND p.polname = 'tenant_only' AND p.polcmd = '*'
                      AND pg_get_expr(p.polqual, c.oid) LIKE '%tenant_id = ( SELECT%current_tenant()%'
                      AND pg_get_expr(p.polwithcheck, c.oid) LIKE '%tenant_id = ( SELECT%current_tenant()%'
                  ) AS guarded,
           ARRAY (SELECT format('%I', p.polname)
                    FROM pg_policy p
                   WHERE p.polrelid = c.oid AND p.polname <> 'tenant_only' AND p.polpermissive) AS others
      FROM pg_class c
     WHERE c.relnamespace = to_regnamespace('verifier')
       AND c.relkind IN ('r', 'p')
       AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id')
     ORDER BY c.relname
"""

_POLICY: Final = (
    "DROP POLICY IF EXISTS tenant_only ON {0}; CREATE POLICY tenant_only ON {0} TO verifier_app"
    " USING (tenant_id = (SELECT verifier.current_tenant())"
    " AND (tenant_id <> '' OR tenant_id = verifier.current_tenant()))"
    " WITH CHECK (tenant_id = (SELECT verifier.current_tenant()));"
)


async def check_tenants(conn: Connection) -> Check:
    """Check that row-level security holds for every table of tenants, and for the role that serves."""
    name = "tenants apart"
    if await conn.fetchval(FIND_EVADING):
        return Check(
            name=name,
            state=CheckState.FAILED,
            detail="the role verifier_app evades row-level security: every tenant sees all rows",
            remedy="as a superuser: ALTER ROLE verifier_app NOSUPERUSER NOBYPASSRLS",
        )
    open_tables = {}
    for row in await conn.fetch(LIST_UNGUARDED):
        mending = _guard_again(row)
        if mending:
            open_tables[row["name"]] = mending
    if not open_tables:
        return Check(name=name, state=CheckState.OK, detail="row-level security guards every table")
    return Check(
        name=name,
        state=CheckState.FAILED,
        detail=f"row-level security does not guard {', '.join(open_tables)}",
        remedy=f"as verifier_owner: {' '.join(open_tables.values())}",
        found=len(open_tables),
    )


def _guard_again(row: Record) -> str:
    """Return the statements that a table needs to be guarded, none where it is."""
    table = row["name"]
    statements = [f"DROP POLICY {other} ON {table};" for other in row["others"]]
    if not row["guarded"]:
        statements.append(_POLICY.format(table))
    if not row["enabled"]:
        statements.append(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;")
    return " ".join(statements)


LIST_FOREIGN_INDEXES: Final[LiteralString] = """
    SELECT format('verifier.%I', x.relname) AS name, m.amname::text AS method, t.relname::text AS space
      FROM pg_index i
      JOIN pg_class x ON x.oid = i.indexrelid
      JOIN pg_class t ON t.oid = i.indrelid
      JOIN pg_am m ON m.oid = x.relam
     WHERE t.relnamespace = to_regnamespace('verifier')
       AND m.amname IN ('hnsw', 'ivfflat')
       AND (m.amname = 'ivfflat' OR x.relname NOT IN (t.relname || '_live', t.relname || '_all'))
     ORDER BY x.relname
"""


async def check_foreign_indexes(conn: Connection) -> Check:
    """Check that nobody added an approximate index: searches may take it and miss rows."""
    name = "other indexes"
    found = await conn.fetch(LIST_FOREIGN_INDEXES)
    if not found:
        return Check(name=name, state=CheckState.OK, detail="none but the store's own over vectors")
    described = ", ".join(f"{row['name']} ({row['method']} on {row['space']})" for row in found)
    drops = " ".join(f"DROP INDEX {row['name']};" for row in found)
    return Check(
        name=name,
        state=CheckState.WARNING,
        detail=f"made by hand, and may hide rows from searches: {described}",
        remedy=f"as verifier_owner: {drops}",
        found=len(found),
    )


LIST_UNMEASURED: Final[LiteralString] = """
    SELECT c.relname::text AS name
      FROM pg_class c
     WHERE c.relnamespace = to_regnamespace('verifier')
       AND c.relkind = 'r'
       AND c.reltuples < 0
       AND pg_relation_size(c.oid) > 1000000
     ORDER BY c.relname
"""


async def check_statistics(conn: Connection) -> Check:
    """Check that the planner knows of every table that is larger than a megabyte."""
    name = "statistics"
    found = [row["name"] for row in await conn.fetch(LIST_UNMEASURED)]
    if not found:
        return Check(name=name, state=CheckState.OK, detail="every larger table was analyzed")
    return Check(
        name=name,
        state=CheckState.WARNING,
        detail=f"never analyzed, so that plans are guesses: {', '.join(found)}",
        remedy="verifier doctor --fix",
        found=len(found),
    )
