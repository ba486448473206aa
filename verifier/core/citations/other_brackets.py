"""Marks in other brackets: (source 1), (hours.txt), 【1†source】, {{source:2}}."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.citations.labels import Labelled
from verifier.core.citations.model import Citation, make_citations
from verifier.core.lexicons import load_word_lists
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.citations.labels import KnownLabels

_ROUND: Final = re.compile(  # (hours.txt), （来源1）
    r"[(（](?P<inside>(?:[^()（）\n]|\n(?!\s*\n)){2,300})[)）](?P<behind>\s{0,3}(?:[.,;:!?)。！？，；]|\Z|\n)?)"
)
_OTHERS: Final = re.compile(
    r"""【(?P<wide>[^【】\n]{1,300})】
      | \{\{(?P<braces>[^{}\n]{1,300})\}\}
      | \{(?P<brace>(?:cite|citation|source|src|ref|doc)s?\s?[:\#][^{}\n]{1,300})\}
      | \\[a-zA-Z]{0,10}cite[a-zA-Z]{0,10}\*?(?:\[[^\[\]\n]{0,100}\]){0,2}\{(?P<tex>[^{}\n]{1,300})\}""",
    re.VERBOSE,
)
_BRACED: Final = re.compile(
    r"\s*(?:(?P<word>[^\W\d_]{2,12})\s*[:#]\s*)?(?P<inside>\S.*?)\s*", re.DOTALL
)
_LEAD: Final = re.compile(  # see, according to
    r"[\s*_]*(?:(?:see|cf\.?|from|per|vgl\.?|siehe|véase|voir|according\s+to|based\s+on|as\s+(?:stated|per)\s?(?:in|by)?)"
    r"\s+)?(?:the\s+)?",
    re.IGNORECASE,
)
_NOUN: Final = re.compile(r"(?P<word>[^\W\d_]{2,12})")
_CODED: Final = re.compile(r"[^\W\d_]{1,5}[-_]?\d{1,4}")  # S1, KB-12
_NAMED: Final = re.compile(r"(?=.{0,40}[^\W\d_]{3}).{4,}", re.DOTALL)


def find_round(text: str, labels: KnownLabels) -> Iterator[list[Citation]]:
    """Yield the citations of each round bracket that names a source; numbers alone in one are text."""
    if not labels:
        return
    for match in _ROUND.finditer(text):
        lead = _LEAD.match(match["inside"])
        begun = 0 if lead is None else lead.end()
        inside = match["inside"][begun:]
        read = labels.read(inside)
        if read and _is_round_mark(inside, read, labels, match):
            yield make_citations(
                read, match.start("inside") + begun, Span(match.start(), match.start("behind"))
            )


def find_other_marks(text: str, labels: KnownLabels) -> Iterator[list[Citation]]:
    """Yield the citations of each mark in lenticular brackets, double braces or a command of TeX."""
    for match in _OTHERS.finditer(text):
        mark = Span(*match.span())
        if match["wide"] is not None:
            wide = _read_wide(match["wide"], labels)
            if wide:
                yield make_citations(wide, match.start("wide"), mark)
            continue
        if match["tex"] is not None:
            read = labels.read(match["tex"]) or [
                Labelled(match["tex"].strip(), 0, len(match["tex"]))
            ]
            yield make_citations(read, match.start("tex"), mark)
            continue
        name = "braces" if match["braces"] is not None else "brace"
        braced = _BRACED.fullmatch(match[name])
        inside = labels.read(braced["inside"]) if braced is not None else None
        if braced is not None and inside:
            yield make_citations(inside, match.start(name) + braced.start("inside"), mark)


def _is_round_mark(
    inside: str, read: list[Labelled], labels: KnownLabels, match: re.Match[str]
) -> bool:
    noun = _NOUN.match(inside)
    words = load_word_lists("citations")
    word = noun["word"].casefold() if noun is not None else ""
    if word in words["source_nouns"] and labels.find(inside.strip()) is None:
        return True
    if not labels.are_known(read):
        return False  # "(ref 12)" may be the number of an order
    names = [one.label for one in read]
    if word in words["source_words"]:
        return True
    if all(_CODED.fullmatch(one) or any(sign in one for sign in ".#/@") for one in names):
        return True
    ends = bool(match["behind"].strip()) or match.end() == len(match.string)
    return ends and all(_NAMED.fullmatch(one) for one in names)


def _read_wide(inside: str, labels: KnownLabels) -> list[Labelled] | None:
    """Read what stands in lenticular brackets; of two names around a dagger the known one counts."""
    first, dagger, second = inside.partition("†")
    if not dagger:
        return labels.read(inside)
    before = labels.read(first) or [Labelled(first.strip(), 0, len(first))]
    if labels.are_known(before):
        return before
    known = labels.find(second.strip())
    if known is not None:
        return [Labelled(known, len(first) + 1, len(inside))]
    number, colon, _ = first.partition(":")
    numbered = labels.find(number.strip()) if colon else None
    return before if numbered is None else [Labelled(numbered, 0, len(number))]
