"""`verifier eval`: labelled answers, both errors with their intervals, and two runs case by case."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

import pytest

from verifier.audit.evaluation import Judgement
from verifier.audit.evaluation_comparison import PastCase, PastRun, compare_runs
from verifier.audit.statistics import compare_paired, measure_share
from verifier.core.evaluation import read_evaluation_cases
from verifier.errors import InputError
from verifier.interfaces.cli.app import run

if TYPE_CHECKING:
    from pathlib import Path

EARLY = "2026-01-01T00:00:00+00:00"
LATE = "2126-01-01T00:00:00+00:00"
RIGHT = "Returns are taken for 30 days [terms]."
WRONG = "Returns are taken for 40 days [terms]."
UNCITED = "Returns are taken for 30 days."


def line(case_id: str, answer: str = RIGHT, at: str = EARLY, /, **labels: str) -> dict[str, Any]:
    """A case about one document; each reviewer by name with his label."""
    return {
        "id": case_id,
        "answer": answer,
        "documents": {"terms": "Returns are taken for 30 days."},
        "citations_required": True,
        "labels": [
            {"reviewer": name, "label": label, "labelled_at": at} for name, label in labels.items()
        ],
    }


CASES = (
    line("right", ada="supported", ben="supported"),
    line("refused", WRONG, ada="supported"),
    line("caught", WRONG, ada="unsupported", ben="contradicted", cyd="unsupported"),
    line("missed", ada="contradicted"),
    line("uncited", UNCITED, ada="citation_format"),
    line("open", "Gifts are wrapped in paper [terms].", ada="unclear"),
    line("greeting", "Hello!", ada="supported"),
    line("at odds", ada="supported", ben="unsupported"),
    line("late", RIGHT, LATE, ada="supported"),
    line("half late", ada="supported") | {"run_at": "2025-06-01T00:00:00+00:00"},
)


def place(folder: Path, *cases: dict[str, Any], name: str = "cases.jsonl") -> str:
    path = folder / name
    path.write_text("".join(json.dumps(one) + "\n" for one in cases), "utf-8")
    return str(path)


class Call:
    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        code = run(["eval", *arguments])
        printed = self._capsys.readouterr()
        return code, printed.out, printed.err

    def json(self, *arguments: str) -> Any:
        code, out, err = self(*arguments, "--json")
        assert code == 0, err
        return json.loads(out)


@pytest.fixture
def call(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Call:
    monkeypatch.chdir(tmp_path)
    return Call(capsys)


def test_each_error_is_measured_apart(call: Call, tmp_path: Path) -> None:
    made = call.json(place(tmp_path, *CASES))["evaluation"]
    judged = {one["case_id"]: (one["given"], one["judgement"]) for one in made["cases"]}
    assert judged == {
        "right": ("accepted", "right"),
        "refused": ("rejected", "refused_wrongly"),
        "caught": ("rejected", "right"),
        "missed": ("accepted", "accepted_wrongly"),
        "uncited": ("rejected", "right"),
        "open": ("review", "right"),
        "greeting": ("nothing", "left_open"),
        "at odds": ("accepted", "disputed"),
        "late": ("accepted", "right"),
        "half late": ("accepted", "right"),
    }
    before, after = made["before"], made["after"]
    assert (before["cases"], before["disputed"], after["cases"], after["disputed"]) == (8, 1, 2, 0)

    def share(name: str) -> tuple[int, int]:
        return before[name]["count"], before[name]["total"]

    assert share("accepted_wrongly") == (1, 4)
    assert share("refused_wrongly") == (1, 3)
    assert share("left_open") == (1, 3)
    assert share("unsupported") == (1, 2)
    assert share("right") == (4, 7)
    assert before["citation_format"]["told"]["share"] == 1.0
    assert before["citation_format"]["told_without"]["count"] == 0
    assert before["missing_evidence"]["told"] == dict.fromkeys(
        ("count", "total"), 0
    ) | dict.fromkeys(("share", "low", "high"))
    assert before["confusion"]["rejected"] == {
        "rejected": 2,
        "review": 0,
        "unchecked": 0,
        "accepted": 1,
        "nothing": 0,
    }
    assert sum(sum(row.values()) for row in before["confusion"].values()) == 7
    marked = {one["case_id"] for one in made["cases"] if not one["labelled_before"]}
    assert marked == {"late", "half late"}


def test_what_reviewers_say_is_kept_and_compared(call: Call, tmp_path: Path) -> None:
    made = call.json(place(tmp_path, *CASES))["evaluation"]
    by_id = {one["case_id"]: one for one in made["cases"]}
    assert by_id["caught"]["label"] == "unsupported"
    assert [one["label"] for one in by_id["caught"]["labels"]] == [
        "unsupported",
        "contradicted",
        "unsupported",
    ]
    assert (by_id["at odds"]["label"], by_id["at odds"]["expected"]) == (None, None)
    agreement = made["agreement"]
    assert (agreement["shared"], agreement["agreed"], agreement["disputed"]) == (3, 1, 2)
    pairs = {(one["reviewer"], one["other"]): one for one in agreement["pairs"]}
    assert pairs["ada", "ben"]["shared"] == 3
    assert pairs["ada", "cyd"]["kappa"] is None


def test_missing_evidence_is_told_apart(call: Call, tmp_path: Path) -> None:
    unread = line("unread", ada="missing_evidence") | {"documents": {"terms": " "}}
    made = call.json(place(tmp_path, unread, line("right", ada="supported")))["evaluation"]
    assert made["cases"][0]["codes"] == ["unverifiable"]
    assert made["before"]["missing_evidence"]["told"]["count"] == 1
    assert made["before"]["missing_evidence"]["told_without"]["count"] == 0


def test_the_exit_code_is_1_only_where_asked_and_an_answer_is_wrongly_accepted(
    call: Call, tmp_path: Path
) -> None:
    wrong = place(tmp_path, line("missed", ada="unsupported"))
    assert call(wrong)[0] == 0
    assert call(wrong, "--strict")[0] == 1
    refused = place(tmp_path, line("refused", WRONG, ada="supported"), name="refused.jsonl")
    assert call(refused, "--strict")[0] == 0


def test_two_runs_are_compared_case_by_case(call: Call, tmp_path: Path) -> None:
    first = [
        line("same", ada="supported"),
        line("fixed", WRONG, ada="supported"),
        line("broken", ada="supported"),
        line("gone", ada="supported"),
        line("relabelled", ada="supported"),
        line("at odds", ada="supported", ben="unclear"),
        line("other", WRONG, ada="supported"),
    ]
    second = [
        line("same", ada="supported"),
        line("fixed", ada="supported"),
        line("broken", WRONG, ada="supported"),
        line("new", ada="supported"),
        line("relabelled", ada="unsupported"),
        line("at odds", ada="supported", ben="unclear"),
        line("other", UNCITED, ada="supported"),
    ]
    assert call(place(tmp_path, *first), "--out", "a.json")[0] == 0
    now = place(tmp_path, *second, name="second.jsonl")
    for arguments in (
        (now, "--against", "a.json", "--out", "b.json"),
        ("b.json", "--against", "a.json"),
    ):
        found = call.json(*arguments)["comparison"]
        assert [one["case_id"] for one in found["fixed"]] == ["fixed"]
        assert [one["case_id"] for one in found["broken"]] == ["broken"]
        assert [one["case_id"] for one in found["changed"]] == ["other"]
        assert (found["compared"], found["both_right"], found["both_wrong"]) == (4, 1, 1)
        assert (found["relabelled"], found["disputed"]) == (["relabelled"], ["at odds"])
        assert (found["only_now"], found["only_before"]) == (["new"], ["gone"])
        assert found["p"] == 1.0
    code, out, _ = call("b.json", "--against", "a.json", "--strict")
    assert code == 1
    assert "1 fixed, 1 broken" in out
    assert "relabelled" in out


def test_the_page_is_whole_escaped_and_loads_nothing(call: Call, tmp_path: Path) -> None:
    hostile = '<script>alert("x")</script>'
    cases = place(tmp_path, *CASES, line(hostile, ada="unsupported"))
    assert call(cases, "--html", "page.html", "--out", "run.json")[0] == 0
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert not re.search(r"(?:src|href)=\"(?!#)", page)
    assert page.count("<svg") == 2
    assert "prefers-color-scheme: dark" in page
    assert "2 of 5" in page
    assert "Labelled after the run" in page
    assert call("run.json", "--against", "run.json", "--html", "page.html")[0] == 0
    assert "nothing was fixed or broken" in (tmp_path / "page.html").read_text("utf-8")


LABEL = {"reviewer": "ada", "label": "supported", "labelled_at": EARLY}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no case in it"),
        ("\n \n", "no case in it"),
        ("[]", "no case in it"),
        ("{", "no JSON"),
        ("3", "must be a JSON object"),
        (json.dumps(line("a", ada="supported")) + "\nx", "line 2 is no JSON"),
        ([line("a", ada="supported"), line("a", ada="supported")], "several cases have the id 'a'"),
        ([line("", ada="supported")], "case 1: id is needed"),
        ([line("a", ada="supported") | {"answer": None}], "answer is needed"),
        ([line("a")], "labels is needed"),
        ([line("a", ada="true")], "label is 'true'; allowed are supported, unsupported"),
        (
            [line("a", RIGHT, "2026-01-01T00:00:00", ada="supported")],
            "labelled_at has no time zone",
        ),
        ([line("a", RIGHT, "yesterday", ada="supported")], "labelled_at is 'yesterday'"),
        ([line("a") | {"labels": [LABEL, LABEL]}], "two labels of the reviewer 'ada'"),
        ([line("a") | {"labels": [LABEL, LABEL | {"reviewer": " ada "}]}], "two labels"),
        ([line("a") | {"labels": [LABEL | {"reviewer": " "}]}], "reviewer, label and labelled_at"),
        ([line("a") | {"labels": [{"label": "supported"}]}], "reviewer, label and labelled_at"),
        ([line("a") | {"labels": [LABEL | {"why": "so"}]}], "unknown field 'why'"),
        ([line("a") | {"labels": "supported"}], "labels must be a list of objects"),
        ([line("a", ada="supported") | {"run_at": "2026-01-01T00:00"}], "run_at has no time zone"),
        ([line("a", ada="supported") | {"awnser": "x"}], "unknown field 'awnser'"),
    ],
)
def test_bad_cases_are_told(
    call: Call, tmp_path: Path, text: str | list[dict[str, Any]], told: str
) -> None:
    written = text if isinstance(text, str) else "".join(json.dumps(one) + "\n" for one in text)
    (tmp_path / "bad.jsonl").write_text(written, "utf-8")
    code, out, err = call("bad.jsonl", "--out", "run.json")
    assert (code, out) == (2, "")
    assert told in err
    assert "bad.jsonl" in err
    assert not (tmp_path / "run.json").exists()


def test_what_is_no_run_is_told(call: Call, tmp_path: Path) -> None:
    cases = place(tmp_path, line("a", ada="supported"))
    call(cases, "--out", "run.json")
    code, _, err = call("run.json")
    assert (code, "--against another one" in err) == (2, True)
    code, _, err = call(cases, "--against", cases)
    assert (code, "it is no run" in err) == (2, True)
    run_text = (tmp_path / "run.json").read_text("utf-8")
    for changed in (
        run_text.replace('"given"', '"gave"'),
        run_text.replace('"judgement": "right"', '"judgement": "fine"'),
        run_text[:-20],
    ):
        (tmp_path / "broken.json").write_text(changed, "utf-8")
        assert call(cases, "--against", "broken.json")[0] == 2
    assert call(cases, "--out", "x", "--html", "x")[0] == 2
    assert call("nowhere.jsonl")[0] == 2


def test_a_list_and_one_object_are_files_too() -> None:
    one = line("a", ada="supported")
    assert len(read_evaluation_cases(json.dumps([one, one | {"id": "b"}], indent=1))) == 2
    assert len(read_evaluation_cases(json.dumps(one, indent=1))) == 1
    with pytest.raises(InputError, match="case 2: labels is needed"):
        read_evaluation_cases(json.dumps([one, {"id": "b", "answer": "x"}]))


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), table I: the score method.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_intervals_are_those_of_the_literature(
    count: int, total: int, low: float, high: float
) -> None:
    share = measure_share(count, total)
    assert share.low is not None
    assert share.high is not None
    assert math.isclose(share.low, low, abs_tol=5e-5)
    assert math.isclose(share.high, high, abs_tol=5e-5)


def test_nothing_to_measure_is_none_never_nan() -> None:
    share = measure_share(0, 0)
    assert (share.share, share.low, share.high) == (None, None, None)
    assert compare_paired(0, 0) is None


@pytest.mark.parametrize(
    ("fixed", "broken", "p"), [(1, 9, 22 / 1024), (9, 1, 22 / 1024), (5, 5, 1.0), (6, 0, 2 / 64)]
)
def test_paired_runs_differ_by_more_than_chance(fixed: int, broken: int, p: float) -> None:
    measured = compare_paired(fixed, broken)
    assert measured is not None
    assert math.isclose(measured, p)


def test_runs_without_a_case_in_common_compare_nothing() -> None:
    def past(case_id: str) -> PastRun:
        case = PastCase(
            case_id=case_id,
            label="supported",
            given="accepted",
            codes=(),
            judgement=Judgement.RIGHT,
        )
        return PastRun(run_at=EARLY, verifier_version="0", cases={case_id: case})

    found = compare_runs(past("a"), past("b"))
    assert (found.compared, found.p, found.only_now, found.only_before) == (0, None, ("a",), ("b",))
