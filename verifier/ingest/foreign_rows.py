"""One row of another store's table, read: its source, its order in it, what was embedded, its direction."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from verifier.core.text import fold
from verifier.store.foreign_places import ForeignForm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.store.foreign_places import ForeignRow

NODE: Final = "_node_content"
_OWN_KEYS: Final = frozenset({NODE, "_node_type", "ref_doc_id", "doc_id", "document_id"})
_DOCUMENT_KEYS: Final = ("ref_doc_id", "doc_id", "document_id")
NO_SOURCE: Final = "that do not tell their source"
_DEFAULT_SOURCE: Final = "source"
_FIELD: Final = re.compile(r"\{ (?P<name> \w+ ) \}", re.VERBOSE)  # {content}
_PAGE_WEIGHT: Final = 1e9
"""Characters that no page has: rows are ordered by page, then by where they begin in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """How rows become sources: by a member of their metadata, or each row by itself.

    `source_key` of None is the one that the form has by default. `order_key` names a member with a number
    by which the rows of a source are ordered; without it they come by page and place in it where these
    are told, else as they were written.
    """

    source_key: str | None = None
    order_key: str | None = None
    each_row: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenRow:
    """A row fit to be a chunk. `embedded_input` is what the vector was made of, as far as the row tells.

    `vector` are float32 numbers of unit length; `alike` is equal for texts that differ in letter case,
    white space or typography alone.
    """

    source: str
    position: float
    place: int
    row_id: str | None
    text: str
    embedded_input: str
    metadata: str
    alike: bytes
    vector: bytes
    dimension: int


class Unusable(Exception):
    """A row can't be a chunk; the text says why, in words that fit behind a count of rows."""


def read_row(row: ForeignRow, form: ForeignForm, grouping: Grouping) -> TakenRow:
    """Return the row as one to be taken over. Raises Unusable."""
    if row.text is None or not row.text.strip():
        raise Unusable("without text")
    vector, dimension = read_vector(row.vector, is_half=row.is_half)
    told = {**_read_object(row.metadata), **_read_object(row.columns)}
    metadata = {name: value for name, value in told.items() if name not in _OWN_KEYS}
    return TakenRow(
        source=_find_source(row, told, form, grouping),
        position=_find_position(metadata, grouping.order_key),
        place=row.place,
        row_id=row.row_id,
        text=row.text,
        embedded_input=_find_input(row.text, told),
        metadata=json.dumps(metadata, ensure_ascii=False),
        alike=hashlib.sha256(fold(row.text).encode("utf-8")).digest(),
        vector=vector,
        dimension=dimension,
    )


def read_vector(binary: bytes | None, *, is_half: bool) -> tuple[bytes, int]:
    """Return a vector of pgvector's binary form as float32 of unit length, and its dimension."""
    import numpy as np

    if binary is None:
        raise Unusable("without a vector")
    numbers = np.frombuffer(binary, dtype=">f2" if is_half else ">f4", offset=4).astype(np.float64)
    length = float(np.linalg.norm(numbers))
    if not np.isfinite(length) or length == 0.0:
        raise Unusable("with a vector that has no direction")
    return (numbers / length).astype(np.float32).tobytes(), len(numbers)


def list_keys(row: ForeignRow) -> list[str]:
    """Return the names of what the metadata of a row tells."""
    told = {**_read_object(row.metadata), **_read_object(row.columns)}
    return [name for name in told if name != NODE]


def _read_object(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        read = json.loads(text)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _find_source(
    row: ForeignRow, told: Mapping[str, Any], form: ForeignForm, grouping: Grouping
) -> str:
    if grouping.each_row:
        found = [row.row_id]
    elif grouping.source_key is not None:
        found = [told.get(grouping.source_key)]
    elif form is ForeignForm.LLAMA_INDEX:
        found = [told.get(name) for name in _DOCUMENT_KEYS]
        found = [value for value in found if value != "None"]  # what it writes where there is none
    else:
        found = [told.get(_DEFAULT_SOURCE)]
    for value in found:
        if isinstance(value, str | int | float) and str(value).strip():
            return str(value)
    raise Unusable(NO_SOURCE)


def _find_position(metadata: Mapping[str, Any], order_key: str | None) -> float:
    if order_key is not None:
        number = _read_number(metadata.get(order_key))
        if number is None:
            raise Unusable(f"without a number in {order_key!r}")
        return number
    page = _read_number(metadata.get("page")) or 0.0
    return page * _PAGE_WEIGHT + (_read_number(metadata.get("start_index")) or 0.0)


def _read_number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _find_input(text: str, told: Mapping[str, Any]) -> str:
    """Return what LlamaIndex embeds for a node: its metadata, each on a line, above its text.

    The node tells its templates and which metadata it leaves out; without a node it is the text.
    """
    node = _read_object(told.get(NODE) if isinstance(told.get(NODE), str) else None)
    metadata = node.get("metadata")
    if not isinstance(metadata, dict):
        return text
    left_out = set(node.get("excluded_embed_metadata_keys") or ())
    template = str(node.get("metadata_template") or "{key}: {value}")
    lines = [
        _fill(template, {"key": name, "value": str(value)})
        for name, value in metadata.items()
        if name not in left_out
    ]
    if not lines:
        return text
    # older releases spell the name of the separator otherwise
    between = node.get("metadata_separator") or node.get("metadata_seperator") or "\n"
    told_above = str(between).join(lines)
    whole = str(node.get("text_template") or "{metadata_str}\n\n{content}")
    return _fill(whole, {"metadata_str": told_above, "content": text}).strip()


def _fill(template: str, values: Mapping[str, str]) -> str:
    return _FIELD.sub(lambda found: values.get(found["name"], found[0]), template)
