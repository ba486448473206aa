"""Text as HTML with marked spans: escaped, in one pass, the narrower span showing where several overlap."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from verifier.core.spans import Span

HIDDEN: Final = dict.fromkeys(
    (*range(9), *range(11, 32), *range(127, 160), 0x202D, 0x202E, *range(0xD800, 0xE000)), "\ufffd"
)
"""What stands for control characters and lone surrogates, which no page can carry, and for the two characters
that turn the order of all others around: a reader must see what was written."""

_Slice = tuple[int, int, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMark:
    """A span to mark: the class of its look, the sign behind it, what a reader is told, and its link."""

    span: Span
    kind: str
    sign: str
    label: str
    target: str


def text_to_html(text: str) -> str:
    """Return `text` escaped; control characters and lone surrogates become U+FFFD."""
    return escape(text.translate(HIDDEN))


def mark_text(text: str, marks: Sequence[TextMark]) -> str:
    """Return `text` as HTML with each span marked, its sign and link behind its last piece.

    Marks of one span are shown as one, with the look of the first and the links of all.
    """
    alike: dict[Span, list[TextMark]] = {}
    for one in marks:
        alike.setdefault(one.span, []).append(one)
    slices = tuple(_join_equal(_flatten(len(text), list(alike))))
    groups = list(alike.values())
    last = {number: position for position, (_, _, number) in enumerate(slices)}
    pieces = []
    for position, (start, end, number) in enumerate(slices):
        piece = text_to_html(text[start:end])
        if number is None:
            pieces.append(piece)
            continue
        shown = "".join(map(_link, groups[number])) if last[number] == position else ""
        pieces.append(f'<mark class="{groups[number][0].kind}">{piece}{shown}</mark>')
    return "".join(pieces)


def _link(mark: TextMark) -> str:
    return f'<a href="#{mark.target}" aria-label="{text_to_html(mark.label)}">{mark.sign}</a>'


def _flatten(length: int, spans: Sequence[Span]) -> Iterator[_Slice]:
    """Yield disjoint slices that cover the text, each with the number of the narrowest span over it."""
    edges = sorted({0, length, *(edge for span in spans for edge in (span.start, span.end))})
    upcoming = iter(sorted(range(len(spans)), key=lambda number: spans[number].start))
    open_spans: list[int] = []
    following = next(upcoming, None)
    for start, end in pairwise(edges):
        while following is not None and spans[following].start <= start:
            open_spans.append(following)
            following = next(upcoming, None)
        open_spans = [number for number in open_spans if spans[number].end > start]
        narrowest = min(
            open_spans, key=lambda number: spans[number].end - spans[number].start, default=None
        )
        yield start, end, narrowest


def _join_equal(slices: Iterable[_Slice]) -> Iterator[_Slice]:
    for number, neighbours in groupby(slices, key=itemgetter(2)):
        joined = tuple(neighbours)
        yield joined[0][0], joined[-1][1], number
