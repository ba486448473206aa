"""Raised and circled digits that cite: behind a stop, or behind a word that no power belongs to."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from verifier.core.citations.labels import Labelled
from verifier.core.citations.model import Citation, make_citations
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.citations.labels import KnownLabels

_DIGITS: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_PLAIN: Final = str.maketrans(_DIGITS + "⁻⋅·˒ ", "0123456789-,,,,")
_RAISED: Final = re.compile(  # ⁵, ¹,³, ²⁻⁴, ¹ ², ⁽¹⁾, (¹)
    rf"[⁽(]? (?P<digits> [{_DIGITS}]{{1,6}} (?: (?:[,⁻⋅·˒–-]|,?[ ]) [{_DIGITS}]{{1,6}} ){{0,20}} ) [⁾)]?",
    re.VERBOSE,
)
_NUMBERS: Final = r"[0-9]{1,3}(?:\s?[,–-]\s?[0-9]{1,3}){0,20}"
_TAGGED: Final = re.compile(  # <sup>1, 4</sup>, <sup><a href="#r1">1</a></sup>
    r"<sup\b[^<>\n]{0,100}>\s{0,3}(?P<inside>(?:[^<>\n]|</?a\b[^<>\n]{0,200}>){1,200}?)\s{0,3}</sup>",
    re.IGNORECASE,
)
_CARET: Final = re.compile(  # ^1^, $^{1}$, ^[1, 2], .^1
    rf"""\^(?P<pair>\[?{_NUMBERS}\]?)\^
      | \$\^\{{?\[?(?P<math>{_NUMBERS})\]?\}}?\$
      | \\textsuperscript\{{\[?(?P<tex>{_NUMBERS})\]?\}}
      | \^\[(?P<inside>[^\[\]^\n]{{1,100}})\]
      | \^(?P<bare>[0-9]{{1,3}})(?!\w)""",
    re.VERBOSE,
)
_CIRCLED: Final = re.compile("[①-⑳❶-❿➀-➓]{1,5}")
_ENDS: Final = re.compile(r"\s*(?:[.,;:!?)。，；！？\n]|\Z)")
_AFTER_STOP: Final = re.compile(
    r"(?<=[^\s\d])[.!?,;:。！？，；][\"'”’»)*_]{0,4}\Z|[^\W\d_][\"”’»]\Z|\d{2}[.!?,;:]\Z"
)
_AFTER_WORD: Final = re.compile(
    r"(?P<before>.{0,12}?)(?<![^\W_])(?P<word>[^\W\d_]{4,40})[\"'”’»)*_]{0,4}\Z", re.DOTALL
)
_OF_UNIT: Final = re.compile(r"(?:[\d½¼¾]|\bper|/)\s?\Z", re.IGNORECASE)
_MEASURE: Final = re.compile(r"\d\s?[^\W\d_]{1,12}\Z")  # 2 kg
_LOOK_BACK: Final = 56


def find_raised(text: str, labels: KnownLabels) -> Iterator[list[Citation]]:
    """Yield the citations of each run of raised digits that is no power; behind a space it must be known."""
    for match in _RAISED.finditer(text):
        before = _look_back(text, match)
        found = _read_raised(match, labels)
        if _AFTER_STOP.search(before) or (
            _may_cite(before, match["digits"]) and _are_known(found, labels)
        ):
            yield found
    for match in _TAGGED.finditer(text):
        before = _look_back(text, match)
        inside = labels.read(match["inside"])
        if inside and (_AFTER_STOP.search(before) or _may_cite(before, match["inside"])):
            yield make_citations(inside, match.start("inside"), Span(*match.span()))
    for match in _CARET.finditer(text):
        name = str(match.lastgroup)
        before = _look_back(text, match)
        inside = labels.read(match[name])
        if (
            inside
            and labels.are_known(inside)
            and (_AFTER_STOP.search(before) or _may_cite_by(name, before, match[name]))
        ):
            yield make_citations(inside, match.start(name), Span(*match.span()))
    yield from _find_circled(text, labels)


def _may_cite_by(name: str, before: str, digits: str) -> bool:
    """Return whether a form with a caret may cite behind a word: alone it is a power, in TeX it may be."""
    return name != "bare" and _may_cite(before, digits if name in {"math", "tex"} else "1")


def _find_circled(text: str, labels: KnownLabels) -> Iterator[list[Citation]]:
    """Yield the citations of circled digits that end a clause: "① Fill it" is the number of an item."""
    for match in _CIRCLED.finditer(text):
        mark = Span(*match.span())
        numbers = [str(int(unicodedata.numeric(sign))) for sign in match.group()]
        found = [
            Citation(label=number, span=Span(at, at + 1), mark=mark)
            for at, number in enumerate(numbers, mark.start)
        ]
        before = _look_back(text, match)
        ends = _ENDS.match(text, mark.end) is not None
        if _are_known(found, labels) and (
            _AFTER_STOP.search(before) or (ends and _may_cite(before, "1"))
        ):
            yield found


def _look_back(text: str, match: re.Match[str]) -> str:
    return text[max(0, match.start() - _LOOK_BACK) : match.start()]


def _read_raised(match: re.Match[str], labels: KnownLabels) -> list[Citation]:
    """Return the citations of a run; digits in a row that are no label may be labels one by one."""
    mark = Span(*match.span())
    start = match.start("digits")
    plain = match["digits"].translate(_PLAIN)
    if not plain.isdigit():
        read = labels.read(plain) or [Labelled(plain, 0, len(plain))]
        return make_citations(read, start, mark)
    digits = tuple(plain)
    several = len(digits) > 1 and labels.find(plain) is None
    split = several and all(labels.find(one) is not None for one in digits)
    span = Span(*match.span("digits"))
    return [Citation(label=plain, span=span, mark=mark, readings=digits if split else ())]


def _may_cite(before: str, digits: str = "") -> bool:
    """Return whether the end is a stop, or a word that is no unit, with a space behind it or none.

    Nothing behind a number or "per" can be raised, but to the first power, which nobody writes.
    """
    written = before.rstrip(" \u00a0\u202f")
    if written != before and _AFTER_STOP.search(written):
        return True
    if digits[:1] in {"¹", "1"} and _MEASURE.search(written):
        return True
    match = _AFTER_WORD.search(written)
    return match is not None and not _OF_UNIT.search(match["before"])


def _are_known(found: list[Citation], labels: KnownLabels) -> bool:
    return all(
        labels.find(one) is not None for each in found for one in each.readings or (each.label,)
    )
