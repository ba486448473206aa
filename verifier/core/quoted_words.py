"""Where quoted words stand in a text, typography aside."""

from __future__ import annotations

import re
from typing import Final

from verifier.core.spans import Span
from verifier.core.text import normal_form

_QUOTED: Final = re.compile(r"[\"“„«](?P<inside>[^\"“”„«»\n]{3,20000})[\"”“»]")  # "these words"
_GOES_ON: Final = re.compile(r"\w\w|\d[.,]\d")
_LEAST_WORDS: Final = 2


def list_quotations(text: str) -> tuple[str, ...]:
    """Return what stands between double quotation marks, where it is more than one word."""
    inside = (match["inside"].strip().rstrip(".,") for match in _QUOTED.finditer(text))
    return tuple(one for one in inside if len(one.split()) >= _LEAST_WORDS)


def locate_words(words: str, text: str) -> Span | None:
    """Return the span of whole words in `text`; None where they do not stand there as they are."""
    wanted = normal_form(words).text.strip()
    if not any(sign.isalnum() for sign in wanted):
        return None
    held = normal_form(text)
    at = held.text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not (_goes_on_before(held.text, at) or _goes_on_after(held.text, end)):
            return held.locate(Span(at, end))
        at = held.text.find(wanted, at + 1)
    return None


def _goes_on_after(text: str, end: int) -> bool:
    """Return whether a word or a number that ends at `end` goes on there: "version 1" of "version 1.5"."""
    return _GOES_ON.match(text[end - 1 : end + 2]) is not None


def _goes_on_before(text: str, start: int) -> bool:
    """Return whether a word or a number goes on at `start`: "0 units" of "10 units", "5 kg" of "1.5 kg"."""
    before = text[max(0, start - 2) : start + 1]
    return _GOES_ON.match(before[-2:]) is not None or _GOES_ON.fullmatch(before) is not None
