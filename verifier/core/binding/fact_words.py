"""Words that a fact accounts for: its own, its thing's, its call's, and those of the record's other fields.

"Desk Lamp: white, low brightness, not waterproof ($135.24)" tells three other fields of the priced record.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.lexicons import load_word_lists
from verifier.core.speech import find_row, read_words
from verifier.core.text import content_stems, fold
from verifier.core.text_stems import stem
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.facts.model import EvidenceFact

_LONGEST_VALUE: Final = 100
_YES: Final = frozenset({"yes", "true"})
_NO: Final = frozenset({"no", "false", "none", "0"})
_DENIALS: Final = frozenset({"no", "not", "non", "without", "isn't", "aren't"})
_REACH: Final = 3
_AMOUNTS: Final = frozenset({"amount", "valu"})
_REFUND: Final = "refund"
_FEWEST_INITIALS: Final = 3
_NUMBERED_NAME: Final = re.compile(r"(?<=[a-z]{3})_\d+\Z")  # "gift_card_7711"
_DATED: Final = frozenset({Kind.DATE, Kind.TIME})
_SUBJECT: Final = re.compile(r"\s*(?:of|is|are|was|were|has|have|costs?)\b", re.IGNORECASE)

_ATTACHED: Final = re.compile(r"\b(?:with|in|for|on|at|by)\s+(?:(?:the|an?|its|your)\s+)?\Z")


def stems_of(fact: EvidenceFact, view: EvidenceView) -> frozenset[str]:
    """Return the stems of a fact's attribute and value, of its call, its thing and what encloses that."""
    found = view.stems_of.get(fact)
    if found is None:
        found = view.stems_of[fact] = _read_stems(fact, view)
    return found


def _read_stems(fact: EvidenceFact, view: EvidenceView) -> frozenset[str]:
    stems = set(fact.cues) | view.call_stems(fact)
    stems.update((*_field_words(fact), *_initials(_field_words(fact))))
    stems.update(stem(word) for word in read_words(fact.fact.value.text[:_LONGEST_VALUE]))
    thing = fact.thing
    while thing is not None:
        stems |= thing.kinds
        for text in (*thing.names, *thing.descriptors, *thing.keys):
            stems.update(_stems(text))
        thing = thing.outer
    if _AMOUNTS & set(fact.cues) and stems & _words("storing"):
        stems |= _words("stored")
    if _REFUND in fact.cues:
        stems |= _words("given_back")
    if stems & _words("to_change"):
        stems |= _words("to_change")
    return frozenset(stems)


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(stem(word) for word in load_word_lists("cautions")[name])


def find_told(text: str, facts: Iterable[EvidenceFact], view: EvidenceView) -> frozenset[str]:
    """Return the words of `text` that tell other fields of the records that `facts` are of.

    The field's value must stand there; its name then may. "No" or "not" may stand before the name of a
    field that is off.
    """
    facts = tuple(facts)
    numbers = frozenset(fact.thing.number for fact in facts if fact.thing is not None)
    positions = frozenset(fact.position for fact in facts if fact.thing is None)
    told = view.told.get((text, numbers, positions))
    if told is None:
        words = read_words(text)
        others = (
            *(one for position in positions for one in view.unnamed(position)),
            *(one for number in numbers for one in view.beside(number)),
        )
        told = frozenset(word for one in others for word in _words_told(one, words, text))
        view.told[text, numbers, positions] = told
    return told


def _words_told(fact: EvidenceFact, words: tuple[str, ...], text: str) -> Iterator[str]:
    value = fact.fact.value
    if not fact.fact.attribute or len(value.text) > _LONGEST_VALUE:
        return
    field = _field_words(fact)
    folded = value.text.casefold()
    if folded in _YES:
        yield from _feature(field, words)
    elif folded in _NO:
        at = find_row(field, words)
        near = () if at is None else words[max(0, at - _REACH) : at]
        if denial := _DENIALS & set(near):
            yield from (*field, *denial)
    else:
        own = read_words(_NUMBERED_NAME.sub("", value.text).replace("_", " "))
        at = find_row(own, words)
        apart = at is not None and not (value.text.isdecimal() and _is_in_word(value.text, text))
        if apart and value.kind not in _DATED and not _is_subject(value.text, field, text):
            yield from (*own, *field, *_initials(field))


def _feature(field: tuple[str, ...], words: tuple[str, ...]) -> Iterator[str]:
    """Yield the words that tell a field that is on: "includes breakfast" of `breakfast_included`."""
    having = load_word_lists("cautions")["having"]
    names = tuple(word for word in field if word not in having)
    if names and find_row(names, words) is not None and not _DENIALS & set(words):
        yield from (*names, *having)


def _field_words(fact: EvidenceFact) -> tuple[str, ...]:
    return tuple(word for name in fact.fact.attribute for word in read_words(name))


def _initials(field: tuple[str, ...]) -> Iterator[str]:
    """Yield what a name of three words or more is short for: FOV, the field of view."""
    if len(field) >= _FEWEST_INITIALS:
        yield "".join(word[0] for word in field)


def _is_in_word(number: str, text: str) -> bool:
    """Return whether a number only stands within an id or the like: the 3 of "FL-3"."""
    return re.search(rf"(?<![\w-]){number}(?![\w-])", text) is None


def _is_subject(value: str, field: Sequence[str], text: str) -> bool:
    """Return whether a verb or "of" follows a value: then something is said of it, not by it.

    The field's name may stand between: "standard shipping costs", but not "with standard shipping costs".
    """
    text, value = fold(text), fold(value)
    at = text.find(value)
    if at < 0:
        return False
    end = at + len(value)
    if _SUBJECT.match(text, end):
        return True
    named = re.compile(r"(?:\s+(?:" + "|".join(map(re.escape, field)) + r")\b)+").match(text, end)
    if named is None or value.isdecimal() or _ATTACHED.search(text, 0, at):
        return False
    return _SUBJECT.match(text, named.end()) is not None


@lru_cache(maxsize=16_384)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in read_words(text)) | frozenset(content_stems(text))
