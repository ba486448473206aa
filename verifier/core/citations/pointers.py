"""Words that only say which source a sentence rests on: "According to [1], ...", "[1] says that ..."."""

from __future__ import annotations

import re
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Final

from verifier.core.citations.author_years import AUTHORS_AT_END
from verifier.core.citations.model import cut_spans
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.citations.model import Citation

_SAY: Final = (
    r"(?:say|state|note|explain|specif(?:y|ie)|confirm|mention|report|show|describe|put|find)"
)
_LEAD: Final = re.compile(  # According to source | As stated in
    rf"""\s* (?: according\ to | (?:as\ )?per | based\ on | in | from | as
              | as\ (?:{_SAY}(?:e?d|n)?|set\ out)\ (?:in|by) )
         \s* (?:(?:the\ )?(?:source|document|text|page|passage)s?\s*)? """,
    re.VERBOSE | re.IGNORECASE,
)
_SUBJECT: Final = re.compile(
    r"\s*(?:(?:the\s)?(?:source|document|text|page|passage)s?\s*)?", re.IGNORECASE
)
_BETWEEN: Final = re.compile(r"\s*(?:,|;|&|and|or)?\s*", re.IGNORECASE)
_LIST_MARK: Final = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")  # "- ", "2. "
_YEAR_MARK: Final = re.compile(r"\((?:1[5-9]|20)\d\d")  # of Smith (2020)
_GAP: Final = re.compile(r"[ \u00a0]{3,}")  # what a row of marks leaves between its words
_COMMA: Final = re.compile(r"\s*,\s+")
_VERB_THAT: Final = re.compile(  # [1] says that, Smith (2020) found that
    rf"\s+(?:{_SAY}(?:e?s)?|found|showed|reported|stated|noted)\s+that\s+", re.IGNORECASE
)
_VERB_BARE: Final = re.compile(  # [1] says the keys
    r"\s+(?:says|states|notes|confirms|reports|explains|specifies)\s+"
    r"(?=(?:the|an?|all|every|each|no|it|there|you|we|our|your|this|these|those)\s)",
    re.IGNORECASE,
)
_COLON: Final = re.compile(r"\s*:\s+")  # Source 1: the keys
_SEE: Final = re.compile(  # (see [1]), ; see also [2], according to [1]
    r"""(?P<sign>[(,;])\s*(?:see|cf\.?|vgl\.?|siehe|source:?|from)(?:\s+also)?\s*\Z
      | (?P<lead>[\s,]+(?:according\s+to|as\s+(?:stated|noted|described)\s+in))(?:\s+the)?\s*\Z""",
    re.VERBOSE | re.IGNORECASE,
)
_ENDS: Final = re.compile(r"\s*[.!?]?\s*\Z")
_SEE_BACK: Final = 30
_VERB_COMMA: Final = re.compile(
    rf"\s+{_SAY}(?:e?s)?\s*(?:it)?\s*,\s+", re.IGNORECASE
)  # as [1] says,


def drop_pointers(text: str, citations: Sequence[Citation], offset: int = 0) -> str:
    """Return `text`, which begins at `offset`, without its marks and the lead that only names a source."""
    whole = Span(offset, offset + len(text))
    marks = sorted({one.mark.shift(-offset) for one in citations if whole.contains(one.mark)})
    start = _find_statement(text, marks)
    rest = [_with_see(text[start:], one.shift(-start)) for one in marks if one.start >= start]
    return cut_spans(text[start:], rest)


def _with_see(text: str, mark: Span) -> Span:
    """Return the span of a mark with the word before it that only leads to it, and brackets around both."""
    back = max(0, mark.start - _SEE_BACK)
    see = _SEE.search(text[back : mark.start])
    if see is None:
        return mark
    start = back + see.start()
    if see["sign"] == "(":
        return Span(start, mark.end + 1) if text[mark.end : mark.end + 1] == ")" else mark
    led = see["lead"] is None or _ENDS.match(text, mark.end) is not None
    return Span(start, mark.end) if led else mark


def read_stated(text: str, citations: Sequence[Citation], offset: int = 0) -> str:
    """Return what `text`, which begins at `offset`, states: no citations, no mark of a list item."""
    stated = drop_pointers(text, citations, offset)
    mark = _LIST_MARK.match(stated)
    return _GAP.sub(" ", stated[mark.end() :] if mark else stated).strip()


def _find_statement(text: str, marks: Sequence[Span]) -> int:
    """Return where the statement behind a lead begins; 0 where nothing leads in."""
    if not marks:
        return 0
    end = _find_end(text, marks)
    before = text[: marks[0].start]
    if _YEAR_MARK.match(text, marks[0].start):
        before = AUTHORS_AT_END.sub("", before)
    if _LEAD.fullmatch(before):
        tail = _COMMA.match(text, end) or (
            _VERB_COMMA.match(text, end) if before.strip().casefold().startswith("as") else None
        )
    else:
        tails = (one.match(text, end) for one in (_VERB_THAT, _VERB_BARE, _COLON))
        tail = next(filter(None, tails), None) if _SUBJECT.fullmatch(before) else None
    return 0 if tail is None else tail.end()


def _find_end(text: str, marks: Sequence[Span]) -> int:
    """Return where the row of marks ends that begins with the first."""
    pairs = pairwise(marks)
    row = takewhile(lambda pair: _BETWEEN.fullmatch(text[pair[0].end : pair[1].start]), pairs)
    return max([marks[0].end, *(second.end for _, second in row)])
