"""The canonical rows that logged answers rest on, page by page, the newest answers first."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, LiteralString

from verifier.core.log_redaction import REDACTED
from verifier.core.turns import Turn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.store.pool import Connection

NEWEST: Final = (datetime(9999, 12, 30, tzinfo=UTC), "")
"""What the newest answers stand behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedCell:
    """A row, or one column of it, that the verdict on a claim rests on. `text` is what stood there.

    `key` is that of the thing whose row it is; a `column` of None means the row as a whole. What was logged
    without texts has none.
    """

    claim_id: str
    database: str
    table: str
    key: str
    column: str | None
    fingerprint: str
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RowAnswer:
    """A logged answer that rests on rows. `turn` has of its turn what tells which rows applied."""

    report_id: str
    created_at: datetime
    catalog_hash: str | None
    turn: Turn
    cells: tuple[CitedCell, ...]


LIST_ROW_ANSWERS: Final[LiteralString] = """
    WITH page AS MATERIALIZED (
           SELECT r.report_id, r.created_at, r.catalog_hash, r.report,
                  jsonb_strip_nulls(jsonb_build_object(
                      'principal', r.turn -> 'principal', 'tenant', r.turn -> 'tenant',
                      'context', r.turn -> 'context', 'timezone', r.turn -> 'timezone')) AS turn
             FROM report r
            WHERE r.tenant_id = current_tenant()
              AND ($1::timestamptz IS NULL OR r.created_at >= $1)
              AND (r.created_at, r.report_id) < ($3, $4)
              AND EXISTS (SELECT
                            FROM report_row w
                           WHERE w.tenant_id = current_tenant() AND w.report_id = r.report_id
                             AND ($2::text IS NULL OR w.table_name = $2
                                  OR split_part(w.table_name, '.', 2) = $2))
            ORDER BY r.created_at DESC, r.report_id DESC
            LIMIT $5)
    SELECT page.report_id, page.created_at, page.catalog_hash, page.turn::text AS turn,
           ARRAY(SELECT jsonb_build_object(
                            'claim', verdict ->> 'claim', 'locator', evidence -> 'locator',
                            'text', evidence -> 'text')::text
                   FROM jsonb_path_query(page.report, '$.verdicts[*]') AS verdict,
                        jsonb_path_query(
                            verdict, '$.evidence[*] ? (@.locator.kind == "row")') AS evidence) AS cells
      FROM page
     ORDER BY page.created_at DESC, page.report_id DESC
"""


async def list_row_answers(
    conn: Connection,
    *,
    since: datetime | None,
    table: str | None,
    after: tuple[datetime, str],
    limit: int,
) -> tuple[RowAnswer, ...]:
    """Return the next answers that rest on rows behind `after`, with all that their verdicts rest on.

    With a `table`, named with or without its schema, those that rest on one of its rows.
    """
    rows = await conn.fetch(LIST_ROW_ANSWERS, since, table, *after, limit)
    return tuple(
        RowAnswer(
            report_id=row["report_id"],
            created_at=row["created_at"],
            catalog_hash=row["catalog_hash"],
            turn=Turn(**json.loads(row["turn"])),
            cells=tuple(dict.fromkeys(_cell(json.loads(one)) for one in row["cells"])),
        )
        for row in rows
    )


def _cell(told: Mapping[str, Any]) -> CitedCell:
    locator, text = told["locator"], told["text"]
    return CitedCell(
        claim_id=told["claim"],
        database=locator["database"],
        table=locator["table"],
        key=locator["key"],
        column=locator["column"],
        fingerprint=locator["fingerprint"],
        text=None if text == REDACTED else text,
    )
