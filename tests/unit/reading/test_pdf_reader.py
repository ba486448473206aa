"""What is read of a PDF: its text with pages and headings, and what is told of the rest."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.written_files import write_pdf
from verifier.errors import InputError, UnreadableDocument
from verifier.ingest.pdf_lines import clean_line
from verifier.ingest.pdf_reader import read_pdf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.written_files import Paragraph

TEXT = "You may return goods within\n30 days of purchase."


def read(content: bytes, max_pages: int = 1_000) -> str:
    return read_pdf(content, "file.pdf", max_pages=max_pages).text


PAGES: dict[str, tuple[Sequence[Sequence[Paragraph]], str]] = {
    "lines of a paragraph stay together": ([[TEXT]], TEXT),
    "paragraphs are parted": ([["First one.", "Second one."]], "First one.\n\nSecond one."),
    "pages end with a form feed": ([["One."], ["Two."]], "One.\n\f\nTwo."),
    "a sentence runs over a page": (
        [["It ends on"], ["the next page."]],
        "It ends on\fthe next page.",
    ),
    "larger letters are a heading": (
        [[(18, "Refunds"), TEXT, (14, "Fees"), TEXT]],
        f"# Refunds\n\n{TEXT}\n\n## Fees\n\n{TEXT}",
    ),
    "a heading of two lines": (
        [[(18, "Refunds of\nall goods"), TEXT, TEXT]],
        f"# Refunds of all goods\n\n{TEXT}\n\n{TEXT}",
    ),
    "a large price is no heading": ([[(30, "$49.90"), TEXT]], f"$49.90\n\n{TEXT}"),
    "a blank page counts": ([["One."], [], ["Three."]], "One.\f\n\f\nThree."),
    "what looks like a mark is words": ([["# 5 is a number"]], "\\# 5 is a number"),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_file_is_read_as_it_is_set(name: str) -> None:
    pages, text = PAGES[name]
    assert read(write_pdf(pages)) == text


def test_the_outline_tells_headings_of_any_size() -> None:
    content = write_pdf(
        [["Refunds", TEXT], ["Fees", (18, "Large"), TEXT]],
        outline=[(0, 0, "Refunds"), (1, 1, "Fees")],
    )
    assert read(content) == f"# Refunds\n\n{TEXT}\n\f\n## Fees\n\nLarge\n\n{TEXT}"


def test_heads_and_feet_are_kept_where_they_stand_first() -> None:
    pages = [
        ["Shop Ltd, valid until 2026", f"Text of {word}.", f"Page {at} of 4"]
        for at, word in enumerate(("one", "two", "three", "four"), 1)
    ]
    text = read(write_pdf(pages))
    assert text.count("Shop Ltd, valid until 2026") == 1
    assert text.count(" of 4") == 1
    assert all(f"Text of {word}." in text for word in ("one", "two", "three", "four"))


def test_lines_that_few_pages_share_stay() -> None:
    pages = [["Note", f"Text {at}."] for at in range(2)]
    assert read(write_pdf(pages)).count("Note") == 2


@pytest.mark.parametrize(
    ("told", "pages", "title"),
    [
        ("Microsoft Word - x.doc", [[(18, "Refunds"), TEXT]], "Refunds"),
        ("Refunds of 2026", [["Refunds  of 2026", TEXT]], "Refunds of 2026"),
        (None, [[TEXT]], None),
    ],
)
def test_a_title_is_one_that_the_text_bears_out(
    told: str | None, pages: list[list[str]], title: str | None
) -> None:
    assert read_pdf(write_pdf(pages, title=told), "file.pdf", max_pages=9).title == title


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        ("pur\ufffechase", "pur\u00adchase"),
        ("30\ufffeday", "30-day"),
        ("10\ufffe20", "10-20"),
        ("Anglo\ufffeDutch", "Anglo-Dutch"),
        ("last\ufffe", "last-"),
        ("a\x00b\x07", "ab"),
    ],
)
def test_a_hyphen_at_the_end_of_a_line(raw: str, line: str) -> None:
    assert clean_line(raw) == line


def test_pages_without_text_are_told() -> None:
    reading = read_pdf(write_pdf([["One."], [], [], ["Four."]]), "file.pdf", max_pages=9)
    assert reading.caveat == "pages 2, 3 held no text; if they are scanned, recognise it first"


PDF = write_pdf([[TEXT]])


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        (write_pdf([[], []]), "none of its 2 pages holds text; if they are scanned"),
        (write_pdf([[TEXT]], encrypted=True), "is encrypted; save it without a password"),
        (write_pdf([["x"]] * 4), "4 pages, more than the limit of 3; .*max_document_pages"),
        (b"", "is damaged, or no PDF"),
        (b"no PDF at all", "is damaged, or no PDF"),
        (PDF[: len(PDF) // 2], "is damaged|none of its"),
        (PDF.replace(b"/Type /Page\n", b"/Type /Rage\n"), "page 1 is damaged"),
        (b"%PDF-1.7\n" + b"\x00" * 5_000, "is damaged, or no PDF"),
    ],
    ids=["scanned", "encrypted", "long", "empty", "text", "cut off", "no page", "zeros"],
)
def test_what_can_not_be_read_is_named(content: bytes, hint: str) -> None:
    with pytest.raises(UnreadableDocument, match=hint) as refused:
        read(content, max_pages=3)
    assert str(refused.value).startswith("file.pdf: ")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(InputError, match=r"grounding-verifier\[pdf\]"):
        read(PDF)
