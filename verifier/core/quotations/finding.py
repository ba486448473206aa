"""What an answer presents as verbatim: the text between quotation marks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.lexicons import load_word_lists
from verifier.core.spans import Span
from verifier.core.speech import read_words

if TYPE_CHECKING:
    from collections.abc import Iterator

_PAIRS: Final = MappingProxyType(
    {
        '"': '"',
        "“": "”",
        "„": "”“",
        "«": "»",
        "»": "«",
        "‹": "›",
        "「": "」",
        "『": "』",
        "‘": "’",
        "'": "'",
    }
)
_DOUBLE: Final = re.compile('["“”„«»‹›「」『』]')
_LEADS: Final = frozenset({"", *":,;(–—-"})
_SINGLE: Final = re.compile("[‘’']")
_DENIALS: Final = frozenset({"not", "no", "never", "nowhere", "neither", "nor", "cannot"})
_FEWEST_WORDS: Final = 4
_LONGER_WORD: Final = re.compile(r"(?<![^\W_])[^\W\d_]{4,}")
_FEWEST_SIGNS: Final = 8
_BLANK_QUOTED: Final = re.compile(r'"[^\S\r\n]+"(?!\w)')
_BLANK: Final = re.compile(r"[\s.,:;!?*_()>–—-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """A quotation of a text: `span` covers what stands between the marks, `mark` the marks too."""

    text: str
    span: Span
    mark: Span

    @property
    def is_passage(self) -> bool:
        """Whether it is long enough to be sought in a source, and no title or term that is set apart."""
        words = read_words(self.text)
        if not self.text.isascii() and len("".join(words)) >= _FEWEST_SIGNS:
            return not self._is_title
        return len(words) >= _FEWEST_WORDS and not self._is_title

    @property
    def _is_title(self) -> bool:
        """Whether all its longer words begin with a capital: "The Sound of the Sea"."""
        words = _LONGER_WORD.findall(self.text)
        return bool(words) and not self.text.isupper() and all(word[0].isupper() for word in words)


def find_quotations(text: str) -> tuple[Quotation, ...]:
    """Return the outer quotations of `text` in order. A mark that nothing closes opens none.

    Single marks count outside of double ones only.
    """
    found = list(_scan(text, _DOUBLE, 0, len(text)))
    edges = [(0, 0), *((one.mark.start, one.mark.end) for one in found), (len(text), len(text))]
    for (_, start), (end, _) in pairwise(edges):
        found.extend(_scan(text, _SINGLE, start, end))
    return tuple(sorted(found, key=_place))


def leaves_only_frame(
    text: str, quotations: tuple[Quotation, ...], names: frozenset[str] = frozenset()
) -> bool:
    """Return whether what stands around the quotations only says where they stand.

    `names` are words of the source's name.
    """
    kept, at = [], 0
    for one in quotations:
        kept.append(text[at : one.mark.start])
        at = one.mark.end
    around = " ".join((*kept, text[at:]))
    if _BLANK.fullmatch(around):
        return True
    words = read_words(around)
    frames = load_word_lists("quotations")["frames"]
    known = (
        word in frames or word in names or (word.isdigit() and len(word) < 4) for word in words
    )
    return all(known) and _DENIALS.isdisjoint(words)


def _scan(text: str, signs: re.Pattern[str], start: int, end: int) -> Iterator[Quotation]:
    """Yield the quotations between `start` and `end`; a mark that opens again was not closed."""
    opened: int | None = None
    for match in signs.finditer(text, start, end):
        sign, at = match.group(), match.start()
        closes = opened is not None and sign in _PAIRS[text[opened]] and _closes(text, at)
        if opened is not None and closes and not (sign == "'" and _may_elide(text, opened, at)):
            inside = Span(opened + 1, at)
            yield Quotation(text=inside.of(text).strip(), span=inside, mark=Span(opened, at + 1))
            opened = None
        elif (opened is None or sign == text[opened]) and _opens(text, at):
            opened = at


def _opens(text: str, at: int) -> bool:
    """Return whether a mark opens: a straight one not behind a letter or a digit, as the inches of 5".

    Before a blank it opens only where nothing else is quoted: "  ".
    """
    sign = text[at]
    if sign not in _PAIRS:
        return False
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if sign in "\"'":
        blank = after.isspace() and _BLANK_QUOTED.match(text, at) is None
        return not before.isalnum() and after != "" and not blank
    return sign != "»" or not after.isspace()


def _closes(text: str, at: int) -> bool:
    """Return whether a mark of the right sort closes, and is no apostrophe and no further opening."""
    sign, after = text[at], text[at + 1 : at + 2]
    if sign in "'’":
        return not after.isalnum() and not text[at - 1].isspace()
    return sign != '"' or not (text[at - 1].isspace() and after.isalnum())


def _may_elide(text: str, opened: int, at: int) -> bool:
    """Return whether two straight single marks may be apostrophes: nothing leads in, no stop leads out."""
    return (
        text[max(0, opened - 8) : opened].rstrip()[-1:] not in _LEADS
        and text[at - 1] not in ".,!?…"
    )


def _place(quotation: Quotation) -> Span:
    return quotation.mark
