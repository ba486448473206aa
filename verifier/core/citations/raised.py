"""Raised digits that cite: behind a stop, or behind a word that no power belongs to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.citations.model import Citation, make_citations
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.citations.labels import KnownLabels

_DIGITS: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_PLAIN: Final = str.maketrans(_DIGITS + "⁻", "0123456789-")
_RAISED: Final = re.compile(  # ⁵, ¹,³, ²⁻⁴
    rf"[{_DIGITS}]{{1,6}} (?: [,⁻] [{_DIGITS}]{{1,6}} ){{0,20}}", re.VERBOSE
)
_TAGGED: Final = re.compile(  # <sup>1, 4</sup>
    r"<sup>\s{0,3}(?P<inside>[^<>\n]{1,100}?)\s{0,3}</sup>", re.IGNORECASE
)
_AFTER_STOP: Final = re.compile(
    r"(?<=[^\s\d])[.!?,;:][\"'”’»)*_]{0,4}\Z|[^\W\d_][\"”’»]\Z|\d{2}[.!?,;:]\Z"
)
_AFTER_WORD: Final = re.compile(
    r"(?P<before>.{0,12}?)(?<![^\W_])(?P<word>[^\W\d_]{4,40})\Z", re.DOTALL
)
_OF_UNIT: Final = re.compile(r"(?:[\d½¼¾]|\bper|/)\s?\Z", re.IGNORECASE)
_LOOK_BACK: Final = 56


def find_raised(text: str, labels: KnownLabels) -> Iterator[list[Citation]]:
    """Yield the citations of each run of raised digits that is no power."""
    for match in _RAISED.finditer(text):
        before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
        found = _read_raised(match, labels)
        if _AFTER_STOP.search(before) or (_is_cited_word(before) and _are_known(found, labels)):
            yield found
    for match in _TAGGED.finditer(text):
        before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
        inside = labels.read(match["inside"])
        if inside is not None and (_AFTER_STOP.search(before) or _is_cited_word(before)):
            yield make_citations(inside, match.start("inside"), Span(*match.span()))


def _read_raised(match: re.Match[str], labels: KnownLabels) -> list[Citation]:
    """Return the citations of a run; digits in a row that are no label may be labels one by one."""
    mark = Span(*match.span())
    plain = match.group().translate(_PLAIN)
    if not plain.isdigit():
        return make_citations(labels.read(plain) or [(plain, 0, len(plain))], mark.start, mark)
    digits = tuple(plain)
    several = len(digits) > 1 and labels.find(plain) is None
    split = several and all(labels.find(one) is not None for one in digits)
    return [Citation(label=plain, span=mark, mark=mark, readings=digits if split else ())]


def _is_cited_word(before: str) -> bool:
    """Return whether the end is a word that is no unit: nothing behind a number or "per" can be raised."""
    match = _AFTER_WORD.search(before)
    return match is not None and not _OF_UNIT.search(match["before"])


def _are_known(found: list[Citation], labels: KnownLabels) -> bool:
    return all(
        labels.find(one) is not None for each in found for one in each.readings or (each.label,)
    )
