"""The end of what is kept in parts: parts that a file no longer has are withdrawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.ingest.requests import IngestOutcome, Outcome
from verifier.ingest.staging import UNNAMED
from verifier.store.publication import withdraw
from verifier.store.sources import list_current_keys

if TYPE_CHECKING:
    from verifier.ingest.requests import PartsEnd
    from verifier.store.pool import Connection

ROWS: Final = "/rows-"
"""Stands between the key of a file and the first row of one of its parts."""


def part_key(key: str, first_row: int) -> str:
    """Return the key of the part that begins with a row; that of the first is the plain one."""
    return key if first_row == 1 else f"{key}{ROWS}{first_row}"


async def withdraw_rest(conn: Connection, *, end: PartsEnd) -> tuple[IngestOutcome, ...]:
    """Withdraw the parts that begin beyond the last row, and return what became of them."""
    outcomes = []
    for key in await list_current_keys(conn, prefix=f"{end.key}{ROWS}"):
        told = key.removeprefix(f"{end.key}{ROWS}")
        if not (told.isascii() and told.isdigit() and int(told) > end.rows):
            continue
        reason = f"{end.key} has {end.rows} rows"
        await withdraw(conn, key, end.by or UNNAMED, reason=reason)
        outcomes.append(IngestOutcome(key=key, outcome=Outcome.WITHDRAWN, error=reason))
    return tuple(outcomes)
