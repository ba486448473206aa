"""Marks that a turn tells of: names and years of its bibliography, and a style of marks of its own."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.unit.verify.shop import codes
from verifier import InputError, check_cited_answer
from verifier.core.turn_file import read_turns
from verifier.core.turn_recorder import TurnRecorder
from verifier.verify.verifier import verify_answer

DOCUMENTS = {"a": "The lamp weighs 2 kg.", "b": "The chair weighs 6 kg.", "c": "Lids last 9 years."}
ENTRIES = {
    "a": "Smith, A. (2020). Lamps of the north.",
    "b": "Jones, B., & Smith, A. 2020. Chairs.",
    "c": "van der Berg 2018, Lids",
}


def verify(answer: str, **told: object) -> list[str]:
    turn = {"answer": answer, "documents": DOCUMENTS, **told}
    (case,) = read_turns(json.dumps(turn))
    assert case.answer is not None
    return codes(asyncio.run(verify_answer(case.answer, case.turn)))


def check(answer: str, **told: Any) -> list[str]:
    return [one.code.value for one in check_cited_answer(answer, DOCUMENTS, **told)]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("The lamp weighs 2 kg (Smith 2020).", "supported"),
        ("The lamp weighs 2 kg (Smith, 2020, p. 4).", "supported"),
        ("Smith (2020) says that the lamp weighs 2 kg.", "supported"),
        ("The chair weighs 6 kg (Jones & Smith, 2020).", "supported"),
        ("Lids last 9 years (van der Berg 2018).", "supported"),
        ("The lamp weighs 6 kg (Smith 2020).", "unsupported_quantity"),
        ("The chair weighs 6 kg (Smith 2020).", "unsupported_quantity"),
        ("The lamp weighs 2 kg (Miller 2020).", "unknown_citation"),
        ("The lamp weighs 2 kg (Smith 2019).", "unknown_citation"),
    ],
)
def test_names_and_years_cite_the_entry_of_the_bibliography(answer: str, code: str) -> None:
    assert verify(answer, bibliography=ENTRIES) == [code]
    assert check(answer, bibliography=ENTRIES) == [code]


def test_two_entries_that_fit_are_ambiguous() -> None:
    entries = ENTRIES | {"c": "Smith, C. 2020. Lids."}
    answer = "The lamp weighs 2 kg (Smith 2020)."
    assert verify(answer, bibliography=entries) == ["ambiguous"]
    assert check(answer, bibliography=entries) == ["ambiguous"]


def test_an_entry_of_what_was_not_given_is_unknown() -> None:
    entries = ENTRIES | {"d": "Miller 2011, Pans"}
    answer = "The lamp weighs 2 kg (Miller 2011)."
    assert verify(answer, bibliography=entries) == ["unknown_citation"]
    assert check(answer, bibliography=entries) == ["unknown_citation"]


def test_a_bibliography_may_name_the_marks_of_the_numbering() -> None:
    told = {"bibliography": {"7": "Smith 2020, Lamps"}, "numbering": {"7": "a"}}
    assert verify("The lamp weighs 2 kg (Smith 2020).", **told) == ["supported"]
    assert verify("The lamp weighs 2 kg [7].", **told) == ["supported"]


@pytest.mark.parametrize(
    ("style", "mark"),
    [
        ("<N>", "<{}>"),
        ("(N)", "({})"),
        ("(ref. N)", "(ref. {})"),
        ("[Note N]", "[Note {}]"),
        ("«N»", "«{}»"),
        ("^N^", "^{}^"),
        ("`N`", "`{}`"),
        ("\\cite{N}", "\\cite{{{}}}"),
        ("#N", "#{}"),
        ("N)", "{})"),
        ("((N))", "(({}))"),
        ("$N$", "${}$"),
    ],
)
def test_marks_of_the_declared_style_cite(style: str, mark: str) -> None:
    told: dict[str, Any] = {"mark_style": style}
    assert verify(f"The lamp weighs 2 kg {mark.format('a')}.", **told) == ["supported"]
    assert check(f"The lamp weighs 2 kg {mark.format('a')}.", **told) == ["supported"]
    assert verify(f"The chair weighs 2 kg {mark.format('a')}.", **told) != ["supported"]
    assert verify(f"The lamp weighs 2 kg {mark.format('7')}.", **told) == ["unknown_citation"]
    assert check(f"The lamp weighs 2 kg {mark.format('7')}.", **told) == ["unknown_citation"]


def test_other_marks_are_read_beside_the_style() -> None:
    answer = "The lamp weighs 2 kg <a>. The chair weighs 6 kg [b]."
    assert verify(answer, mark_style="<N>") == ["supported", "supported"]


@pytest.mark.parametrize("style", ["", "N", " N ", "<x>", "N-N", "<n>"])
def test_a_style_that_does_not_say_where_the_label_stands_is_refused(style: str) -> None:
    for told in (TurnRecorder, lambda mark_style: check("a", mark_style=mark_style)):
        with pytest.raises(InputError, match="mark_style is"):
            told(mark_style=style)


def test_a_bibliography_of_a_turn_that_is_recorded() -> None:
    turn = TurnRecorder(bibliography={"a": "Smith 2020"}, mark_style="<N>").freeze()
    assert turn.bibliography == {"a": "Smith 2020"}
    assert turn.mark_style == "<N>"
