"""What is on record of one source: its versions, when each holds and was known to, and what rests on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.errors import InputError
from verifier.store.passages import count_chunks
from verifier.store.sources import get_source
from verifier.store.versions import find_current_version, get_version_of, list_versions

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.core.documents import VersionState
    from verifier.store.pool import Connection
    from verifier.store.versions import DocumentVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPeriod:
    """When a version holds in the world, and from which basis up to which this was known; None: now."""

    valid_from: datetime
    valid_to: datetime | None
    basis_from: int
    basis_to: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRecord:
    """A version, how many chunks it has, and all periods ever known of it, the first known first."""

    version: DocumentVersion
    chunks: int
    periods: tuple[KnownPeriod, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What falls silent with a version: its chunks, and the logged answers that rest on them."""

    seq: int
    state: VersionState
    scheduled: bool
    chunks: int
    answers: int


LIST_PERIODS: Final[LiteralString] = """
    SELECT version_id, valid_from, valid_to, basis_from, basis_to
      FROM publication
     WHERE tenant_id = current_tenant() AND source_id = $1
     ORDER BY basis_from, valid_from
"""


async def list_version_records(conn: Connection, key: str) -> tuple[VersionRecord, ...]:
    """Return every version of the source, the oldest first. Raises UnknownThing."""
    source = await get_source(conn, key)
    versions = await list_versions(conn, source.source_id)
    chunks = await count_chunks(conn, [version.version_id for version in versions])
    periods: dict[int, list[KnownPeriod]] = {}
    for row in await conn.fetch(LIST_PERIODS, source.source_id):
        period = dict(row)
        periods.setdefault(period.pop("version_id"), []).append(KnownPeriod(**period))
    return tuple(
        VersionRecord(
            version=version,
            chunks=chunks.get(version.version_id, 0),
            periods=tuple(periods.get(version.version_id, ())),
        )
        for version in versions
    )


COUNT_RESTING_ANSWERS: Final[LiteralString] = """
    SELECT count(DISTINCT report_id)
      FROM report_citation
     WHERE tenant_id = current_tenant() AND source_id = $1 AND version_id = $2
"""


async def measure_reach(conn: Connection, key: str, seq: int | None = None) -> Reach:
    """Return what rests on version `seq`, else on the current one.

    Raises UnknownThing for another key or seq, InputError where no version is current.
    """
    source = await get_source(conn, key)
    if seq is None:
        version = await find_current_version(conn, source.source_id)
    else:
        version = await get_version_of(conn, source, seq)
    if version is None:
        raise InputError(f"no version of {key!r} is current")
    counted = await count_chunks(conn, [version.version_id])
    return Reach(
        seq=version.seq,
        state=version.state,
        scheduled=version.scheduled,
        chunks=counted.get(version.version_id, 0),
        answers=await conn.fetchval(COUNT_RESTING_ANSWERS, source.source_id, version.version_id),
    )
