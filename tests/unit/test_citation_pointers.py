"""Leads that only point to a source are no part of what is stated. Cases: cases/hostile_citing.jsonl."""

from __future__ import annotations

import pytest

from verifier.core.citations import drop_pointers, find_citations


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("According to [1], it is.", "it is."),
        ("According to source [1] and [2], it is.", "it is."),
        ("As stated in [1][2], it is.", "it is."),
        ("[1] says that it is.", "it is."),
        ("As [1] says, it is.", "it is."),
        ("In [1], it is [2].", "it is ."),
        ("As [1] does not say, it is.", "As  does not say, it is."),
        ("Contrary to [1], it is.", "Contrary to , it is."),
        ("[1] denies that it is.", " denies that it is."),
        ("It is [1].", "It is ."),
        ("It is.", "It is."),
    ],
)
def test_a_lead_goes_with_its_marks_where_it_says_nothing_else(text: str, stated: str) -> None:
    assert drop_pointers(text, find_citations(text, labels=("1", "2"))) == stated


def test_marks_outside_of_the_text_are_left_alone() -> None:
    answer = "It is [1]. In [2], it was."
    found = find_citations(answer, labels=("1", "2"))
    assert drop_pointers(answer[11:], found, 11) == "it was."
    assert drop_pointers(answer[:10], found) == "It is ."
