"""Whether two statements in the same words speak of the same thing: by name, or by what they stand in."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.conflict_finding_reading import OPENING
from verifier.core.text import content_stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from verifier.core.conflict_finding_reading import SourceText, Stated

_NAME_WORD: Final = re.compile(r"[^\W\d_a-z][\w'’-]+")
_SHARE: Final = 0.7
_FEWEST: Final = 8
_MOST_SOURCES: Final = 10
_TOP: Final = 1


def same_subject(
    one: Stated, other: Stated, shared: Sequence[str], common: frozenset[str] = frozenset()
) -> bool:
    """Return whether both speak of the same thing; `shared` are the names that both statements have.

    `common` are words of names that stand in so many sources that they tell none from another.

    Different scopes (a region in the metadata, the headings above, titles that differ in a word) part them.
    A statement that names its subject is known by it; "the fee" and "it" only by the names around it; what
    is said of a kind ("opened goods") needs no more than the words.
    """
    if not _same_scope(one.source, other.source):
        return False
    if _above(one) and _above(other) and _above(one) != _above(other):
        return False
    left_open = one.anaphoric or other.anaphoric
    if not left_open and not one.names and not other.names:
        return True
    named = any(_NAME_WORD.search(name) for name in shared)
    if left_open or not named or one.definite or other.definite:
        return _same_surroundings(one.source, other.source, common)
    return not _other_surroundings(one.source, other.source, common)


def _same_scope(one: SourceText, other: SourceText) -> bool:
    if any(one.scope[name] != other.scope[name] for name in one.scope.keys() & other.scope.keys()):
        return False
    first, second = _stems(one.title or ""), _stems(other.title or "")
    return not (first & second and first - second and second - first)


def _above(stated: Stated) -> tuple[frozenset[str], ...]:
    """Return the headings that a statement stands under, without the topmost, which names the text."""
    place = stated.clause.place
    above = (*stated.source.headings, *(() if place is None else place.above))
    return tuple(dict.fromkeys(_stems(each) for each in above))[_TOP:]


def _same_surroundings(one: SourceText, other: SourceText, common: frozenset[str]) -> bool:
    """Return whether the names around two statements are mostly the same."""
    fewest, share = _compare_surroundings(one, other, common)
    return fewest >= _FEWEST and share >= _SHARE


def _other_surroundings(one: SourceText, other: SourceText, common: frozenset[str]) -> bool:
    """Return whether two texts of many names speak of others, so that one name may mean two things."""
    fewest, share = _compare_surroundings(one, other, common)
    return fewest >= _FEWEST and share < _SHARE


def _compare_surroundings(
    one: SourceText, other: SourceText, common: frozenset[str]
) -> tuple[int, float]:
    """Return how many names the text with fewer has, and what share of these the other has too."""
    first, second = (_names_around(each.text, each.title) - common for each in (one, other))
    fewest = min(len(first), len(second))
    return fewest, len(first & second) / max(1, fewest)


def list_common_names(texts: Iterable[SourceText]) -> frozenset[str]:
    """Return the words of names that stand in more than ten sources: "United States Census Bureau"."""
    held: defaultdict[str, set[str]] = defaultdict(set)
    for text in texts:
        for name in _names_around(text.text, text.title):
            if len(held[name]) <= _MOST_SOURCES:
                held[name].add(text.source)
    return frozenset(name for name, sources in held.items() if len(sources) > _MOST_SOURCES)


@lru_cache(maxsize=65_536)
def _names_around(text: str, title: str | None) -> frozenset[str]:
    found = (one.casefold() for one in _NAME_WORD.findall(f"{title or ''} {text}"))
    return frozenset(one for one in found if one not in OPENING)


@lru_cache(maxsize=65_536)
def _stems(text: str) -> frozenset[str]:
    return frozenset(content_stems(text))
