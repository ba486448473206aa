"""Whole texts of versions with the places of their chunks, to be held against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.diff import ChunkPlace, VersionText
from verifier.core.documents import VersionState
from verifier.core.spans import Span
from verifier.errors import InputError, UnknownThing
from verifier.store.sources import get_source
from verifier.store.versions import list_versions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.store.pool import Connection
    from verifier.store.sources import Source
    from verifier.store.versions import DocumentVersion

FIRST: Final = "first"
CURRENT: Final = "current"
_LARGEST: Final = 2**31 - 1


async def read_one(conn: Connection, key: str, version: str | int) -> VersionText:
    """Return the text of a version named by its seq, `first` or `current`; raises as `read_two`."""
    source = await get_source(conn, key)
    versions = await list_versions(conn, source.source_id)
    return await _read(conn, source, _choose(source, versions, version))


async def read_two(
    conn: Connection, key: str, old: str | int | None, new: str | int | None
) -> tuple[VersionText, VersionText]:
    """Return the texts of two versions of a source, each named by its seq, `first` or `current`.

    `new` of None is the current version, `old` of None the one that `new` took the place of, else the one
    before it. Raises UnknownThing for what does not exist, InputError where a version has no text to read.
    """
    source = await get_source(conn, key)
    versions = await list_versions(conn, source.source_id)
    newer = _choose(source, versions, CURRENT if new is None else new)
    older = (
        _choose_before(source, versions, newer) if old is None else _choose(source, versions, old)
    )
    return await _read(conn, source, older), await _read(conn, source, newer)


def _choose(
    source: Source, versions: Sequence[DocumentVersion], name: str | int
) -> DocumentVersion:
    if name == FIRST and versions:
        return versions[0]
    if name == CURRENT:
        found = next((each for each in versions if each.state is VersionState.CURRENT), None)
        if found is None:
            raise InputError(
                f"no version of {source.key!r} is current; name two of its versions by number"
            )
        return found
    seq = _read_seq(name)
    found = next((each for each in versions if each.seq == seq), None)
    if found is None:
        last = versions[-1].seq if versions else 0
        raise UnknownThing(f"{source.key!r} has no version {seq}; its versions are 1 to {last}")
    return found


def _read_seq(name: str | int) -> int:
    if isinstance(name, int):
        return name
    digits = name.strip()
    if not (digits.isascii() and digits.isdigit()) or int(digits) > _LARGEST:
        raise InputError(f"{name[:40]!r} names no version; give a number, {FIRST!r} or {CURRENT!r}")
    return int(digits)


def _choose_before(
    source: Source, versions: Sequence[DocumentVersion], version: DocumentVersion
) -> DocumentVersion:
    readable = [each for each in versions if each.state is not VersionState.ERASED]
    found = next((each for each in readable if each.version_id == version.supersedes), None)
    earlier = [each for each in readable if each.seq < version.seq]
    if found is None and not earlier:
        raise InputError(
            f"{source.key}@{version.seq} has no version before it; name another to compare it with"
        )
    return found or earlier[-1]


GET_TEXT: Final[LiteralString] = """
    SELECT text FROM document_version WHERE tenant_id = current_tenant() AND version_id = $1
"""
LIST_CHUNK_PLACES: Final[LiteralString] = """
    SELECT ordinal, start_at, end_at, heading_path
      FROM chunk
     WHERE tenant_id = current_tenant() AND version_id = $1
     ORDER BY ordinal
"""


async def _read(conn: Connection, source: Source, version: DocumentVersion) -> VersionText:
    if version.state is VersionState.ERASED:
        raise InputError(
            f"the text of {source.key}@{version.seq} was erased: {version.reason}; name another version"
        )
    return VersionText(
        key=source.key,
        seq=version.seq,
        state=version.state.value,
        text=await conn.fetchval(GET_TEXT, version.version_id),
        chunks=tuple(
            ChunkPlace(
                ordinal=row["ordinal"],
                span=Span(row["start_at"], row["end_at"]),
                heading_path=tuple(row["heading_path"]),
            )
            for row in await conn.fetch(LIST_CHUNK_PLACES, version.version_id)
        ),
    )
