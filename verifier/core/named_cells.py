"""Which cells of a cited table a statement on a calculation names: by rows, columns and periods."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.cell_comparison import generic_stems, stems_of_words
from verifier.core.cited_cells import is_year
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.text_stems import stem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from verifier.core.cell_comparison import CellQuestion
    from verifier.core.cited_cells import CitedCell

    Numbered = tuple[int, CitedCell]

_ASIDE: Final = re.compile(r"\([^()]{0,60}\)")  # Net income (loss), Other items (1)
_MOST_CELLS: Final = 12
_MOST_ROWS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedCells:
    """Cells that a statement names. `whole` says that their heads account for all of its words."""

    cells: tuple[Numbered, ...]
    whole: bool

    @property
    def row_heads(self) -> frozenset[str]:
        """The heads of their rows."""
        return frozenset(cell.row_head for _, cell in self.cells)


def find_named(
    question: CellQuestion, cells: Sequence[Numbered], years: frozenset[str]
) -> Iterator[NamedCells]:
    """Yield the sets of cells that the statement may name in the given years, the likeliest first.

    A row whose head stands in the statement word by word comes before one whose words only are among
    the statement's, and that before a row with no word of its own ("Total", "Other").
    """
    generic = generic_stems() | stems_of_words("derived")
    seen: set[frozenset[str]] = set()
    strong, weak = _split(_phrases(question, cells), cells, generic)
    for heads in (strong, _by_stems(question, cells, generic), weak):
        if heads and heads not in seen:
            seen.add(heads)
            yield from _in_years(question, cells, heads, years)


def _in_years(
    question: CellQuestion, cells: Sequence[Numbered], heads: frozenset[str], years: frozenset[str]
) -> Iterator[NamedCells]:
    """Yield the named rows' cells in the years told, in the columns told; then in all columns."""
    rows = [one for one in cells if one[1].row_head in heads and _is_of_years(one[1], years)]
    parts = {one for one in question.periods if not is_year(one)}
    inside = [one for one in rows if parts <= one[1].periods | one[1].outer_periods]
    chosen = _narrowed(question, inside or rows)
    if _is_usable(chosen):
        sure = bool(inside) and not _is_repeated(chosen) and not _is_of_two_sections(chosen)
        whole = sure and _accounts(question, chosen, cells)
        yield NamedCells(cells=tuple(chosen), whole=whole)
    if len(chosen) < len(rows) and _is_usable(rows):
        yield NamedCells(cells=tuple(rows), whole=False)


def _is_usable(cells: Collection[Numbered]) -> bool:
    return 1 < len(cells) <= _MOST_CELLS and len({cell.row_head for _, cell in cells}) <= _MOST_ROWS


def _is_of_years(cell: CitedCell, years: frozenset[str]) -> bool:
    own = {one for one in cell.periods if is_year(one)}
    return not years or (bool(own) and own <= years)


def _narrowed(question: CellQuestion, rows: Sequence[Numbered]) -> list[Numbered]:
    """Return of each row the cells whose column, brackets and section have most of the statement's words."""
    kept: list[Numbered] = []
    for head in dict.fromkeys(cell.row_head for _, cell in rows):
        own = [one for one in rows if one[1].row_head == head]
        own = [one for one in own if not one[1].aside - question.stems] or own
        shares = [_beside(question, cell) for _, cell in own]
        most = max(shares)
        kept += [one for one, share in zip(own, shares, strict=True) if share == most]
    return kept


def _is_repeated(cells: Sequence[Numbered]) -> bool:
    """Return whether two cells have the same heads."""
    places = {(cell.row_head, cell.periods, cell.column, cell.aside) for _, cell in cells}
    return len(places) < len(cells)


def _is_of_two_sections(cells: Sequence[Numbered]) -> bool:
    """Return whether rows of one head come from several sections or tables, and nothing tells which."""
    around: dict[str, frozenset[str]] = {}
    return any(around.setdefault(cell.row_head, cell.around) != cell.around for _, cell in cells)


def _beside(question: CellQuestion, cell: CitedCell) -> tuple[int, int]:
    rest = question.stems - cell.row
    return len(rest & (cell.column | cell.aside)), len(rest & cell.around)


def _accounts(
    question: CellQuestion, chosen: Sequence[Numbered], cells: Sequence[Numbered]
) -> bool:
    """Return whether the heads have every word of the statement.

    A word that only section or caption have may not tell a like row apart; small words that tell rows
    apart ("other", "before") have to be the same.
    """
    wanted = question.stems - generic_stems() - stems_of_words("derived")
    own = frozenset().union(*(cell.row | cell.column | cell.aside for _, cell in chosen))
    around = frozenset().union(*(cell.around for _, cell in chosen))
    left = wanted - own
    heads = frozenset(cell.row_head for _, cell in chosen)
    rows = frozenset().union(*(cell.row for _, cell in chosen)) - generic_stems()
    rivals = (cell for _, cell in cells if cell.row_head not in heads and cell.row & rows)
    others = frozenset().union(*(cell.row | cell.column for cell in rivals))
    telling = load_word_lists("table_words")["telling"]
    told = frozenset(word for head in heads for word in _words(head)) & telling
    return (
        bool(wanted | told)
        and left <= around
        and not left & others
        and question.part.words & telling == told
    )


def _phrases(question: CellQuestion, cells: Sequence[Numbered]) -> frozenset[str]:
    """Return the row heads that stand in the statement word by word, and not within a longer such head."""
    text = _stemmed(question.part.text)
    found: list[tuple[int, int, str]] = []
    for head in dict.fromkeys(cell.row_head for _, cell in cells):
        words = _stemmed(_ASIDE.sub(" ", head)) or _stemmed(head)
        found += [(at, at + len(words), head) for at in _starts(words, text)]
    return frozenset(
        head
        for start, end, head in found
        if not any(
            first <= start and end <= last and last - first > end - start
            for first, last, _ in found
        )
    )


def _starts(words: tuple[str, ...], text: tuple[str, ...]) -> Iterator[int]:
    if not words:
        return
    for at in range(len(text) - len(words) + 1):
        if text[at] == words[0] and text[at : at + len(words)] == words:
            yield at


def _split(
    heads: frozenset[str], cells: Sequence[Numbered], generic: frozenset[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the heads with words of their own, and those without any."""
    own = {cell.row_head for _, cell in cells if cell.row_head in heads and cell.row - generic}
    return frozenset(own), heads - own


def _by_stems(
    question: CellQuestion, cells: Sequence[Numbered], generic: frozenset[str]
) -> frozenset[str]:
    """Return the heads of the rows whose words are among the statement's, as many as any has."""
    wanted = question.stems - generic
    rows = {cell.row_head: cell.row - generic for _, cell in cells}
    named = {head: row for head, row in rows.items() if row and row <= wanted}
    sets = set(named.values())
    return frozenset(head for head, row in named.items() if not any(row < one for one in sets))


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(read_words(text))


@lru_cache(maxsize=4096)
def _stemmed(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in _words(text))
