"""Citations: what a mark points to, where it belongs, and what is none. Forms: cases/citations.jsonl."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.growth import assert_grows

if TYPE_CHECKING:
    from collections.abc import Callable

from verifier.core.citations import (
    ChunkIndex,
    Citation,
    drop_marks,
    find_citations,
    find_cited_chunk,
)
from verifier.core.citations.places import assign_citations, split_by_citations
from verifier.core.citations.splitting import split_cited
from verifier.core.sentences import split_sentences
from verifier.core.turns import RetrievedChunk, Turn

LABELS = ("1", "2", "3")


def labels_of(text: str, **told: object) -> list[str]:
    found = find_citations(text, labels=LABELS, **told)  # type: ignore[arg-type]
    return [one.label for one in found]


@pytest.mark.parametrize(
    ("text", "label", "mark"),
    [
        ("The lid is steel [1].", "1", "[1]"),
        ("The lid is steel [[1]].", "1", "[[1]]"),
        ("The lid is steel [Source 1].", "1", "[Source 1]"),
        ("The lid is steel 【1†source】.", "1†source"[:1], "【1†source】"),
        ("The lid is steel {{source:1}}.", "1", "{{source:1}}"),
        ("The lid is steel.<sup>1</sup>", "1", "<sup>1</sup>"),
        ("The lid is steel.¹", "¹", "¹"),
    ],
)
def test_a_citation_knows_its_label_and_its_whole_mark(text: str, label: str, mark: str) -> None:
    (found,) = find_citations(text, labels=LABELS)
    assert found.label == "1"
    assert found.span.of(text) == label
    assert found.mark.of(text) == mark


def test_marks_are_dropped_whole() -> None:
    text = "The lid [1, 2] is steel 【3†source】."
    assert drop_marks(text, find_citations(text, labels=LABELS)) == "The lid  is steel ."


def test_raised_digits_that_may_be_one_label_or_several_keep_both_readings() -> None:
    (found,) = find_citations("The lid is steel.¹²", labels=LABELS)
    assert found.label == "12"
    assert found.readings == ("1", "2")


def test_two_entries_of_one_name_and_year_are_two_readings() -> None:
    entries = {"a": "Smith, A. 2020. Lids.", "b": "Smith, B. 2020. Pans."}
    (found,) = find_citations("Lids last (Smith 2020).", bibliography=entries)
    assert found.readings == ("a", "b")


def test_a_number_that_links_may_be_its_address_or_the_source_of_that_number() -> None:
    (found,) = find_citations("The lid is steel [1](https://example.org/x).", labels=LABELS)
    assert found.label == "https://example.org/x"
    assert found.readings == ("https://example.org/x", "1")


def test_links_are_no_citations_where_no_source_has_an_address() -> None:
    assert labels_of("See [our page](https://example.org/x) or https://example.org/y.") == []


def test_a_long_range_is_one_label_that_nobody_has() -> None:
    assert labels_of("So it is [1-900].") == ["1-900"]


def test_marks_that_stand_alone_belong_to_the_sentence_before() -> None:
    answer = "Lids last. (Smith 2020)\n\n[1]"
    citations = find_citations(answer, labels=LABELS, bibliography={"s": "Smith 2020"})
    found = assign_citations(answer, split_sentences(answer), citations)
    cited = {span.of(answer): [one.label for one in own] for span, own in found.items() if own}
    assert cited == {"Lids last.": ["s"], "[1]": ["1"]}


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        (
            "The lamp is red [1] and the chair is blue [2].",
            ["The lamp is red [1]", "the chair is blue [2]."],
        ),
        (
            "The lamp is red [1]; the chair is blue [2].",
            ["The lamp is red [1]", "the chair is blue [2]."],
        ),
        ("The lamp [1] and the chair [2] are red.", []),
        ("The lamp [1] is red [2].", []),
        ("If the lamp is red [1], the chair is blue [2].", []),
        ("The lamp is red [1] and blue [2].", []),
        ("The lamp is red and the chair is blue [1][2].", []),
        ("The lamp is red [1], unless the chair is blue [2].", []),
    ],
)
def test_clauses_with_citations_of_their_own_are_parted(text: str, clauses: list[str]) -> None:
    found = split_by_citations(text, find_citations(text, labels=LABELS))
    assert [span.of(text) for span in found] == clauses


def chunk(label: str, text: str = "a", **told: object) -> RetrievedChunk:
    fields: dict[str, object] = {"label": label, "source": label, "text": text, **told}
    return RetrievedChunk(**fields)  # type: ignore[arg-type]


def test_one_label_of_two_chunks_points_to_none_of_them() -> None:
    turn = Turn(retrieved=(chunk("1", "a", source="A"), chunk("1", "b", source="B")))
    assert find_cited_chunk("1", turn) is None
    assert len(ChunkIndex(turn).find("1")) == 2


def test_a_chunk_that_was_given_twice_is_one() -> None:
    turn = Turn(retrieved=(chunk("1"), chunk("1")))
    assert find_cited_chunk("1", turn) == chunk("1")


def test_an_empty_label_can_not_be_cited() -> None:
    turn = Turn(retrieved=(chunk(""),))
    assert find_cited_chunk("", turn) is None


def test_a_short_id_that_two_versions_share_is_ambiguous() -> None:
    chunks = [chunk(f"p@{seq}#0", source="p", seq=seq, ordinal=0) for seq in (1, 2)]
    turn = Turn(retrieved=tuple(chunks))
    assert len(ChunkIndex(turn).find("p#0")) == 2
    assert find_cited_chunk("p@2#0", turn) == chunks[1]


@pytest.mark.scaling
@pytest.mark.parametrize(
    "text",
    [
        *("[1] a ", "[", "[1, 2-3][", "[a][b]", "【1†", "{{1}}", "⁵", "<sup>1", "`", "(Smith 2020"),
        *("&#91;1", "\\[1\\] ", "［1］", "[1\n", "[1]–", "(source 1) ", "[1, p. 3] ", "¹ ", "^1^ "),
        *("<cite id=1>a ", "</cite>", "[^1] ", "[^1]: 1\n", "[1] 1\n", "[1](#1) ", "- a\n[1]\n"),
    ],
)
def test_time_grows_with_the_number_of_marks(text: str) -> None:
    def prepare(times: int) -> Callable[[], object]:
        return partial(place_citations, text * times)

    assert_grows(prepare, 1_500, 12_000, at_most=16)


def place_citations(answer: str) -> object:
    found = find_citations(
        answer,
        labels=(*LABELS, "plan [a].pdf"),
        bibliography={"s": "Smith 2020"},
        style="<N>",
    )
    return assign_citations(answer, split_cited(answer, found), found)


def test_a_hundred_thousand_citations_are_found() -> None:
    found = find_citations("[1] " * 100_000, labels=LABELS)
    assert len(found) == 100_000
    assert isinstance(found[-1], Citation)
