"""Quotations in a text: found at their exact span, or told to be altered. Kinds: cases/quotations.jsonl."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING

import pytest

from tests.growth import assert_grows
from verifier.core.quotations import (
    Fate,
    find_quotations,
    join_quoted,
    leaves_only_frame,
    locate_quotation,
)
from verifier.core.sentences import split_sentences

if TYPE_CHECKING:
    from collections.abc import Callable

TERMS = "Fees are **not** returned.\n\nThe *deposit*[^1], paid on arrival, is re-\nturned within 14 days."


@pytest.mark.parametrize(
    ("quotation", "spans"),
    [
        ("the deposit, paid on arrival", ["deposit*[^1], paid on arrival"]),
        ("is returned within 14 days", ["is re-\nturned within 14 days"]),
        ("is re-turned within 14 days", ["is re-\nturned within 14 days"]),
        ("Fees are not returned. The deposit", ["Fees are **not** returned.\n\nThe *deposit"]),
        ("paid on arrival … within 14 days", ["paid on arrival", "within 14 days"]),
    ],
)
def test_a_quotation_has_the_span_of_the_original(quotation: str, spans: list[str]) -> None:
    found = locate_quotation(quotation, TERMS)
    assert [span.of(TERMS).removeprefix("The *") for span in found.spans] == spans
    assert found.fate is Fate.FOUND


@pytest.mark.parametrize(
    ("quotation", "span", "fate"),
    [
        ("Keep it safe. 2. Use it well", "Keep it safe.\n2. Use it well", Fate.FOUND),
        ("rules](r.md).\n\n1. Keep it safe", "rules](r.md).\n\n1. Keep it safe", Fate.FOUND),
        ("Keep it safe. Use it well", "Keep it safe.\n2. Use it well", Fate.OPEN),
    ],
)
def test_markup_may_be_kept_and_numbers_of_items_left_out_are_for_review(
    quotation: str, span: str, fate: Fate
) -> None:
    text = "See our [rules](r.md).\n\n1. Keep it safe.\n2. Use it well.\n\n10) Stop."
    found = locate_quotation(quotation, text)
    assert [one.of(text) for one in found.spans] == [span]
    assert found.fate is fate


@pytest.mark.parametrize(
    ("quotation", "text", "fate"),
    [
        ("re-sign the lease", "Please resign the lease.", Fate.ABSENT),
        ("resign the lease", "Please re-sign the lease.", Fate.ABSENT),
        ("the old lid", "the olds lid and the old lids", Fate.ABSENT),
        ("guests [all of them] may smoke", "guests may smoke", Fate.OPEN),
        ("guests [may] smoke", "guests may smoke", Fate.FOUND),
        ("guests [may] smoke", "guests shall smoke", Fate.OPEN),
        ("guests may smoke", "We say: guests may smoke. Staff smoke outside.", Fate.FOUND),
        ("guests may smoke", "We say: guests may smoke. Staff may not.", Fate.OPEN),
        ("guests may smoke", "Staff may not, and guests may smoke.", Fate.FOUND),
        ("guests may smoke", "It is not true that guests may smoke.", Fate.ALTERED),
        ("guests may smoke", "When it rains, guests may smoke.", Fate.OPEN),
        ("guests may smoke", "Some guests may smoke.", Fate.OPEN),
        ("the fee is 5", "the fee is 5 EUR", Fate.ALTERED),
        ("", "the fee is 5 EUR", Fate.ABSENT),
        ("...", "the fee is 5 EUR", Fate.ABSENT),
        ("a", "", Fate.ABSENT),
        ("guests may smoke", "No guests may smoke. But our guests may smoke.", Fate.FOUND),
    ],
)
def test_cuts_are_judged_by_what_they_leave_away(quotation: str, text: str, fate: Fate) -> None:
    assert locate_quotation(quotation, text).fate is fate


def test_only_a_quotation_that_asks_stands_in_a_question() -> None:
    text = "May guests smoke?"
    assert locate_quotation("May guests smoke?", text).fate is Fate.FOUND
    assert locate_quotation("May guests smoke", text).fate is Fate.OPEN


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('He said "the lid is steel" and left.', ["the lid is steel"]),
        ('A 5" screen and a 6" one.', []),
        ('The 5" screen is "very sharp indeed".', ["very sharp indeed"]),
        ("“one ‘two’ three” and ‘four’", ["one ‘two’ three", "four"]),
        ("the seller’s fee isn’t ‘the buyer’s fee’", ["the buyer’s fee"]),
        ("»eins« und „zwei“ und «trois»", ["eins", "zwei", "trois"]),
        ('never closed "here and "there it ends"', ["there it ends"]),
        ("an apostrophe 'tis and the dogs' lid", []),
        ("The terms say: 'the lid is steel'", ["the lid is steel"]),
        ('The terms say: "  ".', [""]),
        ("The terms say: “ ”", [""]),
        ('A 5" lid, "a 6" one, and a 7" one', ["a 6"]),
        ('He said "yes" "no" and left.', ["yes", "no"]),
        ('Two marks: " "left" behind', ["left"]),
        ('Over lines: "\n" and on', []),
    ],
)
def test_what_stands_between_marks_is_a_quotation(text: str, quoted: list[str]) -> None:
    assert [one.text for one in find_quotations(text)] == quoted


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ('"the lid is steel".', True),
        ('According to the terms, "the lid is steel".', True),
        ('As section 4 states: "the lid is steel"', True),
        ('The terms do not say "the lid is steel".', False),
        ('In 2019 the terms state "the lid is steel".', False),
        ('"the lid is steel" and costs 5 EUR', False),
    ],
)
def test_a_frame_says_only_where_the_words_stand(text: str, alone: bool) -> None:  # noqa: FBT001
    assert leaves_only_frame(text, find_quotations(text)) is alone


@pytest.mark.parametrize(
    ("quoted", "passage"),
    [
        ("the lid is steel", True),
        ("The lid is made of steel", True),
        ("THE LID IS MADE OF STEEL", True),
        ("蓋は鋼でできていますよ", True),
        ("the lid", False),
        ("The Sound of the Sea", False),
        ("Brown v. Board of Education of Topeka, Kansas", False),
    ],
)
def test_titles_and_terms_that_are_set_apart_are_no_passages(
    quoted: str,
    passage: bool,  # noqa: FBT001
) -> None:
    (found,) = find_quotations(f"It says “{quoted}”.")
    assert found.is_passage is passage


def test_a_quotation_holds_its_paragraphs_together() -> None:
    answer = 'The terms say: "Fees are kept.\n\nDeposits are not." That is all.'
    first, second = join_quoted(answer, split_sentences(answer))
    assert first.text == 'The terms say: "Fees are kept.\n\nDeposits are not."'
    assert second.text == "That is all."


def test_a_mark_that_nothing_closes_joins_nothing() -> None:
    answer = 'The 5" lid is "new. It is steel.\n\nIt is "not old".'
    assert [one.text for one in join_quoted(answer, split_sentences(answer))] == [
        one.text for one in split_sentences(answer)
    ]


@pytest.mark.scaling
@pytest.mark.parametrize(
    "unit",
    [
        "a ",
        "a-b ",
        '" ',
        "a… ",
        "[1] ",
        "(.*)+ ",
        "no ",
        "- if so:\n",
        "draft\n\n",
        "# x\n",
        "a.¹ ",
    ],
)
def test_time_grows_with_the_length(unit: str) -> None:
    numbers = count()

    def prepare(times: int) -> Callable[[], object]:
        text = f"{next(numbers)} {unit * times}"  # never the same, for forms are kept for the next time
        return partial(locate_quotation, text[: len(text) // 2], f"{text} end")

    assert_grows(prepare, 4_000, 40_000, at_most=40)
