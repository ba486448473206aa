"""Reading files as documents. What can't be read is an error that names it and says what to do."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from verifier.core.documents import Document, SourceKey
from verifier.errors import UnreadableDocument
from verifier.ingest.content import read_safely
from verifier.ingest.formats import MEDIA_TYPES, Format, find_format
from verifier.ingest.limits import ReadLimits

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULT_LIMITS: Final = ReadLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDocuments:
    """The files below a folder, in the order of their paths, and those that are of no known type.

    `unlistable` are folders that can't be looked into, each with the reason.
    """

    files: tuple[Path, ...]
    passed_over: tuple[Path, ...]
    unlistable: tuple[tuple[Path, str], ...] = ()


def find_documents(path: Path) -> FoundDocuments:
    """Return the files at or below `path` whose suffix tells a format; hidden ones are left out.

    Links to folders are not followed, so a loop of links ends. Raises UnreadableDocument where `path`
    does not exist or can't be listed.
    """
    if path.is_file():
        return FoundDocuments(files=(path,), passed_over=())
    if not path.is_dir():
        raise UnreadableDocument(f"{path}: no such file or folder")
    refused: list[tuple[Path, str]] = []
    found = sorted(_walk(path, refused))
    if refused and refused[0][0] == path:
        raise UnreadableDocument(f"{path}: {refused[0][1]}")
    return FoundDocuments(
        files=tuple(file for file in found if find_format(file) is not None),
        passed_over=tuple(file for file in found if find_format(file) is None),
        unlistable=tuple(refused),
    )


def read_document(
    path: Path,
    *,
    key: str | None = None,
    limits: ReadLimits = DEFAULT_LIMITS,
) -> Document:
    """Return the text of a file. Its key is its name where none is given.

    Its suffix tells the format; a file of another suffix is read as text. Raises UnreadableDocument
    where the file is missing, too large, empty, damaged or no text.
    """
    form = find_format(path) or Format.TEXT
    content = read_bytes(path, limits=limits)
    return make_document(content, form, key=key or path.name, name=str(path), limits=limits)


def read_bytes(path: Path, *, limits: ReadLimits) -> bytes:
    """Return what a file holds. Raises UnreadableDocument."""
    try:
        size = path.stat().st_size
        check_size(size, str(path), limits)
        if not path.is_file():
            raise UnreadableDocument(f"{path}: not a regular file")
        return path.read_bytes()
    except OSError as error:
        raise UnreadableDocument(f"{path}: {error.strerror or error}") from error


def check_size(size: int, name: str, limits: ReadLimits) -> None:
    """Raise UnreadableDocument for what has more bytes than the limit."""
    if size > limits.max_bytes:
        raise UnreadableDocument(
            f"{name}: {size:,} bytes, more than the limit of {limits.max_bytes:,}; split it, or raise"
            " max_document_bytes"
        )


def make_document(
    content: bytes,
    form: Format,
    *,
    key: str,
    name: str,
    limits: ReadLimits,
    declared: str | None = None,
) -> Document:
    """Return the document that the bytes are; `name` is what errors call it. Raises UnreadableDocument."""
    reading = read_safely(content, form, name, limits=limits, declared=declared)
    return Document(
        key=SourceKey(key),
        text=reading.text,
        title=reading.title or Path(key).stem,
        media_type=MEDIA_TYPES[form],
        caveat=reading.caveat,
    )


def _walk(folder: Path, refused: list[tuple[Path, str]]) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        refused.append((Path(error.filename), error.strerror or str(error)))

    for above, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(above) / name for name in files if not name.startswith("."))
