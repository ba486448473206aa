"""The headings, leads and questions that the sentences of an answer stand under."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.claim_heads import is_head
from verifier.core.sentences import BlockKind
from verifier.core.speech import is_question
from verifier.core.surroundings import SurroundingsReader

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.core.sentences import Sentence
    from verifier.core.surroundings import Surroundings

_ASIDE: Final = re.compile(  # Prices [2]:, 1. Prices
    r"\[[^\[\]]*\]|\A\W*\d{1,2}[.)]\s+"
)
_NO_PROSE: Final = frozenset({BlockKind.CODE, BlockKind.CARD, BlockKind.RULE})
_FURTHEST_TOPIC: Final = 5


def read_heads(answer: str, sentences: Sequence[Sentence]) -> Mapping[int, tuple[str, ...]]:
    """Return what is above each sentence of an answer, by where the sentence starts."""
    places = SurroundingsReader(answer)
    found: dict[int, tuple[str, ...]] = {}
    for sentence in sentences:
        if sentence.block in _NO_PROSE:
            found[sentence.span.start] = ()
            continue
        place = places.read(sentence)
        above = (_ASIDE.sub("", one).strip() for one in place.above)
        found[sentence.span.start] = (*(one for one in above if _leads(one)), *_find_topic(place))
    return found


def _leads(text: str) -> bool:
    """Return whether a line above a sentence heads it, and states nothing as a row of a table does."""
    if "|" in text:
        return False
    return text.rstrip("*_ ").endswith(":") or is_head(text)


def _find_topic(place: Surroundings) -> tuple[str, ...]:
    """Return the nearest question or words without a verb before a sentence: "Kettles?", "**Kettles.**"."""
    for _ in range(_FURTHEST_TOPIC):
        if place.earlier is None:
            break
        place = place.earlier
        if "|" not in place.sentence and (is_question(place.sentence) or is_head(place.sentence)):
            return (place.sentence.strip(),)
    return ()
