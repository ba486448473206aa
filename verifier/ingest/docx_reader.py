"""The text of a Word document. python-docx is imported when one is read."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Any, Final

from verifier.errors import UnreadableDocument
from verifier.ingest.docx_inline import W, find_boxes, find_wrapped, local_name, read_paragraph
from verifier.ingest.docx_numbering import BULLET, Numbering
from verifier.ingest.docx_styles import Styles
from verifier.ingest.docx_tables import read_table
from verifier.ingest.formats import require_package
from verifier.ingest.markup import TextWriter, write_power
from verifier.ingest.reading import Reading

if TYPE_CHECKING:
    from lxml.etree import _Element

_OLD_OR_ENCRYPTED: Final = b"\xd0\xcf\x11\xe0"
_MOST_UNPACKED: Final = 500_000_000
_RELATIONS: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"


def read_docx(content: bytes, name: str) -> Reading:
    """Return the body of a Word document, then its notes; heads and feet of pages are left out.

    Changes count as accepted; what is struck out or hidden is left out. Raises UnreadableDocument for what
    is damaged, encrypted, of the old format, or holds no text.
    """
    document = _open(content, name)
    reader = _DocumentReader(document)
    reader.read_body()
    text = reader.writer.text()
    if not text.strip():
        raise UnreadableDocument(f"{name}: holds no text; pictures are not read")
    return Reading(text=text, title=reader.title or document.core_properties.title.strip() or None)


def _open(content: bytes, name: str) -> Any:  # noqa: ANN401 -- a factory of several kinds of parts
    try:
        import docx
    except ImportError:
        raise require_package("python-docx", "docx") from None
    if content.startswith(_OLD_OR_ENCRYPTED):
        raise UnreadableDocument(
            f"{name}: is encrypted, or an old .doc; save it as .docx without a password"
        )
    try:
        unpacked = sum(one.file_size for one in zipfile.ZipFile(io.BytesIO(content)).infolist())
        if unpacked <= _MOST_UNPACKED:
            return docx.Document(io.BytesIO(content))
    except MemoryError:
        raise
    except Exception as error:
        raise UnreadableDocument(
            f"{name}: is damaged, or no Word document; open it and save it as .docx anew ({error})"
        ) from None
    raise UnreadableDocument(
        f"{name}: unpacks to {unpacked:,} bytes, more than {_MOST_UNPACKED:,}; take its pictures out"
    )


class _DocumentReader:
    """Writes the blocks of a document in their order."""

    def __init__(self, document: Any) -> None:  # noqa: ANN401 -- see _open
        self.writer = TextWriter()
        self.title: str | None = None
        self._part = document.part
        self._body = document.element.body
        self._styles = Styles(self._related("styles"))
        self._numbering = Numbering(self._related("numbering"))

    def read_body(self) -> None:
        """Write the body, then the footnotes and the endnotes."""
        self._read_blocks(self._body)
        for kind in ("footnotes", "endnotes"):
            for note in self._related(kind, missing=()):
                self._read_note(note)

    def _related(self, kind: str, *, missing: Any = None) -> Any:  # noqa: ANN401 -- lxml's elements
        """Return the root of a part that the document refers to."""
        from lxml import etree

        for relation in self._part.rels.values():
            if relation.reltype == _RELATIONS + kind and not relation.is_external:
                parser = etree.XMLParser(resolve_entities=False, no_network=True)
                return etree.fromstring(relation.target_part.blob, parser)
        return missing

    def _read_blocks(self, container: _Element) -> None:
        for block in find_wrapped(container, "p", "tbl"):
            if local_name(block) == "tbl":
                self._read_table(block)
                continue
            self._read_paragraph(block)
            for box in find_boxes(block):
                self._read_blocks(box)

    def _read_paragraph(self, paragraph: _Element) -> None:
        text = read_paragraph(paragraph)
        if not text.strip():
            return
        form = self._styles.read_form(paragraph)
        mark = None
        if form.list_id is not None:
            mark = self._numbering.next_mark(form.list_id, form.depth)
        if form.is_title and self.title is None:
            self.title = " ".join(text.split())
            self.writer.add_heading(1, text)
        elif form.level is not None:
            numbered = f"{mark} {text}" if mark not in {None, BULLET} else text
            self.writer.add_heading(form.level, numbered)
        elif mark is not None:
            self.writer.add_item(text, mark=mark, indent="  " * form.depth)
        else:
            self.writer.add_paragraph(text)

    def _read_table(self, table: _Element) -> None:
        found = read_table(table)
        if found is not None:
            self.writer.add_table(found.rows, heads=found.heads)
            return
        for cell in table.iter(W + "tc"):
            if next(cell.iterancestors(W + "tbl")) is table:
                self._read_blocks(cell)

    def _read_note(self, note: _Element) -> None:
        if note.get(W + "type") is not None:  # the line that parts notes from the text
            return
        texts = [read_paragraph(paragraph) for paragraph in note.iter(W + "p")]
        told = " ".join(" ".join(texts).split())
        if told:
            self.writer.add_paragraph(f"{write_power(note.get(W + 'id') or '')} {told}")
