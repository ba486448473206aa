"""The unit, currency and number-word tables, read from the package's data files once."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any


@cache
def read_table(name: str) -> dict[str, Any]:
    """Return the content of `data/NAME.json`; callers must not change it."""
    source = resources.files("verifier.core").joinpath("data", f"{name}.json")
    content: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
    return content


@cache
def word_set(table: str, key: str) -> frozenset[str]:
    """Return the words of an entry that is one line of words; `_` stands for a space."""
    return frozenset(word.replace("_", " ") for word in read_table(table)[key].split())
