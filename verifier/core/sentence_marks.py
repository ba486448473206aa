"""Marks of citation around the end of a sentence: which of them belong to it, and which open the next one."""

from __future__ import annotations

import re
from typing import Final

_LABELS: Final = r"[\w.@\#/:-]{1,80} (?: [,;\u2013] [ ]? [\w.@\#/:-]{1,80} ){0,20}"
_RAISED: Final = r"[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]{1,6}"
_WIDE: Final = r"\u3010 [^\u3010\u3011]{1,80} \u3011"
_MARK: Final = rf"""
    (?: \[\[ [^\[\]\s]{{1,80}} \]\] (?![(:])            # [[4]]
      | \[ \^? {_LABELS} \] (?![(:])                  # [1, 3], [terms@3#0], [^2]
      | {_WIDE}                                       # a reference in lenticular brackets
      | \{{\{{ [^{{}}\n]{{1,80}} \}}\}}                 # {{{{source:2}}}}
      | {_RAISED} )                                   # superscript digits
"""
_APART: Final = rf"""
    (?: [*_]{{0,2}}
        (?: \[\[? (?=[^\[\]]{{0,80}}[\d@\#.]) {_LABELS} \]\]? (?![(:]) | {_WIDE} | {_RAISED} (?= \s | \Z ) )
        [*_]{{0,2}} )
"""
_LATE_MARK: Final = rf"(?: (?: [,;]? [ \u00a0] | [,;\u2013-] )? {_APART} )"  # " [5]", ", [6]"
MARKS: Final = rf"""
    (?P<marks> {_MARK}{{0,32}} )
    (?P<late> {_LATE_MARK}{{0,32}} [\"'\u2019\u201d)*_]{{0,4}} )
    (?P<below> (?: [ \t]* \n [ \t]* {_APART} {_LATE_MARK}{{0,32}} )? )
"""
"""The marks behind a stop, in a verbose pattern: at once, behind a space, and on the next line."""

_LEADS: Final = re.compile(rf"\s* {_APART} {_LATE_MARK}{{0,32}} \s+ \S", re.VERBOSE)  # [1] The lid
_TRAILS: Final = re.compile(
    rf"(?: {_MARK} | {_APART} ) {_LATE_MARK}{{0,32}} [*_]{{0,2}} [.!?;]? \s* \Z", re.VERBOSE
)
_LOOK_BACK: Final = 120


class MarkOrder:
    """Tells whether the marks of a paragraph open their sentences or follow them."""

    def __init__(self, prose: str) -> None:
        self._prose = prose
        leads = _LEADS.match(prose) is not None
        trails = _TRAILS.search(prose, max(0, len(prose) - _LOOK_BACK)) is not None
        self._leads, self._trails = leads and not trails, trails and not leads

    def find_end(self, match: re.Match[str]) -> int:
        """Return where a sentence ends whose stop and `MARKS` behind it were matched.

        A mark at the start of the next line belongs to it where it stands alone there, or where the marks
        of the paragraph follow their sentences.
        """
        if self._leads:
            return match.start("late")
        alone = self._prose[match.end() : match.end() + 1] in {"", "\n"}
        return match.end() if self._trails or alone else match.end("late")
