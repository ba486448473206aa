"""The form in which quotations are compared: the normal form, without what is typography between words.

A hyphen between letters is remembered apart, since one at a line's end may be real or not.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.spans import Span
from verifier.core.text import normal_form

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINE_END_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])[-\u2010][ \t]*(?:\r\n?|\n)\s*(?=[^\W\d_])")
_TYPOGRAPHY: Final = re.compile(
    r"""(?P<hyphen> (?<=[^\W\d_])-(?=[^\W\d_]) )
      | (?P<space> [ ](?=[,;:!?.)\]%](?!\d)) | (?<=[(\[])[ ] )
      | (?P<power> (?<=[^\W\d_])\^(?=\d) )
      | (?P<mark> " )""",
    re.VERBOSE,
)
_REFERENCE: Final = re.compile(  # [12], [3, 4], [^2]; raised digits behind a stop
    r"""[ ]?\[ (?: \d{1,3} (?: [,;-][ ]?\d{1,3} ){0,20} | \^[\w-]{1,20} ) \](?!\()
      | (?<=[.,;:!?')])\^\d{1,3} (?: ,\^?\d{1,3} ){0,10} (?!\w)""",
    re.VERBOSE,
)
_LIST_NUMBER: Final = re.compile(r"^[ \t]{0,8}(?P<number>\d{1,3}[.)])[ \t]+(?=\S)", re.MULTILINE)
_CACHED: Final = 128
_LONGEST_CACHED: Final = 300_000
REAL, OPTIONAL = 1, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedText:
    """A text as quotations are compared with it, and the way back to the original.

    `hyphens` are the places of `text` before which a hyphen stands or may stand, in order, and `kinds` says
    which of the two. `numbers` are the places of the numbers of list items.
    """

    text: str
    starts: array[int]
    ends: array[int]
    hyphens: array[int]
    kinds: bytes
    numbers: tuple[tuple[int, int], ...] = ()

    def locate(self, start: int, end: int) -> Span:
        """Return the span of the original from the first to the last character."""
        return Span(self.starts[start], self.ends[end - 1])

    def hyphens_within(self, start: int, end: int) -> dict[int, int]:
        """Return the hyphens between `start` and `end`, counted from `start`, with their kinds."""
        first, last = bisect_left(self.hyphens, start + 1), bisect_left(self.hyphens, end)
        return {self.hyphens[at] - start: self.kinds[at] for at in range(first, last)}


def compared_form(text: str) -> ComparedText:
    """Return the form of `text` in which quotations are sought."""
    return _cached(text) if len(text) <= _LONGEST_CACHED else _build(text)


def without_references(form: ComparedText) -> ComparedText:
    """Return the form without the text's own marks of reference, which a quotation may leave out."""
    cuts = [match.span() for match in _REFERENCE.finditer(form.text)]
    return _without(form, cuts) if cuts else form


def without_numbers(form: ComparedText) -> ComparedText:
    """Return the form without the numbers of list items."""
    return _without(form, list(form.numbers))


@lru_cache(maxsize=_CACHED)
def _cached(text: str) -> ComparedText:
    return _build(text)


def _build(text: str) -> ComparedText:
    normal = normal_form(text)
    optional = set()
    for match in _LINE_END_HYPHEN.finditer(text):
        at = bisect_left(normal.starts, match.end())
        optional.add(at - 1 if normal.text[at - 1 : at] == "-" else at)
    cuts: list[tuple[int, int]] = []
    marks: list[int] = []
    hyphens: list[tuple[int, int]] = [(at, OPTIONAL) for at in optional]
    for match in _TYPOGRAPHY.finditer(normal.text):
        at = match.start()
        if match.lastgroup == "mark":
            marks.append(at)
            continue
        cuts.append(match.span())
        if match.lastgroup == "hyphen" and at not in optional:
            hyphens.append((at, REAL))
    signs = list(normal.text)
    for at in _quotation_marks(normal.text, marks):
        signs[at] = "'"
    hyphens.sort()
    form = ComparedText(
        text="".join(signs),
        starts=normal.starts,
        ends=normal.ends,
        hyphens=array("Q", (at for at, _ in hyphens)),
        kinds=bytes(kind for _, kind in hyphens),
    )
    cut = _without(form, cuts)
    return replace(cut, numbers=tuple(_list_numbers(text, cut.starts)))


def _list_numbers(text: str, starts: array[int]) -> Iterator[tuple[int, int]]:
    """Yield the places in a form, whose characters start at `starts`, of the numbers of list items."""
    for match in _LIST_NUMBER.finditer(text):
        place = bisect_left(starts, match.start("number")), bisect_left(starts, match.end())
        if place[0] < place[1]:
            yield place


def _quotation_marks(text: str, marks: list[int]) -> list[int]:
    """Return the marks that quote: not that of an inch, behind a digit and without one that opens."""
    quoting: list[int] = []
    opened = False
    for at in marks:
        inch = text[at - 1 : at].isdigit() and not opened
        if not inch:
            quoting.append(at)
            opened = not opened
    return quoting


def _without(form: ComparedText, cuts: list[tuple[int, int]]) -> ComparedText:
    """Return the form without the ranges, which are in order; what stands before them is kept together."""
    text: list[str] = []
    starts, ends, hyphens = array("Q"), array("Q"), array("Q")
    at, taken, number = 0, 0, 0
    for start, end in [*cuts, (len(form.text), len(form.text))]:
        while number < len(form.hyphens) and form.hyphens[number] <= start:
            hyphens.append(max(form.hyphens[number], at) - taken)
            number += 1
        text.append(form.text[at:start])
        starts.extend(form.starts[at:start])
        ends.extend(form.ends[at:start])
        taken += end - max(start, at)
        at = max(at, end)
    while len(hyphens) < len(form.hyphens):
        hyphens.append(len(form.text) - taken)
    return ComparedText(
        text="".join(text), starts=starts, ends=ends, hyphens=hyphens, kinds=form.kinds
    )
