"""What differs between two texts: numbers in their place, chunks, lines, in near linear time."""

from __future__ import annotations

import difflib
import random
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import pytest

from tests.growth import assert_grows
from verifier.core.chunking import chunk_document
from verifier.core.diff import ChunkPlace, VersionText, compare_lines, compare_versions
from verifier.core.diff_alignment import align
from verifier.core.diff_numbers import compare_numbers
from verifier.core.documents import Document, SourceKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from verifier.core.diff import Hunk


def changes(old: str, new: str) -> list[tuple[str | None, str | None]]:
    found = compare_numbers(old, new)
    return [
        (
            None if pair.old is None else pair.old.span.of(old),
            None if pair.new is None else pair.new.span.of(new),
        )
        for pair in found.pairs
    ]


def version(text: str, seq: int = 1) -> VersionText:
    document = Document(key=SourceKey("d"), text=text, media_type="text/markdown")
    chunks = chunk_document(
        document, count_tokens=lambda part: 2 + len(part.split()), token_limit=64
    )
    return VersionText(
        key="d",
        seq=seq,
        state="current",
        text=text,
        chunks=tuple(
            ChunkPlace(ordinal=one.ordinal, span=one.span, heading_path=one.heading_path)
            for one in chunks
        ),
    )


Pairs: TypeAlias = "list[tuple[str | None, str | None]]"

NUMBERS: Mapping[str, tuple[str, str, Pairs]] = {
    "a duration": (
        "Refunds within 14 days.",
        "Refunds within 30 days.",
        [("within 14 days", "within 30 days")],
    ),
    "a price": (
        "Pro costs $29 a month.",
        "Pro costs $39 a month.",
        [("$29 a month", "$39 a month")],
    ),
    "added": ("Returns are free.", "Returns are free. We ship in 3 days.", [(None, "3 days")]),
    "removed": ("We ship in 3 days. Returns are free.", "Returns are free.", [("3 days", None)]),
    "moved with its sentence": (
        "Refunds within 14 days. Pro costs $29.\n\nWrite to us any time.",
        "Write to us any time.\n\nPro costs $29.\n\nRefunds within 14 days.",
        [],
    ),
    "moved and changed": (
        "We refund purchases within 14 days. Pro costs $29.\n\nWrite to us any time you like.",
        "Write to us any time you like.\n\nPro costs $29.\n\nWe refund purchases within 30 days.",
        [("within 14 days", "within 30 days")],
    ),
    "a sentence cut in two": (
        "We refund within 14 days and charge $5.",
        "We refund within 14 days. We charge $5.",
        [],
    ),
    "lines broken anew": (
        "Refunds are given\nwithin 14 days of\nthe purchase.",
        "Refunds are given within 14\ndays of the purchase.",
        [],
    ),
    "written in another way": ("It takes 14 days.", "It takes two weeks.", []),
    "a bound that tightened": (
        "It takes 3 days.",
        "It takes at least 3 days.",
        [("3 days", "at least 3 days")],
    ),
    "a rate for another period": (
        "It costs $5 per month.",
        "It costs $5 per year.",
        [("$5 per month", "$5 per year")],
    ),
    "two in one sentence, each by its place": (
        "Basic costs $29 and Pro costs $39.",
        "Basic costs $39 and Pro costs $49.",
        [("$29", "$39"), ("$39", "$49")],
    ),
    "swapped": (
        "Basic costs $29 and Pro costs $39.",
        "Basic costs $39 and Pro costs $29.",
        [("$29", "$39"), ("$39", "$29")],
    ),
    "cells of a table": (
        "| plan | price |\n|---|---|\n| Basic | $29 |\n| Pro | $39 |\n",
        "| plan | price |\n|---|---|\n| Max | $99 |\n| Basic | $39 |\n| Pro | $39 |\n",
        [(None, "$99"), ("$29", "$39")],
    ),
    "another sentence is no other value of it": (
        "You may return shoes within 14 days.",
        "Our couriers drive 30 days through Alaska and Yukon.",
        [(None, "30 days"), ("within 14 days", None)],
    ),
    "the nearer of two that are alike": (
        "For trial accounts: 30 days after a trial has expired without being upgraded",
        "For trial accounts:\n* For HEY: 60 days after a trial has expired without being upgraded\n"
        "* For other services: 30 days after a trial has expired without being upgraded",
        [(None, "60 days")],
    ),
    "another kind in its place": ("The fee is 5%.", "The fee is $5.", [("5%", "$5")]),
    "no number at all": ("Ask us.", "Ask us kindly.", []),
    "turned around by marks": (
        "It costs \u202e$29\u202c today.",
        "It costs \u202e$39\u202c today.",
        [("$29", "$39")],
    ),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name: str) -> None:
    old, new, expected = NUMBERS[name]
    assert sorted(changes(old, new), key=repr) == sorted(expected, key=repr)


def test_a_number_tells_its_spans_and_headings() -> None:
    old = version("# Terms\n\n## Refunds\n\nWe refund within 14 days.\n")
    new = version("# Terms\n\nNew here.\n\n## Money back\n\nWe refund within 30 days.\n", 2)
    (change,) = compare_versions(old, new).numbers
    assert change.change == "changed"
    assert change.old is not None
    assert change.new is not None
    assert change.old.span.of(old.text) == change.old.text == "within 14 days"
    assert change.new.span.of(new.text) == change.new.text == "within 30 days"
    assert change.new.sentence.of(new.text) == "We refund within 30 days."
    assert change.new.kind == "duration"
    assert change.old.heading_path == ("Terms", "Refunds")
    assert change.new.heading_path == ("Terms", "Money back")


def apply(old: str, hunks: Iterable[Hunk]) -> list[str]:
    """What a patch made of the hunks turns the lines of `old` into."""
    lines = old.split("\n")[: None if old and not old.endswith("\n") else -1]
    result: list[str] = []
    place = 0
    for hunk in hunks:
        start = hunk.old_start - bool(hunk.old_lines)
        result += lines[place:start]
        assert len(result) == hunk.new_start - bool(hunk.new_lines)
        held = [line.text for line in hunk.lines if line.mark != "+"]
        assert held == lines[start : start + hunk.old_lines]
        result += [line.text for line in hunk.lines if line.mark != "-"]
        place = start + hunk.old_lines
    return result + lines[place:]


@pytest.mark.parametrize("seed", range(60))
def test_hunks_turn_the_old_lines_into_the_new(seed: int) -> None:
    chosen = random.Random(seed)  # noqa: S311 - no secret
    old = [f"line {chosen.randrange(40)}" for _ in range(chosen.randrange(200))]
    new = [line for line in old if chosen.random() > 0.1]
    for _ in range(chosen.randrange(12)):
        new.insert(chosen.randrange(len(new) + 1), f"line {chosen.randrange(60)}")
    before, after = "".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new)
    hunks = list(compare_lines(before, after))
    assert apply(before, hunks) == new
    edits = sum(line.mark != " " for hunk in hunks for line in hunk.lines)
    least = sum(line[:1] in "+-" for line in difflib.ndiff(old, new))
    assert edits <= 1.5 * least + 4


def test_pairs_rise_and_are_equal_on_both_sides() -> None:
    chosen = random.Random(7)  # noqa: S311 - no secret
    old = [chosen.randrange(50) for _ in range(3_000)]
    new = old[500:2_500] + [chosen.randrange(50) for _ in range(700)] + old[:200]
    pairs = align(old, new)
    assert all(old[i] == new[j] for i, j in pairs)
    assert all(one[0] < two[0] and one[1] < two[1] for one, two in pairwise(pairs))


def test_chunks_stay_move_change_come_and_go() -> None:
    parts = [
        f"# Part {name}\n\nThe {name} of {name}s is told here at some length, by {name}.\n"
        for name in "abcdef"
    ]
    old = version("\n".join(parts))
    edited = parts[1].replace("some length", "great length")
    new = version(
        "\n".join(
            [parts[4], parts[0], edited, parts[3], "# New\n\nWholly different words stand here.\n"]
        ),
        2,
    )
    found = compare_versions(old, new)
    told = [
        (one.change, one.old and one.old.ordinal, one.new and one.new.ordinal)
        for one in found.chunks
    ]
    assert told == [
        ("moved", 4, 0),
        ("changed", 1, 2),
        ("added", None, 4),
        ("removed", 2, None),
        ("removed", 5, None),
    ]
    assert found.unchanged_chunks == 2


def test_equal_texts_do_not_differ_and_a_line_feed_at_the_end_is_told() -> None:
    same = compare_versions(version("Text, 5 days.\n"), version("Text, 5 days.\n", 2))
    assert (same.hunks, same.chunks, same.numbers, same.ends_differ) == ((), (), (), False)
    assert (same.unchanged_chunks, same.unchanged_numbers) == (1, 1)
    end = compare_versions(version("Text, 5 days.\n"), version("Text, 5 days.", 2))
    assert (end.hunks, end.ends_differ) == ((), True)


def test_nothing_against_something() -> None:
    (hunk,) = compare_lines("", "one\ntwo\n")
    assert (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines) == (0, 0, 1, 2)
    assert list(compare_lines("", "")) == []


def everything_changed(size: int) -> Callable[[], object]:
    words = ["day", "refund", "price", "plan", "of", "the", "in", "account", "for", "a"]
    chosen = random.Random()  # noqa: S311 - no secret

    def text() -> str:
        return "\n".join(
            " ".join(chosen.choices(words, k=8)) + f" {chosen.randrange(90)} days."
            for _ in range(size)
        )

    return partial(compare_numbers, text(), text())


def no_line_is_unique(size: int) -> Callable[[], object]:
    chosen = random.Random()  # noqa: S311 - no secret
    old = "\n".join(chosen.choice("abc") for _ in range(size))
    new = "\n".join(chosen.choice("abc") for _ in range(size))
    return lambda: list(compare_lines(old, new))


def one_long_sentence(size: int) -> Callable[[], object]:
    chosen = random.Random()  # noqa: S311 - no secret
    old = " ".join(f"w{chosen.randrange(size)} {chosen.randrange(90)} kg" for _ in range(size))
    new = " ".join(f"w{chosen.randrange(size)} {chosen.randrange(90)} kg" for _ in range(size))
    return partial(compare_numbers, old, new)


@pytest.mark.scaling
@pytest.mark.parametrize("prepare", [everything_changed, no_line_is_unique, one_long_sentence])
def test_the_time_is_near_linear(prepare: Callable[[int], Callable[[], object]]) -> None:
    assert_grows(prepare, 1_000, 8_000, at_most=2 * 8)
