"""Whether every word of a clause is accounted for by the fact that it is held against.

Words are known one by one: a word that is not may be the one that makes the statement another one ("the
spare bulb of", "for members", "on Saturdays"). What is not accounted for leaves the value open.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.binding.cautions import rest_of_clause
from verifier.core.binding.fact_words import find_told, stems_of
from verifier.core.binding.lead_ins import is_title
from verifier.core.binding.speaking import DENIALS, denies
from verifier.core.binding.subjects import numbers_around
from verifier.core.binding.vocabulary import groups_of
from verifier.core.lexicons import load_word_lists
from verifier.core.sentences import BlockKind
from verifier.core.speech import is_salutation, list_words, read_words
from verifier.core.text_stems import stem
from verifier.core.units import unit_of
from verifier.core.values import Kind, Quantity, TextValue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Passage, Spot
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import EvidenceFact
    from verifier.core.spans import Span

_SUBJECT_WORDS: Final = 3
_LONGEST_NOUN: Final = 40
_MEASURES: Final = frozenset({"profit", "margin", "loss", "expense"})
_NUMBER_WORDS: Final = frozenset(
    {
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
    }
)
_KINDS: Final = {
    Kind.MONEY: "of_money",
    Kind.PERCENT: "of_percent",
    Kind.DURATION: "of_duration",
    Kind.DATE: "of_date",
    Kind.TIME: "of_time",
    Kind.QUANTITY: "of_quantity",
    Kind.NUMBER: "of_number",
    Kind.STATE: "of_state",
}
_PRICES: Final = frozenset({"price", "prices"})
_CHARGES: Final = _PRICES | {"fee", "fees", "charge", "cost"}
_PLAIN_PRICES: Final = frozenset({"selling", "unit"})


def find_unexplained(
    passage: Passage,
    clause: Span,
    stated: StatedValue,
    facts: Iterable[EvidenceFact],
    view: EvidenceView,
    *,
    extra: frozenset[str] = frozenset(),
    told: frozenset[str] | None = None,
) -> str | None:
    """Return a word of the clause that no fact, name, call or question accounts for, or None.

    `extra` are further words that may stand there, folded; `told` those of other fields if known.
    """
    rest = _rest(passage, clause, stated)
    if is_salutation(rest) or not any(sign.isascii() and sign.isalpha() for sign in rest):
        return None
    facts = tuple(facts)
    known = _plain_words() | extra
    if denies(passage, clause, stated):
        known |= DENIALS
    listed = _KINDS.get(stated.value.kind)
    if listed is not None:
        known |= load_word_lists("cautions")[listed]
    stems = view.asked_stems.union(*(stems_of(fact, view) for fact in facts))
    if told is None:
        told = find_told(passage.text_without_dates(clause), facts, view)
    dated = stated.value.kind in {Kind.DATE, Kind.TIME}
    known |= {word for word in told if not (dated and word.endswith("ed"))}
    known -= _of_others(facts, stems, view) | _counted_for(passage, stated, stems)
    groups, words = groups_of(stems), read_words(rest)
    modifying = {word for word, noun in pairwise(words) if noun in _CHARGES}  # "cost price"
    known -= modifying & load_word_lists("cautions")["of_money"]
    known |= {word for word, noun in pairwise(words) if noun in _PRICES} & _PLAIN_PRICES
    unknown = [
        word
        for word in words
        if not (word in known or word.isdecimal() or len(word) == 1)
        and stem(word.removesuffix("'s")) not in stems
        and (word in modifying or not groups_of((stem(word), word)) & groups)
    ]
    named = not dated or bool(stems & {stem(word) for word in words})
    if view.names_nothing and named and all(fact.thing is None for fact in facts):
        unknown = _without_subject(unknown, passage, clause, stated)
    return _unexplained_state(passage, clause, stated, facts, view) or next(iter(unknown), None)


def find_head_word(
    spot: Spot, facts: Iterable[EvidenceFact], view: EvidenceView, extra: frozenset[str]
) -> str | None:
    """Return a word of the head above a table's value, or of a short heading, that no fact accounts for."""
    passage, stated = spot.passage, spot.stated
    heads = [passage.head_of(stated.span)]
    if passage.sentence.block is BlockKind.TABLE_ROW and passage.heads:
        heads.append(passage.heads[0])
    heads += [
        rest_of_clause(parent, parent.sentence.span)
        for parent in passage.parents
        if is_title(parent)
    ]
    words = [word for head in heads for word in read_words(head)]
    if not words:
        return None
    facts = tuple(facts)
    listed = _KINDS.get(stated.value.kind)
    known = _plain_words() | extra | load_word_lists("cautions")["heading"]
    known |= load_word_lists("cautions")[listed] if listed else frozenset()
    stems = view.asked_stems.union(*(stems_of(fact, view) for fact in facts))
    groups = groups_of(stems)
    return next(
        (
            word
            for word in words
            if not (word in known or word.isdecimal() or len(word) == 1)
            and stem(word) not in stems
            and not groups_of((stem(word), word)) & groups
            and unit_of(word) is None
        ),
        None,
    )


def _of_others(
    facts: Iterable[EvidenceFact], stems: frozenset[str], view: EvidenceView
) -> frozenset[str]:
    """Return the nouns for things in general that only fields of other results name: "contract"."""
    own = {fact.position for fact in facts}
    named = {word: stem(word) for word in load_word_lists("cautions")["generic"]}
    return frozenset(
        word
        for word, cue in named.items()
        if cue not in stems and not view.cue_places.get(cue, frozenset()) <= own
    )


def _counted_for(passage: Passage, stated: StatedValue, stems: frozenset[str]) -> frozenset[str]:
    """Return the noun that an amount is of, where the fact is of something else: "a two-year contract"."""
    offset = passage.sentence.span.start
    behind = read_words(passage.sentence.text[stated.span.end - offset :][:_LONGEST_NOUN])[:1]
    if stated.is_text or not passage.sentence.text[stated.span.end - offset :].startswith(" "):
        return frozenset()
    return (
        frozenset(word for word in behind if stem(word) not in stems)
        & load_word_lists("cautions")["generic"]
    )


def _rest(passage: Passage, clause: Span, stated: StatedValue) -> str:
    """Return the clause without names, ids and amounts; words for other states stay: they must fit."""
    free = next(
        (
            one.value.text
            for one in passage.values
            if one is not stated and clause.contains(one.span) and one.value.text.startswith("free")
        ),
        "",
    )
    return f"{rest_of_clause(passage, clause)} {free} {_inside_count(stated)}"


def _inside_count(stated: StatedValue) -> str:
    """Return the words between a number and what it counts: the free of "40 free seats"."""
    value = stated.value
    if not isinstance(value, Quantity) or value.kind not in {Kind.QUANTITY, Kind.DURATION}:
        return ""
    listed = load_word_lists("cautions")["numbering"]
    words = [word for word in read_words(value.text)[:-1] if word not in listed]
    return " ".join(word for word in words if word.isalpha() and not _is_of_number(word))


def _is_of_number(word: str) -> bool:
    return word in _NUMBER_WORDS or unit_of(word) is not None


def _without_subject(
    unknown: list[str], passage: Passage, clause: Span, stated: StatedValue
) -> list[str]:
    """Return the unknown words without those that name the subject, where a lone record names none.

    "The mug is about $20" of a record of one price: the call was about the mug.
    """
    offset = passage.sentence.span.start
    before = read_words(passage.sentence.text[clause.start - offset : stated.span.start - offset])
    subject = {
        word
        for word in before[:_SUBJECT_WORDS]
        if stated.is_text or not groups_of((stem(word), word)) & _MEASURES
    }
    return [word for word in unknown if word not in subject]


def _unexplained_state(
    passage: Passage,
    clause: Span,
    stated: StatedValue,
    facts: tuple[EvidenceFact, ...],
    view: EvidenceView,
) -> str | None:
    """Return another word for a state in the clause that the things which decided are not in.

    Of a date it must be the word of its field: "was shipped on" is not when the order was placed.
    """
    dated = stated.value.kind in {Kind.DATE, Kind.TIME}
    stems = frozenset().union(*(fact.cues for fact in facts))
    for other in passage.values:
        told = other is not stated and clause.contains(other.span)
        if not told or not isinstance(other.value, TextValue) or other.value.kind is not Kind.STATE:
            continue
        words = [stem(word) for word in read_words(other.value.text)]
        if set(words) & stems or groups_of(words) & groups_of(stems):
            continue
        things = {thing.number for thing in view.in_state(other.value.folded)}
        own = {number for fact in facts for number in numbers_around(fact)}
        behind = other.span.start >= stated.span.end
        if (dated and not behind) or not things & own:
            return other.value.text
    return None


@lru_cache(maxsize=1)
def _plain_words() -> frozenset[str]:
    return (
        load_word_lists("cautions")["plain"]
        | list_words("neutral")
        | list_words("linking")
        | list_words("finding")
        | load_word_lists("cautions")["generic"]
    )
