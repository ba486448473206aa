"""Documents made of another store's rows: a source's rows joined, each an exact chunk."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from verifier.core.documents import ChunkDraft, Document, SourceKey
from verifier.core.spans import Span
from verifier.ingest.requests import IngestRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.ingest.requests import Incoming, IngestTerms
    from verifier.ingest.taken_rows import StoredRow, TakenRows

BETWEEN: Final = "\n\n"
_URLS: Final = ("http://", "https://")
_TITLES: Final = ("title", "file_name")


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenRequests:
    """The sources as requests, `sources` of them; the rows of one at a time are held in memory."""

    rows: TakenRows
    terms: IngestTerms
    sources: int

    def __len__(self) -> int:
        return self.sources

    def __iter__(self) -> Iterator[Incoming]:
        for source, rows in groupby(self.rows.read(), key=lambda row: row.source):
            yield _make_request(source, list(rows), self.terms)


def _make_request(source: str, rows: Sequence[StoredRow], terms: IngestTerms) -> IngestRequest:
    read = [json.loads(row.metadata) for row in rows]
    common = _find_common(read)
    chunks, at = [], 0
    for ordinal, (row, metadata) in enumerate(zip(rows, read, strict=True)):
        chunks.append(_make_chunk(ordinal, row, at, metadata))
        at += len(row.text) + len(BETWEEN)
    document = Document(
        key=SourceKey(source),
        text=BETWEEN.join(row.text for row in rows),
        title=next((str(common[name]) for name in _TITLES if name in common), None),
        url=_find_url(source, common),
        chunks=tuple(chunks),
    )
    stated: IngestTerms = {"metadata": common, **terms}
    return IngestRequest(document=document, **stated)


def _make_chunk(
    ordinal: int, row: StoredRow, start: int, metadata: Mapping[str, Any]
) -> ChunkDraft:
    label = str(metadata.get("page_label", ""))
    return ChunkDraft(
        ordinal=ordinal,
        span=Span(start, start + len(row.text)),
        text=row.text,
        heading_path=(),
        embedded_input=row.embedded_input,
        input_hash=row.input_hash,
        page=int(label) if label.isascii() and label.isdigit() and len(label) < 7 else None,
    )


def _find_common(read: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what all rows say alike: that is of the source, the rest of each row."""
    return {
        name: value
        for name, value in read[0].items()
        if all(name in other and other[name] == value for other in read[1:])
    }


def _find_url(source: str, common: Mapping[str, Any]) -> str | None:
    told = common.get("url")
    if isinstance(told, str) and told.lower().startswith(_URLS):
        return told
    return source if source.lower().startswith(_URLS) else None
