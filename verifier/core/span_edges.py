"""Where the words of a span stand in their sentence: whether they end it, begin it, or follow a condition."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.quotations.leading import judge_left
from verifier.core.quotations.senses import Cut

if TYPE_CHECKING:
    from verifier.core.spans import Span

_STOPS: Final = ".!?…。！？"
_CLOSING: Final = f"{_STOPS}|"
_DRESSING: Final = " \t\r\n\u00a0\"'”’»)]*_`"
_REACH: Final = 400
_LINE_MARK: Final = re.compile(  # "- next", "2. next", "| cell", "# Head"
    r"[ \t]* (?: (?: [-*+•] | \#{1,6} | \d{1,3}[.)] ) [ \t] | [|>] )", re.VERBOSE
)
# "now. Then", "now.” Then", a blank line, "\n- next", "# Head\n". One set of signs comes first, so that
# a search runs over all others at once.
_SENTENCE_END: Final = re.compile(
    rf"""[{_STOPS}\n\#]
       (?: (?<=[{_STOPS}]) (?=[\s"'”’»)\]*_])
         | (?<=\n) [ \t\r]*\n
         | (?<=\n) (?={_LINE_MARK.pattern})
         | (?<=\#) (?<!\S\#) \#{{0,5}}[ \t][^\n]*\n )""",
    re.VERBOSE,
)


def ends_sentence(text: str, span: Span) -> bool:
    """Return whether the span's last word is the last of its sentence, list item, cell or paragraph."""
    at = span.start + len(span.of(text).rstrip(_DRESSING + _STOPS))
    behind = text[at : at + _REACH]
    rest = behind.lstrip(_DRESSING)
    gap = behind[: len(behind) - len(rest)]
    if not rest or rest[0] in _CLOSING or gap.count("\n") > 1:
        return True
    return "\n" in gap and _LINE_MARK.match(behind, gap.rindex("\n") + 1) is not None


def begins_sentence(text: str, span: Span) -> bool:
    """Return whether no word of its sentence stands before the span."""
    return not any(sign.isalnum() for sign in _lead(text, span.start))


def is_weakened(text: str, span: Span) -> bool:
    """Return whether what stands before the span in its sentence denies it, limits it or sets a condition."""
    lead = _lead(text, span.start)
    return lead != "" and judge_left(lead, span.of(text))[0] is not Cut.HARMLESS


def _lead(text: str, start: int) -> str:
    """Return what stands before a place in its sentence."""
    before = text[max(0, start - _REACH) : start]
    kept = before.rstrip()
    if not kept or (len(kept) < len(before) and kept[-1] in _STOPS):
        return ""
    ends = [one.end() for one in _SENTENCE_END.finditer(before)]
    return before[ends[-1] :] if ends else before
