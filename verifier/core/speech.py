"""What a sentence does: whether it states something at all, and what weakens what it states."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

from verifier.core.lexicons import load_word_lists
from verifier.core.text import fold

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_QUESTION: Final = ("?", "？", "؟")
_DENIALS: Final = frozenset({"not", "no", "nothing", "nowhere", "never"})
_LONGEST_PHRASE: Final = 5
_SILENT: Final = re.compile(  # The documents you gave me do not mention a price for that.
    r"""\W*(?:the|these|those|my|our)\s(?:\w+\s){0,2}
        (?:sources?|documents?|passages?|texts?|excerpts?|articles?|pages?)\b(?:\s\w+){0,4}?\s
        (?:do(?:es)?\snot|don['’]t|doesn['’]t)\s
        (?:mention|say|state|specify|tell|discuss|answer)\b[^,;:\d]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST_CACHED: Final = 400


def is_question(sentence: str) -> bool:
    """Return whether the sentence asks."""
    return sentence.rstrip(" \t\r\n\"'”’)*_").endswith(_QUESTION)


def is_talk(sentence: str) -> bool:
    """Return whether the sentence only greets, thanks, offers help, or says that it does not know."""
    words = read_words(sentence)
    return (
        _begins(words, _phrases("openings"))
        or holds(words, "refusals")
        or _tells_that_a_text_is_silent(words)
        or _SILENT.match(sentence) is not None
    )


def is_salutation(text: str) -> bool:
    """Return whether a part of a sentence only addresses the reader: "Hi Mira", "Good news", "Yes"."""
    words = read_words(text)
    return len(words) <= _LONGEST_PHRASE and (not words or _begins(words, _phrases("salutations")))


def read_words(text: str) -> tuple[str, ...]:
    """Return the folded words of `text`."""
    return _words_of_text(text) if len(text) <= _LONGEST_CACHED else _find_words(text)


@lru_cache(maxsize=4_096)
def _words_of_text(text: str) -> tuple[str, ...]:
    return _find_words(text)


def _find_words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(fold(text).replace("’", "'")))


def find_row(wanted: tuple[str, ...], words: tuple[str, ...]) -> int | None:
    """Return where the words `wanted` first stand in a row in `words`; None where they do not."""
    size = len(wanted)
    places = (at for at in range(len(words) - size + 1) if words[at : at + size] == wanted)
    return next(places, None) if size else None


def holds(words: tuple[str, ...], name: str) -> bool:
    """Return whether a phrase of the list `name` stands in the words."""
    phrases, firsts = _phrases(name), _first_words(name)
    return any(
        words[at : at + length] in phrases
        for at, word in enumerate(words)
        if word in firsts
        for length in range(1, _LONGEST_PHRASE + 1)
    )


def list_words(name: str) -> frozenset[str]:
    """Return the single words of the list `name`."""
    return load_word_lists("speech")[name]


def _tells_that_a_text_is_silent(words: tuple[str, ...]) -> bool:
    """Return whether a text is only said not to tell something ("Not stated in the given text.")."""
    telling, texts = list_words("telling_words"), list_words("text_words")
    if texts.isdisjoint(words) or telling.isdisjoint(words):
        return False
    own = telling | texts | list_words("linking") | list_words("silence_frame")
    denied = any(word in _DENIALS or word.endswith("n't") for word in words)
    return denied and all(word in own or word in _DENIALS or word.endswith("n't") for word in words)


def _begins(words: tuple[str, ...], phrases: frozenset[tuple[str, ...]]) -> bool:
    return any(words[:length] in phrases for length in range(1, _LONGEST_PHRASE + 1))


@cache
def _phrases(name: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(phrase.split("_")) for phrase in load_word_lists("speech")[name])


@cache
def _first_words(name: str) -> frozenset[str]:
    return frozenset(phrase[0] for phrase in _phrases(name))
