"""Words for the states of a catalog's attributes, where they stand in a text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.catalog.declarations import AttributeKind
from verifier.core.catalog.reading import read_state
from verifier.core.spans import Span
from verifier.core.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.catalog import Attribute, Catalog, EntityType
    from verifier.core.values import TextValue

_WORD: Final = re.compile(r"[^\W_]+(?:[-_][^\W_]+)*")
_LONGEST_STATE_WORDS: Final = 5
_LONGEST_CODE: Final = 2


def find_states(text: str, catalog: Catalog) -> Iterator[tuple[Span, TextValue, tuple[str, str]]]:
    """Yield each state that words of the text tell, its place, and the type and attribute it is of."""
    words = [(_fold_word(match.group()), match.span()) for match in _WORD.finditer(text)]
    for entity in catalog.entity_types:
        for attribute in entity.attributes:
            if attribute.kind is AttributeKind.STATE:
                yield from _find_states(text, words, entity, attribute)


def _find_states(
    text: str,
    words: Sequence[tuple[str, tuple[int, int]]],
    entity: EntityType,
    attribute: Attribute,
) -> Iterator[tuple[Span, TextValue, tuple[str, str]]]:
    """Yield the longest words for a state at each place."""
    phrases = _state_phrases(attribute)
    at = 0
    while at < len(words):
        lengths = range(min(_LONGEST_STATE_WORDS, len(words) - at), 0, -1)
        length = next((n for n in lengths if _phrase(words[at : at + n]) in phrases), 0)
        if length:
            span = Span(words[at][1][0], words[at + length - 1][1][1])
            value = read_state(attribute, span.of(text))
            yield span, value, (entity.name, attribute.name)
        at += length or 1


@lru_cache(maxsize=8192)
def _fold_word(word: str) -> str:
    return fold(word)


@lru_cache(maxsize=1024)
def _state_phrases(attribute: Attribute) -> frozenset[tuple[str, ...]]:
    return frozenset(
        _split(word)
        for state, others in attribute.states
        for word in (state, *others)
        if word is not state or not others or _is_word(state)
    )


def _is_word(state: str) -> bool:
    """Return whether a stored state is a word that prose may use, and no code: not `S`, `1`, `true`."""
    return (
        len(state) > _LONGEST_CODE
        and any(map(str.isalpha, state))
        and fold(state) not in {"true", "false"}
    )


def _phrase(words: Sequence[tuple[str, tuple[int, int]]]) -> tuple[str, ...]:
    return tuple(
        part for word, _ in words for part in word.replace("_", " ").replace("-", " ").split()
    )


def _split(written: str) -> tuple[str, ...]:
    return tuple(fold(written).replace("_", " ").replace("-", " ").split())
