"""Where sentences end within a paragraph."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.lexicons import load_word_lists
from verifier.core.quoted_ranges import find_closed_ranges
from verifier.core.sentence_marks import MARKS, MarkOrder

if TYPE_CHECKING:
    from collections.abc import Iterator

_STOPS: Final = (
    r".!?\u2026\u203c\u203d\u2047-\u2049"  # Latin
    r"\u061f\u06d4\u0964\u0965\u0589\u1362\u104b\u17d4"  # Arabic, Devanagari, Armenian … Khmer
)
_SPACED_STOPS: Final = frozenset(".!?…")  # "Well . . . yes"
_STOP: Final = re.compile(
    rf"""
    (?: (?P<wide> [\u3002\uff01\uff1f\uff61]{{1,8}} )            # 好。
      | (?P<stop> [{_STOPS}]{{1,40}} ) )                         # Yes! So…
    (?P<close> [\"'\u2019\u201d\u00bb\u203a\u201c\u300d\u300f\uff09)\]*_`]{{0,8}} )
    {MARKS}
    """,
    re.VERBOSE,
)
_OPENING: Final = re.compile(
    r"\s{0,64}[\"'\u2018\u201c\u201e\u00ab\u2039\u300c(\[*_`~\u00bf\u00a1]{0,6}"
)
_NEXT_WORD: Final = re.compile(r"[^\W\d_]{1,40}")
_WORD_PARTS: Final = re.compile(r"[(\[{\"\u201c\u201e\u00ab,;:/]")
_ACRONYM: Final = re.compile(r"(?:\w\.){1,6}\w$")  # "U.S", "p.m"
_MARKER: Final = re.compile(r"(?:^\s*|[;,]\s{1,8})\d{1,2}$|[:(]\s{0,8}1$")  # "Steps: 1"
_SPACED_INITIALS: Final = re.compile(r"(?:^|\s)(\w)\.\s\w$")  # "z. B"
_UNIT_SIGN: Final = re.compile(r"\d[ \u00a0\u202f]?[^\W\d_]$")  # "4.5 V"
_DAY: Final = re.compile(r"(?:^|\s)\d{1,2}$")  # "am 3"
_LAST_NUMBER: Final = re.compile(r"\d{1,5}[A-Za-z]?[.!?]?\s*\Z")  # "Heerstr. 22."
_LOOK_BACK: Final = 48


def find_sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets in `text[start:end]` behind each sentence that another one follows."""
    prose = text[start:end]
    ranges = find_closed_ranges(prose)
    order = MarkOrder(prose)
    depth_end, following = 0, 0
    sentence = 0
    for match in _STOP.finditer(prose):
        while following < len(ranges) and ranges[following][0] < match.start():
            depth_end = max(depth_end, ranges[following][1])
            following += 1
        stop = order.find_end(match)
        if stop >= len(prose) or depth_end > stop:
            continue
        if _is_end(prose, sentence, match, stop):
            yield start + stop
            sentence = stop


@dataclass(frozen=True, slots=True)
class _Stop:
    """A full stop with what stands around it: words near it as written, the next sign, the next word."""

    before: str
    context: str
    following: str
    word: str
    next_initial: bool


def _is_end(prose: str, sentence: int, match: re.Match[str], end: int) -> bool:
    if match["wide"]:
        return True
    if not prose[end].isspace():
        return False
    opening = _OPENING.match(prose, end)
    at = opening.end() if opening else end
    following = prose[at : at + 1]
    if following in _SPACED_STOPS and not prose[at + 1 : at + 2].isalnum():
        return False
    word_match = _NEXT_WORD.match(prose, at)
    word = word_match.group() if word_match else ""
    if match["stop"] != ".":
        return _ends_after_signs(match["stop"], following, word)
    if _LAST_NUMBER.match(prose, at):
        return False
    context = prose[max(sentence, match.start() - _LOOK_BACK) : match.start()]
    return _ends_after_stop(
        _Stop(
            before=_word_before(context),
            context=context,
            following=following,
            word=word,
            next_initial=len(word) == 1 and prose[at + 1 : at + 2] == ".",
        )
    )


def _word_before(context: str) -> str:
    """Return what a stop stands behind, without brackets and marks before it; "z. B" is one word."""
    if not context or context[-1].isspace():
        return ""
    word = context.rsplit(maxsplit=1)[-1]
    if len(word) == 1:
        spaced = _SPACED_INITIALS.search(context)
        return f"{spaced[1]}.{word}" if spaced else word
    if word.isalpha():
        return word
    return _WORD_PARTS.split(word)[-1]


def _ends_after_signs(signs: str, following: str, word: str) -> bool:
    """Judge "!", "?", "..." and their like: they end a sentence unless a small letter follows."""
    if _opens_small(word):
        return False
    return not (signs.strip(".…") == "" and following.isdigit())


def _ends_after_stop(stop: _Stop) -> bool:
    lists = load_word_lists("abbreviations")
    folded = stop.before.casefold().strip("*_`")
    if folded in lists["never_ends"] or _goes_on_in_number(stop, folded):
        return False
    if _opens_small(stop.word):
        return _is_plain_word(folded)
    if folded in lists["before_small"]:
        return stop.word.casefold() not in lists["goes_on"]
    if not stop.word or stop.word.casefold() in lists["openers"]:
        return True
    return not _precedes_name(stop, folded)


def _goes_on_in_number(stop: _Stop, folded: str) -> bool:
    """Return whether the stop belongs to a number: "No. 5", "Jan. 5", "am 3. Mai", "Steps: 1. Open"."""
    lists = load_word_lists("abbreviations")
    if stop.following.isdigit() or stop.following in {"$", "€", "£", "#", "§"}:
        dated = folded in lists["before_day"] and stop.before[:1].isupper()
        return dated or folded in lists["before_number"]
    if not stop.context[-1:].isdigit():
        return False
    if _DAY.search(stop.context) and stop.word.casefold() in lists["months_after_stop"]:
        return True
    return bool(_MARKER.search(stop.context))


def _precedes_name(stop: _Stop, folded: str) -> bool:
    """Return whether a name may follow the stop: after an initial, an acronym, "St." or "Inc."."""
    if len(stop.before) == 1 and stop.before.isupper():
        return stop.next_initial or not _UNIT_SIGN.search(stop.context)
    if folded in load_word_lists("abbreviations")["before_name"]:
        return True
    if len(stop.before) == 1:
        return stop.next_initial
    return bool(_ACRONYM.search(stop.before))


def _opens_small(word: str) -> bool:
    """Return whether `word` begins small, unless it is written like iPhone or eBay."""
    return word[:1].islower() and word.islower()


def _is_plain_word(folded: str) -> bool:
    """Return whether the word before a stop can only be the end of a sentence written small."""
    lists = load_word_lists("abbreviations")
    known = any(folded in lists[name] for name in ("before_small", "before_name", "before_number"))
    return len(folded) > 4 and folded.isalpha() and not known
