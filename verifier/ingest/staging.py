"""The two transactions of a document: writing a version invisibly, and publishing it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.core.chunking import chunk_document
from verifier.core.documents import Permission, VersionState
from verifier.errors import UnreadableDocument, VersionConflict
from verifier.ingest.decision import (
    Decision,
    Step,
    approves,
    decide,
    may_label,
    may_publish,
    needs_review,
    relabel,
)
from verifier.ingest.requests import Actor, Outcome
from verifier.store.passages import add_chunks, add_passages, share_liveness
from verifier.store.publication import BasisAction, publish_version, take_basis
from verifier.store.sources import (
    add_source,
    add_tenant,
    find_source,
    label_source,
    lock_source,
    permit_source,
)
from verifier.store.versions import (
    VersionDraft,
    add_version,
    find_current_version,
    get_version,
    list_related_versions,
    resume_version,
    review_version,
)

if TYPE_CHECKING:
    from verifier.core.documents import ChunkDraft
    from verifier.core.ports import Embedder
    from verifier.ingest.preparation import PreparedDocument
    from verifier.ingest.requests import IngestRequest
    from verifier.store.pool import Connection
    from verifier.store.sources import Source
    from verifier.store.spaces import SpaceId
    from verifier.store.versions import DocumentVersion

UNNAMED = "operator"
"""Who approved, where an operator gave no name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What the last transaction of a document did."""

    outcome: Outcome
    note: str | None = None


async def survey_document(conn: Connection, document: PreparedDocument) -> Decision:
    """Return what has to be done, reading only."""
    source = await find_source(conn, document.key)
    if source is None:
        return Decision(step=Step.STAGE)
    return await _decide(conn, document, source)


async def chunk(document: PreparedDocument, embedder: Embedder) -> tuple[ChunkDraft, ...]:
    """Return the chunks of the text, cut in a thread. Raises UnreadableDocument where none is left."""
    content = document.request.document
    chunks = await asyncio.to_thread(
        lambda: chunk_document(
            content, count_tokens=embedder.count_tokens, token_limit=embedder.token_limit
        )
    )
    if not chunks:
        raise UnreadableDocument(f"{content.key} has no text to search in")
    return chunks


async def stage_document(
    conn: Connection, document: PreparedDocument, chunks: tuple[ChunkDraft, ...]
) -> Decision:
    """Write the version with its passages and chunks, invisibly, and return what stands now.

    The decision is of the same kind as a survey's, taken anew under the lock of the source: another
    process may have been faster. Step STAGE carries the new draft.
    """
    await add_tenant(conn)
    if await find_source(conn, document.key) is None:
        await add_source(conn, document.key)
    source = await lock_source(conn, document.key)
    decision = await _decide(conn, document, source)
    if decision.step not in {Step.RESUME, Step.STAGE}:
        return decision
    await share_liveness(conn)
    draft = _draft(document, source)
    if decision.version is not None:
        if (
            decision.version.state is VersionState.FAILED
            or document.request.actor is Actor.OPERATOR
        ):
            await resume_version(conn, decision.version.version_id, draft)
        return decision
    await add_passages(conn, chunks)
    version_id, _ = await add_version(conn, draft)
    await add_chunks(conn, version_id, chunks)
    return Decision(step=Step.STAGE, version=await get_version(conn, version_id))


async def relabel_document(conn: Connection, document: PreparedDocument) -> Published:
    """Write labels, review and approval of a version that is current with this very text."""
    request = document.request
    source = await lock_source(conn, document.key)
    current = await find_current_version(conn, source.source_id)
    if current is None or current.content_hash != document.content_hash:
        raise VersionConflict(f"another version of {document.key} became current meanwhile")
    await _label(conn, request, source)
    if needs_review(request, current):
        await review_version(
            conn,
            current.version_id,
            review_until=request.review_until or current.review_until,
            verified_by=request.verified_by or current.verified_by,
        )
    if approves(request, source):
        by = request.by or UNNAMED
        await permit_source(conn, source.source_id, Permission.APPROVED, by=by)
        await take_basis(conn, source.source_id, BasisAction.APPROVE, by=by)
    return Published(outcome=Outcome.RELABELLED)


async def publish_document(
    conn: Connection, space_id: SpaceId, document: PreparedDocument, version_id: int
) -> Published:
    """Publish the staged version if its actor may, else leave it waiting.

    Raises VersionConflict where another version is current than the request expects.
    """
    request = document.request
    source = await lock_source(conn, document.key)
    version = await get_version(conn, version_id)
    if version.state not in {VersionState.DRAFT, VersionState.FAILED}:
        return Published(outcome=Outcome.UNCHANGED, note="another run published it meanwhile")
    expect_current(request, await find_current_version(conn, source.source_id))
    if approves(request, source):
        await permit_source(conn, source.source_id, Permission.APPROVED, by=request.by or UNNAMED)
    await _label(conn, request, source)
    if not may_publish(request.actor, source):
        return Published(outcome=Outcome.PENDING, note="the version waits for approval")
    source = await lock_source(conn, document.key)
    await publish_version(conn, space_id, source, version, by=request.by)
    if source.permission is Permission.APPROVED:
        return Published(outcome=Outcome.NEW)
    return Published(outcome=Outcome.PENDING, note=f"the source is {source.permission}")


def expect_current(request: IngestRequest, current: DocumentVersion | None) -> None:
    """Raise VersionConflict where the current version is not the one that the request expects."""
    expected = request.expected_current_version
    found = 0 if current is None else current.seq
    if expected is not None and expected != found:
        raise VersionConflict(
            f"version {found} of {request.document.key} is current, not {expected} as expected;"
            " look at it, then ingest again"
        )


async def _decide(conn: Connection, document: PreparedDocument, source: Source) -> Decision:
    related = await list_related_versions(conn, source.source_id, document.content_hash)
    return decide(document.request, document.content_hash, source, related)


async def _label(conn: Connection, request: IngestRequest, source: Source) -> None:
    labelled = relabel(request, source)
    if labelled != source and may_label(request.actor, source):
        await label_source(conn, labelled)


def _draft(document: PreparedDocument, source: Source) -> VersionDraft:
    request = document.request
    return VersionDraft(
        source_id=source.source_id,
        text=request.document.text,
        content_hash=document.content_hash,
        media_type=request.document.media_type,
        valid_from=request.valid_from,
        review_until=request.review_until,
        verified_by=request.verified_by,
        ingested_by=request.by,
        ingested_as="operator" if request.actor is Actor.OPERATOR else "agent",
    )
