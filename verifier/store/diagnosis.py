"""What `doctor` asks a database: whether it can serve, and what to do where it can't."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, LiteralString

from verifier.core.checks import Check, CheckState
from verifier.errors import VerifierError
from verifier.store.driver_errors import UPGRADE, translate_errors
from verifier.store.schema import (
    NEWER,
    OLDEST_SERVER,
    OLDEST_VECTOR,
    check_schema,
    parse_version,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.store.pool import Connection

SOUND_VECTOR: Final = (0, 8, 4)
"""Before this version of pgvector, an index can lose rows after a vacuum."""

READ_SERVER: Final[LiteralString] = """
    SELECT current_setting('server_version') AS version,
           current_setting('server_version_num')::integer AS number,
           current_setting('transaction_read_only')::boolean AS read_only,
           (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vector,
           r.rolname AS login,
           r.rolsuper OR r.rolbypassrls AS evades
      FROM pg_roles r
     WHERE r.rolname = session_user
"""

FIND_LOGIN_RIGHT: Final[LiteralString] = """
    SELECT pg_has_role(session_user, r.oid, 'MEMBER')
      FROM pg_roles r
     WHERE r.rolname = 'verifier_app'
"""

LIST_SPACE_INDEXES: Final[LiteralString] = """
    SELECT t.relname AS space,
           coalesce(bool_or(i.indisvalid AND i.indisready) FILTER (WHERE i.indpred IS NOT NULL), false)
               AS live,
           coalesce(bool_or(i.indisvalid AND i.indisready) FILTER (WHERE i.indpred IS NULL), false)
               AS whole,
           (SELECT a.atttypmod FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attname = 'vec')
               AS dimension
      FROM pg_class t
      LEFT JOIN (pg_index i
                 JOIN pg_class x ON x.oid = i.indexrelid
                 JOIN pg_am m ON m.oid = x.relam AND m.amname = 'hnsw') ON i.indrelid = t.oid
     WHERE t.relnamespace = to_regnamespace('verifier')
       AND t.relkind = 'r'
       AND t.relname ~ '^embedding_[0-9]+$'
     GROUP BY t.oid, t.relname
     ORDER BY t.relname
"""

PAST: Final = "(l2_normalize(vec)::halfvec({})) halfvec_cosine_ops"
_INDEX_DIMENSION_LIMIT: Final = 4_000


async def diagnose(connection: Connection) -> tuple[Check, ...]:
    """Return a check each of server, write access, pgvector, schema, login and the index of each space."""
    with translate_errors():
        server = await connection.fetchrow(READ_SERVER)
        schema = await _check_schema(connection)
        login = await _check_login(connection, server)
        spaces = await connection.fetch(LIST_SPACE_INDEXES)
    return (
        _check_version(server),
        _check_writable(server),
        _check_vector(server),
        schema,
        login,
        *map(_check_index, spaces),
    )


def _check_version(server: Mapping[str, Any]) -> Check:
    if server["number"] < OLDEST_SERVER:
        return Check(
            name="server",
            state=CheckState.FAILED,
            detail=f"PostgreSQL {server['version']}",
            remedy="upgrade the server to PostgreSQL 14 or newer",
        )
    return Check(name="server", state=CheckState.OK, detail=f"PostgreSQL {server['version']}")


def _check_writable(server: Mapping[str, Any]) -> Check:
    if server["read_only"]:
        return Check(
            name="write access",
            state=CheckState.FAILED,
            detail="the database only reads",
            remedy="connect to the primary server, or unset default_transaction_read_only",
        )
    return Check(name="write access", state=CheckState.OK, detail="the database takes writes")


def _check_vector(server: Mapping[str, Any]) -> Check:
    version = server["vector"]
    if version is None:
        return Check(
            name="pgvector",
            state=CheckState.FAILED,
            detail="the extension is not in this database",
            remedy=f"install pgvector 0.8.4 or newer on the server, then {UPGRADE}",
        )
    state, numbers = CheckState.OK, parse_version(version)
    if numbers < SOUND_VECTOR:
        state = CheckState.WARNING if numbers >= OLDEST_VECTOR else CheckState.FAILED
    remedy = "install pgvector 0.8.4 or newer, then ALTER EXTENSION vector UPDATE and REINDEX"
    return Check(
        name="pgvector",
        state=state,
        detail=f"pgvector {version}",
        remedy=None if state is CheckState.OK else remedy,
    )


async def _check_schema(connection: Connection) -> Check:
    try:
        await check_schema(connection)
    except VerifierError as error:
        advice = "pip install --upgrade grounding-verifier" if str(error) == NEWER else UPGRADE
        return Check(name="schema", state=CheckState.FAILED, detail=str(error), remedy=advice)
    return Check(name="schema", state=CheckState.OK, detail="the schema is the one of this package")


async def _check_login(connection: Connection, server: Mapping[str, Any]) -> Check:
    login = server["login"]
    if not await connection.fetchval(FIND_LOGIN_RIGHT):
        return Check(
            name="login",
            state=CheckState.FAILED,
            detail=f"{login} can't act as verifier_app",
            remedy=f"{UPGRADE}, or as a superuser: GRANT verifier_app TO {login}",
        )
    if server["evades"]:
        return Check(
            name="login",
            state=CheckState.WARNING,
            detail=f"{login} evades row-level security until it takes the role verifier_app",
            remedy="serve with a login that is no superuser: CREATE ROLE … LOGIN IN ROLE verifier_app",
        )
    return Check(name="login", state=CheckState.OK, detail=f"{login} may act as verifier_app")


def _check_index(space: Mapping[str, Any]) -> Check:
    name = f"index of {space['space']}"
    if space["dimension"] > _INDEX_DIMENSION_LIMIT:
        return Check(
            name=name,
            state=CheckState.WARNING,
            detail=f"{space['dimension']} dimensions are too many for an index",
            remedy="use a model of at most 4,000 dimensions where searches are slow",
        )
    if not space["live"] and not space["whole"]:
        return Check(
            name=name,
            state=CheckState.WARNING,
            detail="no index yet, as long as it is being built; searches compare every vector",
            remedy="verifier spaces build with its model; where it answers already: verifier doctor --fix",
        )
    table = f"verifier.{space['space']}"
    remedies = [
        f"DROP INDEX IF EXISTS {table}_{suffix}; "
        f"CREATE INDEX {space['space']}_{suffix} ON {table} USING hnsw ({expression});"
        for suffix, present, expression in (
            ("live", space["live"], "vec halfvec_cosine_ops) WHERE (live"),
            ("all", space["whole"], PAST.format(space["dimension"])),
        )
        if not present
    ]
    if remedies:
        return Check(
            name=name,
            state=CheckState.FAILED,
            detail="an HNSW index is missing or invalid; searches compare every vector",
            remedy=f"as verifier_owner: {' '.join(remedies)}",
        )
    return Check(name=name, state=CheckState.OK, detail="the HNSW indexes are present and valid")
