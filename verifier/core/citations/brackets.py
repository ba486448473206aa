"""Marks of citation in square brackets, however they are written: [1, 3], [[4]], [doc#0], ［1］."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.citations.code_brackets import is_something_else
from verifier.core.citations.model import Citation, make_citations
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.citations.labels import KnownLabels

_LEAST_WINDOW: Final = 300
_MOST_CLOSINGS: Final = 16
_OPEN: Final = r"(?:\\?[\[［〔〖⟦]|&(?:\#0?91|\#x5b|lsqb|lbrack);)"
_CLOSE: Final = r"(?:\\?[\]］〕〗⟧]|&(?:\#0?93|\#x5d|rsqb|rbrack);)"
_OPENING: Final = re.compile(rf"{_OPEN}+", re.IGNORECASE)
_ONE_OPENING: Final = re.compile(_OPEN, re.IGNORECASE)
_PLAIN: Final = r"[^\[\]［］〔〕〖〗⟦⟧&\n] | &(?!(?:\#0?91|\#x5b|lsqb|lbrack);)"
_LINE_END: Final = r"\n (?![ \t]*(?:\n|[-*+>|\#]|\d{1,3}[.)]\s))"
_INNERMOST: Final = re.compile(  # up to the first closing; no paragraph and no item ends within
    rf"(?P<inside> (?: {_PLAIN} | {_LINE_END} )*? ) (?P<closing> {_CLOSE} )",
    re.VERBOSE | re.IGNORECASE,
)
_CLOSINGS: Final = re.compile(rf"{_CLOSE}{{1,4}}", re.IGNORECASE)
_ONE_CLOSING: Final = re.compile(_CLOSE, re.IGNORECASE)


def find_bracketed(text: str, labels: KnownLabels) -> Iterator[list[Citation]]:
    """Yield the citations of each bracket of `text` that is a mark."""
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        at = opening.end()
        mark = _read_bracket(text, opening, labels)
        if mark is not None:
            yield mark
            at = mark[0].mark.end


def _read_bracket(text: str, opening: re.Match[str], labels: KnownLabels) -> list[Citation] | None:
    """Return the citations of a bracket, None where it is text; the longest known label comes first."""
    start = opening.end()
    known = _find_known(text, start, labels) if labels.names.longest_bracketed else None
    if known is not None:
        return known
    closing = _INNERMOST.match(text, start)
    if closing is None:
        return None
    inside = closing["inside"]
    mark = _cover(text, opening, closing)
    if not inside.strip():
        return _read_empty(text, mark, start)
    if inside.startswith("^") or (text[mark.end : mark.end + 1] == ":" and _opens_line(text, mark)):
        return None
    read = labels.read(inside)
    if not read or is_something_else(text, mark, inside, labels):
        return None
    return make_citations(read, start, mark)


def _cover(text: str, opening: re.Match[str], closing: re.Match[str]) -> Span:
    """Return the span of a mark with all brackets that stand in a row on both sides of it."""
    if opening.end() - opening.start() == 1:
        return Span(opening.start(), closing.end())
    openings = [
        one.start()
        for one in _ONE_OPENING.finditer(
            text, max(opening.start(), opening.end() - 64), opening.end()
        )
    ]
    row = _CLOSINGS.match(text, closing.start("closing"))
    closings = [one.end() for one in _ONE_CLOSING.finditer(row.group())] if row is not None else []
    count = min(len(openings), len(closings))
    return Span(openings[-count], closing.start("closing") + closings[count - 1])


def _find_known(text: str, start: int, labels: KnownLabels) -> list[Citation] | None:
    """Return the citation of a bracket that holds a known label with brackets in it: "plan [final].pdf"."""
    window = max(_LEAST_WINDOW, labels.names.longest_bracketed + 2)
    line = text[start : start + window].partition("\n")[0]
    found, closing = None, -1
    for _ in range(_MOST_CLOSINGS):
        closing = line.find("]", closing + 1)
        if closing < 0:
            break
        inside = line[:closing]
        if labels.names.may_hold(inside):
            read = labels.read(inside)
            if read and labels.are_known(read):
                found = make_citations(read, start, Span(start - 1, start + closing + 1))
    return found


def _read_empty(text: str, mark: Span, start: int) -> list[Citation] | None:
    """Return the citation of an empty mark behind a sentence's words; a box and a list of code are none."""
    before = text[: mark.start][-1:]
    behind = text[mark.end : mark.end + 2]
    if before != " " or not (behind[:1] in ".,;!?" or not behind.strip()):
        return None
    words = text[max(0, mark.start - 40) : mark.start].rstrip()
    if not words or not (words[-1].isalnum() or words[-1] in '.!?"”'):
        return None
    return [Citation(label="", span=Span(start, start), mark=mark)]


def _opens_line(text: str, mark: Span) -> bool:
    return not text[text.rfind("\n", 0, mark.start) + 1 : mark.start].strip()
