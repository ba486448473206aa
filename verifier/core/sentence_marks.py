"""Marks of citation around the end of a sentence: which of them belong to it, and which open the next one."""

from __future__ import annotations

import re
from typing import Final

_LABELS: Final = r"[\w.@\#/:-]{1,80} (?: [,;\u2013] [ ]? [\w.@\#/:-]{1,80} ){0,20}"
_WORDED: Final = r"(?: [^\W\d_]{2,12} [.:]? [ ] )?"
_TAGS: Final = r"(?:cite|citation|ref|reference|source|doc|document|chunk|passage|co|sup)s?"
_RAISED: Final = r"[(\u207d]? [\u2070\u00b9\u00b2\u00b3\u2074-\u2079]{1,6} [)\u207e]?"
_OPEN: Final = r"(?: \\? [\[\uff3b\u3014] | &\#91; )"
_SHUT: Final = r"(?: \\? [\]\uff3d\u3015] | &\#93; )"
_PAIRED: Final = rf"""
    (?: \u3010 [^\u3010\u3011]{{1,80}} \u3011          # a reference in lenticular brackets
      | \( (?: source|doc|document|ref|reference|quelle|fuente )s? [.:]? [ ] \#? {_LABELS} \)   # (source 1)
      | <{_TAGS} (?: \s [^<>\n]{{0,80}} )? >           # <cite>1</cite>
        {_WORDED} \[{{0,2}} {_LABELS} \]{{0,2}} </{_TAGS}>
      | <{_TAGS} [\s:=] [^<>\n]{{1,80}} /? > (?= \s | \Z )  # <cite id="1"/>
      | \[{{1,2}} \d{{1,3}} \]{{1,2}} \( [^()\s]{{1,300}} \) )     # [1](#ref-1)
"""
_MARK: Final = rf"""
    (?: \[\[ [^\[\]\s]{{1,80}} \]\] (?![(:])            # [[4]]
      | {_OPEN} \^? [*_]{{0,2}} {_WORDED} {_LABELS} [*_]{{0,2}} {_SHUT} (?![(:])  # [1, 3], [terms@3#0], [^2]
      | \{{\{{ [^{{}}\n]{{1,80}} \}}\}}                 # {{{{source:2}}}}
      | {_PAIRED}
      | </{_TAGS} [^<>\n]{{0,80}} >
      | \^ \[? \d{{1,3}} \]? \^?                       # ^1, ^[1]
      | [\u2460-\u2473]
      | {_RAISED} )                                    # superscript digits
"""
_APART: Final = rf"""
    (?: [*_]{{0,2}}
        (?: {_PAIRED}
          | {_OPEN} {{1,2}} (?=[^\[\]]{{0,80}}[\d@\#.]) [*_]{{0,2}} {_WORDED} {_LABELS}
            [*_]{{0,2}} {_SHUT} {{1,2}} (?![(:])
          | {_RAISED} (?= \s | \Z ) ) [*_]{{0,2}} )
"""
_LATE_MARK: Final = rf"(?: (?: [,;]? [ \u00a0] | [,;\u2013-] ) {_APART} )"  # " [5]", ", [6]"
MARKS: Final = rf"""
    (?P<marks> {_MARK}{{0,12}} )
    (?P<late> {_LATE_MARK}{{0,12}} [\"'\u2019\u201d)*_]{{0,4}} )
    (?P<below> (?: [ \t]* \n [ \t]* {_APART} {_LATE_MARK}{{0,12}} )? )
"""
"""The marks behind a stop, in a verbose pattern: at once, behind a space, and on the next line."""

_LEADS: Final = re.compile(rf"\s* {_APART} {_LATE_MARK}{{0,12}} \s+ \S", re.VERBOSE)  # [1] The lid
_TRAILS: Final = re.compile(
    rf"(?: {_MARK} | {_APART} ) {_LATE_MARK}{{0,12}} [*_]{{0,2}} [.!?;]? \s* \Z", re.VERBOSE
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
