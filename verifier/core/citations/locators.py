"""Where in a source something stands: "p. 3", "pages 4–6", "§ 2.1", "line 7". A place is no label."""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = r"(?:[0-9]{1,5}[a-z]?(?:\.[0-9]{1,3}){0,4}|[ivxlc]{1,6})"
_WORD: Final = (
    r"(?:p|pp|pg|pgs|page|pages|s|seite|seiten|ch|chap|chapter|chapters|sec|sect|section|sections|l|ll|line|lines"
    r"|para|paras|paragraph|paragraphs|par|art|article|clause|slide|slides|row|rows|tab|table|fig|figure|vol"
    r"|appendix|annex|abs|abschnitt|kap|kapitel|página|pág|stuk|col|column|sheet|cell|heading|item)"
)
_PLACE: Final = (
    rf"(?:{_WORD}\.?\s?[#:=]?\s?|[§¶]{{1,2}}\s?){_NUMBER}"
    rf"(?:\s?[-–—−,&]\s?(?:(?:{_WORD}\.?|[§¶])\s?)?{_NUMBER}){{0,6}}(?:\s?ff?\.?)?"
)
_ALONE: Final = re.compile(rf"\(?{_PLACE}\)?", re.IGNORECASE)
_BEHIND: Final = re.compile(  # doc.pdf p. 3, 1: page 4, doc.pdf (p. 3), doc.pdf#page=3, 1†L4-L9
    rf"(?P<label>\S(?:.*?\S)?)(?:\s?[:#@†]\s?|\s)\(?{_PLACE}\)?", re.IGNORECASE | re.DOTALL
)
_BEFORE: Final = re.compile(  # page 3 of doc.pdf
    rf"{_PLACE}\s(?:of|in|aus|von|de)\s(?:the\s)?(?P<label>\S.*)", re.IGNORECASE | re.DOTALL
)
_LONGEST: Final = 400


def is_place(written: str) -> bool:
    """Return whether a part of a mark only tells the place in a source that another part names."""
    return len(written) <= _LONGEST and _ALONE.fullmatch(written) is not None


def find_placed(written: str) -> tuple[int, int] | None:
    """Return where the label stands in a part of a mark that tells a place too; None without a place."""
    if len(written) > _LONGEST:
        return None
    match = _BEHIND.fullmatch(written) or _BEFORE.fullmatch(written)
    if match is None:
        return None
    start = match.start("label")
    return start, start + len(match["label"].rstrip(" ,:;"))
