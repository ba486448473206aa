"""Sources, document versions and chunks as plain values."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NewType

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from verifier.core.spans import Span

SourceKey = NewType("SourceKey", str)
InputHash = NewType("InputHash", bytes)
"""SHA-256 of what is embedded: heading path and text."""

MARKDOWN: Final = "text/markdown"
HTML: Final = "text/html"
PDF: Final = "application/pdf"
DOCX: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
JSON: Final = "application/json"
MARKED_UP: Final = frozenset({MARKDOWN, HTML, PDF, DOCX, JSON})
"""Media types whose texts write headings, items and tables as Markdown does, by nature or when read."""


class Permission(StrEnum):
    """Whether a source may be searched and cited."""

    APPROVED = "approved"
    PENDING = "pending"
    DENIED = "denied"


class VersionState(StrEnum):
    """Where a document version stands in its life; of an erased one only the tombstone is left."""

    DRAFT = "draft"
    CURRENT = "current"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"
    FAILED = "failed"
    ERASED = "erased"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRows:
    """Rows of a table. `table` counts the tables of its text, `first` and `last` its rows below the head.

    All count from 1; where a long table is kept as several documents, rows go on counting in each.
    """

    table: int
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text that was read and is ready to become a document version of a source.

    A form feed in `text` ends a page. Where the text is records, `row_starts` are the characters at which
    they begin and `first_row` is the number of the first. `caveat` tells what of it could not be read.
    `chunks` are given where the text was cut before it came here; None lets it be cut.
    """

    key: SourceKey
    text: str
    title: str | None = None
    url: str | None = None
    media_type: str = "text/plain"
    row_starts: tuple[int, ...] = ()
    first_row: int = 1
    caveat: str | None = None
    chunks: tuple[ChunkDraft, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkDraft:
    """An exact slice of a document text, with what is embedded for it.

    `text == document.text[span.start:span.end]`; `embedded_input` is the heading path, if any, and the
    text, and `input_hash` its SHA-256: equal inputs are embedded once. `page` is that of its beginning,
    `rows` are those of the first table in it.
    """

    ordinal: int
    span: Span
    text: str
    heading_path: tuple[str, ...]
    embedded_input: str
    input_hash: InputHash
    page: int | None = None
    rows: TableRows | None = None


def hash_text(text: str) -> str:
    """Return the SHA-256 of the text's UTF-8 form, in hexadecimal; a lone surrogate has a form too."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def hash_input(embedded_input: str) -> InputHash:
    """Return the reuse key of an embedded input: its SHA-256, 32 bytes."""
    return InputHash(hashlib.sha256(embedded_input.encode("utf-8")).digest())


def format_chunk_id(source: str, seq: int, ordinal: int) -> str:
    """Return the id of a chunk, `source@seq#ordinal`."""
    return f"{source}@{seq}#{ordinal}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """One chunk that a search returned.

    `similarity` is one minus the cosine distance, in [-1, 1], None where a search by words did not ask for
    it; `span` lies in the text of version `seq`;
    `review_until` is the moment until which the version counts as reviewed, None if it needs no review.
    `page` and `rows` tell where it stands in what has pages and tables.
    Of a search by words, `words_rank` and `vector_rank` are its places, from 1, in the lists that found it.
    `coverage` is how much of what the query's words can weigh it has, in [0, 1], and hits are ordered by
    `fused`, which compares with nothing but the other hits. Where a reranker ordered them, they are ordered
    by `relevance`, as its model gives it; `read_in_part` tells that it did not read to the end of the text.
    """

    chunk_id: str
    source: str
    seq: int
    ordinal: int
    span: Span
    text: str
    heading_path: tuple[str, ...]
    similarity: float | None
    title: str | None = None
    url: str | None = None
    review_until: datetime | None = None
    page: int | None = None
    rows: TableRows | None = None
    vector_rank: int | None = None
    words_rank: int | None = None
    coverage: float | None = None
    fused: float | None = None
    relevance: float | None = None
    read_in_part: bool = False


class SearchPlan(StrEnum):
    """How the hits were found: by comparing all, by an approximate index, or among those with rare words."""

    EXACT = "exact"
    ANN = "ann"
    CAPPED = "capped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """Hits with the chunks around them, as an exact slice of their version; hits that touch share one.

    `chunks` are those of the slice in their order, `hits` the ids of those that were found.
    """

    source: str
    seq: int
    span: Span
    text: str
    chunks: tuple[ExtractChunk, ...]
    hits: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractChunk:
    """One chunk of an extract."""

    chunk_id: str
    ordinal: int
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchExplanation:
    """Why a search went as it did.

    `candidates` is how many chunks pass filter, sources and moments, None where they are more than
    `exact_limit`. `indexes` are those of vectors, words and metadata that were read. `unknown_keys` are named
    by the filter and by no source. `unread_words` of the query are those that a search by words left out,
    since it reads so many in each language. `milliseconds` are by part, as the client saw them.
    """

    reason: str
    candidates: int | None
    exact_limit: int
    indexes: tuple[str, ...]
    space: str
    unknown_keys: tuple[str, ...]
    milliseconds: Mapping[str, float]
    unread_words: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """Hits, the best first, how they were found, and the basis that was seen.

    `as_of` is the moment of valid time that was asked for, None for now. `extracts` are there where
    neighbours were asked for, in the order of their best hits, `explanation` where it was asked for.
    `reranked_by` names the model that ordered them, if any did.
    """

    query: str
    hits: tuple[SearchHit, ...]
    plan: SearchPlan
    basis: int
    as_of: datetime | None = None
    extracts: tuple[Extract, ...] = ()
    explanation: SearchExplanation | None = None
    reranked_by: str | None = None
