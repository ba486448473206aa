"""Files that tests write with the libraries that other programs write them with."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, TypeAlias

import docx
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

if TYPE_CHECKING:
    from collections.abc import Sequence

    from docx.document import Document as WordDocument

Paragraph: TypeAlias = "str | tuple[int, str]"
"""A text of one or more lines, or a size in points and a line."""

MARGIN = 72
LEADING = 1.2


def write_pdf(
    pages: Sequence[Sequence[Paragraph]],
    *,
    outline: Sequence[tuple[int, int, str]] = (),
    title: str | None = None,
    encrypted: bool = False,
) -> bytes:
    """Return a PDF with a page for each of `pages`, in 11 points where no size is told.

    `outline` has page (from 0), level and title of each entry.
    """
    written = io.BytesIO()
    canvas = Canvas(written, pagesize=A4, encrypt="of the tests" if encrypted else None)
    if title is not None:
        canvas.setTitle(title)
    for number, paragraphs in enumerate(pages):
        for page, level, entry in outline:
            if page == number:
                canvas.bookmarkPage(entry)
                canvas.addOutlineEntry(entry, entry, level=level)
        _write_page(canvas, paragraphs)
        canvas.showPage()
    canvas.save()
    return written.getvalue()


def _write_page(canvas: Canvas, paragraphs: Sequence[Paragraph]) -> None:
    at = A4[1] - MARGIN
    for paragraph in paragraphs:
        size, text = (11, paragraph) if isinstance(paragraph, str) else paragraph
        canvas.setFont("Helvetica", size)
        for line in text.split("\n"):
            at -= size * LEADING
            canvas.drawString(MARGIN, at, line)
        at -= 12


def write_docx(document: WordDocument) -> bytes:
    """Return the file of a Word document."""
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def begin_docx() -> WordDocument:
    """Return a Word document without any text."""
    return docx.Document()
