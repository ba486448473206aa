"""Where the clauses of a sentence begin and end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.quantities import ValueMention

_HARD_CUT: Final = re.compile(
    r"""[;:](?=\s) | \s[—–-]\s
        | \n(?=[ ]*[^\s:|][^\n:|]{0,40}:[ ])  # a line "Expiry: 8 May 2026" below another
    """,
    re.VERBOSE,
)
_SOFT_CUT: Final = re.compile(  # 7 days, and reach you within 5 to 7; seats 6, the large one 14
    r""",?\s+\b(?:and|but|or|while|whereas)\b\s
        | ,\s+(?=(?:the|our|your)\s)
        | ,\s+(?=(?:now|was|formerly|previously|originally|currently|today)\s)  # was $9, now $8
    """,
    re.IGNORECASE | re.VERBOSE,
)
_JOINED: Final = re.compile(  # the lamp is red and the chair weighs 2 kg
    r",?\s+(?:and|but|while|whereas)\s+(?=(?:the|our|your|an?|its|their)\s)", re.IGNORECASE
)
FINITE_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|can|must|may|will|weighs?|costs?|takes?|measures?|holds?|seats?|lasts?|needs?"
    r"|opens?|closes?|starts?|ends?|comes?|includes?|keeps?)\b",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r"\s*[^\W\d_][^\W_]*(?:[ /-]+(?:[^\W_]+|\([^()\n]{1,20}\))){0,4}\s*")
_NEAR: Final = 80


def cut_clauses(text: str, values: Sequence[ValueMention]) -> tuple[Span, ...]:
    """Return where clauses lie in one sentence: cut at ; : dashes, and at and, but between values.

    A label is not cut from the value that follows it ("Storage: 2-8 °C").
    """
    taken = bytearray(len(text) + 1)
    for value in values:
        taken[value.span.start : value.span.end] = b"\1" * (value.span.end - value.span.start)
    found = list(_HARD_CUT.finditer(text))
    if len(values) > 1:
        first, last = values[0].span.end, values[-1].span.start
        starts, ends = {one.span.start for one in values}, {one.span.end for one in values}
        found += [
            match
            for match in _SOFT_CUT.finditer(text)
            if first <= match.start() and match.end() <= last and not _lists(match, ends, starts)
        ]
    found += [match for match in _JOINED.finditer(text) if _has_two_verbs(match)]
    cuts = sorted({match.span() for match in found if not any(taken[match.start() : match.end()])})
    cuts = _without_labels(text, cuts, values)
    edges = [0, *(end for _, end in cuts)]
    stops = [*(start for start, _ in cuts), len(text)]
    pairs = zip(edges, stops, strict=True)
    return tuple(Span(start, stop) for start, stop in pairs if start < stop)


def _has_two_verbs(match: re.Match[str]) -> bool:
    """Return whether both sides of an "and" have a verb close to it, and so say two things."""
    text = match.string
    before = text[max(0, match.start() - _NEAR) : match.start()]
    after = text[match.end() : match.end() + _NEAR].partition(",")[0]
    return FINITE_VERB.search(before) is not None and FINITE_VERB.search(after) is not None


def _lists(match: re.Match[str], ends: set[int], starts: set[int]) -> bool:
    """Return whether an "and" joins what is listed: "87%, 85% and 84%", "between APAC and EMEA"."""
    if match.start() in ends and match.end() in starts:
        return True
    before = match.string[max(0, match.start() - _NEAR) : match.start()].casefold()
    opened = max(before.rfind("between "), before.rfind("both "))
    return opened >= 0 and " and " not in before[opened:]


def _without_labels(
    text: str, cuts: Sequence[tuple[int, int]], values: Sequence[ValueMention]
) -> list[tuple[int, int]]:
    """Return the cuts but for colons between a label and a value that follows it at once."""
    starts = iter([value.span.start for value in values])
    start = next(starts, None)
    kept: list[tuple[int, int]] = []
    for cut in cuts:
        while start is not None and start < cut[1]:
            start = next(starts, None)
        line = kept[-1][1] if kept else 0
        near = start is not None and not text[cut[1] : start].strip(" \t*_~≈(")
        if not (near and text[cut[0]] == ":" and _LABEL.fullmatch(text, line, cut[0])):
            kept.append(cut)
    return kept
