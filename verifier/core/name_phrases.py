"""Phrases that are the whole of what a sentence, a cell or an item speaks of, word for word.

A table may have too many names to hold them all. A name is then only looked for as it is written, and only
where no word beside it may belong to a longer one: "Wool throw" stands in "The Wool throw costs $49.90", not
in "The Wool throw XL costs $59.90", "The Wool throw (red) costs $59.90" or "Nordic Wool throw: $59.90".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_PHRASE: Final = 200
_MOST_ENDS: Final = 4
_MARKS: Final = " \t*_`\"'“”„‘’"
_STRETCH: Final = re.compile(r"[^|\n]+")  # a sentence, an item or a cell
_ITEM: Final = re.compile(r"\s*(?:(?:[-+•*–]|\d{1,3}[.)])\s+)?")  # "- ", "2. "
_ARTICLE: Final = re.compile(r"(?:the|an?|our|your|this|that)\s+", re.IGNORECASE)
_END: Final = re.compile(  # Wool throw | costs 9; Wool throw |: 9; Wool throw | – $9
    r"""[*_`"'“”’]{0,4}
        (?: \s (?: is | are | was | were | costs? | has | have | had | weighs? | comes? | measures? | sells?
              | retails? | ships? ) \s
          | : [\s*_]{0,5} (?=[\d$€£¥])
          | \s [-–—] \s? (?=[\d$€£¥]) )""",
    re.VERBOSE,
)


def find_phrases(text: str) -> Iterator[Span]:
    """Yield the phrases of `text` that may be a whole name; of those that begin alike the longest first."""
    for stretch in _STRETCH.finditer(text):
        item = _ITEM.match(text, stretch.start(), stretch.end())
        begin = _skip(text, item.end() if item else stretch.start(), stretch.end())
        article = _ARTICLE.match(text, begin, stretch.end())
        starts = [begin] if article is None else [begin, _skip(text, article.end(), stretch.end())]
        whole = stretch.start() + len(stretch.group().rstrip(_MARKS + ".!?"))
        stops = [one.start() for one in _END.finditer(text, begin, stretch.end())][:_MOST_ENDS]
        for start in starts:
            for stop in sorted({whole, *stops}, reverse=True):
                if 0 < stop - start <= LONGEST_PHRASE:
                    yield Span(start, stop)


def spell(phrase: str) -> tuple[str, ...]:
    """Return the phrase as it is, and with its first letter the other way: sentences begin with capitals."""
    return tuple(dict.fromkeys((phrase, phrase[:1].swapcase() + phrase[1:])))


def _skip(text: str, at: int, end: int) -> int:
    """Return where a phrase begins behind quotation marks and marks of emphasis."""
    return at + len(text[at:end]) - len(text[at:end].lstrip(_MARKS))
