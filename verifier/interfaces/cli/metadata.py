"""Metadata as people type it: KEY=JSON, as often as there are keys."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def read_metadata(texts: Sequence[str] | None) -> Mapping[str, object] | None:
    """Return the metadata that `texts` give, None where there are none; what is no JSON is a text.

    Raises InputError on a text without a key, and on a key that stands twice.
    """
    if not texts:
        return None
    metadata: dict[str, object] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise InputError(f"--metadata {text!r}: give KEY=JSON, such as region=EU or year=2030")
        if key in metadata:
            raise InputError(f"--metadata: the key {key!r} stands twice")
        metadata[key] = _read_value(value)
    return metadata


def _read_value(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
