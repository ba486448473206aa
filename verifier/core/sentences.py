"""Sentences of a text, with their exact spans.

Every stop that white space follows is looked at once, with the word before and the sign after it; the
word lists are data. Marks of citation after the stop stay with the sentence that they follow. Within a
quotation or brackets of moderate length nothing is cut, so that a quotation stays whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.core.blocks import Block, BlockKind, find_blocks
from verifier.core.sentence_ends import find_sentence_ends
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Block", "BlockKind", "Sentence", "find_blocks", "find_sentences", "split_sentences"]

_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence and the kind of block it stands in; `text` is exactly what `span` covers.

    Headings, table rows (a head row with the dashes below it), code, cards and rules are one sentence
    each. Of a list item the mark belongs to its first sentence.
    """

    span: Span
    text: str
    block: BlockKind


def split_sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of `text` in order; between them is nothing but white space."""
    return tuple(
        sentence for block in find_blocks(text) for sentence in find_sentences(text, block)
    )


def find_sentences(text: str, block: Block) -> Iterator[Sentence]:
    """Yield the sentences of one block of `text`."""
    start, end = block.span.start, block.span.end
    if block.kind in _PROSE:
        for stop in find_sentence_ends(text, block.content, end):
            yield _trimmed(text, start, stop, block.kind)
            start = stop
    if start < end:
        yield _trimmed(text, start, end, block.kind)


def _trimmed(text: str, start: int, end: int, kind: BlockKind) -> Sentence:
    covered = text[start:end]
    start += len(covered) - len(covered.lstrip())
    covered = covered.strip()
    return Sentence(span=Span(start, start + len(covered)), text=covered, block=kind)
