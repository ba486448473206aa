"""The formats that are read, and how a file's name tells which one it has."""

from __future__ import annotations

from enum import StrEnum
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.documents import DOCX, HTML, JSON, MARKDOWN, PDF
from verifier.errors import InputError, UnreadableDocument

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import PurePath


class Format(StrEnum):
    """What the bytes of a document are."""

    TEXT = "text"
    MARKDOWN = "markdown"
    HTML = "html"
    PDF = "pdf"
    DOCX = "docx"
    CSV = "csv"
    JSON = "json"
    JSON_LINES = "jsonl"


MEDIA_TYPES: Final[Mapping[Format, str]] = MappingProxyType(
    {
        Format.TEXT: "text/plain",
        Format.MARKDOWN: MARKDOWN,
        Format.HTML: HTML,
        Format.PDF: PDF,
        Format.DOCX: DOCX,
        Format.CSV: "text/csv",
        Format.JSON: JSON,
        Format.JSON_LINES: "application/x-ndjson",
    }
)

RECORD_FORMATS: Final = frozenset({Format.CSV, Format.JSON, Format.JSON_LINES})
"""Formats that may hold rows, which become sources by the thousand or one by one."""

SUFFIXES: Final[Mapping[str, Format]] = MappingProxyType(
    {
        ".txt": Format.TEXT,
        ".text": Format.TEXT,
        ".md": Format.MARKDOWN,
        ".markdown": Format.MARKDOWN,
        ".html": Format.HTML,
        ".htm": Format.HTML,
        ".xhtml": Format.HTML,
        ".pdf": Format.PDF,
        ".docx": Format.DOCX,
        ".csv": Format.CSV,
        ".tsv": Format.CSV,
        ".json": Format.JSON,
        ".jsonl": Format.JSON_LINES,
        ".ndjson": Format.JSON_LINES,
    }
)


TOLD_FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {media_type: form for form, media_type in MEDIA_TYPES.items() if form is not Format.TEXT}
    | {
        "application/xhtml+xml": Format.HTML,
        "text/x-markdown": Format.MARKDOWN,
        "text/tab-separated-values": Format.CSV,
        "application/jsonl": Format.JSON_LINES,
    }
)
"""Formats by the media type that a sender tells; plain text may be any that a name tells."""


def choose_format(media_type: str | None, name: str) -> Format:
    """Return the format of what a sender calls `media_type`. Raises UnreadableDocument."""
    told = TOLD_FORMATS.get(media_type or "")
    if told is not None:
        return told
    named = find_format(PurePosixPath(name))
    if media_type == MEDIA_TYPES[Format.TEXT]:
        return named if named in {Format.MARKDOWN, Format.CSV, Format.JSON_LINES} else Format.TEXT
    if named is not None and media_type in {None, "application/octet-stream"}:
        return named
    raise UnreadableDocument(
        f"{name}: is {media_type or 'of no told type'}, which is not read; tell its format if it is one"
    )


def find_format(path: PurePath) -> Format | None:
    """Return the format that the suffix of `path` stands for, None where it stands for none."""
    return SUFFIXES.get(path.suffix.lower())


def list_suffixes() -> str:
    """Return the suffixes that tell a format, in words."""
    return ", ".join(SUFFIXES)


def require_package(package: str, extra: str) -> InputError:
    """Return the error that says which extra brings a package that is missing."""
    return InputError(
        f"this format needs {package}; install it with: pip install 'grounding-verifier[{extra}]'"
    )
