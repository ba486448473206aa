"""The bytes of a document as text, by its format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from verifier.core.titles import find_title
from verifier.errors import InputError, UnreadableDocument
from verifier.ingest.decoding import decode
from verifier.ingest.formats import Format
from verifier.ingest.isolation import ReadJob, read_isolated
from verifier.ingest.reading import Reading

if TYPE_CHECKING:
    from verifier.ingest.limits import ReadLimits

_LARGE_PAGE_BYTES: Final = 100_000
"""Larger pages are read in a process of their own: elements nested deep cost time by the square."""

_TITLE_WITHIN: Final = 20_000


def read_content(content: bytes, job: ReadJob) -> Reading:
    """Return the text of `content` in this process. Raises UnreadableDocument."""
    match job.format:
        case Format.TEXT | Format.MARKDOWN:
            return _read_text(content, job)
        case Format.HTML:
            from verifier.ingest.html_reader import read_html

            return read_html(content, job.name, declared=job.declared)
        case Format.PDF:
            from verifier.ingest.pdf_reader import read_pdf

            return read_pdf(content, job.name, max_pages=job.limits.max_pages)
        case Format.DOCX:
            from verifier.ingest.docx_reader import read_docx

            return read_docx(content, job.name)
        case Format.CSV | Format.JSON | Format.JSON_LINES:
            raise InputError(
                f"{job.name}: its rows become sources of their own; ingest it by itself"
            )
        case _:
            assert_never(job.format)


def read_safely(
    content: bytes, form: Format, name: str, *, limits: ReadLimits, declared: str | None = None
) -> Reading:
    """Return the text of `content`, read in a process of its own where it may be hostile.

    `declared` is the encoding that its sender told. Raises UnreadableDocument naming `name`.
    """
    job = ReadJob(format=form, name=name, limits=limits, declared=declared)
    large_page = form is Format.HTML and len(content) > _LARGE_PAGE_BYTES
    if large_page or form in {Format.PDF, Format.DOCX}:
        return read_isolated(content, job)
    return read_content(content, job)


def _read_text(content: bytes, job: ReadJob) -> Reading:
    text = decode(content, job.name, declared=job.declared)
    if not text.strip():
        raise UnreadableDocument(f"{job.name}: holds no text")
    title = find_title(text[:_TITLE_WITHIN]) if job.format is Format.MARKDOWN else None
    return Reading(text=text, title=title)
