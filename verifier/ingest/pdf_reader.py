"""The text of a PDF with its pages and headings. pdfium is imported when a PDF is read."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from verifier.core.text import fold
from verifier.core.titles import find_title
from verifier.errors import UnreadableDocument
from verifier.ingest.formats import require_package
from verifier.ingest.markup import guard_line
from verifier.ingest.pdf_headings import find_headings
from verifier.ingest.pdf_lines import PageLine, find_lines
from verifier.ingest.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PARAGRAPH_GAP: Final = 0.5
"""Of the height of a line: more between two lines is a new paragraph."""

_FEWEST_REPEATED: Final = 3
_DIGITS: Final = re.compile(r"\d+")
_ENDS: Final = (".", ":", ";", "!", "?")
_MOST_NAMED: Final = 20


def read_pdf(content: bytes, name: str, *, max_pages: int) -> Reading:
    """Return the text of a PDF; a form feed ends each page but the last.

    Headings are the lines that the outline names, else those in larger letters. Heads and feet that most
    pages repeat are kept where they stand first. Raises UnreadableDocument for what is damaged, encrypted,
    longer than `max_pages`, or holds no text.
    """
    document = _open(content, name)
    count = len(document)
    if count > max_pages:
        raise UnreadableDocument(
            f"{name}: {count:,} pages, more than the limit of {max_pages:,}; split it, or raise"
            " max_document_pages"
        )
    pages = [_read_page(document, at, name) for at in range(count)]
    blank = [at + 1 for at, lines in enumerate(pages) if not lines]
    if len(blank) == count:
        raise UnreadableDocument(
            f"{name}: none of its {count:,} pages holds text; if they are scanned, recognise the text"
            " first, such as with ocrmypdf"
        )
    pages = _without_repeated(pages)
    levels = find_headings(pages, _read_outline(document))
    written = [_write_page(lines, levels.get(at, {})) for at, lines in enumerate(pages)]
    return Reading(
        text=_join_pages(written),
        title=_find_title(document, written),
        caveat=_tell_blank(blank),
    )


def _open(content: bytes, name: str) -> Any:  # noqa: ANN401 -- pdfium has no types
    try:
        import pypdfium2
    except ImportError:
        raise require_package("pypdfium2", "pdf") from None
    try:
        return pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        told = str(error).lower()
        if "password" in told or "security" in told:
            raise UnreadableDocument(
                f"{name}: is encrypted; save it without a password first, such as with: qpdf --decrypt"
            ) from None
        raise UnreadableDocument(f"{name}: is damaged, or no PDF; save it anew ({error})") from None


def _read_page(document: Any, at: int, name: str) -> list[PageLine]:  # noqa: ANN401 -- as above
    import pypdfium2

    try:
        with closing(document[at]) as page, closing(page.get_textpage()) as text_page:
            return list(find_lines(text_page))
    except pypdfium2.PdfiumError as error:
        raise UnreadableDocument(
            f"{name}: page {at + 1} is damaged; save the file anew ({error})"
        ) from None


def _read_outline(document: Any) -> list[tuple[int, int, str]]:  # noqa: ANN401 -- pdfium has no types
    """Return page, level and title of the entries of the outline, both from 0."""
    found = []
    for entry in document.get_toc():
        target = entry.get_dest()
        at = None if target is None else target.get_index()
        if at is not None:
            found.append((at, entry.level, entry.get_title() or ""))
    return found


def _without_repeated(pages: Sequence[list[PageLine]]) -> list[list[PageLine]]:
    """Return the pages without the first and last lines that more than half of them share.

    Numbers may differ. The first page with such a line keeps it.
    """
    edges = [{at: _mask(lines[at]) for at in (0, -1)} for lines in pages if lines]
    counts = Counter((at, mask) for edge in edges for at, mask in edge.items())
    least = max(_FEWEST_REPEATED, len(edges) // 2 + 1)
    repeated = {one for one, number in counts.items() if number >= least}
    seen: set[tuple[int, str]] = set()
    kept = []
    for lines in pages:
        rest = list(lines)
        for at in (0, -1):
            edge = (at, _mask(rest[at])) if len(rest) > 1 else None
            if edge in repeated and edge in seen:
                rest.pop(at)
            elif edge is not None:
                seen.add(edge)
        kept.append(rest)
    return kept


def _mask(line: PageLine) -> str:
    return f"{_DIGITS.sub('0', line.text)} at {round(line.bottom)}"


def _write_page(lines: Sequence[PageLine], levels: Mapping[int, int]) -> str:
    written: list[str] = []
    for at, line in enumerate(lines):
        level = levels.get(at)
        continued = level is not None and levels.get(at - 1) == level
        if at and level is not None and continued and not _is_apart(lines[at - 1], line):
            written.append(f" {line.text}")
            continue
        apart = at and (level is not None or at - 1 in levels or _is_apart(lines[at - 1], line))
        written += ["\n\n" if apart else "\n"] if at else []
        written.append(guard_line(line.text) if level is None else f"{'#' * level} {line.text}")
    return "".join(written)


def _is_apart(above: PageLine, line: PageLine) -> bool:
    """Return whether a line begins a paragraph: it stands further below, or beside what came before."""
    gap = above.bottom - line.top
    least = min(above.height, line.height)
    return least > 0 and (gap > _PARAGRAPH_GAP * least or gap < -2 * least)


def _join_pages(pages: Sequence[str]) -> str:
    """Return the pages as one text; a sentence may run on from one to the next."""
    joined = [pages[0]]
    for before, page in pairwise(pages):
        runs_on = page[:1].islower() and not before.endswith(_ENDS)
        joined += ["\f" if runs_on or not page else "\n\f\n", page]
    return "".join(joined)


def _find_title(document: Any, pages: Sequence[str]) -> str | None:  # noqa: ANN401 -- as above
    """Return the title that the file tells if its text bears it out, else that of the first heading."""
    told = " ".join((document.get_metadata_value("Title") or "").split())
    first = next(page for page in pages if page)
    if told and fold(told) in fold(first):
        return told
    return find_title(first)


def _tell_blank(blank: Sequence[int]) -> str | None:
    if not blank:
        return None
    named = ", ".join(map(str, blank[:_MOST_NAMED]))
    more = f" and {len(blank) - _MOST_NAMED} more" if len(blank) > _MOST_NAMED else ""
    pages = "page" if len(blank) == 1 else "pages"
    return f"{pages} {named}{more} held no text; if they are scanned, recognise it first"
