"""Records: rows of a table, lines of JSON, rows of a query; read one by one, written as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from verifier.core.documents import Document, SourceKey
from verifier.errors import InputError, UnreadableDocument
from verifier.ingest.limits import MOST_CHARACTERS
from verifier.ingest.markup import guard_line, join_words
from verifier.ingest.parts import part_key
from verifier.ingest.requests import Actor, IngestRequest, PartsEnd

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verifier.ingest.requests import Incoming, IngestTerms

ROWS_A_DOCUMENT: Final = 1_000
"""Rows that are one source where no column names a source for each: few enough to hold and to publish."""

BETWEEN: Final = "\n\n"
_DEEPEST: Final = 100
_KEY_SHOWN: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One row. `number` counts from 1; `place` names its file and line, for errors.

    Values are texts, exact numbers as they are written, true, false, nothing, and lists and mappings of such.
    """

    number: int
    place: str
    fields: Mapping[str, Any]


class RecordStream(Protocol):
    """Records that can be read again from the beginning; errors name the file and the place in it."""

    @property
    def name(self) -> str:
        """What errors call it."""

    @property
    def media_type(self) -> str:
        """The media type of what it was read from."""

    def __iter__(self) -> Iterator[Record]:
        """Yield the records. Raises UnreadableDocument at what can't be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keying:
    """How the sources of rows are called: `key` and `title` of all, and the `column` that tells each."""

    key: str
    title: str
    url: str | None = None
    column: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRequests:
    """The records of a stream as requests, after all were looked at once; text is held of one at a time.

    Without a column of keys each thousand rows are one source, the first under the key, the others with
    their first row behind it. With one each row is a source of its own, with the column's value behind it.
    """

    stream: RecordStream
    keying: Keying
    terms: IngestTerms
    rows: int

    def __len__(self) -> int:
        return self.rows if self.keying.column is not None else -(-self.rows // ROWS_A_DOCUMENT)

    def __iter__(self) -> Iterator[Incoming]:
        key, title, column = self.keying.key, self.keying.title, self.keying.column
        if column is not None:
            for record in self.stream:
                told = _read_key(record, column)
                yield self._request(f"{key}/{told}", [record], f"{title} {told}")
            return
        part: list[Record] = []
        for record in self.stream:
            part.append(record)
            if len(part) == ROWS_A_DOCUMENT:
                yield self._request(part_key(key, part[0].number), part, title)
                part = []
        if part:
            yield self._request(part_key(key, part[0].number), part, title)
        if self.terms.get("actor", Actor.OPERATOR) is Actor.OPERATOR:
            yield PartsEnd(key=key, rows=self.rows, by=self.terms.get("by"))

    def _request(self, key: str, records: list[Record], title: str) -> IngestRequest:
        texts = [write_record(record) for record in records]
        starts, at = [], 0
        for text in texts:
            starts.append(at)
            at += len(text) + len(BETWEEN)
        document = Document(
            key=SourceKey(key),
            text=BETWEEN.join(texts),
            title=title,
            url=self.keying.url,
            media_type=self.stream.media_type,
            row_starts=tuple(starts),
            first_row=records[0].number,
        )
        return IngestRequest(document=document, **self.terms)


def survey_records(stream: RecordStream, terms: IngestTerms, keying: Keying) -> RecordRequests:
    """Return the records as requests once all of them are known to be readable.

    Raises UnreadableDocument at the first that is not, or where there is none; InputError where the key
    column is missing, blank or has a value twice.
    """
    seen: set[int] = set()
    rows = characters = 0
    for record in stream:
        rows += 1
        length = len(write_record(record))
        characters = length if (rows - 1) % ROWS_A_DOCUMENT == 0 else characters + length
        if keying.column is not None:
            characters = length
            _refuse_twice(_read_key(record, keying.column), record, seen)
        if characters > MOST_CHARACTERS:
            raise UnreadableDocument(
                f"{record.place}: the rows up to it have more than {MOST_CHARACTERS:,}"
                " characters; give --key-column, so that each row is a source of its own"
            )
    if rows == 0:
        raise UnreadableDocument(f"{stream.name}: holds no rows")
    return RecordRequests(stream=stream, keying=keying, terms=terms, rows=rows)


def _read_key(record: Record, column: str) -> str:
    if column not in record.fields:
        raise InputError(
            f"{record.place}: has no {column!r}, only {', '.join(map(repr, record.fields))}"
        )
    told = record.fields[column]
    written = _write_value(told).strip() if not isinstance(told, dict | list) else ""
    if not written:
        raise InputError(f"{record.place}: {column!r} is blank, so the row has no key")
    return written


def _refuse_twice(key: str, record: Record, seen: set[int]) -> None:
    """Refuse a key that stood before; hashes are kept in place of keys, which may be millions."""
    known = hash(key)
    if known in seen:
        raise InputError(
            f"{record.place}: the key {key[:_KEY_SHOWN]!r} stands twice; name a column whose values"
            " differ, or take the row out"
        )
    seen.add(known)


def write_record(record: Record) -> str:
    """Return a record as lines of name and value; what is blank or null is left out.

    A name within another reads `order.total`, a place in a list `lines[0].price`. Values are exact.
    """
    lines = [
        f"{join_words(name)}: {value}" if name else value
        for name, value in _flatten(record.fields, "", 0)
    ]
    text = "\n".join(guard_line(line) for line in "\n".join(lines).split("\n"))
    if "\x00" in text:
        raise UnreadableDocument(f"{record.place}: holds a NUL, so it is no text; remove it")
    return text or f"row {record.number}: blank"


def _flatten(value: Any, name: str, depth: int) -> Iterator[tuple[str, str]]:  # noqa: ANN401
    if depth > _DEEPEST:
        raise UnreadableDocument(
            f"{name[:_KEY_SHOWN]!r} is nested more than {_DEEPEST} deep; write it flatter"
        )
    members = list(_find_members(value, name))
    for named, member in members:
        yield from _flatten(member, named, depth + 1)
    if not members and (written := _write_value(value)):
        yield name, written


def _find_members(value: Any, name: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 -- of JSON
    """Yield what a mapping or a list holds, by its name; values of a list share that of the list."""
    if isinstance(value, dict):
        yield from ((f"{name}.{key}" if name else key, member) for key, member in value.items())
    elif isinstance(value, list):
        nested = any(isinstance(member, dict | list) for member in value)
        yield from (
            (f"{name}[{at}]" if nested else name, member) for at, member in enumerate(value)
        )


def _write_value(value: Any) -> str:  # noqa: ANN401 -- a value of JSON
    match value:
        case None:
            return ""
        case True | False:
            return "true" if value else "false"
        case dict() | list():
            return "none"
        case _:
            return str(value).strip("\n")
