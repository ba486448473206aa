"""Documents made fit for the store, or refused with the reason, before anything is written."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from verifier.core.documents import SourceKey
from verifier.errors import InputError, UnreadableDocument
from verifier.ingest.limits import MOST_CHARACTERS
from verifier.ingest.requests import Actor
from verifier.store.corrections import check_authority
from verifier.store.storable import NUL, mend_surrogates, storable_json

if TYPE_CHECKING:
    from verifier.core.documents import Document
    from verifier.ingest.requests import IngestRequest

KEY_LIMIT: Final = 1_000
"""Characters of a key, so that it fits an index row whatever its script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedDocument:
    """A request whose text, labels and key the store can hold. `content_hash` is a SHA-256."""

    request: IngestRequest
    content_hash: bytes

    @property
    def key(self) -> SourceKey:
        """The key of the source."""
        return self.request.document.key


def prepare(request: IngestRequest) -> PreparedDocument:
    """Return the request made fit: lone surrogates become U+FFFD, metadata plain JSON.

    Raises UnreadableDocument for a text that is blank, too long or holds NUL, InputError for a key,
    metadata or an authority that can't be stored.
    """
    document = request.document
    key = _prepare_key(document.key)
    prepared = replace(
        document,
        key=key,
        text=_prepare_text(document),
        title=_prepare_label(key, "title", document.title),
        url=_prepare_label(key, "URL", document.url),
    )
    _check_authority(key, request)
    metadata = None if request.metadata is None else _prepare_metadata(key, request)
    return PreparedDocument(
        request=replace(
            request,
            document=prepared,
            metadata=metadata,
            by=_prepare_label(key, "name of who ingests", request.by),
            verified_by=_prepare_label(key, "name of who verified", request.verified_by),
        ),
        content_hash=hashlib.sha256(prepared.text.encode("utf-8")).digest(),
    )


def _prepare_key(key: str) -> SourceKey:
    if not key.strip():
        raise InputError("a document needs a key that is not blank")
    if NUL in key or len(key) > KEY_LIMIT:
        raise InputError(f"the key {key[:80]!r} holds a NUL or more than {KEY_LIMIT} characters")
    return SourceKey(mend_surrogates(key))


def _prepare_text(document: Document) -> str:
    text = document.text
    if len(text) > MOST_CHARACTERS:
        raise UnreadableDocument(
            f"{document.key} has {len(text):,} characters; split it, {MOST_CHARACTERS:,} is the limit"
        )
    place = text.find(NUL)
    if place >= 0:
        raise UnreadableDocument(
            f"{document.key} holds a NUL at character {place}; it is no text, or must be cleaned"
        )
    if not text.strip():
        raise UnreadableDocument(f"{document.key} is blank")
    return mend_surrogates(text)


def _prepare_label(key: str, name: str, label: str | None) -> str | None:
    if label is not None and NUL in label:
        raise InputError(f"{key}: the {name} holds a NUL")
    return None if label is None else mend_surrogates(label)


def _check_authority(key: str, request: IngestRequest) -> None:
    if request.authority is None:
        return
    if request.actor is not Actor.OPERATOR:
        raise InputError(f"only an operator says how much {key} counts; leave the authority out")
    check_authority(request.authority)


def _prepare_metadata(key: str, request: IngestRequest) -> dict[str, object]:
    try:
        metadata: dict[str, object] = json.loads(storable_json(request.metadata or {}))
    except (ValueError, RecursionError) as error:
        raise InputError(f"the metadata of {key} can't be written as JSON: {error}") from error
    return metadata
