"""Sentences of an answer whose citations are known: a mark behind the stop stays with what it follows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.sentences import Sentence, split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from verifier.core.citations.model import Citation

_LONGEST_PLAIN: Final = 80
_LEAST_BRACKET: Final = 3


def split_cited(answer: str, citations: Iterable[Citation]) -> tuple[Sentence, ...]:
    """Return the sentences of `answer`, split as if each mark were a number in brackets.

    So a mark of any form and with any label is one to the rules for the ends of sentences. What opens a
    sentence is left as it is: a tag before what it cites for, a link with words, a note, a named source.
    """
    plain, at = [], 0
    for start, end in _find_marks(answer, citations):
        plain += [answer[at:start], _write_plain(end - start)]
        at = end
    if not plain:
        return split_sentences(answer)
    read = "".join((*plain, answer[at:]))
    return tuple(
        Sentence(span=one.span, text=one.span.of(answer), block=one.block)
        for one in split_sentences(read)
    )


def _find_marks(answer: str, citations: Iterable[Citation]) -> Iterator[tuple[int, int]]:
    at = 0
    for one in citations:
        start, end = one.mark.start, one.mark.end
        if start >= at and not _opens(answer, one):
            yield start, end
            at = end


def _opens(answer: str, citation: Citation) -> bool:
    mark = citation.mark
    if answer[mark.start].isalpha():
        return True
    if citation.covers is not None:
        return mark.end <= citation.covers.start
    if citation.span != mark:
        return False
    inside = answer[mark.start : mark.end].partition("](")[0].strip("[] ")
    return not inside.isdigit() and mark.end - mark.start >= _LEAST_BRACKET


def _write_plain(length: int) -> str:
    """Return a number in brackets of this length, several where it is long; raised where it is short."""
    if length < _LEAST_BRACKET:
        return "¹" * length
    count = -(-length // _LONGEST_PLAIN)
    lengths = [length // count + (at < length % count) for at in range(count)]
    return "".join(f"[{'1' * (each - 2)}]" for each in lengths)
