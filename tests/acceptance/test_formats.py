"""`verifier ingest` on files of every format, rows and URLs, as a person calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.written_files import begin_docx, write_docx, write_pdf

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Command

PAGE = "<nav>Home</nav><main><h1>Fees</h1><p>Return shipping costs $4.50.</p></main>"


def write_files(folder: Path) -> None:
    folder.mkdir()
    document = begin_docx()
    document.add_paragraph("The bell rings at 9:00.")
    (folder / "bell.docx").write_bytes(write_docx(document))
    (folder / "terms.pdf").write_bytes(write_pdf([["One."], ["Lamps are kept for 30 days."]]))
    (folder / "fees.html").write_text(PAGE, "utf-8")
    (folder / "lamps.csv").write_text("id,name\n1,Wool lamp\n2,Oak lamp\n", "utf-8")
    (folder / "shop.json").write_text('{"hours": {"sunday": "closed"}}', "utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG")


def outcomes(values: list[Any]) -> dict[str, str]:
    return {one["key"]: one["outcome"] for one in values[0]["outcomes"]}


def test_a_folder_of_every_format(on_database: Command) -> None:
    write_files(on_database.folder / "docs")
    ended = on_database("ingest", "docs", "--json")
    assert ended.code == 0, ended.err
    assert outcomes(ended.values) == dict.fromkeys(
        ("bell.docx", "fees.html", "lamps.csv", "shop.json", "terms.pdf"), "new"
    )
    told = on_database("search", "how long are lamps kept", "-k", "1")
    assert "terms.pdf@1#1" in told.out
    assert "page 2" in told.out
    assert "table 1, rows 1 to 2" in on_database("search", "oak lamp", "-k", "5").out


def test_rows_of_a_file_of_a_stream_and_of_a_table(on_database: Command) -> None:
    write_files(on_database.folder / "docs")
    ended = on_database("ingest", "docs/lamps.csv", "--key-column", "id", "--json")
    assert outcomes(ended.values) == {"lamps.csv/1": "new", "lamps.csv/2": "new"}
    typed = on_database(
        "ingest",
        "-",
        "--key",
        "typed",
        "--format",
        "jsonl",
        "--json",
        stdin=b'{"id": 1}\n{"id": 2}\n',
    )
    assert outcomes(typed.values) == {"typed": "new"}
    rows = on_database("ingest", "--rows", "SELECT 1 AS id", "--key", "products", "--json")
    assert rows.code == 0, rows.err
    assert outcomes(rows.values) == {"products": "new"}


def test_wishes_that_contradict_each_other_are_named(on_database: Command) -> None:
    for line, hint in (
        ("--rows sample.product", "--key"),
        ("--rows sample.product --key k a.md", "give no paths"),
        ("a.md --database shop", "--database says where --rows stand"),
        (
            "http://example.org/",
            "nothing is fetched from the web unless it is allowed; give --fetch",
        ),
        ("http://127.0.0.1:1/ --fetch", "not of the public internet"),
        ("--rows nothing.here --key k", "there is no table nothing.here"),
        (". --format pdf", "a format is that of one file"),
    ):
        ended = on_database("ingest", *line.split())
        assert ended.code == 2, line
        assert hint in " ".join((ended.out + ended.err).split()), line
    assert on_database("sources", "--json").values == [[]]
