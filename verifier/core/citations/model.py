"""What a citation is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.core.citations.labels import Labelled


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One pointer as written.

    `label` is what it points to: what stands between the marks (`refund-policy@3#0`, `1`), the key of a
    bibliography, or an address. `span` covers the label as written, `mark` the whole mark with its brackets.
    `readings` are other labels that may be meant just as well: 1 and 2, of a raised 12. `covers` is the text
    between two tags that says what the citation is for.
    """

    label: str
    span: Span
    mark: Span
    readings: tuple[str, ...] = ()
    covers: Span | None = None

    def shift(self, offset: int) -> Citation:
        """Return the citation moved right by `offset` code points, without covered text that began before."""
        covered = self.covers is not None and self.covers.start + offset >= 0
        covers = self.covers.shift(offset) if self.covers is not None and covered else None
        return replace(
            self, span=self.span.shift(offset), mark=self.mark.shift(offset), covers=covers
        )


def make_citations(inside: list[Labelled], offset: int, mark: Span) -> list[Citation]:
    """Return the citations of a mark whose labels are counted from `offset`."""
    return [
        Citation(
            label=one.label,
            span=Span(offset + one.start, offset + one.end),
            mark=mark,
            readings=one.readings,
        )
        for one in inside
    ]


def drop_marks(text: str, citations: Iterable[Citation], offset: int = 0) -> str:
    """Return `text`, which begins at `offset`, without the marks of the citations that stand in it."""
    within = Span(offset, offset + len(text))
    marks = {one.mark.shift(-offset) for one in citations if within.contains(one.mark)}
    return cut_spans(text, sorted(marks))


def cut_spans(text: str, spans: Iterable[Span]) -> str:
    """Return `text` without what the spans cover, which come in order."""
    kept, at = [], 0
    for span in spans:
        if at <= span.start:
            kept.append(text[at : span.start])
            at = span.end
    return "".join((*kept, text[at:]))
