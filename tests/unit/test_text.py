"""The normal form, folding, stems and byte spans."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.growth import assert_grows

if TYPE_CHECKING:
    from collections.abc import Callable
from hypothesis import example, given, settings
from hypothesis import strategies as st

from verifier.core.spans import Span
from verifier.core.text import (
    clean_text,
    content_stems,
    fold,
    normal_form,
    stem,
    utf8_span,
    utf16_span,
)

SAME = [
    ("“Yes”", '"yes"'),
    ("«Yes»", "„Yes“"),
    ("don’t", "DON'T"),
    ("2–8 °C", "2-8 °C"),
    ("5−3", "5-3"),
    ("word—word", "word -- word"),
    ("word — word", "word – word"),
    ("thirty  days\n of\tdelivery", "thirty days of delivery"),
    ("1\u202f299,00\u00a0€", "1 299,00 €"),
    ("cafe\u0301", "café"),
    ("\u1112\u1161\u11ab", "한"),
    ("ﾊﾟ", "パ"),
    ("e\u0323\u0301", "e\u0301\u0323"),
    ("oﬃce", "office"),
    ("cœur", "coeur"),
    ("ｗｉｄｅ １２", "wide 12"),
    ("Waren\u00adlager\u00ad\nbestand", "Warenlagerbestand"),
    ("deliv-\nery", "delivery"),
    ("deliv\u2010\r\n  ery", "delivery"),
    ("Smith-\nJones", "Smith-Jones"),
    ("价格是\n20元", "价格是 20元"),
    ("价格\n是", "价格是"),
    ("&lt;b&gt; R&amp;D", "R&D"),
    ("caf&eacute; &#233; &#xE9;", "café é é"),
    ("&amp;amp;", "&"),
    ("<p>one</p><p>two</p>", "one two"),
    ("<b>bo</b>ld", "bold"),
    ('<a href="/x">link</a>', "link"),
    ("**not** allowed", "not allowed"),
    ("~~old~~ `code` _em_", "old code em"),
    ("## Returns", "Returns"),
    ("> quoted\n> text", "quoted text"),
    ("* one\n* two", "one\ntwo"),
    ("[our team](/support)", "our team"),
    ("![lamp](a.png)", "lamp"),
    ("5 \\* 3", "5 * 3"),
    ("zero\u200bwidth\ufeff", "zerowidth"),
    ("Acme™", "Acme"),
    ("37 ºC", "37 °C"),
    ("3×4", "3x4"),
    ("…", "..."),
    ("m²", "m2"),
    ("1½", "1 1/2"),
    ("Straße", "STRASSE"),
]
DIFFERENT = [
    ("10²", "102"),
    ("steel.¹²", "steel.12"),
    ("1½", "11/2"),
    ("5③", "53"),
    ("10<sup>2</sup>", "102"),
    ("1**2**", "12"),
    ("1\u200b2", "12"),
    ("1[2](/x)", "12"),
    ("5*3", "53"),
    ("5 * 3", "5 3"),
    ("5_3", "53"),
    ("a < b and c > d", "a d"),
    ("<name>", ""),
    ("[5](approx.)", "5"),
    ("Müller", "Muller"),
    ("30 days", "60 days"),
    ("not free", "free"),
    ("1,000", "1.000"),
    ("-5", "5"),
    ("[1.1-1.9]", "1.1-1.9"),
    ("snake_case", "snakecase"),
    ("re-sign", "resign"),
]
PIECES = [
    *"&;<>/[]()!*_`~- \n5a#x.²½—é\\^•",
    *(
        "am",
        "p",
        "lt",
        "26",
        "--",
        "**",
        "&amp;",
        "<b>",
        "<!--",
        "-->",
        "&#x26;",
        "&semi",
        "&semi;",
    ),
    *(
        "\u0301",
        "\u0345",
        "\u00ad",
        "\u200b",
        "\u1100",
        "\u1161",
        "\u11a8",
        "ﾞ",
        "ｶ",
        "＆",
        "；",
        "＜",
    ),
    *("href=", '"', "http://", "İ", "\u0338", "\ud800", "\x00", "\u2028", "&NewLine;", "&#42;"),
]
PIECED = st.lists(st.sampled_from(PIECES), max_size=16).map("".join)


@pytest.mark.parametrize(("left", "right"), SAME)
def test_typography_makes_no_difference(left: str, right: str) -> None:
    assert normal_form(left).text == normal_form(right).text


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_what_changes_the_sense_stays(left: str, right: str) -> None:
    assert normal_form(left).text != normal_form(right).text


@given(PIECED | st.text(max_size=40))
@example("\u0301&NewLine;<!--\u1100http://_&semi<!--\xad26&br;!-->；")
@settings(max_examples=150, deadline=None)
def test_the_form_of_a_form_is_itself_and_maps_back(text: str) -> None:
    form = normal_form(text)
    assert normal_form(form.text).text == form.text
    assert len(form.starts) == len(form.ends) == len(form.text)
    spans = [form.locate(Span(at, at + 1)) for at in range(len(form.text))]
    assert all(one.start <= two.start and one.end <= two.end for one, two in pairwise(spans))
    assert all(0 <= span.start <= span.end <= len(text) for span in spans)


@pytest.mark.scaling
def test_every_character_alone_is_stable() -> None:
    """A sample of all code points, each after a digit, which nothing may join."""
    for code in [*range(0x100), *range(0x100, 0x110000, 211)]:
        form = normal_form(f"5{chr(code)}3").text
        assert normal_form(form).text == form


def test_locate_gives_the_original_characters() -> None:
    text = "The &ldquo;<b>cafe\u0301</b>&rdquo; costs  5 €."
    form = normal_form(text)
    assert form.text == 'the "café" costs 5 €.'
    at = form.text.index("café")
    assert form.locate(Span(at, at + 4)).of(text) == "cafe\u0301"
    at = form.text.index("costs 5")
    assert form.locate(Span(at, at + 7)).of(text) == "costs  5"
    assert form.locate(Span(0, len(form.text))) == Span(0, len(text))
    assert form.locate(Span(len(form.text), len(form.text))) == Span(len(text), len(text))
    with pytest.raises(ValueError, match="characters"):
        form.locate(Span(0, len(form.text) + 1))


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "&",
        "&amp",
        "<",
        "<b",
        ">",
        "[",
        "[a](b/)",
        "](/",
        "**a",
        "~",
        "- ",
        "\u0301",
        "²",
        "&semi",
        "# \n",
    ],
)
@pytest.mark.scaling
def test_time_is_linear(piece: str) -> None:
    def prepare(size: int) -> Callable[[], object]:
        return partial(normal_form, piece * (size // len(piece)))

    assert_grows(prepare, 1_000, 8_000, at_most=4 * 8)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("  Pro  Plan ", "pro plan"),
        ("Ｐｒｏ‑Plan", "pro-plan"),
        ("O’Neil", "o'neil"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("cafe\u0301", "café"),
        ("Lamp\u200b\ufeff", "lamp"),
        ("Müller", "müller"),
        ("a\ud800", "a\ufffd"),
        ("İ", "i̇"),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text(max_size=30))
@settings(max_examples=50, deadline=None)
def test_fold_is_stable(text: str) -> None:
    assert fold(fold(text)) == fold(text)


STEMS = {
    "refund": "refund refunds refunded refunding",
    "ship": "ship ships shipped shipping",
    "stor": "store stores stored storing",
    "cancel": "cancel cancels cancelled cancelling canceled",
    "carri": "carry carries carried",
    "polici": "policy policies",
    "box": "box boxes boxed",
    "month": "month months",
    "monthli": "monthly",
    "string": "string strings",
    "status": "status",
    "exceed": "exceed exceeds exceeding exceeded",
    "m8": "m8",
}


@pytest.mark.parametrize("expected", STEMS)
def test_words_of_one_kind_share_a_stem(expected: str) -> None:
    assert {stem(word) for word in STEMS[expected].split()} <= {expected}


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("The refund is paid within 30 days.", ("refund", "paid", "within", "dai")),
        ("Refunds aren't free, never", ("refund", "not", "fre", "never")),
        ("seven lamps, 2.4 kg, M8 bolts", ("lamp", "kg", "m8", "bolt")),
        ("The company’s **policies**", ("compani", "polici")),
        ("包邮吗", ("包邮", "邮吗")),
        ("You can cancel it only before it ships", ("cancel", "onli", "befor", "ship")),
        ("", ()),
    ],
)
def test_content_stems(text: str, stems: tuple[str, ...]) -> None:
    assert content_stems(text) == stems


@given(st.text(max_size=20), st.integers(0, 20), st.integers(0, 20))
@settings(max_examples=50, deadline=None)
def test_spans_in_bytes_cover_the_same_characters(text: str, one: int, two: int) -> None:
    text = clean_text(text)
    span = Span(min(one, two, len(text)), min(max(one, two), len(text)))
    octets, units = utf8_span(text, span), utf16_span(text, span)
    assert text.encode()[octets.start : octets.end].decode() == span.of(text)
    wide = text.encode("utf-16-le")[2 * units.start : 2 * units.end]
    assert wide.decode("utf-16-le") == span.of(text)


def test_lone_surrogates_are_replaced_and_counted() -> None:
    assert clean_text("a\ud800b🙂") == "a\ufffdb🙂"
    assert utf8_span("\ud800x", Span(1, 2)) == Span(3, 4)
    assert utf16_span("🙂x", Span(1, 2)) == Span(2, 3)
