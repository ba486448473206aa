"""Messages of client libraries, which are dicts, models or both mixed, as plain records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_LISTS: Final = ("content", "tool_calls", "output")


def as_record(message: object) -> dict[str, Any]:
    """Return a message and the blocks that it holds as dicts; anything else as a record without a field."""
    record = _opened(message)
    if not isinstance(record, dict):
        return {}
    for name in _LISTS:
        if isinstance(record.get(name), (list, tuple)):
            record[name] = [_block(block) for block in record[name]]
    return record


def _block(block: object) -> object:
    opened = _opened(block)
    if isinstance(opened, dict) and isinstance(opened.get("content"), tuple):
        opened["content"] = list(opened["content"])
    return opened


def _opened(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    dump = getattr(value, "model_dump", None)
    return dump() if callable(dump) else value
