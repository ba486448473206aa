"""Sentences that one quotation holds together, over the ends of paragraphs too."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.quotations.finding import find_quotations
from verifier.core.sentences import BlockKind
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.sentences import Sentence

_PROSE: Final = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM})


def join_quoted(answer: str, sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Return the sentences of `answer`, those as one that share a quotation; a mark never ends one alone."""
    if '"' not in answer and answer.isascii():
        return tuple(sentences)
    marks = [one.mark for one in find_quotations(answer)]
    joined: list[Sentence] = []
    at = 0
    for sentence in sentences:
        last = joined[-1] if joined else None
        while at < len(marks) and marks[at].end <= sentence.span.start:
            at += 1
        shares = at < len(marks) and last is not None and marks[at].start < last.span.end
        if shares and last is not None and {last.block, sentence.block} <= _PROSE:
            span = Span(last.span.start, sentence.span.end)
            joined[-1] = replace(last, span=span, text=span.of(answer))
        else:
            joined.append(sentence)
    return tuple(joined)
