"""Edits change what they name, and nothing else: character for character, in any text."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.core.claims import ClaimId
from verifier.core.correction import apply_edits, place_edits
from verifier.core.correction.joined import is_joined
from verifier.core.policy import Edit
from verifier.core.spans import Span

PIECES = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from("\r\n\t😀👩‍👩‍👧ש\u202eعé\u0301\ufeff\x00€"),
    ),
    max_size=12,
)


def edit(at: int, old: str, new: str) -> Edit:
    return Edit(span=Span(at, at + len(old)), old=old, new=new, reason="", claims=(ClaimId("c1"),))


@given(st.lists(st.tuples(PIECES, PIECES, PIECES), max_size=30), PIECES)
def test_all_else_stays_as_it_is(parts: list[tuple[str, str, str]], end: str) -> None:
    edits, at = [], 0
    for kept, old, new in parts:
        edits.append(edit(at + len(kept), old, new))
        at += len(kept) + len(old)
    text = "".join(kept + old for kept, old, _ in parts) + end
    told = apply_edits(text, edits)
    assert told == "".join(kept + new for kept, _, new in parts) + end
    places = place_edits(edits)
    assert [place.of(told) for place in places] == [new for _, _, new in parts]
    back = [edit(p.start, one.new, one.old) for p, one in zip(places, edits, strict=True)]
    assert apply_edits(told, back) == text


@pytest.mark.parametrize(
    "edits",
    [
        [edit(0, "abc", "x"), edit(2, "cd", "y")],
        [edit(2, "cd", "y"), edit(0, "ab", "x")],
        [edit(0, "zzz", "x")],
        [edit(5, "fg", "x")],
    ],
)
def test_edits_that_do_not_fit_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(ValueError, match="no edit of"):
        apply_edits("abcdef", edits)


def test_a_thousand_edits_take_no_time() -> None:
    text = "The price is $5.00 😀.\r\n" * 1000
    starts = itertools.accumulate([text.index("$5")] + [len(text) // 1000] * 999)
    edits = [edit(at, "$5.00", "$1,234.50") for at in starts]
    begun = time.perf_counter()
    told = apply_edits(text, edits)
    assert time.perf_counter() - begun < 0.5
    assert told == text.replace("$5.00", "$1,234.50")
    assert all(place.of(told) == "$1,234.50" for place in place_edits(edits))


@pytest.mark.parametrize(
    ("text", "value", "joined"),
    [
        ("$48\u200b.90", "$48", True),
        ("$4\u00ad8", "$4", True),
        ("$48\u0301.90", "$48", True),
        ("$48.\u200b90", "$48", True),
        ("$48**.90**", "$48", True),
        ("$48\\.90", "$48", True),
        ("$48 .90", "$48", True),
        ("4\u200b8.90 dollars", "8.90", True),
        ("It is **$48**.", "$48", False),
        ("It is $48. 90 are left", "$48", False),
        ("It is $48, 90 are left", "$48", False),
        ("P-1*$48*", "$48", False),
        ("$48\u200b", "$48", False),
        ("48 USD\u200b9", "48 USD", False),
        ("P-1,48,90", "48", False),
        ("$48[1]", "$48", False),
        ("48", "48", False),
    ],
)
def test_numbers_that_go_on_are_told(text: str, value: str, *, joined: bool) -> None:
    start = text.index(value)
    assert is_joined(text, Span(start, start + len(value))) is joined
