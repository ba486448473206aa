"""What of an answer has to stand before its next part for that part to be read as in the whole.

That are the headings above it, the line that leads into a list or table, the items that an item is
indented below, a table's head, and the sentences just before. Their length is bounded, whatever the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.blocks import BlockKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from verifier.core.sentences import Sentence

_SENTENCES_BACK: Final = 2
_MOST_ITEMS: Final = 6
_LONGEST: Final = 1_500
_LONGEST_LINE: Final = 300
_LISTED: Final = frozenset({BlockKind.LIST_ITEM, BlockKind.TABLE_ROW})


@dataclass(frozen=True, slots=True)
class _Past:
    """A sentence, with its number in the answer, and what stood between it and the one before."""

    number: int
    text: str
    block: BlockKind
    depth: int
    gap: str


class StreamContext:
    """Notes the sentences of one answer in order, and tells which of them lead to what follows."""

    def __init__(self) -> None:
        self._noted = 0
        self._headings: list[_Past] = []
        self._lead: _Past | None = None
        self._items: list[_Past] = []
        self._head: _Past | None = None
        self._recent: list[_Past] = []
        self._trail = ""

    def note(self, text: str, sentences: Iterable[Sentence], start: int) -> None:
        """Note sentences of `text`, the first of which follows what was noted, with nothing left out.

        `start` is where in `text` the part before ended; white space at its end is kept.
        """
        for sentence in sentences:
            span = sentence.span
            self._noted += 1
            one = _Past(
                number=self._noted,
                text=sentence.text,
                block=sentence.block,
                depth=_measure(text, sentence),
                gap=self._trail + text[min(start, span.start) : span.start],
            )
            self._trail = ""
            self._place(one)
            self._recent = [*self._recent[-_SENTENCES_BACK + 1 :], one]
            start = span.end
        self._trail += text[start:]

    def lead(self) -> str:
        """Return what stands before the next part, which begins where the last one ended."""
        last = self._recent[-1].block if self._recent else None
        chosen = [*self._headings, *(() if self._lead is None else (self._lead,))]
        if last is BlockKind.LIST_ITEM:
            chosen += self._items[-_MOST_ITEMS:]
        if last is BlockKind.TABLE_ROW and self._head is not None:
            chosen.append(self._head)
        chosen += self._recent
        kept = {one.number: one for one in chosen if len(one.text) <= _LONGEST}
        chosen = [kept[number] for number in sorted(kept)]
        return "".join(_join(chosen, self._noted)) + self._trail

    def line(self) -> str:
        """Return what tells which block the next part begins in: the last line, or the items of a list."""
        if not self._recent:
            return ""
        if self._recent[-1].block is BlockKind.LIST_ITEM:
            return self.lead()
        return (self._recent[-1].text[-_LONGEST_LINE:] + self._trail).rpartition("\n")[2]

    def _place(self, one: _Past) -> None:
        match one.block:
            case BlockKind.HEADING:
                self._headings = [up for up in self._headings if up.depth < one.depth]
                self._headings.append(one)
                self._lead, self._items, self._head = None, [], None
            case BlockKind.LIST_ITEM:
                if one.depth >= 0:
                    self._items = [up for up in self._items if up.depth < one.depth]
                    self._items.append(one)
            case BlockKind.TABLE_ROW:
                begins = "\n" in one.text or self._head is None
                self._head = one if begins else self._head
            case _:
                self._items, self._head = [], None
                self._lead = one


def _measure(text: str, sentence: Sentence) -> int:
    """Return a heading's level, or how far an item is indented; -1 for a later sentence of its block."""
    if sentence.block is BlockKind.HEADING:
        return min(6, len(sentence.text) - len(sentence.text.lstrip("#"))) or 1
    start = sentence.span.start
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if sentence.block is BlockKind.LIST_ITEM:
        return -1 if line.strip(" \t>") else len(line.expandtabs(4))
    return 0


def _join(chosen: Sequence[_Past], last: int) -> Iterator[str]:
    """Yield the sentences with what stood between those that follow each other, else a blank line."""
    for one, other in pairwise([*chosen, None]):
        if one is None:
            return
        yield one.text
        if other is None:
            yield "" if one.number == last else "\n\n"
        elif other.number == one.number + 1:
            yield other.gap
        else:
            yield _divide(one, other)


def _divide(one: _Past, other: _Past) -> str:
    """Return what stands between two sentences of which what was between them is left out."""
    if one.block is not other.block or one.block not in _LISTED:
        return "\n\n"
    return f"\n{' ' * max(0, other.depth)}"
