"""The noun after a count: which words can be one, and its singular."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.tokens import WORD
from verifier.core.tables import read_table, word_set
from verifier.core.units import is_unit_word

if TYPE_CHECKING:
    from verifier.core.quantities.tokens import Stream

_ADJECTIVES_AT_MOST: Final = 2
_LONGEST_WORD: Final = 40


def find_noun(stream: Stream, index: int, *, single: bool) -> tuple[str, int] | None:
    """Return the singular of the counted noun near token `index`, and the index after it, or None.

    Up to two adjectives may stand before a plural noun (`3 new features`); after one (`single`) the
    word itself must be the noun.
    """
    first = stream.folds[index]
    if first in {"times", "time"} and per_follows(stream, index + 1):
        return "time", index + 1
    if not _is_candidate(stream, index) or stream.glued(index):
        return None
    if is_plural(first):
        return singular(first), index + 1
    if single:
        return _single_noun(stream, index)
    for ahead in range(index + 1, index + 1 + _ADJECTIVES_AT_MOST):
        if not _is_candidate(stream, ahead):
            return None
        if is_plural(stream.folds[ahead]):
            return singular(stream.folds[ahead]), ahead + 1
    return None


def _is_candidate(stream: Stream, index: int) -> bool:
    word = stream.folds[index]
    return stream.kinds[index] == WORD and len(word) <= _LONGEST_WORD and can_be_noun(word)


def _single_noun(stream: Stream, index: int) -> tuple[str, int] | None:
    """Return the last of up to three words after `one` or `1` that can be nouns."""
    end = index
    while (
        end < index + 3
        and stream.kinds[end] == WORD
        and can_be_noun(stream.folds[end])
        and stream.words[end].islower()
    ):
        end += 1
    word = stream.folds[end - 1]
    if end == index or len(word) < 3 or word in word_set("quantity_words", "one_idioms"):
        return None
    return word, end


def per_follows(stream: Stream, index: int) -> bool:
    """Return whether a rate follows, such as `a week`, `per day`, `each month`."""
    return stream.folds[index] in {"a", "per", "an", "each", "every"} and is_unit_word(
        stream.folds[index + 1]
    )


@lru_cache(maxsize=4096)
def can_be_noun(word: str) -> bool:
    """Return whether a case-folded word is neither a function word nor a common verb."""
    return (
        len(word) > 1
        and word.isalpha()
        and word not in word_set("quantity_words", "not_nouns")
        and word not in word_set("quantity_words", "verbs")
    )


@lru_cache(maxsize=4096)
def is_plural(word: str) -> bool:
    """Return whether an English word looks like a plural noun."""
    if (
        word in word_set("quantity_words", "irregular_nouns")
        or word in read_table("quantity_words")["irregular_singulars"]
    ):
        return True
    return (
        len(word) > 3
        and word.endswith("s")
        and not word.endswith(("ss", "us", "is"))
        and word not in word_set("quantity_words", "uncountable_s")
    )


@lru_cache(maxsize=4096)
def singular(word: str) -> str:
    """Return the singular of an English noun, by rule and a list of exceptions."""
    irregular: dict[str, str] = read_table("quantity_words")["irregular_singulars"]
    if word in irregular:
        return irregular[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word[:-1] if is_plural(word) else word
