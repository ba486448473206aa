"""Erasure: taking the text of versions out of everything, in one transaction, for good.

It is not supersession: text, chunks, passages that nothing else has, vectors in every space, current
chunks and publication rows are removed, and what the answer log says of them is redacted. A tombstone
stays, so that the text can't come back unseen.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.documents import VersionState
from verifier.errors import InputError, UnknownThing
from verifier.store.passages import LOCK_LIVENESS
from verifier.store.publication import withdraw
from verifier.store.redaction import ErasedWords, LoggedTexts, Redactor
from verifier.store.sources import get_source, lock_source
from verifier.store.storable import is_storable
from verifier.store.tombstones import find_tombstone_of, fold_digest, list_tombstones
from verifier.store.versions import list_versions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verifier.store.pool import Connection
    from verifier.store.sources import Source
    from verifier.store.tombstones import Tombstone
    from verifier.store.versions import DocumentVersion

BATCH_REPORTS: Final = 200
TIMEOUT_S: Final = 600.0
"""For the statements that remove thousands of rows; others keep the limit of the settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureOrder:
    """What to erase: one version of a source, or all of it where `seq` is None; by whom and why.

    With the last version of a source its title, URL and metadata go as well, with a single one where
    `labels` says so. The key stays, as it names the tombstone: don't put what is secret into a key.
    """

    key: str
    by: str
    reason: str
    seq: int | None = None
    labels: bool = False

    def __post_init__(self) -> None:
        """Raise InputError where it is not told who erases, and why."""
        for name, told in (("who erases", self.by), ("the reason", self.reason)):
            if not told.strip() or not is_storable(told):
                raise InputError(f"an erasure must tell {name}; it is kept on the tombstone")


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasurePlan:
    """What an erasure will touch. `answers` counts the logged reports that cite the versions.

    `shared_with` names versions (`key@seq`) that have some of the same passages, which stay theirs.
    """

    key: str
    seqs: tuple[int, ...]
    is_current: bool
    characters: int
    chunks: int
    answers: int
    shared_with: tuple[str, ...]
    clears_labels: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """What an erasure did: its tombstones, and how many rows are gone or were redacted."""

    tombstones: tuple[Tombstone, ...]
    passages: int
    vectors: int
    reports: int


MEASURE_VERSIONS: Final[LiteralString] = """
    SELECT coalesce(sum(length(v.text)), 0)::bigint AS characters,
           (SELECT count(*)
              FROM chunk c
             WHERE c.tenant_id = current_tenant() AND c.version_id = ANY ($1::bigint[])) AS chunks,
           (SELECT count(DISTINCT r.report_id)
              FROM report_citation r
             WHERE r.tenant_id = current_tenant() AND r.source_id = $2
               AND r.version_id = ANY ($1::bigint[])) AS answers
      FROM document_version v
     WHERE v.tenant_id = current_tenant() AND v.version_id = ANY ($1::bigint[])
"""
LIST_SHARING: Final[LiteralString] = """
    SELECT DISTINCT s.key, v.seq, v.version_id
      FROM chunk c
           JOIN chunk o ON o.tenant_id = c.tenant_id AND o.input_hash = c.input_hash
           JOIN document_version v ON v.tenant_id = o.tenant_id AND v.version_id = o.version_id
           JOIN source s ON s.tenant_id = v.tenant_id AND s.source_id = v.source_id
     WHERE c.tenant_id = current_tenant()
       AND c.version_id = ANY ($1::bigint[])
       AND v.version_id <> ALL ($1::bigint[])
     ORDER BY s.key, v.seq
"""


async def plan_erasure(conn: Connection, order: ErasureOrder) -> ErasurePlan:
    """Return what `erase` will touch, reading only. Raises as it does."""
    source = await get_source(conn, order.key)
    versions = await list_versions(conn, source.source_id)
    chosen = await _choose(conn, source, versions, order)
    ids = [version.version_id for version in chosen]
    measured = await conn.fetchrow(MEASURE_VERSIONS, ids, source.source_id)
    sharing = await conn.fetch(LIST_SHARING, ids)
    return ErasurePlan(
        key=source.key,
        seqs=tuple(version.seq for version in chosen),
        is_current=any(version.state is VersionState.CURRENT for version in chosen),
        characters=measured["characters"],
        chunks=measured["chunks"],
        answers=measured["answers"],
        shared_with=tuple(f"{row['key']}@{row['seq']}" for row in sharing),
        clears_labels=_clears_labels(order, versions, chosen),
    )


async def _choose(
    conn: Connection, source: Source, versions: Sequence[DocumentVersion], order: ErasureOrder
) -> tuple[DocumentVersion, ...]:
    """Return the versions that the order names and that have a text yet."""
    named = [each for each in versions if order.seq in {None, each.seq}]
    if not named:
        known = f"its versions are 1 to {versions[-1].seq}" if versions else "it has none"
        asked = "no version" if order.seq is None else f"no version {order.seq}"
        raise UnknownThing(f"{source.key!r} has {asked}; {known}")
    left = tuple(each for each in named if each.state is not VersionState.ERASED)
    if not left:
        stone = await find_tombstone_of(conn, source.key, named[-1].seq)
        raise InputError(f"there is nothing left to erase: {stone}")
    return left


def _clears_labels(
    order: ErasureOrder, versions: Sequence[DocumentVersion], chosen: Sequence[DocumentVersion]
) -> bool:
    standing = sum(version.state is not VersionState.ERASED for version in versions)
    return order.labels or standing == len(chosen)


LIST_TEXTS: Final[LiteralString] = """
    SELECT version_id, text
      FROM document_version
     WHERE tenant_id = current_tenant() AND version_id = ANY ($1::bigint[])
"""
ERASE_VERSIONS: Final[LiteralString] = """
    SELECT tombstone_id, version_id, passages, vectors
      FROM erase_versions($1, $2::bigint[], $3::bytea[], $4, $5, $6)
"""
LIST_SIBLINGS: Final[LiteralString] = """
    SELECT version_id
      FROM document_version
     WHERE tenant_id = current_tenant() AND source_id = $1 AND state <> 'erased'
"""


async def lock_for_erasure(conn: Connection, key: str) -> None:
    """Keep others from changing the source, and the tenant's texts from coming, till the transaction ends."""
    await lock_source(conn, key)
    await conn.execute(LOCK_LIVENESS, timeout=TIMEOUT_S)


async def erase(
    conn: Connection, order: ErasureOrder, tell: Callable[[str], None] = lambda _told: None
) -> Erasure:
    """Erase the versions, and redact the log of them; all of it with the caller's transaction, or nothing.

    Ingests of the source, sweeps and new reports of the tenant wait till it ends. `tell` hears how far it
    is. Raises UnknownThing for what does not exist, InputError for what was erased before.
    """
    await lock_for_erasure(conn, order.key)
    source = await get_source(conn, order.key)
    versions = await list_versions(conn, source.source_id)
    chosen = await _choose(conn, source, versions, order)
    ids = [version.version_id for version in chosen]
    texts = await _read_texts(conn, ids)
    sharing = [row["version_id"] for row in await conn.fetch(LIST_SHARING, ids)]
    siblings = [row["version_id"] for row in await conn.fetch(LIST_SIBLINGS, source.source_id)]
    kept = await _read_texts(conn, sorted({*sharing, *siblings} - set(ids)))
    await _give_time_back(conn, order, chosen)
    tell("removing texts and vectors")
    rows = await conn.fetch(
        ERASE_VERSIONS,
        source.source_id,
        ids,
        [fold_digest(texts[each]) for each in ids],
        order.by.strip(),
        order.reason.strip(),
        _clears_labels(order, versions, chosen),
        timeout=TIMEOUT_S,
    )
    stones = [row["tombstone_id"] for row in rows]
    redactor = Redactor(
        words=ErasedWords(texts.values(), kept=kept.values()),
        places=frozenset((source.key, version.seq) for version in chosen),
    )
    reports = await redact_reports(conn, redactor, stones, tell)
    return Erasure(
        tombstones=await list_tombstones(conn, stones),
        passages=rows[0]["passages"],
        vectors=rows[0]["vectors"],
        reports=reports,
    )


async def _give_time_back(
    conn: Connection, order: ErasureOrder, chosen: Sequence[DocumentVersion]
) -> None:
    """Let the version before a scheduled one go on: else it would fall silent when the erased one was due."""
    for version in chosen:
        if version.scheduled:
            await withdraw(conn, order.key, order.by, reason=order.reason, seq=version.seq)


async def _read_texts(conn: Connection, version_ids: Sequence[int]) -> dict[int, str]:
    rows = await conn.fetch(LIST_TEXTS, list(version_ids), timeout=TIMEOUT_S)
    return {row["version_id"]: row["text"] for row in rows}


LOCK_LOG: Final[LiteralString] = """
    SELECT pg_advisory_xact_lock(hashtextextended('verifier.log/' || current_tenant(), 0))
"""
COUNT_REPORTS: Final[LiteralString] = """
    SELECT count(*) FROM report WHERE tenant_id = current_tenant()
"""
LIST_LOGGED: Final[LiteralString] = """
    SELECT report_id, answer, turn::text AS turn, report::text AS report
      FROM report
     WHERE tenant_id = current_tenant() AND report_id > $1
     ORDER BY report_id
     LIMIT $2
"""
REDACT_REPORTS: Final[LiteralString] = """
    SELECT redact_reports($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[])
"""


async def redact_reports(
    conn: Connection, redactor: Redactor, tombstones: Sequence[int], tell: Callable[[str], None]
) -> int:
    """Redact every logged report that holds something of what was erased; return how many did."""
    await conn.execute(LOCK_LOG, timeout=TIMEOUT_S)
    total = await conn.fetchval(COUNT_REPORTS)
    last, seen, redacted = "", 0, 0
    while rows := await conn.fetch(LIST_LOGGED, last, BATCH_REPORTS):
        last = rows[-1]["report_id"]
        changed: dict[str, LoggedTexts] = {}
        for row in rows:
            if redactor.concerns(row["answer"], row["turn"], row["report"]):
                logged = LoggedTexts(
                    answer=row["answer"],
                    turn=json.loads(row["turn"]),
                    report=json.loads(row["report"]),
                )
                left = redactor.redact(logged)
                if left != logged:
                    changed[row["report_id"]] = left
        if changed:
            await conn.execute(
                REDACT_REPORTS,
                list(tombstones),
                list(changed),
                [left.answer for left in changed.values()],
                [json.dumps(left.turn, ensure_ascii=False) for left in changed.values()],
                [json.dumps(left.report, ensure_ascii=False) for left in changed.values()],
            )
        seen, redacted = seen + len(rows), redacted + len(changed)
        tell(f"{seen:,} of {total:,} reports looked through, {redacted:,} redacted")
    return redacted
