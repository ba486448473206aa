"""Markup within a text that no reader sees as words: marks of bold and italic, comments."""

from __future__ import annotations

import re
from typing import Final

_PAIRED: Final = re.compile(  # **14** days, __5 EUR__, *two*
    r"(?<![\w*_])(?P<mark>\*\*\*|\*\*|__|\*|_)(?=[^\s*_])(?P<inside>[^*_\n]{1,300})(?<=\S)(?P=mark)(?![\w*_])"
)
_OPENED: Final = "<!--"
_CLOSED: Final = "-->"
_TAG: Final = re.compile(r"</?(?:b|strong|em|i|u|mark)>", re.IGNORECASE)


def blank_emphasis(text: str) -> str:
    """Return the text with spaces for its marks of emphasis, every other character where it was."""
    if not any(sign in text for sign in "*_<"):
        return text
    blanked = _PAIRED.sub(_blank, text)
    return _TAG.sub(lambda match: " " * len(match.group()), blanked)


def _blank(match: re.Match[str]) -> str:
    gap = " " * len(match["mark"])
    return f"{gap}{match['inside']}{gap}"


def blank_comments(text: str) -> str:
    """Return the text with spaces for its comments, every other character where it was."""
    kept, at = [], 0
    while (start := text.find(_OPENED, at)) >= 0:
        end = text.find(_CLOSED, start + len(_OPENED))
        if end < 0:
            break
        kept += [text[at:start], " " * (end + len(_CLOSED) - start)]
        at = end + len(_CLOSED)
    return "".join((*kept, text[at:]))
