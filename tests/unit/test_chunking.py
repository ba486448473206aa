"""Chunks: exact, disjoint, complete, within the limit, and stable under edits elsewhere."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.core.chunk_units import find_grapheme_boundary
from verifier.core.chunking import chunk_document
from verifier.core.documents import ChunkDraft, Document, SourceKey, hash_input
from verifier.core.titles import find_title
from verifier.errors import InputError

LIMIT = 64
WORD = re.compile(r"\w{1,8}|[^\w\s]")


def count_tokens(text: str) -> int:
    """Tokens of at most eight letters, and two special ones, as models count."""
    return len(WORD.findall(text)) + 2


def count_repelling(text: str) -> int:
    """Count more tokens for a whole than for its parts, as some tokenizers do."""
    return len(text) // 3 + 2 + len(text) // 40


def chunk(text: str, *, title: str | None = None, limit: int = LIMIT) -> tuple[ChunkDraft, ...]:
    document = Document(key=SourceKey("d"), text=text, title=title, media_type="text/markdown")
    return chunk_document(document, count_tokens=count_tokens, token_limit=limit)


PIECES = st.lists(
    st.sampled_from(
        [
            *("# One\n", "## Two\n", "### \n", "Three\n=====\n", "---\n", "\n", "\n\n", " ", "\t"),
            *(
                "A sentence of six words here. ",
                "word " * 70,
                "x" * 900,
                "价格是20元。",
                "👨‍👩‍👧" * 20,
            ),
            *("- item one\n", "1. first\n", "| Item | Price |\n|---|---|\n", "| Lamp | 80 EUR |\n"),
            *("```py\n# no heading\n", "```\n", "\x00", "\ud800", "e\u0301" * 9, "("),
        ]
    ),
    max_size=24,
).map("".join)


@given(PIECES, st.sampled_from([None, "Terms", "long title " * 40]), st.sampled_from([20, 64, 256]))
@settings(max_examples=120, deadline=None)
def test_chunks_are_exact_ordered_complete_and_fit(
    text: str, title: str | None, limit: int
) -> None:
    chunks = chunk(text, title=title, limit=limit)
    at = 0
    for ordinal, draft in enumerate(chunks):
        assert draft.ordinal == ordinal
        assert draft.span.of(text) == draft.text == draft.text.strip() != ""
        assert not text[at : draft.span.start].strip()
        assert count_tokens(draft.embedded_input) <= limit
        assert len(draft.text) <= 8 * limit
        assert draft.input_hash == hash_input(draft.embedded_input)
        at = draft.span.end
    assert not text[at:].strip()
    assert chunks == chunk(text, title=title, limit=limit)


@given(PIECES)
@settings(max_examples=40, deadline=None)
def test_a_tokenizer_that_counts_a_whole_higher_than_its_parts(text: str) -> None:
    document = Document(key=SourceKey("d"), text=text, media_type="text/markdown")
    chunks = chunk_document(document, count_tokens=count_repelling, token_limit=40)
    assert all(count_repelling(draft.embedded_input) <= 40 for draft in chunks)
    assert "".join("".join(draft.text for draft in chunks).split()) == "".join(text.split())


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\u3000\n", " \t\r\n"])
def test_blank_text_has_no_chunk(text: str) -> None:
    assert chunk(text) == ()


def test_headings_are_carried_and_stand_before_the_text() -> None:
    text = "# Terms\n\n## Refunds\n\nYou have 30 days.\n\n## Fees\n\nNone.\n\n# Other\n\nEnd."
    found = [(draft.heading_path, draft.embedded_input) for draft in chunk(text)]
    assert found == [
        (("Terms", "Refunds"), "# Terms\n\n## Refunds\n\nYou have 30 days."),
        (("Terms", "Fees"), "Terms\n\n## Fees\n\nNone."),
        (("Other",), "# Other\n\nEnd."),
    ]


def test_a_later_chunk_of_a_section_repeats_its_headings() -> None:
    text = "# Terms\n\n## Fees ##\n\n" + "\n\n".join(
        f"Fee {n} is {n} EUR a month." for n in range(40)
    )
    chunks = chunk(text)
    assert len(chunks) > 3
    assert all(draft.embedded_input.startswith("Terms > Fees\n\nFee") for draft in chunks[1:])


def test_the_title_stands_first_unless_a_heading_says_it() -> None:
    text = "# Terms\n\nYou have 30 days."
    assert chunk(text, title="Shop")[0].embedded_input == f"Shop\n\n{text}"
    assert chunk("## Fees\n\nNone.", title="Terms")[0].embedded_input == "Terms\n\n## Fees\n\nNone."
    later = chunk("# Terms\n\n" + "One fee is due each month. " * 30, title="terms")[1]
    assert later.embedded_input.startswith("Terms\n\nOne fee")


def test_rows_repeat_the_head_of_their_table() -> None:
    rows = "".join(f"| Lamp {n} | {n} EUR |\n" for n in range(60))
    chunks = chunk(f"| Item | Price |\n|---|---|\n{rows}\nAfter the table.")
    assert len(chunks) > 5
    for draft in chunks[1:-1]:
        assert draft.embedded_input.startswith("| Item | Price |\n|---|---|\n\n| Lamp")
        assert draft.text.endswith("|")


def test_a_fence_is_no_place_for_headings() -> None:
    chunks = chunk("# Setup\n\n```sh\n# install\nrun it\n```\n\nDone.")
    assert [draft.heading_path for draft in chunks] == [("Setup",)]


def test_plain_text_has_no_headings() -> None:
    document = Document(key=SourceKey("d"), text="# 5 is a number\n\nText.")
    (only,) = chunk_document(document, count_tokens=count_tokens, token_limit=64)
    assert only.heading_path == ()


def test_an_edit_leaves_the_chunks_elsewhere_as_they_are() -> None:
    """Every rule of a long section is edited in turn; what changes is its chunk and a neighbour."""
    rules = [f"Rule {n} says what is due, to whom, and when it is paid." for n in range(60)]
    before = {draft.input_hash for draft in chunk("## Rules\n\n" + "\n\n".join(rules))}
    changed = []
    for n in range(60):
        edited = [
            *rules[:n],
            f"Rule {n}, which is new, says that two fees are due.",
            *rules[n + 1 :],
        ]
        after = {draft.input_hash for draft in chunk("## Rules\n\n" + "\n\n".join(edited))}
        changed.append(len(after - before))
    assert len(before) >= 15
    assert sum(changed) / len(changed) <= 2


def test_an_edit_of_one_section_leaves_the_others_alone() -> None:
    sections = [f"## Section {n}\n\n" + f"Rule {n} says what is due. " * 40 for n in range(6)]
    before = chunk("\n\n".join(sections))
    sections[2] = sections[2].replace("due", "due and not yet paid")
    after = {draft.input_hash for draft in chunk("\n\n".join(sections))}
    assert {draft.heading_path for draft in before if draft.input_hash not in after} == {
        ("Section 2",)
    }


def test_one_endless_word_is_cut() -> None:
    chunks = chunk("x" * 12_000)
    assert "".join(draft.text for draft in chunks) == "x" * 12_000


def test_emoji_are_not_cut_apart() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    chunks = chunk(family * 300)
    assert len(chunks) > 1
    assert all(not len(draft.text) % len(family) for draft in chunks)


@pytest.mark.parametrize(
    ("text", "end", "boundary"),
    [
        ("abc", 2, 2),
        ("ae\u0301b", 2, 1),
        ("a\r\nb", 2, 1),
        ("a\U0001f44d\U0001f3fdb", 2, 1),
        ("a\U0001f468\u200d\U0001f467", 3, 1),
        ("a\U0001f468\u200d\U0001f467", 2, 1),
        ("a\u1112\u1161\u11ab", 3, 1),
        ("e" + "\u0301" * 100, 50, 50),
        ("abc", 3, 3),
    ],
)
def test_grapheme_boundaries(text: str, end: int, boundary: int) -> None:
    assert find_grapheme_boundary(text, 0, end) == boundary


def test_a_limit_that_holds_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="too small"):
        chunk("text", limit=10)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Opening hours #\n\nText", "Opening hours"),
        ("Opening\nhours\n===\nText", "Opening hours"),
        ('---\ntitle: "Refund policy"\n---\n# A fair policy', "Refund policy"),
        ("---\nlayout: page\n---\n\n# A fair policy", "A fair policy"),
        ("---\ntitle:\n---\nText", None),
        ("Text\n\n# Later", None),
        ("", None),
        ("#\n", None),
    ],
)
def test_titles(text: str, title: str | None) -> None:
    assert find_title(text) == title
