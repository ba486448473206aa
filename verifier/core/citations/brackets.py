"""Marks of citation in brackets: [1, 3], [[4]], [doc#0], 【1†source】 and {{source:2}}."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.citations.model import Citation, make_citations
from verifier.core.lexicons import load_word_lists
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.citations.labels import KnownLabels, Labelled

_LONGEST: Final = 300
_MOST_CLOSINGS: Final = 4
_OPENING: Final = re.compile(r"\[+")
_INNERMOST: Final = re.compile(r"[^\[\]\n]{0,300}\]")
_ROUND: Final = re.compile(r"\((?P<inside>[^()\n]{3,300})\)")  # (hours.txt)
_OTHERS: Final = re.compile(
    r"【(?P<wide>[^【】\n]{1,300})】 | \{\{(?P<braces>[^{}\n]{1,300})\}\}", re.VERBOSE
)
_BRACED: Final = re.compile(
    r"\s*(?:(?P<word>[^\W\d_]{2,12})\s*[:#]\s*)?(?P<inside>\S.*?)\s*", re.DOTALL
)
_NUMBERS: Final = re.compile(r"[0-9\s,;–—-]+")
_PAIR: Final = re.compile(r"\s*[0-9]+\s*[,;–—-]\s*[0-9]+\s*")  # 1, 3
_NAME: Final = re.compile(r"[\w.]{1,80}\Z")
_CODE_NAME: Final = re.compile(r"[a-z]|.*[^\W_]_[^\W_].*")  # x, my_list
_LAST_WORD: Final = re.compile(r"(?P<word>[^\W\d_]+)\s+\Z")
_OPERATORS: Final = frozenset("=∈∉⊂⊆≈≤≥+×·^")
_STOPS: Final = frozenset(".!?,;:)]}\"'”’»*_")
_AFTER_INDEX: Final = re.compile(r"\.[a-z_]|[ ]?=|\[[^\]\n]{1,20}\]\s*=|\(")  # x[1].name, x[1] = 3


def find_bracketed(text: str, labels: KnownLabels) -> Iterator[list[Citation]]:
    """Yield the citations of each square bracket of `text` that is a mark, and of round ones of a file."""
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        at = opening.end()
        mark = _read_bracket(text, opening, labels)
        if mark is not None:
            yield mark
            at = mark[0].mark.end
    for match in _ROUND.finditer(text):
        inside = labels.read(match["inside"])
        if inside is not None and all(_names_file(one, labels) for one, _, _ in inside):
            yield make_citations(inside, match.start("inside"), Span(*match.span()))


def find_other_marks(text: str, labels: KnownLabels) -> Iterator[list[Citation]]:
    """Yield the citations of each mark in lenticular brackets or double braces."""
    for match in _OTHERS.finditer(text):
        mark = Span(*match.span())
        if match["wide"] is not None:
            wide = _read_wide(match["wide"], labels)
            if wide is not None:
                yield make_citations(wide, match.start("wide"), mark)
            continue
        braced = _BRACED.fullmatch(match["braces"])
        inside = labels.read(braced["inside"]) if braced is not None else None
        if braced is not None and inside is not None:
            yield make_citations(inside, match.start("braces") + braced.start("inside"), mark)


def _read_bracket(text: str, opening: re.Match[str], labels: KnownLabels) -> list[Citation] | None:
    """Return the citations of a bracket, None where it is text; the longest known label comes first."""
    start = opening.end()
    known = _find_known(text, start, labels) if labels.has_brackets else None
    if known is not None:
        return known
    closing = _INNERMOST.match(text, start)
    if closing is None:
        return None
    inside, end = closing.group()[:-1], closing.end()
    doubled = text[start - 2 : start] == "[[" and text[end : end + 1] == "]"
    mark = Span(start - 2, end + 1) if doubled else Span(start - 1, end)
    if not inside.strip():
        return _read_empty(text, mark, start)
    if inside.startswith("^") or (text[mark.end : mark.end + 1] == ":" and _opens_line(text, mark)):
        return None
    read = labels.read(inside)
    if read is None or _is_something_else(text, mark, inside, labels):
        return None
    return make_citations(read, start, mark)


def _find_known(text: str, start: int, labels: KnownLabels) -> list[Citation] | None:
    """Return the citation of a bracket that holds a known label with brackets in it: "plan [final].pdf"."""
    line = text[start : start + _LONGEST].partition("\n")[0]
    found, closing = None, -1
    for _ in range(_MOST_CLOSINGS):
        closing = line.find("]", closing + 1)
        if closing < 0:
            break
        inside = line[:closing]
        if ("[" in inside or "]" in inside) and _holds_known(inside, labels):
            mark = Span(start - 1, start + closing + 1)
            found = make_citations(labels.read(inside) or [], start, mark)
    return found


def _holds_known(inside: str, labels: KnownLabels) -> bool:
    """Return whether brackets within a mark are those of known labels."""
    read = labels.read(inside)
    return read is not None and all(labels.find(label) == label for label, _, _ in read)


def _read_empty(text: str, mark: Span, start: int) -> list[Citation] | None:
    """Return the citation of an empty mark behind a sentence's words; a box and a list of code are none."""
    before = text[: mark.start][-1:]
    behind = text[mark.end : mark.end + 2]
    if before != " " or not (behind[:1] in ".,;!?" or not behind.strip()):
        return None
    words = text[max(0, mark.start - 40) : mark.start].rstrip()
    if not words or not (words[-1].isalnum() or words[-1] in '.!?"”'):
        return None
    return [Citation(label="", span=Span(start, start), mark=mark)]


def _is_something_else(text: str, mark: Span, inside: str, labels: KnownLabels) -> bool:
    """Return whether a bracket with numbers is an index, an interval, or a part of a name or a formula."""
    if _NUMBERS.fullmatch(inside) is None:
        return False
    before, behind = text[max(0, mark.start - 90) : mark.start], text[mark.end : mark.end + 24]
    if before[-1:].isalnum() or before[-1:] == "_":
        return _is_index(before, behind) or inside.strip() == "0" != labels.find("0")
    if before.endswith("]") and _is_index(before[: before.rfind("[")], ""):
        return True
    if before.rstrip()[-1:] in _OPERATORS or (before[-1:] in "^\\" and before):
        return True
    if behind[:1].islower() or (behind[:1] in "-–+" and behind[1:2].isalnum()):
        return before[-1:] not in _STOPS
    word = _LAST_WORD.search(before)
    paired = _PAIR.fullmatch(inside) is not None
    interval_words = load_word_lists("citations")["interval_words"]
    if paired and word is not None and word["word"].casefold() in interval_words:
        return True
    return paired and inside.strip()[:2] in {"0,", "0;"} and labels.find("0") is None


def _is_index(before: str, behind: str) -> bool:
    """Return whether a bracket stands behind the name of a variable."""
    name = _NAME.search(before)
    if name is None or name.group().endswith("."):
        return False
    written = name.group().rpartition(".")[2]
    if _CODE_NAME.fullmatch(written) or _AFTER_INDEX.match(behind):
        return True
    return written.casefold() in load_word_lists("citations")["index_names"]


def _opens_line(text: str, mark: Span) -> bool:
    return not text[text.rfind("\n", 0, mark.start) + 1 : mark.start].strip()


def _names_file(label: str, labels: KnownLabels) -> bool:
    """Return whether a label is that of a known file or chunk, which may stand in round brackets."""
    return labels.find(label) == label and any(sign in label for sign in ".#/@")


def _read_wide(inside: str, labels: KnownLabels) -> list[Labelled] | None:
    """Read what stands in lenticular brackets; of two names around a dagger the known one counts."""
    first, dagger, second = inside.partition("†")
    if not dagger:
        return labels.read(inside)
    before = labels.read(first) or [(first.strip(), 0, len(first))]
    if all(labels.find(label) is not None for label, _, _ in before):
        return before
    known = labels.find(second.strip())
    return before if known is None else [(known, len(first) + 1, len(inside))]
