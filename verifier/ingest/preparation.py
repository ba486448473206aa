"""Documents made fit for the store, or refused with the reason, before anything is written."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from decimal import Decimal
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
_MOST_DIGITS: Final = 300


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
        plain = {name: _plain(value) for name, value in (request.metadata or {}).items()}
        metadata: dict[str, object] = json.loads(storable_json(plain))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"the metadata of {key} can't be written as JSON: {error}") from error
    return metadata


def _plain(value: object) -> object:
    """Return decimals as numbers of JSON, so that filters compare them; refuse what has no form there."""
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, set | frozenset | bytes | bytearray):
        raise TypeError(f"a {type(value).__name__} is no JSON; give a list or a text")
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return value


def _number(value: Decimal) -> int | float:
    if not value.is_finite() or abs(value.adjusted()) > _MOST_DIGITS:
        raise ValueError(f"{value} is no number that filters can compare; write it as a text")
    number = int(value) if value == value.to_integral_value() else float(value)
    if Decimal(str(number)) != value:
        raise ValueError(f"{value} has more digits than a number keeps; write it as a text")
    return number
