"""Rows of CSV and JSON as sources: exact values, rows that are told, faults that are named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from verifier.errors import InputError, UnreadableDocument
from verifier.ingest.files import ReadOptions, read_path, read_stream
from verifier.ingest.formats import Format
from verifier.ingest.limits import ReadLimits
from verifier.ingest.records import ROWS_A_DOCUMENT, RecordRequests
from verifier.ingest.requests import Actor, IngestRequest, IngestTerms, PartsEnd

if TYPE_CHECKING:
    from pathlib import Path


def read(
    content: bytes | str,
    form: Format,
    *,
    key_column: str | None = None,
    terms: IngestTerms | None = None,
) -> list[IngestRequest | PartsEnd]:
    raw = content.encode() if isinstance(content, str) else content
    options = ReadOptions(form=form, key_column=key_column)
    found = read_stream(raw, terms or {}, key="rows", options=options)
    return [one for one in found if isinstance(one, IngestRequest | PartsEnd)]


def texts(content: bytes | str, form: Format) -> list[str]:
    found = read(content, form)
    return [one.document.text for one in found if isinstance(one, IngestRequest)]


CSV = {
    "commas": ("id,name\n1,Lamp\n2,Desk\n", "id: 1\nname: Lamp\n\nid: 2\nname: Desk"),
    "semicolons": ("id;price\n1;1.299,00\n", "id: 1\nprice: 1.299,00"),
    "tabs": ("id\tname\n1\tLamp, small\n", "id: 1\nname: Lamp, small"),
    "bars": ("id|name\n1|Lamp\n", "id: 1\nname: Lamp"),
    "a separator that is told": ("sep=;\r\na,b;c\r\n1;2\r\n", "a,b: 1\nc: 2"),
    "a separator within quotes": ('"a,b,c";d\n1;2\n', "a,b,c: 1\nd: 2"),
    "one column": ("name\nLamp\n", "name: Lamp"),
    "quotes": ('a,b\n"1,5","say ""no"""\n', 'a: 1,5\nb: say "no"'),
    "lines within a field": ('a,b\n"one\ntwo",3\n', "a: one\ntwo\nb: 3"),
    "what is blank is left out": ("a,b,c\n1,,3\n", "a: 1\nc: 3"),
    "blank lines are no rows": ("\n\na,b\n\n1,2\n,\n3,4\n", "a: 1\nb: 2\n\na: 3\nb: 4"),
    "line ends of any kind": ("a,b\r1,2\r", "a: 1\nb: 2"),
    "fields beyond the head that are blank": ("a,b\n1,2,,\n", "a: 1\nb: 2"),
    "a column without a name": ("a,\n1,2\n", "a: 1\ncolumn 2: 2"),
    "spaces of values stay": ("a,b\n1, 2  3\n", "a: 1\nb:  2  3"),
    "what looks like a mark is words": (
        'a,b\n"x\n# y\n---\n```",1\n',
        "a: x\n\\# y\n\\---\n\\```\nb: 1",
    ),
    "figures stay as they are": ("a,b\n007,1.50\n", "a: 007\nb: 1.50"),
}


@pytest.mark.parametrize("name", CSV)
def test_rows_of_csv_are_lines_of_name_and_value(name: str) -> None:
    content, text = CSV[name]
    assert texts(content, Format.CSV) == [text]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_csv_is_read_in_what_its_mark_tells(encoding: str) -> None:
    assert texts("größe,b\n5 €,2\n".encode(encoding), Format.CSV) == ["größe: 5 €\nb: 2"]


JSONS = {
    "a list of objects": (
        '[{"id": 1, "price": 49.90}, {"id": 2, "tags": ["a", "b"]}]',
        "id: 1\nprice: 49.90\n\nid: 2\ntags: a\ntags: b",
    ),
    "numbers as they are written": ('[{"a": 1.50, "b": 1E3, "c": -0}]', "a: 1.50\nb: 1E3\nc: -0"),
    "objects within": (
        '[{"order": {"total": 5, "lines": [{"n": 1}, {"n": 2}]}}]',
        "order.total: 5\norder.lines[0].n: 1\norder.lines[1].n: 2",
    ),
    "true, null and empty": (
        '[{"a": true, "b": false, "c": null, "d": [], "e": {}, "f": ""}]',
        "a: true\nb: false\nd: none\ne: none",
    ),
    "an object is an outline": (
        '{"name": "Shop", "hours": {"open": "9:00", "days": {"sunday": "closed"}},'
        ' "fees": [{"item": "Lamp", "fee": 4.50}, {"item": "Desk", "fee": 9.75}]}',
        "name: Shop\n\n# hours\n\nopen: 9:00\n\n## days\n\nsunday: closed\n\n# fees\n\n"
        "item: Lamp\nfee: 4.50\n\nitem: Desk\nfee: 9.75",
    ),
    "a list of texts": ('["one", "two"]', "one\n\ntwo"),
    "a text": ('"only"', "only"),
}


@pytest.mark.parametrize("name", JSONS)
def test_json_is_records_or_an_outline(name: str) -> None:
    content, text = JSONS[name]
    assert texts(content, Format.JSON) == [text]


def test_lines_of_json_are_records() -> None:
    content = '{"id": 1, "price": 49.90}\n\n{"id": 2, "who": {"name": "Ä"}}\r\n'
    assert texts(content, Format.JSON_LINES) == ["id: 1\nprice: 49.90\n\nid: 2\nwho.name: Ä"]


def rows_of_csv(count: int) -> str:
    return "id,name\n" + "".join(f"k{n},Lamp {n}\n" for n in range(1, count + 1))


def test_a_thousand_rows_are_a_source() -> None:
    found = read(rows_of_csv(2_500), Format.CSV)
    documents = [one.document for one in found if isinstance(one, IngestRequest)]
    assert [document.key for document in documents] == ["rows", "rows/rows-1001", "rows/rows-2001"]
    assert [document.first_row for document in documents] == [1, 1001, 2001]
    assert [len(document.row_starts) for document in documents] == [1000, 1000, 500]
    for document in documents:
        ends = (*document.row_starts[1:], len(document.text))
        for at, (start, end) in enumerate(zip(document.row_starts, ends, strict=True)):
            number = document.first_row + at
            assert document.text[start:end].strip() == f"id: k{number}\nname: Lamp {number}"
    assert found[-1] == PartsEnd(key="rows", rows=2_500, by=None)


def test_a_column_can_make_each_row_a_source() -> None:
    found = read(rows_of_csv(3), Format.CSV, key_column="id", terms={"by": "me"})
    assert all(isinstance(one, IngestRequest) for one in found)
    documents = [one.document for one in found if isinstance(one, IngestRequest)]
    assert [document.key for document in documents] == ["rows/k1", "rows/k2", "rows/k3"]
    assert [document.title for document in documents] == ["rows k1", "rows k2", "rows k3"]
    assert [document.first_row for document in documents] == [1, 2, 3]


def test_only_an_operator_takes_rows_back() -> None:
    found = read(rows_of_csv(3), Format.CSV, terms={"actor": Actor.AGENT})
    assert not any(isinstance(one, PartsEnd) for one in found)


FAULTS: dict[str, tuple[Format, str | bytes, str]] = {
    "no rows": (Format.CSV, "a,b\n", "rows: holds no rows"),
    "nothing": (Format.CSV, "", "holds no rows"),
    "a short row": (Format.CSV, "a,b\n1,2\n3\n", "rows line 3: has 1 fields, its first line 2"),
    "a long row": (Format.CSV, "a,b\n1,2,3\n", "rows line 2: has 3 fields"),
    "an open quotation mark": (
        Format.CSV,
        'a,b\n"1,2\n3,4\n',
        "line 3: .*quotation mark may be open",
    ),
    "a stray quotation mark": (Format.CSV, 'a,b\n"1"x,2\n', "line 2: .*quotation mark"),
    "an endless field": (Format.CSV, 'a,b\n"' + "x" * 1_200_000, "quotation mark may be open"),
    "endless lines in a field": (Format.CSV, 'a,b\n"' + "1,2\n" * 300_000, "quotation mark may be"),
    "a column twice": (Format.CSV, "a,b,a\n1,2,3\n", "the column 'a' stands twice"),
    "latin-1": (Format.CSV, "a,b\nÖl,Größe über alles\n".encode("latin-1"), "convert it with"),
    "a wrong byte late": (Format.CSV, b"a,b\n" + b"1,2\n" * 9_000 + b"\xff,3\n", "is no utf-8"),
    "NUL in CSV": (Format.CSV, "a,b\n1,2\x00\n", "rows line 2: holds a NUL"),
    "half of utf-16": (Format.CSV, "a,b\n1,2\n".encode("utf-16")[:-1], "is no utf-16"),
    "no JSON": (Format.JSON, '{"a": 1,\n "b"}', "rows line 2: is no JSON: .*column 5"),
    "a name twice": (Format.JSON, '{"a": 1, "b": 2, "a": 3}', "the name 'a' stands twice"),
    "no number": (Format.JSON, '{"a": NaN}', "NaN is no number"),
    "deep": (Format.JSON, "[" * 100_000, "nested too deep"),
    "deep objects": (Format.JSON, '{"a":' * 150 + "1" + "}" * 150, "nested more than 100 deep"),
    "empty JSON": (Format.JSON, "{}", "holds no text"),
    "NUL in JSON": (Format.JSON, json.dumps([{"a": "x\x00"}]), "rows object 1: holds a NUL"),
    "a line that is no JSON": (Format.JSON_LINES, '{"a": 1}\n{"a"\n', "rows line 2: is no JSON"),
    "a line that is no object": (Format.JSON_LINES, '{"a": 1}\n[2]\n', "rows line 2: is no object"),
    "blank lines": (Format.JSON_LINES, "\n\n", "holds no rows"),
    "a line in latin-1": (Format.JSON_LINES, '{"a": "Ö"}'.encode("latin-1"), "rows line 1: byte 7"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_before_anything_is_written(name: str) -> None:
    form, content, hint = FAULTS[name]
    with pytest.raises(UnreadableDocument, match=hint):
        read(content, form)


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        ("id,name\n1,a\n2,b\n1,c\n", "rows line 4: the key '1' stands twice"),
        ("id,name\n1,a\n,b\n", "rows line 3: 'id' is blank"),
        ("no,name\n1,a\n", "rows line 2: has no 'id', only 'no', 'name'"),
    ],
)
def test_keys_of_rows_must_tell_them_apart(content: str, hint: str) -> None:
    with pytest.raises(InputError, match=hint):
        read(content, Format.CSV, key_column="id")


def test_the_limit_of_bytes_is_that_of_a_line(tmp_path: Path) -> None:
    options = ReadOptions(limits=ReadLimits(max_bytes=100))
    path = tmp_path / "rows.jsonl"
    path.write_text(('{"a": "' + "x" * 80 + '"}\n') * 50, "utf-8")
    found = read_path(path, {}, options=options)
    assert isinstance(found, RecordRequests)
    assert found.rows == 50
    path.write_text('{"a": "' + "x" * 200 + '"}\n', "utf-8")
    with pytest.raises(UnreadableDocument, match="a line has more than 100 bytes; write one"):
        read_path(path, {}, options=options)
    with pytest.raises(UnreadableDocument, match="210 bytes, more than the limit of 100"):
        read_stream(path.read_bytes(), {}, key="rows", options=options)


def test_files_are_known_by_their_suffix(tmp_path: Path) -> None:
    for name, content in (
        ("a.csv", "id,n\n1,2\n"),
        ("b.tsv", "id\tn\n1\t2\n"),
        ("c.jsonl", '{"id": 1}\n'),
        ("d.json", '[{"id": 1}]'),
        ("e.json", '{"id": 1}'),
    ):
        (tmp_path / name).write_text(content, "utf-8")
    found = list(read_path(tmp_path, {}))
    assert [one.document.key for one in found if isinstance(one, IngestRequest)] == [
        *("a.csv", "b.tsv", "c.jsonl", "d.json", "e.json")
    ]
    assert [one.key for one in found if isinstance(one, PartsEnd)] == [
        *("a.csv", "b.tsv", "c.jsonl", "d.json")
    ]


def test_requests_can_be_counted_before_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(rows_of_csv(ROWS_A_DOCUMENT + 1), "utf-8")
    parts = read_path(path, {})
    each = read_path(path, {}, options=ReadOptions(key_column="id"))
    assert isinstance(parts, RecordRequests)
    assert (len(parts), len(each)) == (2, ROWS_A_DOCUMENT + 1)
