"""Whether a clause says of a thing just one attribute, and no word of it could turn its sense."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.catalog.declarations import AttributeKind
from verifier.core.field_names import field_words
from verifier.core.known_keys import abbreviates
from verifier.core.spans import Span
from verifier.core.speech import holds, list_words, read_words
from verifier.core.text import content_stems
from verifier.core.text_stems import stem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.catalog import Attribute, Catalog, EntityType

NEGATIONS: Final = frozenset(
    {"not", "never", "no", "isn't", "hasn't", "wasn't", "haven't", "aren't"}
)
_KIND_WORD: Final = re.compile(r"\b(?:the|our|your|this)\s(?P<kind>[^\W\d_]+)\s\Z", re.IGNORECASE)
_NUMBER_WORD: Final = re.compile(r"(?P<title>\w+)\s(?P<number>no\.?\s?[:#]?\s?)\Z", re.IGNORECASE)
_LONGEST_TITLE: Final = 60
_PAST: Final = frozenset({"was", "were"})
_WITH_DENIAL: Final = "yet"
_CROSSES: Final = frozenset("❌❎✗✘✖🚫⛔👎")


def says_no_more(
    text: str,
    clause: Span,
    apart: Sequence[Span],
    told: tuple[EntityType, Attribute],
    *,
    dated: bool = False,
) -> bool:
    """Return whether every word of the clause outside `apart` (things and values) is accounted for.

    Words are known one by one: a word that is not may be the one that denies, dates or weakens. One
    denial is accounted for, two are not. What a clause dates itself (`dated`) may have been.
    """
    entity, attribute = told
    rest = _without(text, clause, apart)
    words = read_words(rest)
    denials = sum(word in NEGATIONS for word in words)
    if denials > 1 or holds(read_words(clause.of(text)), "hedges") or has_turning_sign(rest):
        return False
    if attribute.kind is AttributeKind.MONEY and not dated and _PAST & set(words):
        return False
    known = list_words("neutral") | list_words("linking") | NEGATIONS
    if denials:
        known |= {_WITH_DENIAL}
    telling = " ".join((*attribute.labels, *field_words(entity.name), *field_words(entity.plural)))
    if attribute.kind is AttributeKind.MONEY:
        telling = " ".join((telling, *sorted(list_words("price_words"))))
    allowed = known | frozenset(read_words(telling))
    stems = stems_of_words(telling)
    return all(
        word in allowed or (stem(word) in stems and not word.endswith("ed")) for word in words
    )


def denies(text: str, clause: Span, apart: Sequence[Span]) -> bool:
    """Return whether a word of the clause outside `apart` denies."""
    return bool(NEGATIONS & set(read_words(_without(text, clause, apart))))


def with_number_word(text: str, named: Span, entity: EntityType) -> Span:
    """Return the span of an id with the "no." before it, where that stands behind its title."""
    before = _NUMBER_WORD.search(text[max(0, named.start - _LONGEST_TITLE) : named.start])
    if before is None or before["title"].casefold() not in entity.titles:
        return named
    return Span(named.start - len(before["number"]), named.end)


def with_kind_word(text: str, named: Span) -> Span:
    """Return the span of an id with the noun before it that it is short for: "lamp LMP-1"."""
    before = _KIND_WORD.search(text[max(0, named.start - _LONGEST_TITLE) : named.start])
    if before is None or not abbreviates(named.of(text), before["kind"]):
        return named
    return Span(named.start - len(before["kind"]) - 1, named.end)


def only_mentions(text: str, named: Sequence[Span], catalog: Catalog) -> bool:
    """Return whether a sentence says no more of the things in it than that there are such things."""
    if not named:
        return False
    titles = " ".join(title for entity in catalog.entity_types for title in entity.titles)
    known = {*list_words("neutral"), *list_words("linking"), *list_words("finding")}
    known |= set(read_words(titles.replace("_", " ")))
    return set(read_words(_without(text, Span(0, len(text)), named))) <= known


@lru_cache(maxsize=1024)
def stems_of_words(words: str) -> frozenset[str]:
    """Return the content stems of a catalog's words."""
    return frozenset(content_stems(words))


def _without(text: str, clause: Span, apart: Sequence[Span]) -> str:
    kept, at = [], clause.start
    for span in sorted(apart):
        kept.append(text[at : max(at, span.start)])
        at = max(at, span.end)
    kept.append(text[at : max(at, clause.end)])
    return " ".join(kept)


def has_turning_sign(text: str) -> bool:
    """Return whether a sign relates or strikes out: ≠, ~, <, a cross; the bars of a table do not."""
    return any(
        sign in _CROSSES or (unicodedata.category(sign) == "Sm" and sign != "|") for sign in text
    )
