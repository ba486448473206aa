"""Judging the task `db`: rows become a table of a real Postgres, and a catalog says what its columns are."""

from __future__ import annotations

import itertools
import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final

from casework.cases import Judgement
from casework.engine import run, start_server, verify
from casework.evidence import settings_of
from casework.verifying import judge_report
from verifier.core.turn_file import read_turn

if TYPE_CHECKING:
    from casework.cases import Case
    from verifier.core.report import GroundingReport
    from verifier.store.canonical_pool import CanonicalPool

NOBODY_LISTENS: Final = "postgresql://nobody@127.0.0.1:1/nothing"
_NUMBERS: Final = itertools.count(1)
_REFUSED: Final = "connection refused"
_SQL_TYPE: Final = re.compile(
    r"[a-z][a-z ]{0,30}(?:\([0-9]{1,4}(?:, ?[0-9]{1,4})?\))?(?:\[\])?", re.I
)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_KEYS: Final = ("sku", "id")
_MONEY: Final = ("amount", "price")
_ASIDE: Final = frozenset({"column_type"})
_APPLICABLE: Final = {
    "channel": "channel",
    "min_qty": "min_quantity",
    "valid_from": "valid_from",
    "valid_to": "valid_to",
}
_PLAIN: Final = frozenset({"currency", "tenant", "deleted_at", *_APPLICABLE, *_KEYS, *_ASIDE})
_UNITS: Final = (
    "kg",
    "g",
    "mg",
    "lb",
    "oz",
    "m",
    "cm",
    "mm",
    "km",
    "l",
    "ml",
    "s",
    "min",
    "h",
    "pct",
)
_DEFAULT_ROWS: Final = ({"id": "0", "status": "open", "amount": "0", "currency": "EUR"},)


def judge_db(case: Case) -> Judgement:
    """Return whether the answer comes out as expected against the table; a scenario in words can't be run."""
    if not isinstance(case.evidence, dict) or not set(case.evidence) & {
        "rows",
        "table",
        "database",
    }:
        what = "a scenario in words, no rows: it is a test of its own"
        return Judgement(ok=False, got=what, error="left_open")
    return judge_report(case, _report_on, lambda report: report.outcome)


def _report_on(case: Case) -> GroundingReport:
    evidence = case.evidence
    rows = list(evidence.get("rows") or _DEFAULT_ROWS)
    table = str(evidence.get("table", "orders"))
    down = _REFUSED in str(evidence.get("database", case.extra.get("database", "")))
    schema = f"case_{next(_NUMBERS)}"
    types = column_types(rows)
    catalog = catalog_of(case, rows, table=f"{schema}.{table}", types=types)
    turn = read_turn(settings_of(case)).turn
    if down:
        dsn = NOBODY_LISTENS
    else:
        dsn = start_server().owner_dsn
        run(_fill(dsn, schema, table, rows, types))
    pool = run(_open(dsn))
    try:
        return verify(case.text, turn, catalog=catalog, pool=pool)
    finally:
        run(pool.close())


async def _open(dsn: str) -> CanonicalPool:
    from verifier.store.canonical_pool import open_canonical_pool

    return await open_canonical_pool(dsn, connect_timeout_s=2.0)


def column_types(rows: list[dict[str, Any]]) -> dict[str, str]:
    """Return the SQL type of every column; `column_type` of a row speaks of its amount."""
    types: dict[str, str] = {}
    names = dict.fromkeys(name for row in rows for name in row if name not in _ASIDE)
    for name in names:
        known = [row[name] for row in rows if row.get(name) is not None]
        types[name] = _type_of(name, known)
    told = next((str(row["column_type"]) for row in rows if "column_type" in row), None)
    if told is not None:
        if not _SQL_TYPE.fullmatch(told):
            raise ValueError(f"no SQL type: {told!r}")
        column = next((name for name in (*_MONEY, "status") if name in types), list(types)[-1])
        types[column] = told
    return types


def _type_of(name: str, known: list[Any]) -> str:
    if name in {*_KEYS, "status", "channel", "tenant", "currency", "name"}:
        return "text"
    if not known:
        return (
            "timestamptz" if name.endswith("_at") else "date" if name in _APPLICABLE else "numeric"
        )
    if all(isinstance(value, bool) for value in known):
        return "boolean"
    if all(isinstance(value, str) and _DAY.fullmatch(value) for value in known):
        return "date"
    if all(_is_moment(value) for value in known):
        return "timestamptz"
    return "numeric" if all(_is_number(value) for value in known) else "text"


def _is_moment(value: object) -> bool:
    try:
        return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _is_number(value: object) -> bool:
    if isinstance(value, bool):
        return False
    try:
        return Decimal(str(value)).is_finite()
    except InvalidOperation:
        return False


def catalog_of(
    case: Case, rows: list[dict[str, Any]], *, table: str, types: dict[str, str]
) -> dict[str, Any]:
    """Return the catalog that the README of the cases gives to a table of these columns."""
    key = next((name for name in _KEYS if name in types), next(iter(types)))
    plural = table.partition(".")[2]
    entity: dict[str, Any] = {
        "table": table,
        "plural": plural,
        "key": {"column": key, "type": "text", "case": _key_case(case, rows, key)},
        "names": ["name"] if "name" in types else [],
        "attributes": {
            name: _attribute(name, rows, types)
            for name in types
            if name not in _PLAIN and name not in {key, "name"}
        },
        "scope": {"tenant": "tenant"} if "tenant" in types else {},
        "visible": _visible(case.evidence, types),
        "applies": {field: column for column, field in _APPLICABLE.items() if column in types},
    }
    return {plural.removesuffix("s"): entity}


def _key_case(case: Case, rows: list[dict[str, Any]], key: str) -> str:
    if case.extra.get("id_case") != "insensitive":
        return "exact"
    stored = [str(row.get(key)) for row in rows]
    return "lower" if all(text == text.lower() for text in stored) else "upper"


def _attribute(name: str, rows: list[dict[str, Any]], types: dict[str, str]) -> dict[str, Any]:
    if name in _MONEY:
        by = {"currency_column": "currency"} if "currency" in types else {}
        return {"kind": "money", "labels": ["price", "amount", "costs"], **by}
    if name == "status":
        stored = dict.fromkeys(str(row[name]) for row in rows if row.get(name) is not None)
        return {"kind": "state", "states": {state: [] for state in stored}}
    kind = types[name].partition("(")[0]
    if kind == "boolean":
        return {"kind": "boolean"}
    if kind in {"date", "timestamptz"}:
        return {"kind": "date"}
    if kind != "numeric":
        return {"kind": "text"}
    unit = name.rpartition("_")[2]
    return {"kind": "quantity", **({"unit": unit} if unit in _UNITS and "_" in name else {})}


def _visible(evidence: dict[str, Any], types: dict[str, str]) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = []
    if "deleted_at" in types:
        rules.append({"column": "deleted_at", "is": "null"})
    told = evidence.get("visible_when")
    if isinstance(told, dict):
        rules += [{"column": column, "equals": value} for column, value in told.items()]
    elif told is not None:
        column, _, value = str(told).partition("=")
        plain = value.strip().strip("'\"")
        truth = {"true": True, "false": False}
        rules.append({"column": column.strip(" ="), "equals": truth.get(plain, plain)})
    return rules


async def _fill(
    dsn: str, schema: str, table: str, rows: list[dict[str, Any]], types: dict[str, str]
) -> None:
    """Make the schema of one case, its table, and the rows in it."""
    import asyncpg

    columns = ", ".join(f"{_quoted(name)} {kind}" for name, kind in types.items())
    names = ", ".join(map(_quoted, types))
    places = ", ".join(f"${at}" for at in range(1, len(types) + 1))
    target = f"{_quoted(schema)}.{_quoted(table)}"
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(
            f"CREATE SCHEMA {_quoted(schema)}; CREATE TABLE {target} ({columns})"
        )
        statement = f"INSERT INTO {target} ({names}) VALUES ({places})"  # noqa: S608 -- quoted names
        for row in rows:
            values = [_converted(row.get(name), kind) for name, kind in types.items()]
            await connection.execute(statement, *values)
    finally:
        await connection.close()


def _converted(value: Any, kind: str) -> Any:  # noqa: ANN401 -- whatever the driver takes for the type
    if value is None:
        return None
    base = kind.partition("(")[0].strip().casefold()
    if base in {"numeric", "decimal"}:
        return Decimal(str(value))
    if base in {"integer", "int", "bigint", "smallint"}:
        return int(value)
    if base in {"real", "double precision"}:
        return float(value)
    if base == "date":
        return datetime.fromisoformat(str(value)).date()
    if base.startswith("timestamp"):
        moment = datetime.fromisoformat(str(value))
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return value if isinstance(value, bool) else str(value)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
