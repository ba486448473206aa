"""Files and folders as requests: each file its own, an unreadable one an outcome that says why."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, TypeAlias

from verifier.core.documents import Document, SourceKey
from verifier.errors import InputError, UnreadableDocument
from verifier.ingest.csv_reader import CsvRows
from verifier.ingest.document_work import failed
from verifier.ingest.formats import (
    MEDIA_TYPES,
    RECORD_FORMATS,
    Format,
    find_format,
    list_suffixes,
)
from verifier.ingest.json_reader import JsonLines, read_json
from verifier.ingest.read_ahead import read_ahead
from verifier.ingest.readers import (
    DEFAULT_LIMITS,
    check_size,
    find_documents,
    make_document,
    read_bytes,
)
from verifier.ingest.reading import Reading
from verifier.ingest.records import Keying, RecordRequests, survey_records
from verifier.ingest.requests import IngestOutcome, IngestRequest, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verifier.ingest.limits import ReadLimits
    from verifier.ingest.readers import FoundDocuments
    from verifier.ingest.records import RecordStream
    from verifier.ingest.requests import Incoming, IngestTerms


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How files are read. `form` is the format where no suffix tells it.

    `key_column` names what is the key of each row, in files of rows. `declared` is the encoding and `url`
    the address that a sender told. Of a folder, `jobs` files are read at once.
    """

    form: Format | None = None
    key_column: str | None = None
    limits: ReadLimits = DEFAULT_LIMITS
    declared: str | None = None
    url: str | None = None
    jobs: int = 1


AS_TOLD: Final = ReadOptions()
_SHOWN: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderRequests:
    """The files of a folder as requests, each read when its turn comes.

    Keys are the paths below `root`, so that files of one name in two folders stay two sources.
    """

    root: Path
    found: FoundDocuments
    terms: IngestTerms
    options: ReadOptions = AS_TOLD

    @property
    def passed_over(self) -> tuple[str, ...]:
        """The files whose suffix tells no format, by their path below `root`."""
        return tuple(file.relative_to(self.root).as_posix() for file in self.found.passed_over)

    def __len__(self) -> int:
        return len(self.found.files) + len(self.found.unlistable)

    def __iter__(self) -> Iterator[Incoming]:
        for folder, reason in self.found.unlistable:
            yield IngestOutcome(
                key=str(folder), outcome=Outcome.FAILED, error=f"{folder}: {reason}"
            )
        # Those that take long are read in processes of their own, so that threads are enough.
        for file, reading in read_ahead(self.found.files, self._read, jobs=self.options.jobs):
            try:
                yield from reading()
            except InputError as error:
                key = self._key(file)
                yield failed(key, error)

    def _key(self, file: Path) -> str:
        return file.relative_to(self.root).as_posix()

    def _read(self, file: Path) -> FileRequests:
        return _read_file(file, self.terms, key=self._key(file), options=self.options)


FileRequests: TypeAlias = RecordRequests | tuple[IngestRequest, ...]


def read_path(
    path: Path, terms: IngestTerms, *, key: str | None = None, options: ReadOptions = AS_TOLD
) -> FolderRequests | FileRequests:
    """Return the requests of a file, or those of all documents below a folder.

    Raises UnreadableDocument where the file can't be read or the folder holds no document, InputError
    where a folder is given a key or a format.
    """
    if not path.is_dir():
        return _read_file(path, terms, key=key or path.name, options=options)
    if key is not None or options.form is not None:
        raise InputError(
            f"{path} is a folder; a key names one source, and a format is that of one file"
        )
    found = find_documents(path)
    if not found.files:
        raise InputError(_explain_nothing(path, found))
    return FolderRequests(root=path, found=found, terms=terms, options=options)


def _explain_nothing(path: Path, found: FoundDocuments) -> str:
    told = [f"{path} holds no files that are read ({list_suffixes()})"]
    told += [f"{folder}: {reason}" for folder, reason in found.unlistable[:_SHOWN]]
    others = [file.relative_to(path).as_posix() for file in found.passed_over]
    if others:
        more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
        told.append(f"not read: {', '.join(others[:_SHOWN])}{more}")
    return "; ".join(told)


def read_stream(
    content: bytes, terms: IngestTerms, *, key: str, options: ReadOptions = AS_TOLD
) -> FileRequests:
    """Return the requests of bytes that came from no file, Markdown where no format is told.

    Raises UnreadableDocument.
    """
    check_size(len(content), key, options.limits)
    form = options.form or Format.MARKDOWN
    opened = _Opened(
        name=key, read=lambda: content, begin=lambda: io.BytesIO(content), options=options
    )
    return _read(opened, form, terms, key=key)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """What is read: all at once, or from its beginning as often as needed."""

    name: str
    read: Callable[[], bytes]
    begin: Callable[[], BinaryIO]
    options: ReadOptions


def _read_file(path: Path, terms: IngestTerms, *, key: str, options: ReadOptions) -> FileRequests:
    form = options.form or find_format(path) or Format.TEXT
    opened = _Opened(
        name=str(path),
        read=lambda: read_bytes(path, limits=options.limits),
        begin=lambda: _begin(path),
        options=options,
    )
    return _read(opened, form, terms, key=key)


def _begin(path: Path) -> BinaryIO:
    try:
        if not path.is_file():
            missing = "not a regular file" if path.exists() else "no such file or folder"
            raise UnreadableDocument(f"{path}: {missing}")
        return path.open("rb")
    except OSError as error:
        raise UnreadableDocument(f"{path}: {error.strerror or error}") from error


def _read(opened: _Opened, form: Format, terms: IngestTerms, *, key: str) -> FileRequests:
    options = opened.options
    if form in RECORD_FORMATS:
        found = _find_records(opened, form)
        title = Path(key).stem
        if isinstance(found, Reading):
            document = Document(
                key=SourceKey(key),
                text=found.text,
                title=title,
                url=options.url,
                media_type=MEDIA_TYPES[form],
            )
            return (IngestRequest(document=document, **terms),)
        about = Keying(key=key, title=title, url=options.url, column=options.key_column)
        return survey_records(found, terms, about)
    document = make_document(
        opened.read(),
        form,
        key=key,
        name=opened.name,
        limits=options.limits,
        declared=options.declared,
    )
    if options.url is not None:
        document = replace(document, url=options.url)
    return (IngestRequest(document=document, **terms),)


def _find_records(opened: _Opened, form: Format) -> RecordStream | Reading:
    if form is Format.CSV:
        return CsvRows(name=opened.name, open_bytes=opened.begin)
    if form is Format.JSON_LINES:
        limit = opened.options.limits.max_bytes
        return JsonLines(name=opened.name, open_bytes=opened.begin, max_bytes=limit)
    return read_json(opened.read(), opened.name)
