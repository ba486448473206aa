"""Finding the citations of an answer: every form of mark, and nothing that only looks like one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.citations.author_years import Bibliography, find_author_years
from verifier.core.citations.brackets import find_bracketed
from verifier.core.citations.labels import KnownLabels
from verifier.core.citations.links import Addresses, find_definitions, find_links
from verifier.core.citations.named import find_named
from verifier.core.citations.notes import NoteReader, Notes
from verifier.core.citations.other_brackets import find_other_marks, find_round
from verifier.core.citations.raised import find_raised
from verifier.core.citations.ranges import join_ranges
from verifier.core.citations.styles import compile_style, find_styled
from verifier.core.citations.tags import find_tagged
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from verifier.core.citations.model import Citation

_APART: Final = re.compile(
    r"""(?P<fence>^[ ]{0,3}(?P<ticks>`{3,40}+|~{3,40}+)[^\n]*\n.*?(?:^[ ]{0,3}(?P=ticks)[ \t]*$|\Z))
      | (?P<code>(?<!`)(?!(?<=\[)`[^`\n]{1,300}`\])`[^`\n]{1,300}`(?!`))
      | (?P<display>\$\$[^$]{1,1000}\$\$)
      | (?P<math>\$(?!\^\{?\[?[0-9][0-9, –-]{0,30}\]?\}?\$)  # but $^{1}$
          (?=[^\s$])(?=[^$\n]{0,300}[\\^_={}])[^$\n]{0,300}(?<=\S)\$(?!\d))
      | (?P<tex>\\\([^\n]{1,300}?\\\)|\\\[(?!\s{0,9}[\w.@\#/:,;\ –-]{1,80}\\\]).{1,1000}?\\\])""",
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
        self._notes = NoteReader(self._labels, self._bibliography, self._addresses)

    def find(self, text: str) -> tuple[Citation, ...]:
        """Return the citations of `text` in the order of their marks."""
        taken = bytearray(len(text))
        definitions = find_definitions(text)
        noted = self._notes.find(text)
        notes = Notes(text, noted, self._labels)
        for match in _APART.finditer(text):
            if self._style is None or not self._style.fullmatch(match.group()):
                _take(taken, Span(*match.span()))
        own = {one.span for one in noted}
        for _, span in definitions.values():
            if span not in own:
                _take(taken, span)
        found: list[Citation] = []
        for mark, cited in self._scan(text, definitions, notes):
            if not any(taken[mark.start : mark.end]):
                _take(taken, mark)
                found.extend(cited)
        told = sorted(notes.explain(found), key=_place)
        return tuple(join_ranges(text, told))

    def _scan(
        self,
        text: str,
        definitions: Mapping[str, tuple[str, Span]],
        notes: Notes,
    ) -> Iterator[tuple[Span, list[Citation]]]:
        """Yield what is found, form by form: of forms that overlap the first counts."""
        yield from _with_marks(notes.find_marks())
        yield from find_links(text, definitions, self._addresses, self._labels)
        if self._style:
            yield from _with_marks(find_styled(text, self._labels, self._style))
        yield from _with_marks(find_tagged(text, self._labels))
        yield from _with_marks(find_other_marks(text, self._labels))
        yield from _with_marks(find_bracketed(text, self._labels))
        yield from _with_marks(find_round(text, self._labels))
        if self._bibliography:
            yield from _with_marks(find_author_years(text, self._bibliography))
        yield from _with_marks(find_raised(text, self._labels))
        yield from _with_marks(find_named(text, self._labels))


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

    Marks are `[1]`, `[1, 3]`, `[2–4]`, `[1]–[3]`, `[[4]]`, `[doc#0]`, `[ID:0]`, `[a.pdf, p. 3]`, `(source
    1)`, `【1†source】`, `{{source:2}}`, raised digits, tags as `<cite>1</cite>`, also around what they cite
    for, footnotes whose note names a source, a source that the sentence names ("According to source 1"),
    `(Smith 2020)` against a bibliography, links to sources, and those of the form `style`; escaped,
    emphasised and in brackets of other scripts too. A mark cites where all that it holds are known
    labels, or look like one: a chunk's id, a small number, the form of a known label (`[S99]` beside
    `S01`). Indexes, intervals, formulas, other footnotes, code and other brackets are text. What a mark
    cites need not exist.
    """
    finder = CitationFinder(
        labels, numbering=numbering, style=style, bibliography=bibliography, sources=sources
    )
    return finder.find(text)


def _with_marks(scan: Iterable[list[Citation]]) -> Iterator[tuple[Span, list[Citation]]]:
    return ((cited[0].mark, cited) for cited in scan)


def _take(taken: bytearray, span: Span) -> None:
    taken[span.start : span.end] = b"\1" * (span.end - span.start)


def _place(citation: Citation) -> tuple[Span, Span]:
    return citation.mark, citation.span
