"""Blocks and sentences: tables of real examples, exact spans, linear time."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.growth import assert_grows

if TYPE_CHECKING:
    from collections.abc import Callable
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.core.blocks import BlockKind, find_blocks
from verifier.core.quoted_ranges import find_closed_ranges
from verifier.core.sentences import split_sentences

DATA = Path(__file__).parents[1] / "data"
OURS = [json.loads(line) for line in (DATA / "sentences.jsonl").read_text("utf-8").splitlines()]
CASES = [
    json.loads(line) for line in (DATA / "cases/sentence.jsonl").read_text("utf-8").splitlines()
]

MARKED = st.text(
    alphabet=st.sampled_from(
        list("aB1 .!?…。！\n\r\t|-#`~>*_[]()\"“”„«»'’:;,=\x00\ud800¹²・\u3000")
    ),
    max_size=80,
)


@pytest.mark.parametrize("case", OURS, ids=[case["id"] for case in OURS])
def test_sentences_are_split_as_the_table_says(case: dict[str, object]) -> None:
    assert [sentence.text for sentence in split_sentences(str(case["text"]))] == case["expected"]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_cases(case: dict[str, object]) -> None:
    found = [sentence.text for sentence in split_sentences(str(case["claim"]))]
    expected = case["expected"]
    if isinstance(expected, list):
        assert found == expected
    else:
        assert isinstance(expected, dict)
        assert set(expected["contains"]) <= set(found)
        for cells in expected.get("row_claims", []):
            assert sum(all(cell in row for cell in cells) for row in found) == 1


@given(MARKED)
@settings(max_examples=100, deadline=None)
def test_spans_are_exact_and_only_white_space_is_lost(text: str) -> None:
    at = 0
    for sentence in split_sentences(text):
        assert sentence.span.of(text) == sentence.text
        assert sentence.text == sentence.text.strip() != ""
        assert not text[at : sentence.span.start].strip()
        at = sentence.span.end
    assert not text[at:].strip()


@given(MARKED)
@settings(max_examples=30, deadline=None)
def test_blocks_hold_their_content(text: str) -> None:
    for block in find_blocks(text):
        assert block.span.start <= block.content <= block.span.end


DOCUMENT = """---
title: "Terms"
---
# Terms

Refunds
take 30 days.

Small print
-----------
> quoted
> text
1. one
   more
2. two
- three

| Item | Price |
|---|---|
| Lamp | 80 EUR |
After.

A | B
--|--
1 | 2

***
```product
{"id": 1}
```
```python
# no heading
"""


def test_blocks_of_a_document() -> None:
    found = [(block.kind, block.span.of(DOCUMENT)) for block in find_blocks(DOCUMENT)]
    assert found == [
        (BlockKind.CODE, '---\ntitle: "Terms"\n---'),
        (BlockKind.HEADING, "# Terms"),
        (BlockKind.PARAGRAPH, "Refunds\ntake 30 days."),
        (BlockKind.HEADING, "Small print\n-----------"),
        (BlockKind.PARAGRAPH, "> quoted\n> text"),
        (BlockKind.LIST_ITEM, "1. one\n   more"),
        (BlockKind.LIST_ITEM, "2. two"),
        (BlockKind.LIST_ITEM, "- three"),
        (BlockKind.TABLE_ROW, "| Item | Price |\n|---|---|"),
        (BlockKind.TABLE_ROW, "| Lamp | 80 EUR |"),
        (BlockKind.PARAGRAPH, "After."),
        (BlockKind.TABLE_ROW, "A | B\n--|--"),
        (BlockKind.TABLE_ROW, "1 | 2"),
        (BlockKind.RULE, "***"),
        (BlockKind.CARD, '```product\n{"id": 1}\n```'),
        (BlockKind.CODE, "```python\n# no heading"),
    ]


def test_headings_tell_their_level_and_tables_their_head() -> None:
    blocks = find_blocks(DOCUMENT)
    assert [block.level for block in blocks if block.kind is BlockKind.HEADING] == [1, 2]
    assert [block.header for block in blocks if block.kind is BlockKind.TABLE_ROW] == [
        True,
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("a (b) c", ["(b)"]),
        ('say "a. b" or 5" of it', ['"a. b"']),
        ("„a“ “b” «c»", ["„a“", "“b”", "«c»"]),
        ("( [a) b]", ["( [a)"]),
        ("(a (b) c)", ["(a (b) c)", "(b)"]),
        ("(a", []),
        ("a) b", []),
        (f"({'x' * 900})", []),
    ],
)
def test_closed_ranges(text: str, held: list[str]) -> None:
    assert [text[start:end] for start, end in find_closed_ranges(text)] == held


HOSTILE = [
    "a",
    "(",
    '"',
    "“",
    "。",
    ". ",
    "a. ",
    ".[",
    ".[a-",
    "A. ",
    ". [",
    "e\u0301",
    "- ",
    "| a |\n",
    "#\n",
    "```\n",
]


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.scaling
def test_time_is_linear(piece: str) -> None:
    def prepare(size: int) -> Callable[[], object]:
        return partial(split_sentences, piece * (size // len(piece)))

    assert_grows(prepare, 1_000, 8_000, at_most=4 * 8)
