"""Many claims at once: the same results as one by one, each document read once, in time that is linear."""

from __future__ import annotations

import random
from itertools import cycle, islice
from typing import TYPE_CHECKING

import pytest

from tests.growth import assert_grows
from verifier.core import cited_statement
from verifier.core.cited_answers import check_cited_answer
from verifier.core.cited_claims import (
    CheckedClaim,
    CitedClaim,
    check_cited_claim,
    check_each_claim,
)
from verifier.core.verdicts import VerdictCode

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from verifier.core.statement_comparison import CitedText
    from verifier.core.statements import ReadingTerms

THINGS = ("pump", "lamp", "valve", "filter", "sensor", "kettle", "router", "heater")
Row = tuple[CitedClaim, "Collection[str] | None"]


def write_documents(number: int) -> dict[str, str]:
    """Texts that differ in their numbers alone, so that no word tells where a claim stands."""
    draw = random.Random(5)  # noqa: S311
    return {
        f"d{at}": " ".join(
            f"The {thing} runs for {draw.randint(10, 99)} minutes at {draw.randint(10, 99)} °C."
            for thing in THINGS
        )
        for at in range(number)
    }


def write_claims(documents: Mapping[str, str], number: int) -> list[Row]:
    """Claims in an order that no document follows: right ones, altered ones, and broken citations."""
    draw = random.Random(9)  # noqa: S311
    names = [*documents]
    rows: list[Row] = []
    for at, kind in enumerate(islice(cycle(range(8)), number)):
        name = draw.choice(names)
        text = draw.choice(documents[name].split(". ")).rstrip(".")
        if kind in {2, 3}:
            text = text.replace("minutes", "hours" if kind == 2 else "minutes or 7 days")
        cited = {5: (), 6: ("nowhere",), 7: (name, draw.choice(names))}.get(kind, (name,))
        given = None if kind else ("nothing",)
        rows.append((CitedClaim(text=text, cited=cited, claim_id=str(at)), given))
    return rows


def check_all(rows: Sequence[Row], documents: Mapping[str, str]) -> list[CheckedClaim]:
    found = dict(check_each_claim(rows, documents))
    return [found[at] for at in range(len(rows))]


def told(checked: CheckedClaim) -> tuple[object, ...]:
    return (
        checked.claim,
        checked.code,
        checked.reason,
        checked.signatures,
        checked.missing,
        checked.evidence,
        checked.each,
    )


def test_many_claims_come_to_what_each_comes_to_by_itself() -> None:
    documents = write_documents(24)
    rows = write_claims(documents, 80)

    together = check_all(rows, documents)
    by_itself = [check_cited_claim(claim, documents, given) for claim, given in rows]

    assert [told(one) for one in together] == [told(one) for one in by_itself]
    assert {one.code for one in together} >= {
        VerdictCode.SUPPORTED,
        VerdictCode.UNSUPPORTED_QUANTITY,
        VerdictCode.MISSING_CITATION,
        VerdictCode.UNKNOWN_CITATION,
        VerdictCode.CITATION_NOT_RETRIEVED,
    }


def test_a_document_is_read_once_whatever_the_order_of_the_claims(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    documents = write_documents(150)  # more than are kept
    rows = [
        (CitedClaim(text=text.partition(". ")[0], cited=(name,), claim_id=f"{name} {at}"), None)
        for at in range(4)
        for name, text in documents.items()
    ]
    read: list[tuple[str, ...]] = []
    as_it_is = cited_statement.read_cited

    def count(texts: tuple[str, ...], terms: ReadingTerms) -> CitedText:
        read.append(texts)
        return as_it_is(texts, terms)

    monkeypatch.setattr(cited_statement, "read_cited", count)
    checked = check_all(rows, documents)

    assert all(one.code is VerdictCode.SUPPORTED for one in checked)
    assert len(read) == len(documents)


def test_a_long_source_of_an_answer_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    source = " ".join(f"The pump N{at} runs for {at % 80 + 5} minutes." for at in range(4_000))
    assert len(source) > 100_000
    answer = " ".join(f"The pump N{at} runs for {at % 80 + 5} minutes [a]." for at in range(20))
    read: list[int] = []
    as_it_is = cited_statement.read_cited

    def count(texts: tuple[str, ...], terms: ReadingTerms) -> CitedText:
        read.append(1)
        return as_it_is(texts, terms)

    monkeypatch.setattr(cited_statement, "read_cited", count)
    checked = check_cited_answer(answer, {"a": source})

    assert len(checked) == 20
    assert len(read) == 1


def test_the_document_that_a_claim_stands_in_is_named_among_many() -> None:
    documents = {
        f"d{at}": f"The {thing} of hall {at} runs for {at + 3} minutes. It is cleaned on Mondays."
        for at, thing in enumerate(islice(cycle(THINGS), 400))
    }
    claims: list[Row] = [
        (CitedClaim(text=documents[f"d{at}"].partition(". ")[0], cited=(f"d{at - 1}",)), None)
        for at in (1, 57, 399)
    ]

    checked = check_all(claims, documents)

    assert [one.found_in for one in checked] == [("d1",), ("d57",), ("d399",)]


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("The cycle lasts 90 seconds.", "The cycle lasts 90 seconds."),
        ("The cycle lasts 90 seconds.", "The cycle lasts 1.5 minutes."),
        ("The cycle lasts two minutes.", "The cycle lasts 120 seconds."),
        ("The lid is closed by hand.", "The lid is closed by hand."),
        ("The tank holds 2500 ml.", "The tank holds 2.5 litres."),
        ("On 3 May 2026 the lift opens.", "On 2026-05-03 the lift opens."),
    ],
)
def test_what_stands_elsewhere_may_be_written_otherwise(text: str, standing: str) -> None:
    others = write_documents(60)
    documents = {"cited": "The door is green.", **others, "there": standing}

    (checked,) = check_all([(CitedClaim(text=text, cited=("cited",)), None)], documents)

    assert checked.found_in == ("there",)


def test_a_number_tells_documents_apart_whose_words_are_all_the_same() -> None:
    documents = {f"d{at}": f"The cycle lasts {at + 2} seconds." for at in range(1_200)}
    claim = CitedClaim(text="The cycle lasts 907 seconds.", cited=("d3",))

    (checked,) = check_all([(claim, None)], documents)

    assert checked.found_in == ("d905",)


def test_which_documents_are_named_is_the_same_each_time() -> None:
    standing = dict.fromkeys((f"d{at}" for at in range(30)), "The cycle lasts 90 seconds.")
    documents = {"cited": "The door is green.", **standing}

    (checked,) = check_all(
        [(CitedClaim(text="The cycle lasts 90 seconds.", cited=("cited",)), None)], documents
    )

    assert checked.found_in == ("d0", "d1", "d2", "d3", "d4")


def test_no_document_and_no_claim_is_nothing() -> None:
    assert check_all([], {}) == []
    assert check_all([(CitedClaim(text="It holds 5 l.", cited=("a",)), None)], {})[0].code is (
        VerdictCode.UNKNOWN_CITATION
    )


@pytest.mark.scaling
def test_time_is_linear_in_claims_and_documents() -> None:
    def prepare(size: int) -> Callable[[], object]:
        documents = write_documents(size // 10)
        rows = write_claims(documents, size)
        return lambda: check_all(rows, documents)

    assert_grows(prepare, 100, 800, at_most=8 * 2)
