"""Finding the citations of an answer: every form of mark, and nothing that only looks like one."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Final

from verifier.core.citations.author_years import Bibliography, find_author_years
from verifier.core.citations.brackets import find_bracketed, find_other_marks
from verifier.core.citations.labels import KnownLabels
from verifier.core.citations.links import Addresses, find_definitions, find_links
from verifier.core.citations.raised import find_raised
from verifier.core.citations.styles import compile_style, find_styled

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from verifier.core.citations.model import Citation
    from verifier.core.spans import Span

_APART: Final = re.compile(
    r"""(?P<fence>^[ ]{0,3}(?P<ticks>`{3,40}+|~{3,40}+)[^\n]*\n.*?(?:^[ ]{0,3}(?P=ticks)[ \t]*$|\Z))
      | (?P<code>(?<!`)`[^`\n]{1,300}`(?!`))
      | (?P<display>\$\$[^$]{1,1000}\$\$)
      | (?P<math>\$(?=[^\s$])(?=[^$\n]{0,300}[\\^_={}])[^$\n]{0,300}(?<=\S)\$(?!\d))
      | (?P<tex>\\\([^\n]{1,300}?\\\)|\\\[.{1,1000}?\\\])""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_NAMED_YEAR: Final = re.compile(r"[^\W\d_].*(?:1[5-9]|20)\d\d", re.DOTALL)


class CitationFinder:
    """Finds citations among labels that are known once for many texts.

    `numbering` maps marks to labels, `style` is the form of a mark with N for its labels ("{{source:N}}"),
    `bibliography` has the entry of each key, `sources` the address of each label.
    """

    def __init__(
        self,
        labels: Collection[str] = (),
        *,
        numbering: Mapping[str, str] | None = None,
        style: str | None = None,
        bibliography: Mapping[str, str] | None = None,
        sources: Mapping[str, str] | None = None,
    ) -> None:
        self._labels = KnownLabels({*labels, *(numbering or {}), *(bibliography or {})})
        self._style = None if style is None else compile_style(style)
        named = {one: one for one in self._labels if _NAMED_YEAR.match(one)}
        self._bibliography = Bibliography(named | dict(bibliography or {}))
        self._addresses = Addresses(sources or {}, iter(self._labels))

    def find(self, text: str) -> tuple[Citation, ...]:
        """Return the citations of `text` in the order of their marks."""
        taken = bytearray(len(text))
        definitions = find_definitions(text)
        for match in _APART.finditer(text):
            if self._style is None or not self._style.fullmatch(match.group()):
                _take(taken, match.start(), match.end())
        for _, span in definitions.values():
            _take(taken, span.start, span.end)
        found: list[Citation] = []
        for span, cited in find_links(text, definitions, self._addresses):
            if not any(taken[span.start : span.end]):
                _take(taken, span.start, span.end)
                found.extend(cited)
        for marks in self._scan(text):
            mark = marks[0].mark
            if not any(taken[mark.start : mark.end]):
                _take(taken, mark.start, mark.end)
                found.extend(marks)
        return tuple(sorted(found, key=_place))

    def _scan(self, text: str) -> Iterator[list[Citation]]:
        scans: list[Iterable[list[Citation]]] = []
        if self._style:
            scans.append(find_styled(text, self._labels, self._style))
        scans.append(find_other_marks(text, self._labels))
        scans.append(find_bracketed(text, self._labels))
        if self._bibliography:
            scans.append(find_author_years(text, self._bibliography))
        scans.append(find_raised(text, self._labels))
        return chain.from_iterable(scans)


def find_citations(
    text: str,
    *,
    labels: Collection[str] = (),
    numbering: Mapping[str, str] | None = None,
    style: str | None = None,
    bibliography: Mapping[str, str] | None = None,
    sources: Mapping[str, str] | None = None,
) -> tuple[Citation, ...]:
    """Return the citations of `text` in the order of their marks.

    Marks are `[1]`, `[1, 3]`, `[2–4]`, `[[4]]`, `[doc#0]`, `[ID:0]`, `【1†source】`, `{{source:2}}`, raised
    digits, `(Smith 2020)` against a bibliography, links to sources, and those of the form `style`. A mark
    cites where all that it holds are known labels, or look like one: a chunk's id, a small number, the form
    of a known label (`[S99]` beside `S01`). Indexes, intervals, formulas, footnotes, code and other brackets
    are text. What a mark cites need not exist.
    """
    finder = CitationFinder(
        labels, numbering=numbering, style=style, bibliography=bibliography, sources=sources
    )
    return finder.find(text)


def _take(taken: bytearray, start: int, end: int) -> None:
    taken[start:end] = b"\1" * (end - start)


def _place(citation: Citation) -> tuple[Span, Span]:
    return citation.mark, citation.span
