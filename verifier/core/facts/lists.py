"""Whether a list is the whole of it: pages, cursors, limits, and the totals that results state."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from verifier.core.facts.forms import is_listed
from verifier.core.facts.plain import is_list, is_record
from verifier.core.field_names import fold_field
from verifier.core.lexicons import load_word_lists
from verifier.core.quantities import read_exact

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    Fields = Mapping[str, tuple[str, object]]

_WORDS: Final = load_word_lists("fact_paging")
_RELEVANT: Final = frozenset().union(*_WORDS.values()) - _WORDS["inside"]
_PAGING: Final = frozenset().union(
    *(_WORDS[one] for one in ("more", "whole", "positions", "limits"))
)
_PAGES: Final = frozenset({"page", "page_number", "current_page"})
_ASKING: Final = _WORDS["limits"] | _WORDS["positions"]
_EMPTY: Final = (None, "", False, 0, "null", "none", "false")


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much of a list a result shows. `total` is the number of all its elements, where it is stated."""

    complete: bool
    total: Fraction | None = None
    told_by: str | None = None


def extent_of(name: str, length: int, fields: Fields, arguments: Mapping[str, object]) -> Extent:
    """Return the extent of the list in field `name` of a record; a root list lies in no fields."""
    paging = _paging_fields(fields)
    asked = {fold_field(str(key)): value for key, value in arguments.items()}
    if not paging and not asked.keys() & _ASKING:
        return Extent(complete=True)
    told_by, total = _total(name, fields, paging)
    if any(_is_told(paging, word) for word in _WORDS["more"]):
        return Extent(complete=False, total=total, told_by=told_by)
    if any(
        str(paging.get(word)).casefold() == "false" for word in _WORDS["whole"] if word in paging
    ):
        return Extent(complete=False, total=total, told_by=told_by)
    if total is not None:
        return Extent(complete=total == length, total=total, told_by=told_by)
    if any(
        str(paging.get(word)).casefold() == "false" for word in _WORDS["more"] if word in paging
    ):
        return Extent(complete=True)
    return Extent(complete=not _is_page(length, paging, asked))


def is_paging(name: str) -> bool:
    """Return whether a folded field only tells which part of a list a result shows."""
    return name in _PAGING


def _paging_fields(fields: Fields) -> Mapping[str, object]:
    """Return the fields that may tell of pages, those of an inner record such as `meta` included."""
    found: dict[str, object] = {}
    for name, (_, value) in fields.items():
        if is_record(value) and name in _WORDS["inside"]:
            found.update((fold_field(str(key)), part) for key, part in value.items())
        elif name in _RELEVANT or "total" in name or "count" in name or name[:4] == "num_":
            found.setdefault(name, value)
    return found


def _is_told(paging: Mapping[str, object], word: str) -> bool:
    value = paging.get(word)
    if isinstance(value, str):
        return value.strip().casefold() not in {"", "null", "none", "false", "0", "no"}
    return not value.is_zero() if isinstance(value, Decimal) else value not in _EMPTY


def _total(
    name: str, fields: Fields, paging: Mapping[str, object]
) -> tuple[str | None, Fraction | None]:
    """Return the stated number of all elements; `total` alone is one only where nothing else is told."""
    lists = sum(is_list(value) for _, value in fields.values())
    own = {f"total_{name}", f"{name}_count", f"{name}_total", f"num_{name}", f"{name}_found"}
    for word, value in paging.items():
        number = read_exact(value)
        if number is None or number.denominator != 1 or number < 0:
            continue
        if word in own or (lists == 1 and word in _WORDS["totals"]):
            return word, number
        if word in _WORDS["maybe_totals"] and lists == 1 and _tells_only_pages(name, fields):
            return word, number
    return None, None


def _tells_only_pages(name: str, fields: Fields) -> bool:
    others = [one for one in fields if one != name and one not in _WORDS["maybe_totals"]]
    paged = any(is_paging(one) or one in _WORDS["inside"] for one in others)
    return paged or (not others and is_listed(name, "generic"))


def _is_page(length: int, paging: Mapping[str, object], asked: Mapping[str, object]) -> bool:
    """Return whether a list may go on: a further page is told, or the page is full."""
    pages = next(
        (read_exact(value) for one, value in paging.items() if one in _WORDS["pages"]), None
    )
    page = next((read_exact(value) for one, value in paging.items() if one in _PAGES), None)
    if pages is not None and pages > (page or 1):
        return True
    limits = (
        read_exact(told[one]) for told in (paging, asked) for one in _WORDS["limits"] if one in told
    )
    if any(limit is not None and 0 < limit <= length for limit in limits):
        return pages is None
    starts = (read_exact(asked[one]) for one in ("page", "offset", "skip") if one in asked)
    return any(start is not None and start > 1 for start in starts)
