"""The weights, floors and words of binding: one table, read from the package's data once."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from verifier.core.text_stems import stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much each sign counts that a fact is meant, and the floors, all in tenths."""

    same_clause: int
    same_sentence: int
    only_value: int
    inherited: int
    recent: int
    inside: int
    outside: int
    key: int
    name: int
    part: int
    descriptor: int
    kind: int
    cue: int
    nearby_cue: int
    group: int
    only_one: int
    prose: int
    unmatched: int
    asked: int
    newest: int
    accept: int
    reject: int
    near: int
    clear: int


@cache
def load_weights() -> Weights:
    """Return the table of weights and floors."""
    table = _table()
    points = {
        name: int(value) for part in ("weights", "floors") for name, value in table[part].items()
    }
    return Weights(**points)


def groups_of(stems: Iterable[str]) -> frozenset[str]:
    """Return the attributes that stems of words name."""
    known = _groups()
    return frozenset(group for one in stems for group in known.get(one, ()))


@cache
def _groups() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for group, words in _table()["groups"].items():
        for word in words.split():
            found.setdefault(stem(word), set()).add(group)
    return {word: frozenset(groups) for word, groups in found.items()}


@cache
def _table() -> dict[str, dict[str, str]]:
    source = files("verifier.core").joinpath("data", "binding.toml").read_text(encoding="utf-8")
    return tomllib.loads(source)
