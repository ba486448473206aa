"""What is read of a Word document: its words as shown, with headings, numbers and tables."""

from __future__ import annotations

import io
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from tests.written_files import begin_docx, write_docx
from verifier.errors import InputError, UnreadableDocument
from verifier.ingest import docx_reader
from verifier.ingest.docx_numbering import write_number
from verifier.ingest.docx_reader import read_docx

if TYPE_CHECKING:
    from docx.document import Document as WordDocument

W = nsdecls("w")


def read(document: WordDocument) -> str:
    return read_docx(write_docx(document), "file.docx").text


def read_body(*blocks: str) -> str:
    """Read a document whose body is `blocks`, written as Word writes them."""
    document = begin_docx()
    for block in blocks:
        document.element.body.insert_element_before(
            parse_xml(block.replace(" W>", f" {W}>", 1)), "w:sectPr"
        )
    return read(document)


def test_headings_items_and_tables() -> None:
    document = begin_docx()
    document.add_heading("Terms", 0)
    document.add_heading("Refunds", 1)
    document.add_paragraph("Within\t30 days.")
    for word in ("one", "two"):
        document.add_paragraph(word, style="List Number")
    document.add_paragraph("dot", style="List Bullet")
    document.add_heading("Fees", 2)
    table = document.add_table(3, 2, style="Light Grid")
    for row, words in zip(
        table.rows, (("Item", "Fee"), ("Lamp", "$4.50"), ("Desk", "$9|75")), strict=True
    ):
        for cell, word in zip(row.cells, words, strict=True):
            cell.text = word
    assert read(document) == (
        "# Terms\n\n# Refunds\n\nWithin 30 days.\n\n1. one\n2. two\n- dot\n\n## Fees\n\n"
        "| Item | Fee |\n| --- | --- |\n| Lamp | $4.50 |\n| Desk | $9&#124;75 |"
    )


RUNS = {
    "struck": "<w:r><w:t>a</w:t></w:r><w:r><w:rPr><w:strike/></w:rPr><w:t>b</w:t></w:r>",
    "not struck": '<w:r><w:rPr><w:strike w:val="0"/></w:rPr><w:t>a</w:t></w:r>',
    "hidden": "<w:r><w:t>a</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>b</w:t></w:r>",
    "inserted": '<w:ins w:id="1" w:author="x"><w:r><w:t>a</w:t></w:r></w:ins>',
    "deleted": '<w:r><w:t>a</w:t></w:r><w:del w:id="1"><w:r><w:delText>b</w:delText></w:r></w:del>',
    "moved away": '<w:r><w:t>a</w:t></w:r><w:moveFrom w:id="1"><w:r><w:t>b</w:t></w:r></w:moveFrom>',
    "a link": "<w:hyperlink><w:r><w:t>a</w:t></w:r></w:hyperlink>",
    "a field": "<w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>a</w:t></w:r>",
    "a control": "<w:sdt><w:sdtContent><w:r><w:t>a</w:t></w:r></w:sdtContent></w:sdt>",
}


@pytest.mark.parametrize("name", RUNS)
def test_changes_count_as_accepted(name: str) -> None:
    assert read_body(f"<w:p W>{RUNS[name]}</w:p>") == "a"


def test_signs_and_powers() -> None:
    body = (
        "<w:r><w:t>non</w:t><w:noBreakHyphen/><w:t>refundable</w:t><w:br/><w:t>10</w:t></w:r>"
        '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>3</w:t></w:r>'
    )
    assert read_body(f"<w:p W>{body}</w:p>") == "non\u2011refundable\n10³"


def test_blocks_within_controls_are_read() -> None:
    block = "<w:sdt W><w:sdtContent><w:p><w:r><w:t>inside</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    assert read_body(block) == "inside"


def cell(text: str, form: str = "") -> str:
    return f"<w:tc><w:tcPr>{form}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"


BEGUN = '<w:vMerge w:val="restart"/>'
WIDE = '<w:gridSpan w:val="2"/>'
MERGED = {
    "below": (
        f"<w:tr>{cell('x', BEGUN)}{cell('1')}</w:tr>"
        f"<w:tr>{cell('', '<w:vMerge/>')}{cell('2')}</w:tr>",
        "| x | 1 |\n| x | 2 |",
    ),
    "beside": (
        f"<w:tr>{cell('2026', WIDE)}</w:tr><w:tr>{cell('a')}{cell('b')}</w:tr>",
        "| 2026 | 2026 |\n| a | b |",
    ),
    "heads that repeat": (
        f"<w:tr><w:trPr><w:tblHeader/></w:trPr>{cell('k1')}{cell('v')}</w:tr>"
        f"<w:tr>{cell('a')}{cell('1')}</w:tr>",
        "| k1 | v |\n| --- | --- |\n| a | 1 |",
    ),
    "a deleted row": (
        f"<w:tr>{cell('a')}{cell('1')}</w:tr>"
        f'<w:tr><w:trPr><w:del w:id="1"/></w:trPr>{cell("b")}{cell("2")}</w:tr>',
        "| a | 1 |",
    ),
    "a frame": (f"<w:tr>{cell('a')}</w:tr><w:tr>{cell('b')}</w:tr>", "a\n\nb"),
}


@pytest.mark.parametrize("name", MERGED)
def test_cells_of_a_table(name: str) -> None:
    rows, text = MERGED[name]
    assert read_body(f"<w:tbl W><w:tblPr/><w:tblGrid/>{rows}</w:tbl>") == text


@pytest.mark.parametrize(
    ("number", "form", "written"),
    [
        (3, "decimal", "3"),
        (2, "lowerLetter", "b"),
        (28, "upperLetter", "BB"),
        (4, "lowerRoman", "iv"),
        (1994, "upperRoman", "MCMXCIV"),
        (7, "decimalZero", "07"),
        (0, "lowerRoman", "0"),
    ],
)
def test_numbers_are_written_in_their_form(number: int, form: str, written: str) -> None:
    assert write_number(number, form) == written


def test_numbers_of_several_levels() -> None:
    document = begin_docx()
    numbering = document.part.numbering_part.element
    levels = "".join(
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>'
        f'<w:lvlText w:val="{pattern}"/></w:lvl>'
        for depth, form, pattern in ((0, "decimal", "%1"), (1, "lowerLetter", "%1(%2)"))
    )
    numbering.insert(
        0, parse_xml(f'<w:abstractNum {W} w:abstractNumId="77">{levels}</w:abstractNum>')
    )
    numbering.append(parse_xml(f'<w:num {W} w:numId="77"><w:abstractNumId w:val="77"/></w:num>'))
    for depth, word in ((0, "A"), (1, "x"), (1, "y"), (0, "B"), (1, "z")):
        form = f'<w:pPr><w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="77"/></w:numPr></w:pPr>'
        document.element.body.insert_element_before(
            parse_xml(f"<w:p {W}>{form}<w:r><w:t>{word}</w:t></w:r></w:p>"), "w:sectPr"
        )
    assert read(document) == "1 A\n  1(a) x\n  1(b) y\n2 B\n  2(a) z"


def test_the_title_is_what_is_set_as_such() -> None:
    document = begin_docx()
    document.core_properties.title = "Told"
    document.add_paragraph("Text.")
    assert read_docx(write_docx(document), "file.docx").title == "Told"
    document.add_heading("Set", 0)
    assert read_docx(write_docx(document), "file.docx").title == "Set"


def packed(**parts: str) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return written.getvalue()


def word_file() -> bytes:
    document = begin_docx()
    document.add_paragraph("Text.")
    return write_docx(document)


def without_part(content: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return packed(
            **{
                one: archive.read(one).decode("latin-1")
                for one in archive.namelist()
                if one != name
            }
        )


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        (b"", "is damaged, or no Word document"),
        (b"no archive", "is damaged, or no Word document"),
        (word_file()[:-200], "is damaged, or no Word document"),
        (packed(hello="world"), "is damaged, or no Word document"),
        (without_part(word_file(), "word/document.xml"), "is damaged, or no Word document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "is encrypted, or an old .doc"),
        (write_docx(begin_docx()), "holds no text"),
    ],
    ids=["empty", "text", "cut off", "archive", "no body", "encrypted", "blank"],
)
def test_what_can_not_be_read_is_named(content: bytes, hint: str) -> None:
    with pytest.raises(UnreadableDocument, match=hint) as refused:
        read_docx(content, "file.docx")
    assert str(refused.value).startswith("file.docx: ")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docx", None)
    with pytest.raises(InputError, match=r"grounding-verifier\[docx\]"):
        read_docx(word_file(), "file.docx")


def test_what_unpacks_to_too_much_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docx_reader, "_MOST_UNPACKED", 1_000)
    with pytest.raises(UnreadableDocument, match=r"file\.docx: unpacks to [0-9,]+ bytes"):
        read_docx(word_file(), "file.docx")
