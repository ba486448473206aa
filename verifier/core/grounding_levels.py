"""Levels of grounding: what an answer may say beyond its sources, and how it marks that it does."""

from __future__ import annotations

from functools import cache
from typing import Final

from verifier.core.grounded_kinds import find_grounded_kind
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.turns import Level
from verifier.core.verdicts import VerdictCode
from verifier.errors import InputError

GENERAL: Final = "marked as general knowledge, which is not checked"
_LONGEST_LABEL: Final = 6


def read_level(level: Level | str) -> Level:
    """Return the level of that name. Raises InputError for another name."""
    try:
        return Level(level)
    except ValueError:
        names = ", ".join(Level)
        raise InputError(f"there is no level {level!r}; there are {names}") from None


def allows_general(sentence: str, level: Level) -> bool:
    """Return whether the level lets a sentence state general knowledge, and it is marked as that."""
    return level is Level.LABELLED_GENERAL and is_labelled_general(sentence)


def judge_uncited(sentence: str, level: Level) -> tuple[VerdictCode, str]:
    """Return code and detail of a statement without citation, where citations are demanded."""
    if allows_general(sentence, level):
        return VerdictCode.GENERAL_KNOWLEDGE, GENERAL
    if level is Level.LABELLED_GENERAL and _is_marked(read_words(sentence)):
        kind = find_grounded_kind(sentence) or "what the operator does"
        detail = f"it cites nothing; its mark does not help: {kind} needs a source at any level"
        return VerdictCode.MISSING_CITATION, detail
    return VerdictCode.MISSING_CITATION, "it cites nothing"


def is_labelled_general(sentence: str) -> bool:
    """Return whether a sentence begins with a mark of general knowledge ("In general, ...").

    One that speaks of what is the operator's own ("In general, our plans are larger") is none, whatever its
    mark: what "we" do is for the sources to say. So are the kinds of fact that need a source at any level.
    """
    words = read_words(sentence)
    if not _is_marked(words) or load_word_lists("grounding")["own_words"] & set(words):
        return False
    return find_grounded_kind(sentence) is None


def _is_marked(words: tuple[str, ...]) -> bool:
    return any(words[:length] in _labels() for length in range(1, _LONGEST_LABEL + 1))


@cache
def _labels() -> frozenset[tuple[str, ...]]:
    labels = load_word_lists("grounding")["general_labels"]
    return frozenset(tuple(label.split("_")) for label in labels)
