"""Which statements of two texts are in conflict, and which only look like it."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from verifier.core.conflict_finding import find_conflicts
from verifier.core.conflict_finding_reading import SourceText

MILL = (
    "Beacon Mill stands in Benenden, Kent, England. Captain Hodges of Cranbrook built Beacon Mill."
)


def text(source: str, words: str, **fields: object) -> SourceText:
    made = SourceText(source=source, seq=1, start=0, text=words)
    return replace(made, **fields)  # type: ignore[arg-type]


def found(one: str, other: str, **fields: object) -> list[tuple[str, str, str]]:
    pair = [text("a", one), text("b", other, **fields)]
    return [(each.kind.value, each.side.value, each.other.value) for each in find_conflicts(pair)]


CONFLICTS = {
    "another number of days": (
        "Opened goods may be returned within 30 days.",
        "Opened goods can be returned within 60 days.",
        ("number", "within 30 days", "within 60 days"),
    ),
    "another price": (
        "Express delivery costs $9.90.",
        "Express delivery costs $12.",
        ("number", "$9.90", "$12"),
    ),
    "another unit and another amount": (
        "The Harbour lamp weighs 2 kg.",
        "The Harbour lamp weighs 900 g.",
        ("number", "2 kg", "900 g"),
    ),
    "another day": (
        "Corruption Watch was founded on 9 May 2012.",
        "Corruption Watch was founded on 10 May 2012.",
        ("date", "9 May 2012", "10 May 2012"),
    ),
    "of the same period": (
        "The population of Pilzno was 4,411 in 2006.",
        "The population of Pilzno was 10,000 in 2006.",
        ("number", "4,411", "10,000"),
    ),
    "it, in the same surroundings": (
        f"{MILL} It was last worked for trade in 1921.",
        f"{MILL} It was last worked for trade in 1955.",
        ("date", "1921", "1955"),
    ),
    "another name": (
        "Lahu Ke Do Rang is a movie directed by Mahesh Bhatt.",
        "Lahu Ke Do Rang is a movie directed by Raj Kapoor.",
        ("name", "Mahesh Bhatt", "Raj Kapoor"),
    ),
    "a denial": (
        "Opened cosmetics can be returned by customers.",
        "Opened cosmetics can not be returned by customers.",
        ("denial", "stated", "denied"),
    ),
}

NONE = {
    "the same": ("Express delivery costs $9.90.", "Express delivery costs $9.90."),
    "the same in another unit": (
        "The Harbour lamp weighs 2 kg.",
        "The Harbour lamp weighs 2000 g.",
    ),
    "the same, rounded": (
        "The Harbour tower is 3.21 km high.",
        "The Harbour tower is about 3.2 km high.",
    ),
    "another period": (
        "The population of Pilzno was 4,411 in 2006.",
        "The population of Pilzno was 4,502 in 2011.",
    ),
    "another condition": (
        "Opened goods may be returned within 30 days if you are a member.",
        "Opened goods may be returned within 60 days if you are a dealer.",
    ),
    "a narrower kind": (
        "Opened goods may be returned within 30 days.",
        "Opened cosmetic goods may be returned within 60 days.",
    ),
    "an example": (
        "For example, express delivery costs $9.90.",
        "For example, express delivery costs $12.",
    ),
    "what was": (
        "Express delivery costs $9.90.",
        "Until 2024 express delivery cost $12.",
    ),
    "was and is": ("Express delivery was $9.90.", "Express delivery is $12."),
    "a question": ("Is express delivery $9.90?", "Is express delivery $12?"),
    "what is not so": (
        "Express delivery costs $9.90.",
        "Express delivery does not cost $12.",
    ),
    "an estimate": (
        "Express delivery is expected to cost $9.90.",
        "Express delivery is expected to cost $12.",
    ),
    "it, of other things": (
        f"{MILL} It was last worked for trade in 1921.",
        "Wandle Mill stands in Merton, Surrey. It was last worked for trade in 1955.",
    ),
    "it, of nothing": ("It was built in 1921.", "It was built in 1955."),
    "fragments": (
        "Archived from the original on 9 May 2012.",
        "Archived from the original on 1 May 2013.",
    ),
    "under other headings": (
        "# Delivery\n\n## Express\n\nDelivery takes 2 days.",
        "# Delivery\n\n## Standard\n\nDelivery takes 5 days.",
    ),
    "more of the same name": (
        "Lahu Ke Do Rang is a movie directed by Mahesh Bhatt.",
        "Lahu Ke Do Rang is a movie directed by Bhatt.",
    ),
    "one of several": (
        "The Ritz is a movie starring Vinod Khanna.",
        "The Ritz is a movie starring Danny Denzongpa.",
    ),
    "another subject": (
        "Crawford is a township in the state of Ohio with 400 residents.",
        "Sandusky is a township in the state of Ohio with 900 residents.",
    ),
    "at least and more": (
        "Opened goods may be returned within 30 days at least.",
        "Opened goods may be returned within 60 days.",
    ),
    "nothing": ("", ""),
}


@pytest.mark.parametrize("name", CONFLICTS)
def test_a_conflict_is_found_and_shows_both_values(name: str) -> None:
    one, other, expected = CONFLICTS[name]
    assert found(one, other) == [expected]


@pytest.mark.parametrize("name", NONE)
def test_what_is_no_conflict_is_not_found(name: str) -> None:
    assert found(*NONE[name]) == []


def test_a_source_is_in_no_conflict_with_itself() -> None:
    pair = [text("a", "Express delivery costs $9."), text("a", "Express delivery costs $12.")]
    assert find_conflicts(pair) == ()


def test_other_regions_and_titles_are_no_conflict() -> None:
    one, other, _ = CONFLICTS["another price"]
    scoped = [text("a", one, scope={"region": "EU"}), text("b", other, scope={"region": "US"})]
    assert find_conflicts(scoped) == ()
    titled = [text("a", one, title="Fees Berlin"), text("b", other, title="Fees Hamburg")]
    assert find_conflicts(titled) == ()
    alike = [text("a", one, title="Fees"), text("b", other, scope={"region": "US"})]
    assert len(find_conflicts(alike)) == 1


def test_both_places_are_exact() -> None:
    one, other, _ = CONFLICTS["another price"]
    lead = "Welcome to our shop. "
    (conflict,) = find_conflicts([text("b", lead + other, start=7), text("a", one)])
    assert (conflict.side.source, conflict.other.source) == ("a", "b")
    assert conflict.side.span.of(one) == one
    assert conflict.other.span.shift(-7).of(lead + other) == other


def test_a_form_that_one_source_fills_in_twice_is_no_statement() -> None:
    twice = "Entry costs the guest $3. Entry costs the guest $4."
    assert found(twice, "Entry costs the guest $9.") == []


def test_the_work_grows_with_the_number_of_texts() -> None:
    def took(first: int, count: int) -> float:
        texts = [
            text(str(number), f"The Harbour lamp K{number}x weighs {number + 1} kg. {MILL}")
            for number in range(first, first + count)
        ]
        begun = time.process_time()
        find_conflicts(texts)
        return time.process_time() - begun

    took(0, 50)
    assert took(1_000, 1_600) < 10 * took(10_000, 400)
