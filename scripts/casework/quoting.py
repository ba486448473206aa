"""Quotations cut from dated policy pages, with their typography changed, and altered ones."""

from __future__ import annotations

import csv
import random
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.sentences import BlockKind, split_sentences
from verifier.core.spans import Span
from verifier.core.text import normal_form

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from verifier.core.sentences import Sentence

TRUE_KINDS: Final = ("whole", "typography", "over paragraphs")
_PROSE: Final = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM})
_QUOTABLE: Final = re.compile(r"[^\W_][^\"“”«»„]{38,500}[^\W_][.!?:]?", re.DOTALL)
_START: Final = re.compile(r"(?:[*+•-]|\d{1,3}[.)])\s+")
_MARKUP: Final = re.compile(r"[\[\]<>{}|`*_#\\]|https?:|&\w+;")
_WORD: Final = re.compile(r"(?<![\w'’-])[a-z]{5,}(?![\w'’-])")
_NUMBER: Final = re.compile(r"(?<![\w.,])\d{1,3}(?![\w.,])|\b(?:two|three|five|ten|thirty|sixty)\b")
_VERB: Final = re.compile(r"\b(?:is|are|was|can|will|may|must|should|do|does|would)\b(?! not|n't)")
_NOT: Final = re.compile(r" not\b|(?<=\w)n['’]t\b")
_CONDITION: Final = re.compile(r",? (?:if|unless|except|but|provided|until|although)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One version of a policy page, with the places of its sentences that can be quoted."""

    name: str
    version: int
    text: str
    sentences: tuple[Sentence, ...]

    @property
    def label(self) -> str:
        """What an answer cites it by."""
        return f"{self.name}@{self.version}#0"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedCase:
    """A quotation, what it is cited to, where it stands there, and where it stands instead."""

    kind: str
    text: str
    cited: Page
    span: Span | None = None
    true_page: Page | None = None


def read_pages(folder: Path) -> list[Page]:
    """Return every version of every page, in order."""
    with (folder / "versions.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    pages = []
    for row in rows:
        text = (folder / row["file"]).read_text("utf-8")
        pages.append(
            Page(
                name=row["page"],
                version=int(row["version"]),
                text=text,
                sentences=tuple(
                    _without_mark(one) for one in split_sentences(text) if one.block in _PROSE
                ),
            )
        )
    return pages


def make_true(pages: Sequence[Page], count: int, seed: int) -> list[QuotedCase]:
    """Return `count` quotations that stand in what they cite."""
    makers: tuple[Callable[[Page, random.Random], QuotedCase | None], ...] = (
        _whole,
        _typography,
        _over_paragraphs,
    )
    return _make(makers, pages, count, seed)


def make_false(pages: Sequence[Page], count: int, seed: int) -> list[QuotedCase]:
    """Return `count` altered quotations, none of which stands in what it cites."""

    def of_other_version(page: Page, chance: random.Random) -> QuotedCase | None:
        return _of_other_version(page, pages, chance)

    makers = (_word, _number, _not, _joined, _cut, of_other_version)
    return _make(makers, pages, count, seed)


def _make(
    makers: Sequence[Callable[[Page, random.Random], QuotedCase | None]],
    pages: Sequence[Page],
    count: int,
    seed: int,
) -> list[QuotedCase]:
    chance = random.Random(seed)  # noqa: S311 -- a reproducible sample, nothing secret
    cases: list[QuotedCase] = []
    while len(cases) < count:
        case = makers[len(cases) % len(makers)](chance.choice(pages), chance)
        if case is not None:
            cases.append(case)
    return cases


def _without_mark(sentence: Sentence) -> Sentence:
    mark = _START.match(sentence.text)
    skipped = mark.end() if mark else 0
    span = Span(sentence.span.start + skipped, sentence.span.end)
    return type(sentence)(span=span, text=sentence.text[skipped:], block=sentence.block)


def _pick(page: Page, chance: random.Random, *, plain: bool = False) -> Sentence | None:
    """Return a sentence that can be quoted: of some length, without quotation marks of its own."""
    fitting = [
        one
        for one in chance.sample(page.sentences, min(12, len(page.sentences)))
        if _QUOTABLE.fullmatch(one.text) and not (plain and _MARKUP.search(one.text))
    ]
    return fitting[0] if fitting else None


def _trimmed(text: str, span: Span) -> Span:
    """Return the span from its first to its last letter or digit."""
    start, end = span.start, span.end
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    return Span(start, end)


def _stands_in(quotation: str, page: Page) -> bool:
    return normal_form(quotation).text.strip(" .!?:") in normal_form(page.text).text


def _whole(page: Page, chance: random.Random) -> QuotedCase | None:
    one = _pick(page, chance)
    if one is None:
        return None
    return QuotedCase(kind="whole", text=one.text, cited=page, span=_trimmed(page.text, one.span))


def _typography(page: Page, chance: random.Random) -> QuotedCase | None:
    one = _pick(page, chance)
    if one is None:
        return None
    changes = chance.sample(_CHANGES, 3)
    text = one.text
    for change in changes:
        text = change(text, chance)
    return QuotedCase(kind="typography", text=text, cited=page, span=_trimmed(page.text, one.span))


def _over_paragraphs(page: Page, chance: random.Random) -> QuotedCase | None:
    pairs = [
        (one, other)
        for one, other in zip(page.sentences, page.sentences[1:], strict=False)
        if "\n\n" in page.text[one.span.end : other.span.start]
        and not page.text[one.span.end : other.span.start].strip(" \n\t")
        and _QUOTABLE.fullmatch(one.text)
        and _QUOTABLE.fullmatch(other.text)
    ]
    if not pairs:
        return None
    one, other = chance.choice(pairs)
    span = Span(one.span.start, other.span.end)
    text = span.of(page.text)
    if chance.random() < 0.5:
        text = f"{one.text} {other.text}"
    return QuotedCase(kind="over paragraphs", text=text, cited=page, span=_trimmed(page.text, span))


def _altered(kind: str, text: str, page: Page) -> QuotedCase | None:
    return None if _stands_in(text, page) else QuotedCase(kind=kind, text=text, cited=page)


def _word(page: Page, chance: random.Random) -> QuotedCase | None:
    one, other = _pick(page, chance, plain=True), _pick(page, chance, plain=True)
    if one is None or other is None:
        return None
    places, words = list(_WORD.finditer(one.text)), _WORD.findall(other.text)
    if not places or not words:
        return None
    place = chance.choice(places)
    text = f"{one.text[: place.start()]}{chance.choice(words)}{one.text[place.end() :]}"
    return _altered("word", text, page)


def _number(page: Page, chance: random.Random) -> QuotedCase | None:
    numbered = [
        one for one in page.sentences if _QUOTABLE.fullmatch(one.text) and _NUMBER.search(one.text)
    ]
    if not numbered:
        return None
    one = chance.choice(numbered)
    place = chance.choice(list(_NUMBER.finditer(one.text)))
    other = str(int(place.group()) + 1) if place.group().isdigit() else "seven"
    return _altered("number", f"{one.text[: place.start()]}{other}{one.text[place.end() :]}", page)


def _not(page: Page, chance: random.Random) -> QuotedCase | None:
    one = _pick(page, chance)
    if one is None:
        return None
    denied = _NOT.search(one.text)
    if denied is not None:
        return _altered("not", f"{one.text[: denied.start()]}{one.text[denied.end() :]}", page)
    verb = _VERB.search(one.text)
    if verb is None:
        return None
    return _altered("not", f"{one.text[: verb.end()]} not{one.text[verb.end() :]}", page)


def _joined(page: Page, chance: random.Random) -> QuotedCase | None:
    one, other = _pick(page, chance, plain=True), _pick(page, chance, plain=True)
    if one is None or other is None or one is other:
        return None
    first, second = one.text.split(), other.text.split()
    text = " ".join([*first[: len(first) // 2 + 1], *second[len(second) // 2 :]])
    if chance.random() < 0.5:
        text = f"{one.text} {other.text}"
    return _altered("joined", text, page)


def _cut(page: Page, chance: random.Random) -> QuotedCase | None:
    conditioned = [
        (one, place)
        for one in page.sentences
        if _QUOTABLE.fullmatch(one.text)
        for place in _CONDITION.finditer(one.text, 30)
        if one.text[place.start() - 1].isalnum()
    ]
    if not conditioned:
        return None
    one, place = chance.choice(conditioned)
    text = one.text[: place.start()]
    if page.text.count(text) != 1:
        return None
    return QuotedCase(kind="cut", text=text, cited=page)


def _of_other_version(
    page: Page, pages: Sequence[Page], chance: random.Random
) -> QuotedCase | None:
    others = [one for one in pages if one.name == page.name and one.version != page.version]
    if not others:
        return None
    other = chance.choice(others)
    one = _pick(other, chance)
    if one is None or _stands_in(one.text, page):
        return None
    return QuotedCase(kind="version", text=one.text, cited=page, true_page=other)


def _curl(text: str, _: random.Random) -> str:
    return text.replace("'", "’") if "'" in text else text.replace("’", "'").replace("&rsquo;", "’")


def _dash(text: str, _: random.Random) -> str:
    return text.replace(" — ", " – ").replace("–", "-").replace("—", " — ")


def _space(text: str, chance: random.Random) -> str:
    return re.sub(r" ", lambda _: chance.choice([" ", " ", " ", "\u00a0", "  ", "\u2009"]), text)


def _wrap(text: str, chance: random.Random) -> str:
    return re.sub(r" (?=[a-z])", lambda _: chance.choice([" "] * 9 + ["\n"]), text)


def _hyphenate(text: str, chance: random.Random) -> str:
    """Put a soft hyphen, or one at a line's end, into some of the longer words."""
    return re.sub(
        r"(?<![\w/.(\[])([a-z]{4})([a-z]{4,})(?![\w/)\]])",
        lambda found: chance.choice(
            [found[0]] * 3 + [f"{found[1]}\u00ad{found[2]}", f"{found[1]}-\n{found[2]}"]
        ),
        text,
    )


def _case(text: str, _: random.Random) -> str:
    return text[0].lower() + text[1:]


def _ligature(text: str, _: random.Random) -> str:
    return text.replace("fi", "ﬁ").replace("fl", "ﬂ")


def _decompose(text: str, _: random.Random) -> str:
    return unicodedata.normalize("NFD", text)


def _unmark(text: str, _: random.Random) -> str:
    """Drop emphasis and the targets of links, as a page shows it."""
    return re.sub(
        r"\*\*|(?<!\w)\*|\*(?!\w)", "", re.sub(r"\[([^\[\]]+)\]\([^()\s]+\)", r"\1", text)
    )


def _end(text: str, _: random.Random) -> str:
    return text.rstrip(".!?:")


_CHANGES: Final = (
    _curl,
    _dash,
    _space,
    _wrap,
    _hyphenate,
    _case,
    _ligature,
    _decompose,
    _unmark,
    _end,
)
