"""Labels of every kind, through a turn and through texts: cited, ambiguous or unknown, never passed over."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.unit.verify.shop import codes
from verifier import check_cited_answer
from verifier.core.turn_file import read_turns
from verifier.verify.verifier import verify_answer

LAMP = "The lamp weighs 2 kg."
CHAIR = "The chair weighs 6 kg."


def both(answer: str, documents: dict[str, str]) -> list[str]:
    """Return the codes of an answer, which must be those of its sentences against the texts alone."""
    (case,) = read_turns(json.dumps({"answer": answer, "documents": documents}))
    told = codes(asyncio.run(verify_answer(answer, case.turn)))
    assert told == [one.code.value for one in check_cited_answer(answer, documents)]
    return told


@pytest.mark.parametrize(
    "label",
    [
        *("1", "12", "2020", "1234", "0", "01", "-1", "3.14", "1-3", "1,5", "1e5"),
        *(
            ".*",
            "(a+)+$",
            "a|b",
            "\\d+",
            "^x$",
            "[a]",
            "a[1]",
            "a]b",
            "plan [final].pdf",
            "a [b] c [d]",
        ),
        *(
            "מסמך",
            "מסמך 1",
            "وثيقة",
            "وثيقة ١",
            "\u202bمسند\u202c",
            "📄",
            "📄1",
            "👩\u200d🔬",
            "⚙️",
            "🇩🇪",
        ),
        *("é", "e\u0301", "ß", "İ", "ﬁle.txt", "tab le", "a, b", "a; b", "a and b", "a & b", "a—b"),
        *(
            "“q”",
            "it's",
            "<b>",
            "&amp;",
            "{x}",
            "{{x}}",
            "【x】",
            "`c`",
            "*b*",
            "~~s~~",
            "#1",
            "@x",
        ),
        *(
            "a@b.com",
            "http://x.org/a",
            "https://x.org/a?b=1#c",
            "/path/to/file.md",
            "a/b#1",
            "a@3#0",
        ),
        *(
            "Doc 1",
            "Source 1",
            "source: 1",
            "p. 3",
            "Table 2",
            "see",
            "sic",
            "...",
            "x",
            "N",
            "^1",
            "1.",
        ),
        *("(1)", "a: b", "null", "%s", "$1", "½", "¹", "①", "𝟙", "1\u200b", "\ufeffa", " a "),
        *("x" * 1_001, "word " * 250 + "end"),
    ],
)
def test_a_label_is_cited_as_it_is_written(label: str) -> None:
    documents = {label: LAMP, "zz": CHAIR}
    assert both(f"The lamp weighs 2 kg [{label}].", documents) == ["supported"]
    assert both(f"The chair weighs 6 kg [{label}].", documents) == ["unsupported_quantity"]
    apart = f"The lamp weighs 2 kg.[{label}] The chair weighs 6 kg.[zz]"
    assert both(apart, documents) == ["supported", "supported"]


@pytest.mark.parametrize(
    ("mark", "labels"),
    [
        ("PLAN", ("Plan", "plan")),
        ("manual", ("manual.pdf", "manual.txt")),
        ("S 1", ("S1", "s1")),
        ("a", ("a.pdf", "a.md")),
    ],
)
def test_a_mark_that_fits_several_labels_is_ambiguous(mark: str, labels: tuple[str, ...]) -> None:
    documents = dict.fromkeys(labels, LAMP)
    assert len(labels) == len(documents)
    differing = {**documents, labels[0]: CHAIR}
    assert both(f"The lamp weighs 2 kg [{mark}].", differing) == ["ambiguous"]


def test_the_exact_label_comes_before_what_it_resembles() -> None:
    documents = {"Plan": LAMP, "plan": CHAIR}
    assert both("The lamp weighs 2 kg [Plan].", documents) == ["supported"]
    assert both("The lamp weighs 2 kg [plan].", documents) == ["unsupported_quantity"]


@pytest.mark.parametrize("mark", ["[]", "[ ]", "[   ]"])
@pytest.mark.parametrize("label", ["", " ", "   "])
def test_an_empty_label_is_none_that_can_be_cited(mark: str, label: str) -> None:
    assert both(f"The lamp weighs 2 kg {mark}.", {label: LAMP, "1": LAMP}) == ["unknown_citation"]


def test_the_chunks_of_one_label_are_ambiguous_wherever_they_say_the_same() -> None:
    chunks = [{"label": "1", "source": source, "text": LAMP} for source in ("A", "B")]
    turn = {"answer": "The lamp weighs 2 kg [1].", "retrieved": chunks}
    (case,) = read_turns(json.dumps(turn))
    assert codes(asyncio.run(verify_answer(turn["answer"], case.turn))) == ["ambiguous"]  # type: ignore[arg-type]


def test_many_marks_of_one_sentence_are_held_in_time_that_grows_with_them() -> None:
    answer = f"The lamp weighs 2 kg {'[1] ' * 3_000}."
    assert both(answer, {"1": LAMP}) == ["supported"]
