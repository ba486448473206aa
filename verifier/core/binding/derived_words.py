"""What in a clause makes a derived value less than a statement: its amount is settled, its words must fit.

A sentence may speak of what is to come ("will be refunded to your card"): the amount is what is claimed, and
it follows from what is known now. What may be, or is of something else, still leaves it open.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.binding.cautions import find_hedge
from verifier.core.binding.explained import find_unexplained
from verifier.core.binding.fact_words import stems_of
from verifier.core.binding.lead_ins import find_denial
from verifier.core.binding.money_flow import find_other_way
from verifier.core.binding.other_calculations import find_other_calculation
from verifier.core.binding.qualifiers import find_qualifier
from verifier.core.binding.roles import Role
from verifier.core.binding.selections import OVER_MANY, find_other_selection
from verifier.core.binding.vocabulary import groups_of
from verifier.core.derivation import Operation
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.text_stems import stem
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.judging import Judgement
    from verifier.core.binding.passages import Passage, Spot
    from verifier.core.binding.setting import Setting

_OF_AMOUNTS: Final = OVER_MANY | {Operation.UNIT_PRICE}
_PRICES: Final = frozenset({"price", "total", "paid", "subtotal"})
_ORIGINAL: Final = "original"
_BALANCE: Final = "balance"
_NEW: Final = frozenset({"new", "updated"})
_WORDS_OF: Final = {
    Operation.EXTREME: "leading",
    Operation.DIFFERENCE: "exchanging",
    Operation.BALANCE: "exchanging",
    Operation.DATE_DIFFERENCE: "lasting",
}


def find_stray_word(
    spot: Spot, derived: Judgement, setting: Setting, view: EvidenceView
) -> str | None:
    """Return a word that neither the operands, nor the calculation, nor its telling account for; or None."""
    known = _known_words(spot, derived) | _new_words(derived, view)
    known -= _untold_dealings(spot, derived, view)
    turned = (
        find_other_way(spot, derived, view)
        or find_other_selection(spot, derived, view)
        or _other_amounts(spot, derived, setting)
        or find_denial(spot)
        or find_other_calculation(spot, derived, view)
    )
    if turned is not None:
        return turned
    passage = _without_states(spot.passage, known)
    return find_hedge(passage, spot.clause, known) or find_unexplained(
        passage,
        spot.clause,
        spot.stated,
        [one.fact for one in derived.deciding],
        view,
        extra=known,
    )


def _other_amounts(spot: Spot, derived: Judgement, setting: Setting) -> str | None:
    """Return a word of a summed or divided field that makes it another amount: the deposit of the rent."""
    if derived.derivation is None or derived.derivation.operation not in _OF_AMOUNTS:
        return None
    found = (find_qualifier(spot, one.fact, setting) for one in derived.deciding)
    return next((word for word in found if word is not None), None)


def _untold_dealings(spot: Spot, derived: Judgement, view: EvidenceView) -> frozenset[str]:
    """Return the verbs of what is done with money that no operand of a sum or the like is told with."""
    if derived.derivation is None or derived.derivation.operation not in OVER_MANY:
        return frozenset()
    facts = [one.fact for one in derived.deciding]
    stems = frozenset().union(*(stems_of(fact, view) for fact in facts))
    if groups_of(stems) & _PRICES:
        stems |= {stem(word) for word in load_word_lists("cautions")["of_money"]}
    lists = load_word_lists("cautions")
    if lists["giving_back"] & set(read_words(spot.passage.sentence.text)):
        stems |= {stem("refunded")}
    return frozenset(word for word in lists["dealings"] if stem(word) not in stems)


def _known_words(spot: Spot, derived: Judgement) -> frozenset[str]:
    lists = load_word_lists("cautions")
    known = lists["calculating"] | lists["settled"] | lists["paying"]
    if derived.derivation is not None:
        known |= lists.get(_WORDS_OF.get(derived.derivation.operation, ""), frozenset())
        known |= lists.get(f"per_{derived.derivation.result.per}", frozenset())
    return known | _of_paying(spot)


def _new_words(derived: Judgement, view: EvidenceView) -> frozenset[str]:
    """Return "new" where what is summed holds what was put in, and nothing that it replaced."""
    roles = {view.roles.of(one.fact) for one in derived.deciding}
    return _NEW if Role.NEW in roles and Role.OLD not in roles else frozenset()


def _without_states(passage: Passage, known: frozenset[str]) -> Passage:
    """Return the passage where "refunded" of an amount is a word, and no state of a thing."""
    kept = (
        one
        for one in passage.values
        if one.value.kind is not Kind.STATE or one.value.text.casefold() not in known
    )
    return replace(passage, values=tuple(kept))


def _of_paying(spot: Spot) -> frozenset[str]:
    """Return "original" and "balance" where they only say what is paid with, not what was bought."""
    text = spot.text
    paying = load_word_lists("cautions")["paying"]
    words = read_words(text)
    told = {(_ORIGINAL, after) for after in paying} | {(before, _BALANCE) for before in paying}
    found = [pair for pair in pairwise(words) if pair in told]
    return frozenset(
        word
        for word in (_ORIGINAL, _BALANCE)
        if 0 < words.count(word) == sum(word in pair for pair in found)
    )
