"""What an ingest must do, from what is asked and what stands: pure decisions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from verifier.core.documents import Permission, VersionState
from verifier.ingest.requests import Actor
from verifier.store.sources import BY_SOURCE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from verifier.ingest.requests import IngestRequest
    from verifier.store.sources import Source
    from verifier.store.versions import DocumentVersion

UNPUBLISHED = frozenset({VersionState.DRAFT, VersionState.FAILED})


class Step(StrEnum):
    """The first thing to do for a document."""

    NOTHING = "nothing"
    RELABEL = "relabel"
    REFUSE = "refuse"
    RESUME = "resume"
    STAGE = "stage"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A step, and the version on record that it is about (none of STAGE)."""

    step: Step
    version: DocumentVersion | None = None


def decide(
    request: IngestRequest,
    content_hash: bytes,
    source: Source | None,
    related: Sequence[DocumentVersion],
) -> Decision:
    """Return what to do; `related` are the current version and those with the same content."""
    if source is None:
        return Decision(step=Step.STAGE)
    current = next((v for v in related if v.state is VersionState.CURRENT), None)
    same = [version for version in related if version.content_hash == content_hash]
    if current in same and request.valid_from in {None, current.valid_from}:
        return _of_current(request, source, current)
    recorded = next((v for v in same if _is_recorded(v, request.valid_from)), None)
    if recorded is not None:
        return Decision(step=Step.NOTHING, version=recorded)
    resumable = next(
        (v for v in reversed(same) if _is_resumable(v, request.valid_from, current)), None
    )
    if resumable is not None:
        return Decision(step=Step.RESUME, version=resumable)
    return Decision(step=Step.STAGE)


def _of_current(request: IngestRequest, source: Source, current: DocumentVersion) -> Decision:
    labelled = relabel(request, source)
    if labelled == source and not needs_review(request, current) and not approves(request, source):
        return Decision(step=Step.NOTHING, version=current)
    if not may_label(request.actor, source):
        return Decision(step=Step.REFUSE, version=current)
    return Decision(step=Step.RELABEL, version=current)


def _is_recorded(version: DocumentVersion, valid_from: datetime | None) -> bool:
    return (
        valid_from is not None
        and version.valid_from == valid_from
        and (version.scheduled or version.state not in UNPUBLISHED)
    )


def _is_resumable(
    version: DocumentVersion, valid_from: datetime | None, current: DocumentVersion | None
) -> bool:
    if version.scheduled or version.state not in UNPUBLISHED or version.valid_from != valid_from:
        return False
    if current is None or version.seq > current.seq:
        return True
    return (
        valid_from is not None
        and current.valid_from is not None
        and valid_from < current.valid_from
    )


def relabel(request: IngestRequest, source: Source) -> Source:
    """Return the source with the labels that the request brings; what it leaves open stays."""
    document = request.document
    metadata = source.metadata if request.metadata is None else dict(request.metadata)
    if request.language is not None and "language" not in metadata:
        metadata = {**metadata, "language": request.language}
    return replace(
        source,
        title=source.title if document.title is None else document.title,
        url=source.url if document.url is None else document.url,
        authority=source.authority if request.authority is None else request.authority,
        metadata=metadata,
    )


def needs_review(request: IngestRequest, version: DocumentVersion) -> bool:
    """Return whether the request records another review of the version than stands."""
    return (request.review_until is not None and request.review_until != version.review_until) or (
        request.verified_by is not None and request.verified_by != version.verified_by
    )


def approves(request: IngestRequest, source: Source) -> bool:
    """Return whether the ingest approves the source: an operator's does, unless it was denied."""
    return request.actor is Actor.OPERATOR and source.permission is Permission.PENDING


def may_label(actor: Actor, source: Source) -> bool:
    """Return whether the actor's labels apply: on an approved source, only those of an operator."""
    return (
        actor is Actor.OPERATOR
        or source.permission is Permission.PENDING
        or source.review == BY_SOURCE
    )


def may_publish(actor: Actor, source: Source) -> bool:
    """Return whether the actor's version may answer; else it waits for approval as a draft."""
    return may_label(actor, source)
