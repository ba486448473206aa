"""The page: nothing of an answer becomes markup, every claim can be reached, nothing is loaded."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from tests.growth import assert_grows

if TYPE_CHECKING:
    from collections.abc import Callable

from verifier.core.claims import Claim, ClaimForm, ClaimId
from verifier.core.evidence import Evidence, LedgerLocator
from verifier.core.report import GroundingReport, JudgedClaim, Provenance
from verifier.core.spans import Span
from verifier.core.turns import Turn
from verifier.core.verdicts import Disposition, Finding, Tier, Verdict, VerdictCode
from verifier.interfaces.html_marks import text_to_html
from verifier.interfaces.html_report import PageTable, ReportSection, render_page
from verifier.interfaces.timeline import Swap, TimelineStep, render_timeline

HOSTILE = "<script>alert(1)</script>\"'&\x00\x1b\ud800\u202e</mark>$title${body}"


class Outline(HTMLParser):
    """The tags of a page in order, with ids, links and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.marked: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in {"meta", "br", "link"}:
            self.open.append(tag)
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [given["href"] or ""] if "href" in given else []
        self.marked += [given["class"] or ""] if tag == "mark" else []

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def judge(
    answer: str, *spans: tuple[int, int], code: VerdictCode = VerdictCode.VERIFIED
) -> GroundingReport:
    judged = []
    for number, (start, end) in enumerate(spans):
        claim_id = ClaimId(f"c{number}")
        evidence = Evidence(
            locator=LedgerLocator(call_id=HOSTILE, tool=HOSTILE, pointer="/x"),
            text=HOSTILE,
            note=HOSTILE,
        )
        finding = Finding(
            claim=claim_id,
            tier=Tier.LEDGER,
            code=code,
            detail=HOSTILE,
            evidence=(evidence,),
            corrected_value=HOSTILE,
        )
        claim = Claim(
            claim_id=claim_id,
            form=ClaimForm.PROSE,
            span=Span(start, end),
            text=answer[start:end],
            sentence=Span(0, len(answer)),
        )
        judged.append(
            JudgedClaim(
                claim=claim,
                verdict=Verdict(claim=claim_id, decided_by=finding, findings=(finding,)),
            )
        )
    return GroundingReport(
        report_id="r",
        answer=answer,
        turn=Turn(),
        judged=tuple(judged),
        unchecked=(),
        provenance=Provenance(verifier_version="0", created_at=datetime(2026, 1, 1, tzinfo=UTC)),
    )


def read(page: str) -> Outline:
    outline = Outline()
    outline.feed(page)
    outline.close()
    assert outline.open == []
    return outline


def render(report: GroundingReport) -> str:
    section = ReportSection(heading=HOSTILE, report=report, given=((HOSTILE, HOSTILE),))
    table = PageTable(heading=HOSTILE, columns=(HOSTILE, "n"), rows=((HOSTILE, "1"), ("", "2.5")))
    return render_page(HOSTILE, subtitle=HOSTILE, sections=[section], tables=[table])


def test_hostile_text_stays_text() -> None:
    page = render(judge(HOSTILE, (0, 10), (8, len(HOSTILE))))
    outline = read(page)
    assert "<script" not in page
    assert "alert(1)" in outline.text
    assert "$title${body}" in outline.text
    page.encode("utf-8")
    assert not set(page) & {chr(code) for code in (*range(9), *range(11, 32), 127)}


def test_hostile_text_of_a_timeline_stays_text() -> None:
    step = TimelineStep(
        at=datetime(2026, 1, 1, tzinfo=UTC),
        kind=None,
        heading=HOSTILE,
        lines=(HOSTILE,),
        swaps=(Swap(name=HOSTILE, old=HOSTILE, new=""),),
    )
    opening = render_timeline(HOSTILE, HOSTILE, [step, replace(step, kind=Disposition.REVIEW)])
    page = render_page("t", subtitle="", sections=[], opening=opening)
    assert "<script" not in page
    assert read(page).text.count("alert(1)") == 10
    assert not set(page) & {chr(code) for code in (*range(9), *range(11, 32), 127)}


def test_nothing_is_loaded_from_elsewhere() -> None:
    page = render(judge("It costs 5.", (0, 11)))
    assert "default-src 'none'" in page
    assert all(link.startswith("#") for link in read(page).links)
    assert "url(" not in page
    assert "src=" not in page


def test_every_link_has_its_target_and_ids_are_unique() -> None:
    outline = read(render(judge("abcdefghij", (0, 4), (6, 9), (2, 7))))
    assert len(outline.ids) == len(set(outline.ids))
    assert {link.removeprefix("#") for link in outline.links} <= set(outline.ids)


@pytest.mark.parametrize(
    ("spans", "marks", "links"),
    [
        ([], 0, 0),
        ([(0, 10)], 1, 1),
        ([(0, 3), (5, 8)], 2, 2),
        ([(0, 10), (3, 6)], 3, 2),
        ([(0, 6), (4, 10)], 2, 2),
        ([(2, 5), (2, 5)], 1, 2),
        ([(0, 0)], 0, 0),
    ],
)
def test_claims_are_marked_however_they_overlap(
    spans: list[tuple[int, int]], marks: int, links: int
) -> None:
    report = judge("abcdefghij", *spans)
    outline = read(render(report))
    assert len(outline.marked) == marks
    assert len([link for link in outline.links if link.startswith("#a1c")]) == links
    marked = outline.text
    assert "".join(character for character in marked if character in "abcdefghij")


def test_an_answer_without_claims_says_so() -> None:
    assert "nothing to check" in read(render(judge("Hello!"))).text


@pytest.mark.parametrize(
    ("text", "html"), [("a<b", "a&lt;b"), ("\ud800", "\ufffd"), ("a\tb\nc", "a\tb\nc")]
)
def test_text_becomes_html(text: str, html: str) -> None:
    assert text_to_html(text) == html


@pytest.mark.scaling
def test_many_claims_take_linear_time() -> None:
    def prepare(count: int) -> Callable[[], object]:
        report = judge("x" * count * 2, *[(2 * number, 2 * number + 1) for number in range(count)])
        return partial(render, report)

    assert_grows(prepare, 300, 1_200, at_most=8)
