"""What people mend of a source without a new text: validity, review, authority. Each takes a basis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.documents import VersionState
from verifier.core.moments import check_reach
from verifier.core.versions import correct_period, find_holding
from verifier.errors import InputError
from verifier.store.basis import BasisAction, take_basis
from verifier.store.publication import check_reason, require_name
from verifier.store.restoring import require_vectors
from verifier.store.sources import lock_source
from verifier.store.timeline import EVER, Change, read_standing, record_timeline
from verifier.store.versions import find_current_version, get_version_of, review_version

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.store.pool import Connection
    from verifier.store.sources import Source
    from verifier.store.timeline import Standing
    from verifier.store.versions import DocumentVersion

SMALLEST_AUTHORITY: Final = -(2**15)
LARGEST_AUTHORITY: Final = 2**15 - 1


async def correct_validity(
    conn: Connection,
    key: str,
    seq: int,
    *,
    valid_from: datetime,
    valid_to: datetime | None = None,
    by: str,
    reason: str | None = None,
) -> bool:
    """Record that version `seq` holds in [valid_from, valid_to), and return whether that is new.

    Without `valid_to` it holds till the next version begins. What was known before stays known of the bases
    before. Versions around it give way or fill the time that becomes free; after a stated end nothing holds
    until the next begins. Raises UnknownThing for another key or seq, InputError without a name, on a period
    that is none, for a version that was never published, or a withdrawn one that would answer by it.
    """
    require_name(by)
    check_reason(reason)
    _check_period(valid_from, valid_to)
    source = await lock_source(conn, key)
    version = await get_version_of(conn, source, seq)
    standing = await read_standing(conn, source.source_id, since=EVER)
    _check_correctable(source, version, standing, valid_to)
    timeline = correct_period(standing.timeline, version.version_id, valid_from, valid_to)
    if timeline == standing.timeline:
        return False
    if find_holding(timeline, standing.present) == version.version_id:
        await require_vectors(conn, source, version)
    change = Change(
        action=BasisAction.CORRECT_VALIDITY, version_id=version.version_id, by=by, reason=reason
    )
    await record_timeline(conn, standing, timeline, change)
    return True


def _check_period(valid_from: datetime, valid_to: datetime | None) -> None:
    for name, moment in (("valid_from", valid_from), ("valid_to", valid_to)):
        check_moment(name, moment)
    if valid_to is not None and valid_to <= valid_from:
        raise InputError(
            f"valid_to {valid_to} is not after valid_from {valid_from}; nothing holds then"
        )


def check_moment(name: str, moment: datetime | None) -> None:
    """Raise InputError where the moment has no time zone, or is beyond what the store can hold."""
    if moment is None:
        return
    if moment.tzinfo is None:
        raise InputError(f"{name} has no time zone; give an offset, such as +00:00")
    check_reach(name, moment)


def _check_correctable(
    source: Source, version: DocumentVersion, standing: Standing, valid_to: datetime | None
) -> None:
    place = f"{source.key}@{version.seq}"
    if version.state is VersionState.WITHDRAWN and (valid_to is None or valid_to > standing.moment):
        raise InputError(
            f"{place} is withdrawn: it may have held till now at most; give a valid_to in the past, or"
            " restore it"
        )
    published = {VersionState.CURRENT, VersionState.SUPERSEDED, VersionState.WITHDRAWN}
    if version.state not in published and not version.scheduled:
        raise InputError(
            f"{place} is {version.state.value}; only a published version holds at a time"
        )


async def review(
    conn: Connection,
    key: str,
    *,
    until: datetime | None,
    by: str,
    seq: int | None = None,
    reason: str | None = None,
) -> int:
    """Record that `by` read the current version, or `seq`, which counts up to `until`; return its seq.

    None demands no further review. Raises UnknownThing for another key or seq, InputError without a name
    or where no version is current.
    """
    require_name(by)
    check_reason(reason)
    check_moment("until", until)
    source = await lock_source(conn, key)
    if seq is None:
        version = await find_current_version(conn, source.source_id)
    else:
        version = await get_version_of(conn, source, seq)
    if version is None:
        raise InputError(f"no version of {key!r} is current; name the one that was read")
    if version.state is VersionState.ERASED:
        raise InputError(f"{key}@{version.seq} is erased; there is no text that was read")
    await review_version(conn, version.version_id, review_until=until, verified_by=by)
    await take_basis(
        conn,
        source.source_id,
        BasisAction.REVIEW,
        by=by,
        version_id=version.version_id,
        reason=reason,
    )
    return version.seq


SET_AUTHORITY: Final[LiteralString] = """
    UPDATE source SET authority = $2 WHERE tenant_id = current_tenant() AND source_id = $1
"""
SET_CHUNK_AUTHORITY: Final[LiteralString] = """
    UPDATE current_chunk SET authority = $2 WHERE tenant_id = current_tenant() AND source_id = $1
"""


async def set_authority(
    conn: Connection, key: str, authority: int, *, by: str, reason: str | None = None
) -> bool:
    """Record how much the source counts among others, and return whether that is new.

    Larger is weightier, 0 is usual. Raises UnknownThing for another key, InputError without a name or
    outside -32768 to 32767.
    """
    require_name(by)
    check_reason(reason)
    check_authority(authority)
    source = await lock_source(conn, key)
    if source.authority == authority:
        return False
    await write_authority(conn, source.source_id, authority)
    await take_basis(conn, source.source_id, BasisAction.SET_AUTHORITY, by=by, reason=reason)
    return True


async def write_authority(conn: Connection, source_id: int, authority: int) -> None:
    """Write the authority of a locked source, also where searches read it; takes no basis."""
    await conn.execute(SET_AUTHORITY, source_id, authority)
    await conn.execute(SET_CHUNK_AUTHORITY, source_id, authority)


def check_authority(authority: int) -> None:
    """Raise InputError where the number is none of 16 bits."""
    if isinstance(authority, bool) or not SMALLEST_AUTHORITY <= authority <= LARGEST_AUTHORITY:
        raise InputError(
            f"an authority is a whole number in {SMALLEST_AUTHORITY} to {LARGEST_AUTHORITY}, not {authority}"
        )
