"""`verifier check`: claims and documents from files people make, what comes out, and what is refused."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import pytest

from verifier.interfaces.cli.app import run

SEEDS = Path(__file__).parents[2] / "data" / "seeds"
HEAD = "claim_id,claim_text,cited_doc_id,retrieved_doc_ids\n"
DOCUMENTS = "doc_id,topic,text\na,tank,The tank holds 2.5 litres.\nb,pump,The pump weighs 3 kg.\n"
GOOD = HEAD + "1,The tank holds 2500 ml.,a,a|b\n"


def place(folder: Path, name: str, text: str | bytes) -> str:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any, str]:
    """The exit code, what was printed as JSON, and the standard error of a check."""
    code = run(["check", *arguments, "--json"])
    printed = capsys.readouterr()
    return code, json.loads(printed.out) if printed.out else None, printed.err


def codes(result: Any) -> list[str]:
    return [one["code"] for one in result["claims"]]


def test_the_labelled_claims(capsys: pytest.CaptureFixture[str]) -> None:
    labelled = json.loads((SEEDS / "cited_claims.json").read_text("utf-8"))

    code, result, _ = check(capsys, str(SEEDS / "cited_claims.json"))

    assert code == 1
    assert codes(result) == [one["expected"] for one in labelled["claims"]]
    assert result["counts"] == labelled["counts"]
    assert sum(result["queues"].values()) == len(labelled["claims"])


def test_the_same_claims_as_csv_and_as_lines(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    labelled = json.loads((SEEDS / "cited_claims.json").read_text("utf-8"))
    with (tmp_path / "claims.csv").open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(["claim_id", "claim_text", "cited_doc_id", "retrieved_doc_ids"])
        writer.writerows(
            [one["id"], one["claim"], one["cited"], "|".join(one["retrieved"])]
            for one in labelled["claims"]
        )
    with (tmp_path / "documents.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["doc_id", "topic", "text"])
        writer.writerows([key, "", text] for key, text in labelled["documents"].items())
    lines = "\n".join(
        json.dumps(
            {
                "claim_id": one["id"],
                "claim_text": one["claim"],
                "cited_doc_id": one["cited"],
                "retrieved_doc_ids": one["retrieved"],
            }
        )
        for one in labelled["claims"]
    )

    _, whole, _ = check(capsys, str(SEEDS / "cited_claims.json"))
    _, by_csv, _ = check(capsys, str(tmp_path / "claims.csv"))
    _, by_lines, _ = check(
        capsys,
        place(tmp_path, "claims.jsonl", lines),
        "--documents",
        str(tmp_path / "documents.csv"),
    )

    assert by_csv == whole
    assert by_lines == whole


def test_answers_are_checked_by_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    code, result, _ = check(capsys, str(SEEDS / "cited_answer.jsonl"))

    assert code == 1
    first = result["answers"][0]
    assert [one["code"] for one in first["sentences"]] == [
        "supported",
        "unsupported_quantity",
        "supported",
        "missing_citation",
        "unknown_citation",
    ]


def test_nothing_rejected_ends_well(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    place(tmp_path, "documents.csv", DOCUMENTS)

    code, result, _ = check(capsys, place(tmp_path, "claims.csv", GOOD))

    assert code == 0
    assert codes(result) == ["supported"]


def test_for_people_every_claim_has_its_reason_and_the_codes_are_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run(["check", str(SEEDS / "cited_claims.json")])

    told = capsys.readouterr().out
    assert "not in cited evidence: time_seconds=45" in told
    assert "5  unsupported_quantity (rejected)" in told


def test_documents_may_be_a_folder_of_texts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    place(folder, "a.md", "The tank holds 2.5 litres.")
    place(folder, "b.txt", "The pump weighs 3 kg.")

    code, result, _ = check(capsys, place(tmp_path, "claims.csv", GOOD))

    assert (code, codes(result)) == (0, ["supported"])


@pytest.mark.parametrize(
    ("claims", "documents", "told"),
    [
        ("", DOCUMENTS, "claims.csv: the file is empty"),
        (HEAD, DOCUMENTS, "no claim in it"),
        ("claim_id,claim_text\n1,x\n", DOCUMENTS, "no column cited_doc_id; the columns"),
        ("claim_id,cited_doc_id,retrieved_doc_ids\n1,a,a\n", DOCUMENTS, "no column claim_text"),
        ("claim_id;claim_text\n1;x\n", DOCUMENTS, "no column claim_id"),
        (HEAD.replace("claim_text", "claim_id"), DOCUMENTS, "no column claim_text"),
        (HEAD + "1,The tank,a\n", DOCUMENTS, "line 2: not as many fields"),
        (HEAD + "1,The tank,a,a,b\n", DOCUMENTS, "line 2: not as many fields"),
        (HEAD + ",It holds 1 litre.,a,a\n", DOCUMENTS, "line 2: claim_id is empty"),
        (HEAD + "1, ,a,a\n", DOCUMENTS, "line 2: claim_text is empty"),
        (GOOD + "1,It holds 1 litre.,a,a\n", DOCUMENTS, "claim_id '1' is there twice"),
        (HEAD + '1,"The tank,a,a\n', DOCUMENTS, "no CSV"),
        (GOOD.encode("utf-16"), DOCUMENTS, "not UTF-8 text but UTF-16; save it as UTF-8"),
        (GOOD.encode("utf-16-be"), DOCUMENTS, "no text, a NUL stands at byte 0"),
        (GOOD.replace("tank", "ta\0nk"), DOCUMENTS, "no text, a NUL stands at byte"),
        (GOOD, DOCUMENTS.replace("tank", "ta\0nk"), "no text, a NUL stands at byte"),
        (HEAD.encode() + b"1,Caf\xe9 holds 2 l.,a,a\n", DOCUMENTS, "not UTF-8 text at byte"),
        (b"PK\x03\x04\x14\x00\x06\x00", DOCUMENTS, "save it as text in UTF-8"),
        (b"\x89PNG\r\n\x1a\n", DOCUMENTS, "save it as text in UTF-8"),
        (" \n\t\r\n", DOCUMENTS, "claims.csv: the file is empty"),
        (GOOD.replace(",", ":"), DOCUMENTS, "no column claim_id"),
        (GOOD.replace("claim_id", "Claim_ID"), DOCUMENTS, "the columns are Claim_ID, claim_text"),
        (GOOD.replace(",", ";") + "2;x;a\n", DOCUMENTS, "line 3: not as many fields"),
        (DOCUMENTS, DOCUMENTS, "the columns are doc_id, topic, text"),
        ("[" * 200_000, DOCUMENTS, "no JSON: nested"),
        (b"\xff\xfe\x00", DOCUMENTS, "not UTF-8"),
        ("[1]", DOCUMENTS, "row 1: an object is needed"),
        ("{", DOCUMENTS, "no JSON"),
        ('{"claim_id": "1"}\n{"claim_id": ', DOCUMENTS, "line 2: no JSON"),
        ('{"claim_id": "1", "claim_text": "x"}', DOCUMENTS, "row 1: no cited_doc_id"),
        ('{"id": "1", "claim": "x", "cited": {"a": 1}}', DOCUMENTS, "row 1: ids of documents"),
        ('{"id": "1", "answer": "x"}', DOCUMENTS, "row 1: an answer needs its sources"),
        ('{"id": "1", "answer": 4, "sources": {}}', DOCUMENTS, "row 1: answer and question"),
        ('{"id": "1", "answer": "x", "sources": {"a": ""}}', DOCUMENTS, "'a' has no text"),
        ('{"id": "1", "answer": "x", "sources": {"a": "y"}, "level": "l"}', "", "no level 'l'"),
        (
            '{"claims": [{"id":"1","claim":"x","cited":"a"}], "documents": {"a":"x","a":"y"}}',
            "",
            "",
        ),
        (GOOD, "", "documents.csv: the file is empty"),
        ('{"id": "1", "answer": "x", "sources": {}}', DOCUMENTS, "row 1: no document in it"),
        (GOOD, "doc_id,topic\na,x\n", "no column text"),
        (GOOD, "doc_id,text\na, \n", "line 2: the document 'a' has no text"),
        (GOOD, "doc_id,text\n ,x\n", "line 2: doc_id is empty"),
        (GOOD, "doc_id,text\na,x\na,y\n", "doc_id 'a' is there twice"),
        (GOOD, "doc_id,text\na,x\n a ,y\n", "doc_id 'a' is there twice"),
        (GOOD, "doc_id,text\n", "no document in it"),
        (GOOD, b"doc_id,text\na,\xff\n", "not UTF-8"),
    ],
)
def test_what_can_not_be_used_is_named_and_nothing_is_written(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    claims: str | bytes,
    documents: str | bytes,
    told: str,
) -> None:
    place(tmp_path, "documents.csv", documents)
    before = sorted(tmp_path.iterdir())

    code, result, error = check(
        capsys,
        place(tmp_path, "claims.csv", claims),
        "--chart",
        str(tmp_path / "chart.png"),
        "--html",
        str(tmp_path / "page.html"),
    )

    assert code == 2
    assert result is None
    message = json.loads(error)["error"]["message"]
    assert told in message
    assert message.startswith(str(tmp_path))
    assert sorted(tmp_path.iterdir()) == sorted([*before, tmp_path / "claims.csv"])


@pytest.mark.parametrize("sign", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_table_may_be_written_as_spreadsheets_write_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, sign: str, end: str, mark: str
) -> None:
    row = sign.join(('"1,2;3\t4"', "The tank holds 2500 ml.", "a", "a|b"))
    claims = HEAD.replace(",", sign) + row + "\n"
    place(tmp_path, "documents.csv", mark + DOCUMENTS.replace(",", sign).replace("\n", end))

    code, result, error = check(
        capsys, place(tmp_path, "claims.csv", mark + claims.replace("\n", end))
    )

    assert (code, error) == (0, "")
    assert codes(result) == ["supported"]
    assert result["claims"][0]["claim_id"] == "1,2;3\t4"


@pytest.mark.parametrize(
    ("cited", "label", "code"),
    [
        ("7", "7", "supported"),
        (" 7 ", "7", "supported"),
        ("007", "007", "supported"),
        ("7", "007", "unknown_citation"),
        ("7.0", "7", "unknown_citation"),
        ("1e3", "1000", "unknown_citation"),
    ],
)
def test_labels_that_are_numbers_are_texts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, cited: str, label: str, code: str
) -> None:
    place(tmp_path, "documents.csv", f"doc_id,text\n{label},The tank holds 2.5 litres.\n")
    claims = HEAD + f"1,The tank holds 2500 ml.,{cited},{cited}|{label}\n"

    _, result, _ = check(capsys, place(tmp_path, "claims.csv", claims))

    assert codes(result) == [code]


@pytest.mark.parametrize(
    ("source", "code"), [("The words are: {words}.", "supported"), ("None.", "quote_not_found")]
)
def test_a_quotation_may_be_long(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, source: str, code: str
) -> None:
    words = " ".join(f"word{number}" for number in range(12_000))
    assert len(words) > 100_000
    place(tmp_path, "documents.csv", f"doc_id,text\na,{source.format(words=words)}\n")
    claims = HEAD + f'1,"The page says ""{words}"".",a,a\n'

    _, result, _ = check(capsys, place(tmp_path, "claims.csv", claims))

    assert codes(result) == [code]


def test_a_folder_in_place_of_the_claims_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, _, error = check(capsys, str(tmp_path))

    assert code == 2
    assert f"{tmp_path}: a folder; name a file" in error


def test_files_of_a_folder_of_documents_that_are_no_texts_are_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "documents"
    (folder / "inner").mkdir(parents=True)
    for name in ("a.md", "b.pdf", ".hidden"):
        place(folder, name, "The tank holds 2.5 litres.")
    claims = place(tmp_path, "claims.csv", GOOD)

    _, result, _ = check(capsys, claims)
    run(["check", claims])

    assert result["passed_over"] == ["b.pdf", "inner"]
    told = capsys.readouterr().out
    assert "2 files of the documents' folder passed over" in told
    assert "b.pdf, inner" in told


def test_without_documents_it_says_where_it_looked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, _, error = check(capsys, place(tmp_path, "claims.csv", GOOD))

    assert code == 2
    assert "documents.csv" in error
    assert "--documents" in error


@pytest.mark.parametrize("files", [{"a.md": "x", "a.txt": "y"}, {"a.md": " "}, {"a.pdf": "x"}, {}])
def test_a_folder_that_can_not_be_used_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, files: dict[str, str]
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in files.items():
        place(folder, name, text)

    code, _, error = check(capsys, place(tmp_path, "claims.csv", GOOD), "--documents", str(folder))

    assert code == 2
    assert str(folder) in error


def test_chart_and_page_are_written_whole(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    place(tmp_path, "documents.csv", DOCUMENTS)
    chart, page = tmp_path / "chart.png", tmp_path / "page.html"

    check(
        capsys,
        place(tmp_path, "claims.csv", GOOD),
        "--chart",
        str(chart),
        "--html",
        str(page),
    )

    assert chart.read_bytes().startswith(b"\x89PNG\r\n")
    assert page.read_text("utf-8").rstrip().endswith("</html>")
    assert not list(tmp_path.glob(".*"))


def test_one_place_that_can_not_be_written_leaves_both_unwritten(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    place(tmp_path, "documents.csv", DOCUMENTS)
    page = tmp_path / "page.html"
    page.write_text("as it was")

    code, result, error = check(
        capsys,
        place(tmp_path, "claims.csv", GOOD),
        "--html",
        str(page),
        "--chart",
        str(tmp_path / "nowhere" / "chart.png"),
    )

    assert (code, result) == (2, None)
    assert "can't be written" in error
    assert page.read_text() == "as it was"
    assert not list(tmp_path.glob(".*"))


def test_chart_and_page_at_one_place_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    place(tmp_path, "documents.csv", DOCUMENTS)
    same = str(tmp_path / "out")

    code, _, _ = check(capsys, place(tmp_path, "claims.csv", GOOD), "--html", same, "--chart", same)

    assert code == 2
    assert not Path(same).exists()


@pytest.mark.parametrize("option", ["--html", "--chart"])
@pytest.mark.parametrize("name", ["claims.csv", "documents.csv"])
def test_what_was_read_is_not_written_over(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, option: str, name: str
) -> None:
    place(tmp_path, "documents.csv", DOCUMENTS)
    claims = place(tmp_path, "claims.csv", GOOD)
    before = (tmp_path / name).read_bytes()

    code, _, error = check(capsys, claims, option, str(tmp_path / name))

    assert code == 2
    assert "was read for this check" in error
    assert (tmp_path / name).read_bytes() == before


def test_a_link_stays_a_link_and_a_pipe_is_written_to(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    place(tmp_path, "documents.csv", DOCUMENTS)
    claims = place(tmp_path, "claims.csv", GOOD)
    link, pipe = tmp_path / "link.html", tmp_path / "pipe"
    link.symlink_to("page.html")
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert check(capsys, claims, "--html", str(link))[0] == 0
        assert check(capsys, claims, "--html", str(pipe))[0] == 0
        assert os.read(reader, 15) == b"<!DOCTYPE html>"
    finally:
        os.close(reader)
    assert link.is_symlink()
    assert (tmp_path / "page.html").is_file()
    assert pipe.is_fifo()


def test_an_answer_without_an_id_is_named_by_its_place(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    line = '{"answer": "It holds 5 l [1].", "sources": {"1": "It holds 5 l."}}\n'

    _, result, _ = check(capsys, place(tmp_path, "answers.jsonl", line * 2))

    assert [one["id"] for one in result["answers"]] == ["row 1", "row 2"]


def test_without_the_column_nothing_is_checked_of_retrieval_and_that_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    place(tmp_path, "documents.csv", DOCUMENTS)
    unknown = place(tmp_path, "unknown.csv", _without_retrieved(GOOD))
    none = place(tmp_path, "none.csv", HEAD + GOOD.splitlines()[1].rsplit(",", 1)[0] + ",\n")

    assert codes(check(capsys, unknown)[1]) == ["supported"]
    assert codes(check(capsys, none)[1]) == ["citation_not_retrieved"]
    assert run(["check", unknown]) == 0
    assert "of 1 claim it is not told what was retrieved" in capsys.readouterr().out
    assert run(["check", none]) == 1
    assert "not told" not in capsys.readouterr().out


def _without_retrieved(table: str) -> str:
    return "\n".join(line.rsplit(",", 1)[0] for line in table.splitlines())
