"""The page of a check: claims and evidence line up with their texts, and nothing of them is markup."""

from __future__ import annotations

from html.parser import HTMLParser

from verifier.core.cited_answers import check_cited_answer
from verifier.core.cited_claims import check_cited_claim
from verifier.interfaces.check_page import render_answer, render_claims, render_page

DOCUMENTS = {
    "a": "🙂🙂 Intro. The tank holds 2.5 litres. 🙂",
    "he": "שלום. מחיר המשלוח הוא $5. תודה.",
    "<b>": "</div><script>alert(1)</script> costs $7.",
}


class Marks(HTMLParser):
    """The marked texts of a page with their classes, all ids and all links."""

    def __init__(self) -> None:
        super().__init__()
        self.marked: list[tuple[str, str]] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: list[str] = []
        self._open: str | None = None
        self._text = ""
        self._in_link = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [(given["href"] or "").removeprefix("#")] if tag == "a" else []
        self._in_link = tag == "a"
        if tag == "mark":
            self._open, self._text = given.get("class"), ""

    def handle_endtag(self, tag: str) -> None:
        self._in_link = False
        if tag == "mark" and self._open is not None:
            self.marked.append((self._open, self._text))
            self._open = None

    def handle_data(self, data: str) -> None:
        if self._open is not None and not self._in_link:
            self._text += data


def read(html: str) -> Marks:
    marks = Marks()
    marks.feed(html)
    return marks


def test_what_is_rejected_comes_first_and_keeps_its_number() -> None:
    claims = [
        check_cited_claim({"claim": f"The tank holds {text}.", "cited": "a"}, DOCUMENTS)
        for text in ("2.5 litres", "its litres well", "9 litres", "2500 ml", "8 litres")
    ]

    ids = [one for one in read(render_claims(claims, DOCUMENTS)).ids if one.startswith("claim")]

    assert ids == ["claim3", "claim5", "claim2", "claim1", "claim4"]


def test_claim_and_evidence_are_marked_where_they_stand() -> None:
    claims = [
        check_cited_claim({"claim": "🙂 The tank holds 9 litres.", "cited": "a"}, DOCUMENTS),
        check_cited_claim({"claim": "מחיר המשלוח הוא $5.", "cited": "he"}, DOCUMENTS),
    ]

    page = read(render_claims(claims, DOCUMENTS))

    assert page.marked == [
        ("rejected", "🙂 The tank holds 9 litres."),
        ("rejected", "The tank holds 2.5 litres."),
        ("accepted", "מחיר המשלוח הוא $5."),
        ("accepted", "מחיר המשלוח הוא $5."),
    ]


def test_every_link_leads_somewhere() -> None:
    claims = [
        check_cited_claim({"claim": "The tank holds 2.5 litres.", "cited": "a"}, DOCUMENTS),
        check_cited_claim({"claim": "The tank holds 2.5 litres.", "cited": "zz"}, DOCUMENTS),
    ]
    answer = "The tank holds 2.5 litres [a]. It costs $4."
    sentences = check_cited_answer(answer, DOCUMENTS)
    parts = [
        render_claims(claims, DOCUMENTS),
        render_answer("one", answer, sentences, DOCUMENTS, anchor="answer1"),
    ]

    page = read(render_page("t", subtitle="s", parts=parts))

    assert len(set(page.ids)) == len(page.ids)
    assert set(page.links) <= set(page.ids)


def test_nothing_of_a_text_becomes_markup() -> None:
    claim = check_cited_claim(
        {"claim": "</mark><script>alert(2)</script> costs $7.", "cited": "<b>"}, DOCUMENTS
    )

    page = read(render_page("<t>$body", subtitle="", parts=[render_claims([claim], DOCUMENTS)]))

    assert "script" not in page.tags
    assert "b" not in page.tags


def test_of_a_long_document_only_what_is_near_the_evidence_is_shown() -> None:
    documents = {"a": "Filler words stand here. " * 2_000 + DOCUMENTS["a"]}
    claim = check_cited_claim({"claim": "The tank holds 2.5 litres.", "cited": "a"}, documents)

    html = render_claims([claim], documents)

    assert len(html) < 5_000
    assert ("accepted", "The tank holds 2.5 litres.") in read(html).marked


def test_an_answer_is_marked_by_sentence_with_its_evidence_beside() -> None:
    answer = "🙂 Hello! The tank holds 2.5 litres [a]. It costs $4."
    sentences = check_cited_answer(answer, DOCUMENTS)

    page = read(render_answer("one", answer, sentences, {"a": DOCUMENTS["a"]}, anchor="answer1"))

    assert page.marked == [
        ("accepted", "The tank holds 2.5 litres [a]."),
        ("rejected", "It costs $4."),
        ("accepted", "The tank holds 2.5 litres."),
    ]
