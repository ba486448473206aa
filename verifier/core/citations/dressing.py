"""What a label may be dressed in within its mark: emphasis, quotation marks, tags, escapes, brackets."""

from __future__ import annotations

import re
from typing import Final

_EDGE: Final = re.compile(r"(?:[*_`\"'“”‘’«»\s]|~~|<[^<>\n]{0,80}>|\\(?=[\[\]()*_`#]))+")
_PAIRS: Final = {"(": ")", "[": "]", "|": "|", "⁽": "⁾", "“": "”"}
_LAST: Final = re.compile(r"(?:[*_`\"'“”‘’«».\s]|~~|</?[^<>\n]{0,80}>|\\)+\Z")
_ESCAPED: Final = re.compile(r"\\(?=[\[\]()*_`#.!-])")
_QUOTES: Final = frozenset("\"'“”‘’«»")
_TIMES: Final = 3


def is_quoted(written: str) -> bool:
    """Return whether a part of a mark stands in quotation marks, as the texts of a list of code do."""
    return written[:1] in _QUOTES


def undress(written: str) -> tuple[str, int]:
    """Return what a part of a mark holds without its dress, and where in the part that begins."""
    start, end = 0, len(written)
    for _ in range(_TIMES):
        edge = _EDGE.match(written, start, end)
        start = edge.end() if edge is not None else start
        last = _LAST.search(written, max(start, end - 200), end)
        end = last.start() if last is not None else end
        if not (start < end - 1 and _PAIRS.get(written[start]) == written[end - 1]):
            break
        start, end = start + 1, end - 1
    return _ESCAPED.sub("", written[start:end]), start
