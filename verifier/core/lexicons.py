"""Word lists of the text stages, read from the package's data files once."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@cache
def load_word_lists(name: str) -> Mapping[str, frozenset[str]]:
    """Return the word lists of `data/<name>.toml` by their names; words are folded there already."""
    source = files("verifier.core").joinpath("data", f"{name}.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(source)
    return MappingProxyType({key: frozenset(words.split()) for key, words in tables.items()})
