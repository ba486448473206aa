"""The words before and after a value of a sentence, as far as they may speak of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.lexicons import load_word_lists
from verifier.core.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.spans import Span

_TOKEN: Final = re.compile(
    r"""\#\w+ | [^\W\d_]+-\d[\w-]*    # ids: #W290, SH-44
      | [^\W\d_]+(?:['’.][^\W\d_]+)*  # words: isn't, i.e
      | \d[\d.,]*                      # 1,234.50
      | \S                             # $ % ( =
    """,
    re.VERBOSE,
)
_MARKS: Final = frozenset("$€£¥₹₩₽฿₺₫₴")
_PERCENTS: Final = frozenset({"%", "percent", "pct", "per cent"})
_POINTS: Final = re.compile(r"\b(?:basis|percentage)?\s*points?\b|\bbps?\b|\bpp\b", re.IGNORECASE)
_TIMES: Final = re.compile(
    r"(?:second|minute|hour|day|night|week|month|year|min|hr|h|d)s?$", re.IGNORECASE
)
_MONTHS: Final = re.compile(
    r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\b|\d-\d\d-\d|\d/\d+/\d",
    re.IGNORECASE,
)
_STOPS: Final = frozenset(".;!?")
_CHARS_BEFORE: Final = 600
_CHARS_AFTER: Final = 200
_WORDS_AFTER: Final = 7
_LONGEST_PHRASE: Final = 4
_WORDS_BEFORE_BRACKET: Final = 8
_JOINTS: Final = frozenset({"and", "but", "so", "which", "while"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The folded tokens around a value, nearest last in `before` and `wide`, nearest first in `after`.

    `shape` is what the value looks like: money, percent, points, duration, date or number.
    """

    shape: str
    text: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    wide: tuple[str, ...]


def read_surroundings(sentence: str, span: Span) -> Surroundings:
    """Return the words that may speak of the value at `span`; time does not grow with the sentence."""
    written = span.of(sentence)
    left = _tokens(sentence[max(0, span.start - _CHARS_BEFORE) : span.start])
    right = _tokens(sentence[span.end : span.end + _CHARS_AFTER])
    if written.lstrip().startswith("="):
        left.append("=")
    shape = _shape(written)
    return Surroundings(
        shape=shape,
        text=fold(written),
        before=_reach_back(left, shape),
        after=_reach_on(right, shape),
        wide=_since_stop(left),
    )


def list_phrases(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield each run of up to four words, joined by `_`, and where it begins."""
    for index in range(len(words)):
        phrase = words[index]
        yield index, phrase
        for word in words[index + 1 : index + _LONGEST_PHRASE]:
            phrase = f"{phrase}_{word}"
            yield index, phrase


def find_phrases(words: Sequence[str], phrases: frozenset[str]) -> Iterator[int]:
    """Yield where in `words` one of the phrases begins."""
    return (index for index, phrase in list_phrases(words) if phrase in phrases)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(fold(text))


def _shape(written: str) -> str:
    text = fold(written)
    if _POINTS.search(text):
        return "points"
    if "%" in text or any(word in text for word in ("percent", "pct", "per cent")):
        return "percent"
    if _MARKS & set(text) or re.search(r"\b(?:usd|eur|gbp|dollars?|euros?|pounds?|cents?)\b", text):
        return "money"
    if re.search(r"\b[A-Z]{3}\b", written):
        return "money"
    if _MONTHS.search(text):
        return "date"
    return "duration" if _TIMES.search(text) else "number"


def _token_shape(tokens: Sequence[str], index: int) -> str:
    """Return the shape of the number at `index` by the tokens beside it."""
    before = tokens[index - 1] if index else ""
    after = tokens[index + 1] if index + 1 < len(tokens) else ""
    if before in _MARKS or after in _MARKS or len(tokens[index].partition(".")[2]) == 2:
        return "money"
    if after in _PERCENTS:
        return "percent"
    if after in {"basis", "percentage"}:
        return "points"
    return "duration" if _TIMES.fullmatch(after) else "number"


def _reach_back(tokens: list[str], shape: str) -> tuple[str, ...]:
    turns = load_word_lists("derivation_cues")["turns"]
    found: list[str] = []
    depth = 0
    for index in range(len(tokens) - 1, -1, -1):
        token = tokens[index]
        if token in {"(", "["} and depth == 0:
            if found:
                break
            found = tokens[max(0, index - _WORDS_BEFORE_BRACKET) : index][::-1]
            break
        depth += (token in {")", "]"}) - (token in {"(", "["})
        if depth:
            continue
        if token in _STOPS or token in turns:
            break
        if token[0].isdigit() and _token_shape(tokens, index) == shape:
            break
        found.append(token)
    return tuple(reversed(found))


def _reach_on(tokens: list[str], shape: str) -> tuple[str, ...]:
    found: list[str] = []
    for index, token in enumerate(tokens[: _WORDS_AFTER + 2]):
        if token in _STOPS or token in {"(", "[", ":"} or len(found) == _WORDS_AFTER:
            break
        if token in _JOINTS or (index and token.startswith(",")):
            break
        if token[0].isdigit() and _token_shape(tokens, index) == shape:
            break
        if token not in {")", "]"}:
            found.append(token)
    return tuple(found)


def _since_stop(tokens: list[str]) -> tuple[str, ...]:
    for index in range(len(tokens) - 1, -1, -1):
        if tokens[index] in _STOPS:
            return tuple(tokens[index + 1 :])
    return tuple(tokens)
