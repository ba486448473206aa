"""Stems of content words, light enough that "month" and "monthly" stay two words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from verifier.core.lexicons import load_word_lists
from verifier.core.text_normal import normal_form

_CJK: Final = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_WORD: Final = re.compile(f"{_CJK.pattern}|[^\\W_]+(?:'[^\\W_]+)*")
_LONGEST_CACHED: Final = 300
_LONGEST_WORD: Final = 60
_CONTRACTED: Final = ("'s", "'re", "'ve", "'ll", "'d", "'m")
_NOUNS: Final = frozenset({"rating"})  # a rating is no rate
_VOWELS: Final = frozenset("aeiouy")


def content_stems(text: str) -> tuple[str, ...]:
    """Return the stems of the content words of `text` in order, repetitions included.

    Stop words and numbers are left out, words that deny or limit are not ("isn't" gives "not").
    Chinese characters and kana, which no space parts, are given in pairs.
    """
    return _stems_of_text(text) if len(text) <= _LONGEST_CACHED else _read_stems(text)


@lru_cache(maxsize=8_192)
def _stems_of_text(text: str) -> tuple[str, ...]:
    return _read_stems(text)


def _read_stems(text: str) -> tuple[str, ...]:
    stems: list[str] = []
    for word in _WORD.findall(normal_form(text).text):
        stems += _stems_of(word) if len(word) <= _LONGEST_WORD else _read_word(word)
    return tuple(stems)


@lru_cache(maxsize=16_384)
def _stems_of(word: str) -> tuple[str, ...]:
    return _read_word(word)


def _read_word(word: str) -> tuple[str, ...]:
    if _CJK.match(word):
        return tuple(word[at : at + 2] for at in range(max(1, len(word) - 1)))
    if word[0].isdigit():
        return ()
    if word.endswith("n't") or word == "cannot":
        return ("not",)
    for ending in _CONTRACTED:
        word = word.removesuffix(ending)
    stops = load_word_lists("stop_words")
    ignored = word in stops["english"] or word in stops["numbers"]
    return () if ignored else (stem(word[:_LONGEST_WORD]),)


@lru_cache(maxsize=8_192)
def stem(word: str) -> str:
    """Return the stem of a folded English word: without plural, -ed, -ing, a last e or doubled letter.

    Both sides of a comparison are stemmed, so a stem need be no word: "stores", "storing" give "stor".
    """
    if not word.isascii() or len(word) <= 3 or any(sign.isdigit() for sign in word):
        return word
    word = _without_plural(word)
    if word in _NOUNS:
        return word
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3 and rest[-1] != "e" and _VOWELS & set(rest):
            word = rest
            break
    word = word.removesuffix("e") if len(word) > 3 else word
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 2 and word[-1] == "y" else word


def _without_plural(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
