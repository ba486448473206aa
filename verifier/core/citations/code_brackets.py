"""Brackets that are no marks of citation: indexes of code, intervals, parts of names and formulas."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.citations.dressing import undress
from verifier.core.lexicons import load_word_lists

if TYPE_CHECKING:
    from verifier.core.citations.labels import KnownLabels
    from verifier.core.spans import Span

_NUMBERS: Final = re.compile(r"[0-9\s,;–—-]+")
_PAIR: Final = re.compile(r"\s*[0-9]+\s*[,;–—-]\s*[0-9]+\s*")  # 1, 3
_NAME: Final = re.compile(r"[\w.]{1,80}\Z")
_CODE_NAME: Final = re.compile(r"[a-z]|.*[^\W_]_[^\W_].*")  # x, my_list
_LAST_WORD: Final = re.compile(r"(?P<word>[^\W\d_]+)\s+\Z")
_LIES_IN: Final = re.compile(  # x in, lies in
    r"\b(?:[^\W\d_]|lies?|lying|lay|falls?|fell|integers?|reals|values?)\s+(?:in|within|from|over)\s+\Z",
    re.IGNORECASE,
)
_IS_A: Final = re.compile(  # [1, 3] is a closed interval
    r"\s+(?:is|denotes|forms)\s+an?\s+(?:\w{1,20}\s+)?(?:interval|range|list|vector|pair|tuple|set)\b"
)
_OPERATORS: Final = frozenset("=∈∉⊂⊆≈≤≥+×·^")
_STOPS: Final = frozenset(".!?,;:)]}\"'”’»*_")
_AFTER_INDEX: Final = re.compile(r"\.[a-z_]|[ ]?=|\[[^\]\n]{1,20}\]\s*=|\(")  # x[1].name, x[1] = 3


def is_something_else(text: str, mark: Span, inside: str, labels: KnownLabels) -> bool:
    """Return whether a bracket with numbers is an index, an interval, or a part of a name or a formula."""
    inside = undress(inside)[0]
    if _NUMBERS.fullmatch(inside) is None:
        return False
    before, behind = text[max(0, mark.start - 90) : mark.start], text[mark.end : mark.end + 24]
    if before[-1:].isalnum() or before[-1:] == "_":
        return _is_index(before, behind) or inside.strip() == "0" != labels.find("0")
    if before.endswith("]") and _is_index(before[: before.rfind("[")], ""):
        return True
    if before.rstrip()[-1:] in _OPERATORS or (before[-1:] in "^\\" and before):
        return True
    if behind[:1].islower() or (behind[:1] in "-–+" and behind[1:2].isalnum()):
        return before[-1:] not in _STOPS
    if _PAIR.fullmatch(inside) is None:
        return False
    return _is_interval(before, behind) or (inside[:2] in {"0,", "0;"} and labels.find("0") is None)


def _is_interval(before: str, behind: str) -> bool:
    """Return whether two numbers in brackets are an interval, a pattern or a list."""
    word = _LAST_WORD.search(before)
    told = (
        word is not None
        and word["word"].casefold() in load_word_lists("citations")["interval_words"]
    )
    quoted = before[-1:] in {"'", '"'} and behind[:1] == before[-1:]
    return told or quoted or _LIES_IN.search(before) is not None or _IS_A.match(behind) is not None


def _is_index(before: str, behind: str) -> bool:
    """Return whether a bracket stands behind the name of a variable."""
    name = _NAME.search(before)
    if name is None or name.group().endswith("."):
        return False
    written = name.group().rpartition(".")[2]
    if _CODE_NAME.fullmatch(written) or _AFTER_INDEX.match(behind):
        return True
    return written.casefold() in load_word_lists("citations")["index_names"]
