"""What is read of a page: its main content, in the words that it shows."""

from __future__ import annotations

import pytest

from verifier.errors import InputError, UnreadableDocument
from verifier.ingest.html_reader import read_html

BODIES = {
    "white space is one space": ("<p>one\n  two\t<b>three</b></p>", "one two three"),
    "marks within a line are no part of the words": (
        "<p>a<b>b</b>c <i>d</i>, <a href='/x'>e</a>.</p>",
        "abc d, e.",
    ),
    "entities are characters": ("<p>&euro;&nbsp;5 &lt; &#54; &amp;amp;</p>", "€\u00a05 < 6 &amp;"),
    "blocks are paragraphs": ("<div>one<p>two</p>three</div>", "one\n\ntwo\n\nthree"),
    "a break is a line": ("<p>Main Street 1<br>Springfield</p>", "Main Street 1\nSpringfield"),
    "headings keep their level": ("<h1>A</h1><h3>B <em>c</em></h3><p>d", "# A\n\n### B c\n\nd"),
    "a blank heading is none": ("<h2> </h2><p>a", "a"),
    "items": ("<ul><li>one<li>two</ul>", "- one\n- two"),
    "numbers go on": ("<ol start=3><li>c<li>d<li value=9>i</ol>", "3. c\n4. d\n9. i"),
    "numbers go back": ("<ol reversed start=2><li>b<li>a</ol>", "2. b\n1. a"),
    "letters": ("<ol type=a><li>x<li>y</ol>", "a) x\nb) y"),
    "items within items": (
        "<ul><li>one<ul><li>inner</ul><li>two</ul>",
        "- one\n  - inner\n- two",
    ),
    "an item of two paragraphs": ("<ul><li><p>a</p><p>b</p></ul>", "- a\n\n  b"),
    "a listing keeps its lines": ("<pre>a\n  b</pre>", "```\na\n  b\n```"),
    "a listing with a fence": ("<pre>```\nx</pre>", "````\n```\nx\n````"),
    "a table": (
        "<table><tr><th>Item<th>Price<tr><td>Lamp<td>80 EUR</table>",
        "| Item | Price |\n| --- | --- |\n| Lamp | 80 EUR |",
    ),
    "a table without heads": (
        "<table><tr><td>Lamp<td>80<tr><td>Desk<td>90</table>",
        "| Lamp | 80 |\n| Desk | 90 |",
    ),
    "a caption stands above its table": (
        "<table><caption>In EUR</caption><tr><th>a<th>b<tr><td>1<td>2</table>",
        "In EUR\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
    ),
    "a cell over several rows stands in each": (
        "<table><tr><th>k<th>v<tr><td rowspan=2>x<td>1<tr><td>2</table>",
        "| k | v |\n| --- | --- |\n| x | 1 |\n| x | 2 |",
    ),
    "a cell over several columns stands in each": (
        "<table><tr><th colspan=2>2026<tr><th>Q1<th>Q2<tr><td>1<td>2</table>",
        "| 2026 | 2026 |\n| Q1 | Q2 |\n| --- | --- |\n| 1 | 2 |",
    ),
    "a bar in a cell parts no cells": (
        "<table><tr><th>a|b<th>c<tr><td>1<td>2</table>",
        "| a&#124;b | c |\n| --- | --- |\n| 1 | 2 |",
    ),
    "a short row is filled": (
        "<table><tr><th>a<th>b<tr><td>1</table>",
        "| a | b |\n| --- | --- |\n| 1 |  |",
    ),
    "a table that lays out": (
        "<table><tr><td><h2>A</h2><p>b<td><p>c</table>",
        "## A\n\nb\n\nc",
    ),
    "one column is no table": ("<table><tr><td>a<tr><td>b</table>", "a\n\nb"),
    "powers stay powers": (
        "<p>10<sup>3</sup> m<sup>2</sup>, s<sup>-1</sup>, 5<sup>th</sup>, CO<sub>2</sub></p>",
        "10³ m², s⁻¹, 5th, CO2",
    ),
    "a former price does not hold": ("<p><s>$99</s> <del>$89</del> $79</p>", "$79"),
    "what looks like a mark is words": (
        "<p># 5<br>---<br>|x| is a length|<br>~~~<br>#5</p>",
        "\\# 5\n\\---\n\\|x| is a length|\n\\~~~\n#5",
    ),
    "hidden": (
        "<p hidden>a</p><p style='display: none'>b</p><p aria-hidden=true>c</p><p>d",
        "d",
    ),
    "not content": (
        "<nav>a</nav><script>b</script><style>c</style><template>d</template><noscript>e</noscript>"
        "<select><option>f</select><button>g</button><svg><text>h</text></svg><!-- i --><p>j",
        "j",
    ),
    "around the content": (
        "<header>a</header><div role=navigation>b</div><p>c</p><aside>d</aside><footer>e</footer>",
        "c",
    ),
    "quotation marks": ("<p>It says <q>no</q>.</p>", 'It says "no".'),
    "readings of signs": ("<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>字</p>", "漢字"),
    "main goes before the rest": ("<div>a</div><main><p>b</p></main>", "b"),
    "an only article goes before the rest": ("<div>a</div><article>b</article>", "b"),
    "of several articles none": ("<article>a</article><article>b</article>", "a\n\nb"),
    "a blank main": ("<main></main><p>a</p>", "a"),
    "heads and notes of the content": (
        "<main><header><h1>A</h1></header><aside>b</aside><footer>c</footer></main>",
        "# A\n\nb\n\nc",
    ),
    "broken markup": ("<p>a<td>b</div><b><i>c</b>d</i>", "abcd"),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_page_is_read_as_it_is_shown(name: str) -> None:
    body, text = BODIES[name]
    assert read_html(f"<!doctype html><body>{body}".encode(), "page.html").text == text


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<title>T | Shop</title><h1>The  <i>one</i></h1>", "The one"),
        ("<h1>The <i> one </i> left</h1>", "The one left"),
        ("<title>\n T </title><h1>a</h1><h1>b</h1>", "T"),
        ("<p>x", None),
        ("<title>T</title><main><h1>In</h1></main><h1>Out</h1>", "In"),
    ],
)
def test_the_title_is_the_only_heading_or_that_of_the_page(page: str, title: str | None) -> None:
    assert read_html(page.encode(), "page.html").title == title


ENCODED = {
    "utf-8": ("<p>Öl", "utf-8", None),
    "declared by the page": ("<meta charset='iso-8859-1'><p>Öl – “5”", "cp1252", None),
    "declared in the old way": (
        "<meta http-equiv=Content-Type content='text/html; charset=windows-1251'><p>Масло",
        "cp1251",
        None,
    ),
    "declared by the sender": ("<p>Öl", "latin-1", "latin-1"),
    "a declaration that is not true": ("<meta charset=latin1><p>Öl", "utf-8", None),
    "shift jis": ("<meta charset=Shift_JIS><p>油", "shift_jis", None),
    "escapes": ("<meta charset=iso-2022-jp><p>油", "iso-2022-jp", None),
    "xhtml": ("<?xml version='1.0' encoding='ISO-8859-15'?><p>5 €", "iso-8859-15", None),
    "marked": ("<p>Öl", "utf-16", None),
}


@pytest.mark.parametrize("name", ENCODED)
def test_a_page_is_decoded_as_it_declares(name: str) -> None:
    page, encoding, declared = ENCODED[name]
    text = page.rpartition("<p>")[2]
    assert read_html(page.encode(encoding), "page.html", declared=declared).text == text


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        (b"", "shows no text"),
        (b"<html><body><script>render()</script><div id=app></div>", "that scripts fill"),
        ("<p>Öl".encode("latin-1"), "convert it with"),
        (b"<meta charset=klingon><p>\xd6l", "unknown encoding 'klingon'"),
        (b"<p>a\x00b", "NUL"),
        (b"<meta charset=shift_jis><p>\x81", "shift_jis"),
    ],
)
def test_what_is_no_page_is_named(content: bytes, hint: str) -> None:
    with pytest.raises(UnreadableDocument, match=hint) as refused:
        read_html(content, "page.html")
    assert "page.html" in str(refused.value)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "selectolax.lexbor", None)
    with pytest.raises(InputError, match=r"grounding-verifier\[html\]"):
        read_html(b"<p>a", "page.html")


def test_depth_is_no_recursion() -> None:
    assert read_html(b"<div>" * 3_000 + b"a" + b"<ul><li>" * 500 + b"b", "deep.html").text
