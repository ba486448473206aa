"""Files become texts, or errors that name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verifier.errors import InputError, UnreadableDocument
from verifier.ingest.files import FolderRequests, ReadOptions, read_path, read_stream
from verifier.ingest.limits import ReadLimits
from verifier.ingest.readers import find_documents, read_document
from verifier.ingest.requests import IngestOutcome, IngestRequest

if TYPE_CHECKING:
    from pathlib import Path

READABLE = {
    "utf-8": ("Öl kostet 3 €".encode(), "Öl kostet 3 €"),
    "byte order mark": (b"\xef\xbb\xbfplain", "plain"),
    "utf-16": ("hé".encode("utf-16"), "hé"),
    "utf-32": ("hé".encode("utf-32"), "hé"),
    "line ends stay": (b"a\r\nb\rc\n", "a\r\nb\rc\n"),
    "written-out NUL": (b"write \\u0000 to end", "write \\u0000 to end"),
    "escape sequences": (b"\x1b[1mbold\x1b[0m", "\x1b[1mbold\x1b[0m"),
}
UNREADABLE = {
    "empty": (b"", "holds no text"),
    "blank": (b" \n\t\xc2\xa0\n", "holds no text"),
    "only a mark": (b"\xef\xbb\xbf", "holds no text"),
    "NUL": (b"a\x00b", "NUL"),
    "latin-1": ("déjà vu à la carte".encode("latin-1"), "convert"),
    "cut off in a character": (b"abc\xe2\x82", "byte 3"),
    "binary": (bytes(range(256)) * 20, "binary"),
    "odd utf-16": (b"\xff\xfeh", "utf-16"),
    "surrogate in utf-8": (b"ok \xed\xa0\xbd", "byte 3"),
}


@pytest.mark.parametrize("name", READABLE)
def test_text_is_read_as_it_stands(name: str, tmp_path: Path) -> None:
    content, text = READABLE[name]
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    assert read_document(path).text == text
    (typed,) = read_stream(content, {}, key="notes")
    assert isinstance(typed, IngestRequest)
    assert typed.document.text == text


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_is_no_text_is_an_error_that_names_the_file(name: str, tmp_path: Path) -> None:
    content, hint = UNREADABLE[name]
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    with pytest.raises(UnreadableDocument, match=hint) as refused:
        read_document(path)
    assert str(path) in str(refused.value)


def test_a_file_over_the_limit_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    with path.open("wb") as file:
        file.truncate(200_000_000)
    with pytest.raises(UnreadableDocument, match="200,000,000 bytes"):
        read_document(path)
    with pytest.raises(UnreadableDocument, match="4 bytes, more than the limit of 3"):
        read_stream(b"abcd", {}, key="k", options=ReadOptions(limits=ReadLimits(max_bytes=3)))


@pytest.mark.parametrize("name", ["missing.txt", "folder"])
def test_what_is_no_file_is_an_error(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(UnreadableDocument, match=name):
        read_document(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Opening hours\n\nNine to five.", "Opening hours"),
        ("\n\n# Opening hours #\n", "Opening hours"),
        ("Opening hours\n# later", "page"),
        ("#no heading", "page"),
        ("#    \nx", "page"),
    ],
)
def test_the_title_is_the_first_heading_or_the_name(text: str, title: str, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(text, "utf-8")
    assert read_document(path).title == title


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("north/readme.md", "south/readme.md", "south/.hidden.md", ".git/x.md", "a.png"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"text of {name}", "utf-8")
    (tmp_path / "south" / "bad.txt").write_bytes(b"\x00")
    (tmp_path / "south" / "loop").symlink_to(tmp_path)
    return tmp_path


def test_files_of_one_name_in_two_folders_are_two_sources(folder: Path) -> None:
    requests = read_path(folder, {"by": "me"})
    assert isinstance(requests, FolderRequests)
    assert len(requests) == 3
    north, bad, south = list(requests)
    assert isinstance(north, IngestRequest)
    assert (north.document.key, north.by) == ("north/readme.md", "me")
    assert isinstance(south, IngestRequest)
    assert south.document.key == "south/readme.md"
    assert isinstance(bad, IngestOutcome)
    assert "bad.txt" in (bad.error or "")


def test_files_of_other_types_are_told_apart(folder: Path) -> None:
    assert [file.name for file in find_documents(folder).passed_over] == ["a.png"]


def test_files_of_other_types_are_told_with_the_requests(folder: Path) -> None:
    (folder / "north" / "b.xlsx").write_bytes(b"x")

    requests = read_path(folder, {})

    assert isinstance(requests, FolderRequests)
    assert requests.passed_over == ("a.png", "north/b.xlsx")


def test_a_folder_of_other_types_alone_tells_what_is_read_and_what_is_there(
    tmp_path: Path,
) -> None:
    for number in range(7):
        (tmp_path / f"{number}.png").write_bytes(b"x")

    with pytest.raises(InputError) as error:
        read_path(tmp_path, {})

    told = str(error.value)
    assert ".docx" in told
    assert ".md" in told
    assert "not read: 0.png, 1.png, 2.png, 3.png, 4.png and 2 more" in told


def test_a_folder_takes_no_key_and_must_hold_documents(folder: Path) -> None:
    with pytest.raises(InputError, match="key names one source"):
        read_path(folder, {}, key="k")
    with pytest.raises(InputError, match="holds no files that are read"):
        read_path(_empty(folder), {})


def _empty(folder: Path) -> Path:
    empty = folder / "empty"
    empty.mkdir()
    return empty
