"""The two transactions of a document: writing a version invisibly, and publishing it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from verifier.core.chunking import chunk_document
from verifier.core.documents import Permission, VersionState
from verifier.errors import InputError, UnreadableDocument, VersionConflict
from verifier.ingest.decision import (
    UNPUBLISHED,
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
from verifier.store.basis import BasisAction, take_basis
from verifier.store.corrections import write_authority
from verifier.store.passages import add_chunks, share_liveness
from verifier.store.publication import expect_version, publish_version
from verifier.store.sources import (
    add_and_lock_sources,
    add_tenant,
    label_source,
    lock_source,
    permit_source,
)
from verifier.store.surveys import find_surveys
from verifier.store.tombstones import ArrivingText, admit_texts
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
    from collections.abc import Sequence

    from verifier.core.documents import ChunkDraft
    from verifier.core.ports import Embedder
    from verifier.ingest.preparation import PreparedDocument
    from verifier.ingest.requests import IngestRequest
    from verifier.store.pool import Connection
    from verifier.store.sources import Source
    from verifier.store.spaces import SpaceId

CutDocument: TypeAlias = "tuple[PreparedDocument, Sequence[ChunkDraft]]"
"""A document and its chunks."""

UNNAMED = "operator"
"""Who approved, where an operator gave no name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What the last transaction of a document did."""

    outcome: Outcome
    note: str | None = None


async def survey_documents(
    conn: Connection, documents: Sequence[PreparedDocument]
) -> list[Decision]:
    """Return what has to be done for each, reading only, in one statement."""
    asked = [(document.key, document.content_hash) for document in documents]
    return [
        decide(document.request, document.content_hash, source, related)
        for document, (source, related) in zip(
            documents, await find_surveys(conn, asked), strict=True
        )
    ]


async def chunk(document: PreparedDocument, embedder: Embedder) -> tuple[ChunkDraft, ...]:
    """Return the chunks of the text, cut in a thread. Raises UnreadableDocument where none is left."""
    content = document.request.document
    if content.chunks is not None:
        return content.chunks
    chunks = await asyncio.to_thread(
        lambda: chunk_document(
            content, count_tokens=embedder.count_tokens, token_limit=embedder.token_limit
        )
    )
    if not chunks:
        raise UnreadableDocument(f"{content.key} has no text to search in")
    return chunks


async def stage_documents(conn: Connection, documents: Sequence[CutDocument]) -> list[Decision]:
    """Write a version of each with its chunks, invisibly, and return what stands now of each.

    Several versions of one source stand in their order. Decisions are of the same kind as a survey's, taken
    anew under the locks of the sources: another process may have been faster. Step STAGE carries the new
    draft.
    """
    await add_tenant(conn)
    # All sources before the shared lock: who sweeps takes them in this order as well.
    await add_and_lock_sources(conn, [document.key for document, _ in documents])
    await share_liveness(conn)
    decisions = [await _stage(conn, document) for document, _ in documents]
    await admit_texts(
        conn,
        [
            _arriving(document, chunks)
            for decision, (document, chunks) in zip(decisions, documents, strict=True)
            if decision.step in {Step.STAGE, Step.RESUME}
        ],
    )
    await add_chunks(
        conn,
        {
            decision.version.version_id: chunks
            for decision, (_, chunks) in zip(decisions, documents, strict=True)
            if decision.step is Step.STAGE and decision.version is not None
        },
    )
    return decisions


def _arriving(document: PreparedDocument, chunks: Sequence[ChunkDraft]) -> ArrivingText:
    request = document.request
    return ArrivingText(
        key=document.key,
        text=request.document.text,
        content_hash=document.content_hash,
        chunks=chunks,
        allow_erased=request.allow_erased and request.actor is Actor.OPERATOR,
        by=request.by or UNNAMED,
    )


async def _stage(conn: Connection, document: PreparedDocument) -> Decision:
    source = await lock_source(conn, document.key)
    decision = await _decide(conn, document, source)
    draft = _draft(document, source)
    if decision.step is Step.STAGE:
        version_id, _ = await add_version(conn, draft)
        return Decision(step=Step.STAGE, version=await get_version(conn, version_id))
    version = decision.version
    if (
        decision.step is Step.RESUME
        and version is not None
        and (version.state is VersionState.FAILED or document.request.actor is Actor.OPERATOR)
    ):
        await resume_version(conn, version.version_id, draft)
    return decision


async def relabel_document(conn: Connection, document: PreparedDocument) -> Published:
    """Write labels, review and approval of a version that is current with this very text.

    Raises VersionConflict where another version is current than the request expects.
    """
    request = document.request
    source = await lock_source(conn, document.key)
    current = await find_current_version(conn, source.source_id)
    if current is None or current.content_hash != document.content_hash:
        raise VersionConflict(f"another version of {document.key} became current meanwhile")
    expect_version(document.key, current, request.expected_current_version)
    await _label(conn, request, source)
    if needs_review(request, current):
        await review_version(
            conn,
            current.version_id,
            review_until=request.review_until or current.review_until,
            verified_by=request.verified_by or current.verified_by,
        )
        await take_basis(
            conn,
            source.source_id,
            BasisAction.REVIEW,
            by=request.verified_by or request.by or UNNAMED,
            version_id=current.version_id,
        )
    if approves(request, source):
        by = request.by or UNNAMED
        await permit_source(conn, source.source_id, Permission.APPROVED, by=by)
        await take_basis(conn, source.source_id, BasisAction.APPROVE, by=by)
    await _count_authority(conn, request, source)
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
    if version.state is VersionState.ERASED:
        raise InputError(f"{document.key}@{version.seq} was erased meanwhile: {version.reason}")
    if version.scheduled or version.state not in UNPUBLISHED:
        return Published(outcome=Outcome.UNCHANGED, note="another run published it meanwhile")
    current = await find_current_version(conn, source.source_id)
    expect_version(document.key, current, request.expected_current_version)
    if approves(request, source):
        await permit_source(conn, source.source_id, Permission.APPROVED, by=request.by or UNNAMED)
    await _label(conn, request, source)
    if not may_publish(request.actor, source):
        return Published(outcome=Outcome.PENDING, note="the version waits for approval")
    before, source = source, await lock_source(conn, document.key)
    published = await publish_version(
        conn, space_id, source, version, by=request.by or request.actor.value
    )
    await _count_authority(conn, request, before)
    if published.state is VersionState.DRAFT:
        return Published(outcome=Outcome.PENDING, note=f"it answers from {version.valid_from}")
    if source.permission is Permission.APPROVED:
        return Published(outcome=Outcome.NEW)
    return Published(outcome=Outcome.PENDING, note=f"the source is {source.permission}")


async def _decide(conn: Connection, document: PreparedDocument, source: Source) -> Decision:
    related = await list_related_versions(conn, source.source_id, document.content_hash)
    return decide(document.request, document.content_hash, source, related)


async def _label(conn: Connection, request: IngestRequest, source: Source) -> None:
    labelled = relabel(request, source)
    if labelled != source and may_label(request.actor, source):
        await label_source(conn, labelled)
        if labelled.authority != source.authority:
            await write_authority(conn, source.source_id, labelled.authority)


async def _count_authority(conn: Connection, request: IngestRequest, before: Source) -> None:
    """Take the basis of another authority, the last act of the transaction that gave it."""
    if relabel(request, before).authority != before.authority:
        by = request.by or UNNAMED
        await take_basis(conn, before.source_id, BasisAction.SET_AUTHORITY, by=by)


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
