"""Shapes that a record can have instead of fields with names: entries by id or period, rows, blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.facts.forms import is_listed
from verifier.core.facts.plain import is_list, is_record
from verifier.core.facts.table_heads import is_period
from verifier.core.facts.values import is_id_like
from verifier.core.quantities import read_exact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Fields = Mapping[str, tuple[str, object]]
    Entry = tuple[str, Mapping[object, object]]

_MOST_FIELDS_OF_AMOUNT: Final = 6
_FEWEST_NAMES: Final = 3
_FEWEST_ENTRIES: Final = 2
_BLOCK_TYPES: Final = frozenset({"text", "image", "audio", "resource", "resource_link"})
_NAMES_PART: Final = frozenset({"name", "full_name"})


def is_amount(fields: Fields) -> bool:
    """Return whether a record is one number with its currency or unit: {"amount": 5, "currency": "usd"}."""
    if not _FEWEST_ENTRIES <= len(fields) <= _MOST_FIELDS_OF_AMOUNT:
        return False
    amounts = [name for name in fields if is_listed(name, "amount_fields")]
    others = [name for name in fields if is_listed(name, "unit_fields")]
    known = len(amounts) == 1 and len(others) == len(fields) - 1
    return known and read_exact(fields[amounts[0]][1]) is not None


def is_option_map(container: str | None) -> bool:
    """Return whether a field holds what tells variants of a thing apart; its own name says nothing."""
    return container is not None and is_listed(container, "options")


def is_wrapper(name: str) -> bool:
    """Return whether a field only wraps what it holds."""
    return is_listed(name, "wrappers")


def is_nested_name(container: str | None) -> bool:
    """Return whether a record is the name of the one that it lies in, or only describes it."""
    return (
        container in _NAMES_PART
        or is_option_map(container)
        or (container is not None and is_listed(container.rpartition("_")[2], "addresses"))
    )


def keyed_by_period(fields: Fields) -> bool:
    """Return whether every key is a year, a quarter, a month or a date."""
    return bool(fields) and all(is_period(written) for written, _ in fields.values())


def keyed_entries(fields: Fields, *, outermost: bool) -> Sequence[Entry] | None:
    """Return the records that lie in another by their ids; None where keys are names of fields.

    Keys without a figure are ids only where all records have a field in common, and never in the
    outermost record.
    """
    if not fields or not all(is_record(value) for _, value in fields.values()):
        return None
    entries = [(written, value) for written, value in fields.values() if is_record(value)]
    if all(is_id_like(written) for written, _ in entries):
        return entries
    if outermost or len(entries) < _FEWEST_ENTRIES:
        return None
    shared = set(entries[0][1])
    for _, value in entries[1:]:
        shared &= set(value)
    return entries if shared else None


def named_ids(fields: Fields) -> bool:
    """Return whether a record gives ids to names: {"Wall Clock": "2344688344", …}."""
    return len(fields) >= _FEWEST_NAMES and all(
        isinstance(value, str) and is_id_like(value) and written[:1].isupper()
        for written, value in fields.values()
    )


def row_records(fields: Fields) -> list[dict[str, object]] | None:
    """Return the rows of a result of columns and rows as records."""
    columns = fields.get("columns", fields.get("headers", ("", None)))[1]
    rows = fields.get("rows", fields.get("data", ("", None)))[1]
    if not is_list(columns) or not is_list(rows):
        return None
    names = [one.get("name") if is_record(one) else one for one in columns]
    if not names or len(names) > 1_000 or not all(isinstance(name, str) for name in names):
        return None
    listed = [row for row in rows if is_list(row) and len(row) == len(names)]
    if len(listed) < len(rows):
        return None
    return [dict(zip(map(str, names), row, strict=True)) for row in listed]


def blocks_of(elements: Sequence[object]) -> list[str] | None:
    """Return the texts of a list of content blocks, as models are given results; None for other lists."""
    if not elements:
        return None
    texts: list[str] = []
    for element in elements:
        kind = element.get("type") if is_record(element) else None
        if not is_record(element) or not isinstance(kind, str) or kind not in _BLOCK_TYPES:
            return None
        text = element.get("text")
        if kind == "text" and not isinstance(text, str):
            return None
        texts.append(text if isinstance(text, str) else "")
    return texts
