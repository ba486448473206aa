"""Values that stand in a text of the evidence which the answer repeats: an address, a name with a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.binding.judging import Fate, Judgement
from verifier.core.binding.scoring import Candidate
from verifier.core.text import fold
from verifier.core.values import Kind, TextValue

if TYPE_CHECKING:
    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Passage
    from verifier.core.binding.stated_values import StatedValue

_MOST_FACTS: Final = 200
_LONGEST: Final = 200


def names_thing(judgement: Judgement) -> bool:
    """Return whether what is repeated only names a thing: "ICE 571"; its number is then no value."""
    fact = judgement.deciding[0].fact
    text, thing = fold(fact.fact.value.text), fact.thing
    named = thing is not None and text in {*thing.keys, *(fold(one) for one in thing.names)}
    return named or fact.fact.value.kind in {Kind.NAME, Kind.IDENTIFIER}


def find_quoted(passage: Passage, stated: StatedValue, view: EvidenceView) -> Judgement | None:
    """Return the proof that the answer repeats a short text of the evidence around its number, or None.

    The text has a word beside the number ("123 Elm Street", "Suite 640"), and stands in the sentence as it
    is: the number means there what it means here.
    """
    number = fold(stated.value.text)
    facts = view.proof(view.evidence.holds_text(number)[:_MOST_FACTS])
    sentence = ""
    for fact in facts:
        text = fact.fact.value.text
        if not isinstance(fact.fact.value, TextValue) or fact.clause is not None:
            continue
        if len(text) > _LONGEST or len(text.split()) < 2:
            continue
        sentence = sentence or f" {fold(passage.sentence.text)} "
        if _holds(sentence, fold(text)):
            candidate = Candidate(fact=fact, subject=0, attribute=0)
            detail = f"the evidence has {text!r} in these words"
            return Judgement(fate=Fate.PROVED, detail=detail, deciding=(candidate,))
    return None


def _holds(sentence: str, text: str) -> bool:
    at = sentence.find(text)
    if at < 1:
        return False
    before, after = sentence[at - 1], sentence[at + len(text)]
    return not before.isalnum() and not after.isalnum()
