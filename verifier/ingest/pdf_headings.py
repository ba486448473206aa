"""Which lines of a PDF are headings: those that its outline names, else short ones in larger letters."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from verifier.core.text import fold
from verifier.ingest.markup import DEEPEST_HEADING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.ingest.pdf_lines import PageLine

_LARGER: Final = 1.15
_LONGEST_HEADING: Final = 150
_STEP: Final = 0.5
"""Points: letters whose heights differ by less are of one size."""


def find_headings(
    pages: Sequence[Sequence[PageLine]], outline: Sequence[tuple[int, int, str]]
) -> Mapping[int, Mapping[int, int]]:
    """Return the levels of headings, from 1, by page and line, both from 0.

    `outline` has page, level (from 0) and title of each entry.
    """
    levels: dict[int, dict[int, int]] = {}
    found = list(_by_outline(pages, outline)) or list(_by_size(pages))
    for page, line, level in found:
        levels.setdefault(page, {})[line] = min(level, DEEPEST_HEADING)
    return levels


def _by_outline(
    pages: Sequence[Sequence[PageLine]], outline: Sequence[tuple[int, int, str]]
) -> Iterator[tuple[int, int, int]]:
    named: dict[int, dict[str, int]] = {}
    for page, level, title in outline:
        named.setdefault(page, {})[fold(title)] = level + 1
    for page, titles in named.items():
        for at, line in enumerate(pages[page] if page < len(pages) else ()):
            words = fold(line.text)
            if words in titles:
                yield page, at, titles.pop(words)


def _by_size(pages: Sequence[Sequence[PageLine]]) -> Iterator[tuple[int, int, int]]:
    usual = _usual_size(pages)
    if usual is None:
        return
    large = [
        (page, at, _size(line))
        for page, lines in enumerate(pages)
        for at, line in enumerate(lines)
        if _size(line) > usual * _LARGER and _may_be_heading(line.text)
    ]
    sizes = sorted({size for _, _, size in large}, reverse=True)
    yield from ((page, at, sizes.index(size) + 1) for page, at, size in large)


def _usual_size(pages: Sequence[Sequence[PageLine]]) -> float | None:
    """Return the size in which most of the text is set."""
    characters: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            characters[_size(line)] += len(line.text)
    del characters[0.0]
    return characters.most_common(1)[0][0] if characters else None


def _size(line: PageLine) -> float:
    return round(line.height / _STEP) * _STEP


def _may_be_heading(text: str) -> bool:
    return len(text) <= _LONGEST_HEADING and any(sign.isalpha() for sign in text)
