"""Whether two clauses with the same words speak of different times: employs, employed, will employ."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.statements import list_stems
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Set

    from verifier.core.statements import Clause

_FUTURE: Final = frozenset({"will", "shall", "we'll", "you'll", "it'll", "they'll", "won't"})
_PROMISING: Final = frozenset({"be", "we", "you", "i", "we'll", "you'll"})
_CONDITIONAL: Final = frozenset({"would", "we'd", "you'd", "it'd", "they'd"})
_ALIKE: Final = frozenset({"cost", "cut", "put", "set", "let", "shut", "hit", "cast", "split"})
_BEFORE_VERB: Final = 3


def tells_another_time(part: Clause, clause: Clause) -> bool:
    """Return whether a verb of the two stands in another tense, as far as its form tells.

    "Will" is no other time than the present in what is promised: "we will refund you", "will be paid",
    "will arrive within 3 days".
    """
    stated, cited = read_words(part.stated), read_words(clause.stated)
    if bool(_CONDITIONAL & set(stated)) is not bool(_CONDITIONAL & set(cited)):
        return True
    if bool(_FUTURE & set(stated)) is not bool(_FUTURE & set(cited)) and not _promises(part):
        return True
    passive = load_word_lists("rule_words")["being"]
    if _lasts(part):
        passive -= {"been"}  # "has been closed for 5 days" is no "is closed for 5 days"
    mine, theirs = (frozenset(_list_past(words, passive)) for words in (stated, cited))
    if (mine ^ theirs) & part.stems & clause.stems:
        return True
    return _drops_ending(stated, cited) or _drops_ending(cited, stated)


def _promises(part: Clause) -> bool:
    return _lasts(part) or bool(part.words & _PROMISING)


def _lasts(part: Clause) -> bool:
    return any(one.value.kind is Kind.DURATION for one in part.values)


def _list_past(words: Sequence[str], passive: Set[str]) -> Iterator[str]:
    """Yield the stems of verbs in the past: "paid" and "has paid", not "is paid" behind a `passive` word."""
    for at, word in enumerate(words):
        before = set(words[max(0, at - _BEFORE_VERB) : at])
        if _is_past_form(word) and not before & passive:
            yield from list_stems(word)


def _is_past_form(word: str) -> bool:
    regular = word.endswith("ed") and not word.endswith("eed") and len(word) > len("used")
    return regular or word in load_word_lists("rule_words")["passive"] - _ALIKE


def _drops_ending(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether "entry cost" stands for "entry costs": the past of a verb that has one form."""
    following = set(pairwise(others))
    return any(
        word in _ALIKE and (before, f"{word}s") in following for before, word in pairwise(words)
    )
