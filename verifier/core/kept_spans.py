"""Whether what a span says still stands in a later text, and what stands in its place."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from verifier.core.kept_places import Layout
from verifier.core.quotations.standing import find_doubt
from verifier.core.span_edges import begins_sentence, ends_sentence, is_weakened
from verifier.core.spans import Span
from verifier.core.text_normal import normal_form

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.kept_places import Place
    from verifier.core.text_normal import NormalText

_UNSPACED: Final = re.compile(r"[\u0e00-\u0eff\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Letters of scripts that write no blank between words: Thai, Lao, Chinese, Japanese."""

_MOST_LINES: Final = 4_000
_LEAST_ALIKE: Final = 0.3


class Standing(StrEnum):
    """What became of the words of a span in a later text, from the best to the worst.

    `stands`: the text says the same. `changed`: other words took their place. `gone`: nothing did.
    """

    STANDS = "stands"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class _Stood:
    """How words stood in an earlier text: whether they began and ended their sentence, and where."""

    words: str
    begins: bool
    ends: bool
    place: Place


@dataclass(frozen=True, slots=True)
class _Stands:
    """Where words stand as they stood, and where they do though what is around them makes them doubtful."""

    sound: Span | None = None
    doubted: Span | None = None


@dataclass(frozen=True, slots=True)
class _Beside:
    """The lines of two texts, and which of them are equal (True) or stand for each other.

    `starts` tells where the lines of the earlier text begin.
    """

    before: Sequence[str]
    after: Sequence[str]
    matched: tuple[tuple[bool, Span, Span], ...]
    starts: Sequence[int]

    def lines_of(self, span: Span) -> tuple[int, int]:
        """Return the lines of the earlier text that the span touches, as a half-open range."""
        first = bisect_right(self.starts, span.start) - 1
        return max(first, 0), bisect_left(self.starts, max(span.end, span.start + 1))


class LaterText:
    """A text that earlier ones are held against; what is made of it is made once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._found: dict[str, Span | None] = {}
        self._stands: dict[_Stood, _Stands] = {}
        self._beside: dict[str, _Beside] = {}
        self._layouts: dict[str, Layout] = {}

    def says(self, words: str) -> bool:
        """Return whether the words stand in the text, whole and in a row; typography does not count.

        A number is not found in a longer one. Words that are blank stand in every text.
        """
        return self.find(words) is not None

    def keeps(self, text: str, span: Span) -> bool:
        """Return whether the words of a span of an earlier text stand here as they stood there.

        Words that ended their sentence must end it here too: "within 14 days" is another rule once "of
        delivery" follows. Words that began theirs must not stand behind a condition, a limit or a denial, and
        no words in what is struck out, dated, denied or taken back around them, where they did not before. A
        cell must have its heads, and words that moved to another section, while theirs is there, are others.
        """
        return self.locate(text, span) is not None

    def locate(self, text: str, span: Span) -> Span | None:
        """Return where the words of a span of an earlier text stand as they stood there."""
        words = span.of(text).strip()
        if not words or not self.says(words):
            return None if words else Span(0, 0)
        place = self._lay_out(text).find(span)
        stood = _Stood(words, begins_sentence(text, span), ends_sentence(text, span), place)
        if stood not in self._stands:
            self._stands[stood] = self._look(stood)
        found = self._stands[stood]
        if found.sound is None and found.doubted is not None and find_doubt(text, span) is not None:
            return found.doubted
        return found.sound

    def find(self, words: str) -> Span | None:
        """Return where the words first stand in the text."""
        if words not in self._found:
            self._found[words] = self._find(words)
        return self._found[words]

    def set_beside(self, text: str) -> _Beside:
        """Return how the lines of an earlier text stand to those of this one."""
        if text not in self._beside:
            before, after = text.splitlines(keepends=True), self.text.splitlines(keepends=True)
            starts = tuple(accumulate(map(len, before[:-1]), initial=0)) if before else ()
            self._beside[text] = _Beside(before, after, tuple(_match(before, after)), starts)
        return self._beside[text]

    @cached_property
    def _normal(self) -> NormalText:
        return normal_form(self.text)

    def _look(self, stood: _Stood) -> _Stands:
        doubted = None
        for one in self._find_all(stood.words):
            if stood.ends and not ends_sentence(self.text, one):
                continue
            if stood.begins and is_weakened(self.text, one):
                continue
            if not self._lay_out(self.text).answers_to(one, stood.place):
                continue
            if find_doubt(self.text, one) is None:
                return _Stands(sound=one)
            doubted = doubted or one
        return _Stands(doubted=doubted)

    def _lay_out(self, text: str) -> Layout:
        if text not in self._layouts:
            self._layouts[text] = Layout(text)
        return self._layouts[text]

    def _find_all(self, words: str) -> Iterator[Span]:
        """Yield where the words stand, as they are first."""
        yield from _find_whole(self.text, words)
        normal = normal_form(words).text.strip()
        if normal:
            yield from map(self._normal.locate, _find_whole(self._normal.text, normal))

    def _find(self, words: str) -> Span | None:
        sought = words.strip()
        if not sought:
            return Span(0, 0)
        return next(self._find_all(sought), None)


def judge_span(text: str, span: Span, later: LaterText | None) -> Standing:
    """Return what became of a span of `text`; without a later text it is gone."""
    if later is None:
        return Standing.GONE
    if later.keeps(text, span):
        return Standing.STANDS
    return Standing.GONE if find_counterpart(text, span, later) is None else Standing.CHANGED


def find_counterpart(text: str, span: Span, later: LaterText) -> Span | None:
    """Return the part of `later` that stands where the span stood in `text`: the same words, else its lines.

    None where they were taken away, or where the texts differ by too many lines to be set side by side.
    """
    same = later.locate(text, span)
    if same is not None:
        return same
    beside = later.set_beside(text)
    lines = _align(beside, *beside.lines_of(span))
    if lines is None:
        return None
    after = beside.after
    start = sum(map(len, after[: lines[0]]))
    return Span(start, start + sum(map(len, after[lines[0] : lines[1]])))


def _find_whole(text: str, words: str) -> Iterator[Span]:
    start = text.find(words)
    while start >= 0:
        end = start + len(words)
        if not _goes_on(text, start) and not _goes_on(text, end):
            yield Span(start, end)
        start = text.find(words, start + 1)


def _goes_on(text: str, at: int) -> bool:
    """Return whether a word or a number runs across the place."""
    if at <= 0 or at >= len(text):
        return False
    before, after = text[at - 1], text[at]
    if before.isalnum() and after.isalnum():
        return not _UNSPACED.fullmatch(before) and not _UNSPACED.fullmatch(after)
    point = (
        text[at + 1 : at + 2] if after in ".," else text[at - 2 : at - 1] if before in ".," else ""
    )
    joined = before.isdigit() if after in ".," else after.isdigit()
    return point.isdigit() and joined


def _count_equal(before: Sequence[str], after: Sequence[str]) -> int:
    pairs = zip(before, after, strict=False)
    return next(
        (number for number, (one, other) in enumerate(pairs) if one != other),
        min(len(before), len(after)),
    )


def _align(beside: _Beside, first: int, last: int) -> tuple[int, int] | None:
    """Return the lines of the later text that took the place of lines `first` to `last` of the earlier."""
    found: list[tuple[int, int]] = []
    for is_equal, old, new in beside.matched:
        start, end = max(first, old.start), min(last, old.end)
        if start >= end or new.start == new.end:
            continue
        if is_equal:
            found.append((start - old.start + new.start, end - old.start + new.start))
            continue
        nearest = _find_alike("".join(beside.before[start:end]), beside.after, new)
        if nearest is not None:
            found.append((nearest, nearest + 1))
    if not found:
        return None
    return min(one[0] for one in found), max(one[1] for one in found)


def _match(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[bool, Span, Span]]:
    """Yield lines of both that are equal, or stand for each other; too many that differ are left out."""
    skipped = _count_equal(before, after)
    kept = _count_equal(before[skipped:][::-1], after[skipped:][::-1])
    old_end, new_end = len(before) - kept, len(after) - kept
    yield True, Span(0, skipped), Span(0, skipped)
    yield True, Span(old_end, len(before)), Span(new_end, len(after))
    old, new = before[skipped:old_end], after[skipped:new_end]
    if len(old) > _MOST_LINES or len(new) > _MOST_LINES:
        return
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, *ends in matcher.get_opcodes():
        first, last, new_first, new_last = (end + skipped for end in ends)
        yield kind == "equal", Span(first, last), Span(new_first, new_last)


def _find_alike(sought: str, lines: Sequence[str], among: Span) -> int | None:
    """Return the line of those that shares most words with what is sought; None where none shares enough."""
    words = set(sought.casefold().split())
    shares = {
        number: len(words & set(lines[number].casefold().split())) / max(1, len(words))
        for number in range(among.start, among.end)
    }
    best = max(shares, key=lambda number: (shares[number], -number))
    return best if shares[best] >= _LEAST_ALIKE else None
