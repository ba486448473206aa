"""Marking the claims of an answer: a footnote for each, and nothing else changed."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import groupby
from typing import TYPE_CHECKING, Final

from verifier.core.blocks import BlockKind, find_blocks
from verifier.core.claims import ClaimForm
from verifier.core.policy import Annotation
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from verifier.core.report import GroundingReport, JudgedClaim

_LABEL: Final = "check-"
_LONGEST_NOTE: Final = 300
_FENCED: Final = frozenset({BlockKind.CODE, BlockKind.CARD})
_WHOLE: Final = re.compile(  # what a mark within would break
    r"""
      (?P<ticks> `{1,9} ) [^`\n]{0,500} (?P=ticks)  # `$5`
    | \] \( [^()\n]{0,2000} \)                  # the target of a [link](https://example.org)
    | < [^<>\n]{1,2000} >                       # <b>, <https://example.org>
    """,
    re.VERBOSE,
)
_MARKUP: Final = re.compile(r"([\\`*_\[\]<>])")
_JOINED: Final = re.compile(r"[\w\u0300-\u036f\u200d\ufe0f]*")  # a word, and what joins characters
_DASHES: Final = re.compile(r"[|\-: \t\r]*-[|\-: \t\r]*")  # |---|:--|
_MARKS: Final = re.compile(r"`{3,}|~{3,}")


def annotate(report: GroundingReport) -> tuple[str, tuple[Annotation, ...]]:
    """Return the answer with a footnote mark behind each claim, and the marks in the order of their places.

    A claim's mark stands behind what it covers, a card's in the line below its fence; the footnotes stand at
    the end. Taking both away gives the answer back. Where the answer ends within an open fence, nothing
    can be put behind it: it is left as it is.
    """
    answer = report.answer
    places = _Places(answer)
    marked = _place_marks(report.judged, places, _choose_label(answer))
    if not marked or places.ends_open:
        return answer, marked
    woven = _weave(answer, marked, _find_card_ends(report.judged))
    return "".join((*woven, write_notes(answer, marked))), marked


def mark_claims(
    text: str, judged: Sequence[JudgedClaim], label: str, start: int
) -> tuple[str, tuple[Annotation, ...]]:
    """Return `text[start:]` with a mark behind each claim, and the marks; the footnotes are left to later."""
    marked = _place_marks(judged, _Places(text), label)
    inside = [one for one in marked if one.at > start]
    return "".join(_weave(text, inside, _find_card_ends(judged), start)), marked


def write_notes(answer: str, marked: Sequence[Annotation]) -> str:
    """Return the footnotes that stand behind an answer."""
    line_end = _find_line_end(answer)
    notes = (_MARKUP.sub(r"\\\1", one.note) for one in marked)
    lines = (
        f"{line_end}{one.mark}: {note}{line_end}" for one, note in zip(marked, notes, strict=True)
    )
    return "".join((line_end, *lines))


def _place_marks(
    judged: Sequence[JudgedClaim], places: _Places, label: str
) -> tuple[Annotation, ...]:
    marked = (
        Annotation(
            claim=one.claim.claim_id,
            span=one.claim.span,
            at=places.find(one),
            mark=f"[^{label}{one.claim.claim_id}]",
            code=one.verdict.code,
            note=describe_verdict(one),
        )
        for one in judged
    )
    return tuple(sorted(marked, key=lambda one: (one.at, one.span)))


def _find_card_ends(judged: Sequence[JudgedClaim]) -> frozenset[int]:
    return frozenset(one.claim.sentence.end for one in judged if one.claim.form is ClaimForm.CARD)


def _find_line_end(answer: str) -> str:
    return "\r\n" if "\r\n" in answer else "\n"


class _Places:
    """Finds where marks may stand in one answer."""

    def __init__(self, answer: str) -> None:
        self._answer = answer
        fences = [block.span for block in find_blocks(answer) if block.kind in _FENCED]
        self._whole = list(_find_whole(answer, fences))
        self._starts = [one.start for one in self._whole]
        self.ends_open = bool(fences) and _is_open(answer, fences[-1])

    def find(self, judged: JudgedClaim) -> int:
        """Return the offset at which the mark of a claim stands."""
        claim = judged.claim
        if claim.form is ClaimForm.CARD:
            return claim.sentence.end
        end = self._end_of_row(claim.span.end)
        joined = _JOINED.match(self._answer, end)
        if joined is not None and _JOINED.fullmatch(self._answer[max(end - 1, 0) : end]):
            end = joined.end()
        found = bisect_right(self._starts, end) - 1
        if found >= 0 and end < self._whole[found].end and self._starts[found] < end:
            return self._whole[found].end
        return end

    def _end_of_row(self, end: int) -> int:
        """Return the end of the last cell where a row of a table ends there, else `end`."""
        start = self._answer.rfind("\n", 0, end) + 1
        line = self._answer[start:end]
        if start and _DASHES.fullmatch(line):
            return self._end_of_row(start - 1)
        row = line.rstrip()
        if len(row) > 1 and row[0] == "|" == row[-1]:
            return start + len(row[:-1].rstrip())
        return end


def _find_whole(answer: str, fences: Sequence[Span]) -> Iterator[Span]:
    """Yield what may not be divided, outside of fences."""
    start = 0
    for end, behind in [*((one.start, one.end) for one in fences), (len(answer), 0)]:
        for match in _WHOLE.finditer(answer, start, end):
            yield Span(*match.span())
        start = behind


def _is_open(answer: str, fence: Span) -> bool:
    """Return whether a fence that the answer ends with is never closed."""
    if answer[fence.end :].strip():
        return False
    lines = fence.of(answer).splitlines()
    marks = _MARKS.match(lines[0])
    closing = lines[-1].strip()
    if marks is None or len(lines) == 1:
        return True
    return not (closing.startswith(marks.group()) and set(closing) == {marks.group()[0]})


def _weave(
    answer: str, marked: Sequence[Annotation], cards: AbstractSet[int], start: int = 0
) -> Iterator[str]:
    """Yield the parts of the answer behind `start`, with the marks."""
    done, line_end = start, _find_line_end(answer)
    for at, together in groupby(marked, key=lambda one: one.at):
        yield answer[done:at]
        marks = "".join(one.mark for one in together)
        yield f"{line_end}{marks}{line_end}" if at in cards else marks
        done = at
    yield answer[done:]


def _choose_label(answer: str) -> str:
    """Return a label that no footnote of the answer begins with."""
    label = _LABEL
    while f"[^{label}" in answer:
        label = f"{_LABEL}{label}"
    return label


def describe_verdict(judged: JudgedClaim) -> str:
    """Return the verdict in one line."""
    verdict = judged.verdict
    told = " ".join(f"{verdict.code.value}: {verdict.detail}".split())
    return told if len(told) <= _LONGEST_NOTE else f"{told[: _LONGEST_NOTE - 1]}…"
