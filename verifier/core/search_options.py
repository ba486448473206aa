"""What a search is asked for, besides its query."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypedDict

from verifier.core.filter_paths import to_jsonpath
from verifier.core.filter_reading import read_filter
from verifier.core.moments import check_reach
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.filter_reading import FilterLike
    from verifier.core.filters import Filter

MOST_HITS: Final = 1_000
MOST_NEIGHBOURS: Final = 100
MOST_RERANKED: Final = 200


class SearchMode(StrEnum):
    """What the query is compared by: `vector` by meaning, `words` by its words, `hybrid` by both."""

    VECTOR = "vector"
    WORDS = "words"
    HYBRID = "hybrid"


class SearchTerms(TypedDict, total=False):
    """The fields of `SearchOptions` as keywords of the verbs that search."""

    k: int
    filters: FilterLike | None
    as_of: datetime | None
    basis: int | None
    known_at: datetime | None
    mode: SearchMode | str
    min_similarity: float | None
    per_source: int | None
    neighbours: int
    sources: Sequence[str] | None
    explain: bool
    rerank: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """What a search returns of what, each of it checked.

    `k` hits at most, 1 to 1000, and never fewer while more match. `filters` is an expression, a mapping or a
    list (`verifier.core.filters`, `filter_reading`) on the metadata that sources have now. `as_of` is the
    moment at which versions must hold in the world, `basis` the state of knowledge, 0 to the present one, or
    `known_at` a recorded moment, which means the last basis at or before it; None means now.
    `min_similarity` in [-1, 1] leaves out what is less similar. `per_source` allows so many hits a source.
    `neighbours`, 0 to 100, chunks before and after each hit are shown with it. `sources` are keys; of none,
    nothing is found. The first `rerank` hits, 1 to 200 and at least k, are put in the order of a reranker,
    which returns k of them. Raises InputError naming the option that is out of its range.
    """

    k: int = 5
    filters: FilterLike | None = None
    as_of: datetime | None = None
    basis: int | None = None
    known_at: datetime | None = None
    mode: SearchMode | str = SearchMode.VECTOR
    min_similarity: float | None = None
    per_source: int | None = None
    neighbours: int = 0
    sources: Sequence[str] | None = None
    explain: bool = False
    rerank: int | None = None

    def __post_init__(self) -> None:
        _check_whole("k", self.k, 1, MOST_HITS)
        _check_whole("neighbours", self.neighbours, 0, MOST_NEIGHBOURS)
        if self.per_source is not None:
            _check_whole("per_source", self.per_source, 1, MOST_HITS)
        if self.basis is not None:
            _check_whole("basis", self.basis, 0, 2**62)
        _check_rerank(self.rerank, self.k)
        if self.mode not in tuple(SearchMode):
            raise InputError(f"mode must be one of {', '.join(SearchMode)}, not {self.mode!r}")
        _check_keys(self.sources)
        _check_similarity(self.min_similarity)
        _check_moment("as_of", self.as_of)
        _check_moment("known_at", self.known_at)
        if self.basis is not None and self.known_at is not None:
            raise InputError("give either basis or known_at: both say what was known")

    @property
    def by_words_alone(self) -> bool:
        """Whether nothing is compared by meaning, so that the query needs no vector."""
        return self.mode == SearchMode.WORDS and self.min_similarity is None

    @property
    def condition(self) -> Filter | None:
        """The filter as an expression, None where all sources pass. Raises InputError."""
        return read_filter(self.filters)

    @property
    def filter_path(self) -> str | None:
        """The filter as a jsonpath, None where all sources pass. Raises InputError."""
        condition = self.condition
        return None if condition is None else to_jsonpath(condition)


def _check_whole(name: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(f"{name} must be a whole number in {least} to {most}, not {value!r}")


def _check_rerank(value: int | None, k: int) -> None:
    if value is None:
        return
    _check_whole("rerank", value, 1, MOST_RERANKED)
    if value < k:
        raise InputError(
            f"rerank must be at least k, {k}, not {value}: so many hits are put in order, of which k are"
            " returned"
        )


def _check_keys(value: object) -> None:
    if value is None:
        return
    if not isinstance(value, list | tuple | set | frozenset):
        raise InputError(f"sources must be a list of keys, not {value!r}")
    for key in value:
        if not isinstance(key, str):
            raise InputError(f"sources must be keys, which are texts, not {key!r}")


def _check_similarity(value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"min_similarity must be a number in -1 to 1, not {value!r}")
    if not -1 <= value <= 1:
        raise InputError(
            f"min_similarity must be in -1 to 1, not {value!r}: it is one minus the cosine distance"
        )


def _check_moment(name: str, value: object) -> None:
    if value is None:
        return
    if not isinstance(value, datetime):
        raise InputError(f"{name} must be a datetime, not {value!r}")
    if value.tzinfo is None:
        raise InputError(f"{name} {value} has no time zone; give an offset, such as +00:00")
    check_reach(name, value)
