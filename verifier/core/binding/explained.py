"""Whether every word of a clause is accounted for by the fact that it is held against.

Words are known one by one: a word that is not may be the one that makes the statement another one ("the
spare bulb of", "for members", "on Saturdays"). What is not accounted for leaves the value open.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.binding.cautions import rest_of_clause
from verifier.core.binding.vocabulary import groups_of
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import is_salutation, list_words, read_words
from verifier.core.text import content_stems
from verifier.core.text_stems import stem
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Passage
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import EvidenceFact
    from verifier.core.spans import Span

_KINDS: Final = {
    Kind.MONEY: "of_money",
    Kind.DURATION: "of_duration",
    Kind.DATE: "of_date",
    Kind.TIME: "of_time",
    Kind.QUANTITY: "of_quantity",
    Kind.NUMBER: "of_number",
    Kind.STATE: "of_state",
}


def find_unexplained(
    passage: Passage,
    clause: Span,
    stated: StatedValue,
    facts: Iterable[EvidenceFact],
    view: EvidenceView,
    *,
    extra: frozenset[str] = frozenset(),
) -> str | None:
    """Return a word of the clause that no fact, name, call or question accounts for, or None.

    `extra` are further words that may stand there, folded.
    """
    rest = rest_of_clause(passage, clause)
    if is_salutation(rest):
        return None
    known = _plain_words() | extra
    listed = _KINDS.get(stated.value.kind)
    if listed is not None:
        known |= load_word_lists("cautions")[listed]
    stems = view.asked_stems.union(*(_stems_of(fact, view) for fact in facts))
    groups = groups_of(stems)
    for word in read_words(rest):
        bare = stem(word.removesuffix("'s"))
        if word in known or bare in stems or word[0].isdigit() or len(word) == 1:
            continue
        if not groups_of((bare, word)) & groups:
            return word
    return None


def _stems_of(fact: EvidenceFact, view: EvidenceView) -> frozenset[str]:
    stems = set(fact.cues) | view.call_stems(fact)
    thing = fact.thing
    while thing is not None:
        stems |= thing.kinds
        for text in (*thing.names, *thing.descriptors, *thing.keys):
            stems.update(_stems(text))
        thing = thing.outer
    return frozenset(stems)


@lru_cache(maxsize=16_384)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in read_words(text)) | frozenset(content_stems(text))


@lru_cache(maxsize=1)
def _plain_words() -> frozenset[str]:
    return (
        load_word_lists("cautions")["plain"]
        | list_words("neutral")
        | list_words("linking")
        | list_words("finding")
    )
