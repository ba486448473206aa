"""Quotations as verdicts: the order of the gates, exact spans, chunks joined, other versions named."""

from __future__ import annotations

import pytest

from tests.unit.verify.shop import codes, verify_cited
from verifier.core.evidence import SpanLocator
from verifier.core.spans import Span
from verifier.core.turns import RetrievedChunk, Turn

OLD = "Guests may cancel within 14 days of booking. Gifts are wrapped in paper."
NEW = "Guests may cancel within 30 days of booking. Gifts are wrapped in paper."


def version(seq: int, text: str, **told: object) -> RetrievedChunk:
    fields: dict[str, object] = {
        "label": f"terms@{seq}#0",
        "source": "terms",
        "text": text,
        "seq": seq,
        "ordinal": 0,
        **told,
    }
    return RetrievedChunk(**fields)  # type: ignore[arg-type]


def test_a_quotation_is_supported_with_its_exact_span_in_the_document() -> None:
    turn = Turn(retrieved=(version(2, NEW, span=Span(100, 100 + len(NEW))),))
    report = verify_cited("“Gifts are wrapped in paper.” [terms@2#0]", turn)
    assert codes(report) == ["supported"]
    (evidence,) = report.judged[0].verdict.evidence
    assert evidence.text == "Gifts are wrapped in paper"
    assert isinstance(evidence.locator, SpanLocator)
    assert evidence.locator.span == Span(145, 171)


def test_words_of_another_version_are_not_found_and_the_version_is_named() -> None:
    turn = Turn(retrieved=(version(1, OLD), version(2, NEW)))
    report = verify_cited("“Guests may cancel within 14 days of booking” [terms@2#0].", turn)
    assert codes(report) == ["quote_not_found"]
    assert "terms@1" in report.judged[0].verdict.detail


@pytest.mark.parametrize(
    ("told", "code"),
    [
        ({"approved": False}, "unapproved_source"),
        ({"current": False}, "superseded_version"),
    ],
)
def test_permission_comes_before_the_quotation_and_its_age_behind(
    told: dict[str, object], code: str
) -> None:
    turn = Turn(retrieved=(version(1, OLD, **told),))
    assert codes(verify_cited("“Gifts are wrapped in paper” [terms@1#0].", turn)) == [code]


def test_a_quotation_that_fails_is_not_excused_by_age() -> None:
    turn = Turn(retrieved=(version(1, OLD, current=False),))
    assert codes(verify_cited("“Gifts are wrapped in foil” [terms@1#0].", turn)) == [
        "quote_not_found"
    ]


def test_a_quotation_over_the_edge_of_a_chunk_has_evidence_in_both() -> None:
    first, second = "Guests may cancel within 30 da", "ys of booking. Gifts are wrapped."
    turn = Turn(
        retrieved=(
            version(1, second, label="t1", ordinal=1, span=Span(30, 63)),
            version(1, first, label="t0", span=Span(0, 30)),
        )
    )
    report = verify_cited("“cancel within 30 days of booking” [t0].", turn)
    assert codes(report) == ["supported"]
    shown = [one.text for one in report.judged[0].verdict.evidence]
    assert shown == ["cancel within 30 da", "ys of booking"]


def test_words_of_the_user_are_no_quotation_of_a_source() -> None:
    turn = Turn(question="Is the lid made of steel?", retrieved=(version(1, OLD),))
    answer = "You asked “is the lid made of steel”; gifts are wrapped in paper [terms@1#0]."
    assert "quote_not_found" not in codes(verify_cited(answer, turn))


def test_a_statement_around_a_quotation_is_judged_without_its_marks() -> None:
    turn = Turn(retrieved=(version(2, NEW),))
    answer = "Guests may “cancel within 30 days” of booking [terms@2#0]."
    assert codes(verify_cited(answer, turn)) == ["supported"]


def test_an_uncited_quotation_is_sought_in_all_that_was_retrieved() -> None:
    turn = Turn(retrieved=(version(2, NEW),))
    assert codes(verify_cited("“Gifts are wrapped in paper.”", turn)) == ["supported"]
    assert codes(verify_cited("“Gifts are wrapped in foil.”", turn)) == ["quote_not_found"]


def test_a_quotation_of_several_paragraphs_is_one_claim() -> None:
    text = "Guests may cancel.\n\nGifts are wrapped in paper."
    turn = Turn(retrieved=(version(1, text),))
    report = verify_cited(f"The terms say: “{text}” [terms@1#0].", turn)
    assert codes(report) == ["supported"]


def test_a_label_of_several_sources_is_ambiguous() -> None:
    chunks = tuple(
        RetrievedChunk(label="1", source=name, text=text) for name, text in (("A", OLD), ("B", NEW))
    )
    report = verify_cited("Gifts are wrapped in paper [1].", Turn(retrieved=chunks))
    assert codes(report) == ["ambiguous"]


def test_where_an_uncited_source_carries_the_statement_it_is_named() -> None:
    report = verify_cited(
        "The lid weighs 2 kg [A].", A="The pan weighs 3 kg.", B="The lid weighs 2 kg."
    )
    verdict = report.judged[0].verdict
    assert verdict.code == "unsupported_quantity"
    assert "stands in B" in verdict.detail


def test_several_citations_are_each_judged_by_themselves_too() -> None:
    report = verify_cited(
        "The lid weighs 2 kg [A][B].", A="The lid weighs 2 kg.", B="The pan is blue."
    )
    verdict = report.judged[0].verdict
    assert verdict.code == "supported"
    assert verdict.detail.endswith("by itself A: supported, B: unsupported_quantity")


def test_a_source_that_is_not_permitted_is_not_named() -> None:
    chunks = (
        RetrievedChunk(label="A", source="A", text="The pan weighs 3 kg."),
        RetrievedChunk(label="B", source="B", text="The lid weighs 2 kg.", approved=False),
    )
    report = verify_cited("The lid weighs 2 kg [A].", Turn(retrieved=chunks))
    assert "stands in" not in report.judged[0].verdict.detail
