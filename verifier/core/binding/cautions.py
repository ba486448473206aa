"""What in a clause turns the sense of its values, so that a record neither proves nor refutes them."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from verifier.core.binding.states import find_states, groups_of_state
from verifier.core.binding.vocabulary import groups_of
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.text_stems import stem
from verifier.core.values import Kind, TextValue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.binding.passages import Passage
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import EvidenceFact
    from verifier.core.spans import Span

_STRUCK: Final = "~~"
_RELATING: Final = frozenset("≠≈~<>≤≥≮≯∼")
_AS_ASKED: Final = re.compile(
    r"\bas (?:you )?(?:have )?(?:requested|asked|wanted)\b", re.IGNORECASE
)
_REASON: Final = re.compile(  # "which is likely why you see no signal"
    r",?\s*\bwhich (?:is|may be|could be) (?:likely |probably |also )?(?:why|because|due|the reason)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_IS_PART: Final = re.compile(r"\b(?:is|are|was|were|as) (?:also )?part of\b", re.IGNORECASE)
PERMITTING: Final = frozenset({"may", "can", "must"})
_BELONGING: Final = re.compile(  # "under your account", "from order"
    r"\b(?:under|from|on|in|for)\s+(?:(?:your|this|the|his|her|their)\s+)?"
    r"(?:account|user\s+id|profile|name|order|reservation|booking)\b",
    re.IGNORECASE,
)
_CROSSES: Final = frozenset("❌❎✗✘✖🚫⛔👎")
_CONTRACTED: Final = ("'s", "'re", "'ve", "'m", "'ll", "'d", "n't")


def rest_of_clause(passage: Passage, clause: Span) -> str:
    """Return the words of a clause outside its values and what names things."""
    offset = passage.sentence.span.start
    spans = [one.span for one in passage.values]
    spans += [one.span for one in passage.mentions if one.by != "part"]
    spans += passage.quoted
    apart = sorted(one for one in spans if clause.overlaps(one))
    kept, at = [], clause.start
    for span in apart:
        kept.append(passage.sentence.text[at - offset : max(at, span.start) - offset])
        at = max(at, span.end)
    kept.append(passage.sentence.text[at - offset : max(at, clause.end) - offset])
    return _BELONGING.sub(" ", " ".join(kept))


def find_turning(
    passage: Passage, clause: Span, known: frozenset[str] = frozenset(), *, permits: bool = False
) -> str | None:
    """Return the word of a clause that makes it less than a plain statement, or None.

    Words whose stems are `known` (of the attribute itself) do not, nor, of a bound, those that permit.
    """
    return find_hedge(passage, clause, known, permits=permits) or _first(
        passage, clause, "comparing", known
    )


def find_hedge(
    passage: Passage, clause: Span, known: frozenset[str] = frozenset(), *, permits: bool = False
) -> str | None:
    """Return the word of a clause that makes it a possibility, a wish, a condition, or another's word."""
    if permits:
        known |= PERMITTING
    rest = rest_of_clause(passage, clause)
    if _STRUCK in passage.sentence.text:
        return _STRUCK
    sign = next((one for one in rest if one in _CROSSES or one in _RELATING), None)
    if sign is not None:
        return sign
    return _first(passage, clause, "turning", known) or _foreign(read_words(rest))


def _first(passage: Passage, clause: Span, name: str, known: frozenset[str]) -> str | None:
    rest = _REASON.sub(" ", _AS_ASKED.sub(" ", rest_of_clause(passage, clause)))
    words = read_words(rest)
    risky = load_word_lists("cautions")[name]
    single = next((one for one in words if one in risky and not {one, stem(one)} & known), None)
    if single is not None:
        return single
    pairs = ("_".join(words[at : at + 2]) for at in range(len(words) - 1))
    return next((pair for pair in pairs if pair in risky), None)


def _foreign(words: Sequence[str]) -> str | None:
    """Return a word that no English sentence has, where the others are English."""
    odd = [word for word in words if not word.isascii()]
    if odd and len(odd) < len(words):
        return odd[0]
    return next((word for word in words if "'" in word and not word.endswith(_CONTRACTED)), None)


def _words_of_parts(passage: Passage, clause: Span, stated: StatedValue) -> tuple[str, ...]:
    """Return the words before a state that make it one of a part: "the return of", "part of"."""
    offset = passage.sentence.span.start
    before = passage.sentence.text[clause.start - offset : stated.span.start - offset]
    about = load_word_lists("cautions")["of_states"]
    return tuple(word for word in read_words(_IS_PART.sub(" ", before)) if word in about)


def find_time_shift(passage: Passage, clause: Span, stated: StatedValue) -> str | None:
    """Return a word behind a value that sets it at another time: "before the discount"; or None."""
    lists = load_word_lists("cautions")
    if stated.is_text:
        return _first(passage, clause, "prospective", frozenset())
    offset = passage.sentence.span.start
    behind = read_words(passage.sentence.text[stated.span.end - offset : clause.end - offset])
    return next((word for word in behind if word in lists["following"]), None)


def find_narrowing(
    passage: Passage,
    clause: Span,
    stated: StatedValue,
    fact: EvidenceFact,
    told: frozenset[str] = frozenset(),
) -> str | None:
    """Return a word of a clause that makes its value another attribute than the fact's, or None.

    Words of other fields that are `told` there do not.
    """
    lists = load_word_lists("cautions")
    words = read_words(rest_of_clause(passage, clause))
    if stated.value.kind is not Kind.MONEY:
        words = _words_of_parts(passage, clause, stated) if stated.is_text else ()
    known = _known_stems(fact)
    groups = groups_of(known)
    for word in words:
        narrows = word in lists["narrowing"] and stem(word) not in known and word not in told
        if narrows and not groups_of((stem(word),)) & groups:
            return word
        asked = word in lists["past"] and stated.value.kind is Kind.MONEY
        if asked and "price" in groups and not known & _paid():
            return word
    return _other_state(passage, clause, stated, fact)


@cache
def _paid() -> frozenset[str]:
    """Return the stems of what an amount is called that was paid, and so was."""
    return frozenset(stem(word) for word in load_word_lists("cautions")["paid"])


def _other_state(
    passage: Passage, clause: Span, stated: StatedValue, fact: EvidenceFact
) -> str | None:
    """Return a colour or the like that the clause tells and the fact's thing does not have."""
    if fact.thing is None:
        return None
    told = (
        one.value.text
        for one in passage.values
        if one is not stated
        and isinstance(one.value, TextValue)
        and "colour" in groups_of_state(one.value.folded)
        and (clause.contains(one.span) or not _names_elsewhere(passage, clause))
    )
    texts = (*fact.thing.descriptors, *fact.thing.names)
    described = {value.folded for text in texts for _, value in find_states(text)}
    return next((word for word in told if word.casefold() not in described), None)


def _names_elsewhere(passage: Passage, clause: Span) -> bool:
    return any(not clause.contains(one.span) for one in passage.mentions)


def _known_stems(fact: EvidenceFact) -> frozenset[str]:
    stems = set(fact.cues)
    thing = fact.thing
    while thing is not None:
        stems |= thing.kinds
        stems.update(stem(word) for name in thing.names for word in read_words(name))
        thing = thing.outer
    return frozenset(stems)
