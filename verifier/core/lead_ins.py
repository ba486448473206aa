"""What makes a text less than a statement: a question, a struck-out line, the words that lead into it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.sentences import BlockKind
from verifier.core.speech import holds, is_question, list_words, read_words

if TYPE_CHECKING:
    from verifier.core.sentences import Sentence

_DENYING: Final = frozenset({"not", "no", "never", "cannot", "neither", "none", "nor"})
_EXCEPTIONS: Final = frozenset({"except", "excepted", "exception", "exceptions", "excluded"})
_STRUCK: Final = re.compile(r"~~|</?(?:s|del|strike)>", re.IGNORECASE)


class Context:
    """Reads the sentences of one text in order, and knows what leads into the next."""

    def __init__(self) -> None:
        self._heading = False
        self._lead = False

    def weakens(self, sentence: Sentence) -> bool:
        """Return whether the sentence states less than its words."""
        if sentence.block is BlockKind.HEADING:
            return False
        listed = sentence.block is BlockKind.LIST_ITEM
        return (
            self._heading
            or (self._lead and listed)
            or is_question(sentence.text)
            or is_struck(sentence.text)
        )

    def pass_on(self, sentence: Sentence, *, valued: bool) -> None:
        """Keep what the sentence means for those that follow it."""
        if sentence.block is BlockKind.HEADING:
            self._heading = weakens_what_follows(sentence.text, valued=False)
            self._lead = False
        elif sentence.block is not BlockKind.LIST_ITEM:
            leads = sentence.text.rstrip().endswith(":")
            self._lead = leads and weakens_what_follows(sentence.text, valued=valued)


def is_struck(text: str) -> bool:
    """Return whether a text has the marks of a line through it."""
    return _STRUCK.search(text) is not None


def weakens_what_follows(text: str, *, valued: bool) -> bool:
    """Return whether words that lead into a statement deny, date, limit or attribute it."""
    words = read_words(text)
    return (
        valued
        or holds(words, "conditions")
        or holds(words, "limiting_leads")
        or any(word in list_words("limiting_words") or word.endswith("n't") for word in words)
    )


def takes_back(text: str) -> bool:
    """Return whether a sentence limits the one before it: an exception, or that it does not apply."""
    words = read_words(text)
    return bool(words) and (words[0] in list_words("exception_openings") or denies_before(text))


def denies_before(text: str) -> bool:
    """Return whether a sentence tells of an exception to the one before it, or that it does not apply."""
    words = read_words(text)
    if not words:
        return False
    if words[0] in _EXCEPTIONS:
        return True
    denied = any(word in _DENYING or word.endswith("n't") for word in words)
    points = words[0] in list_words("pointing_words")
    return denied and points and any(word in list_words("applying_words") for word in words)
