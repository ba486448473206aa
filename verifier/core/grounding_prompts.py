"""Texts for the model that writes an answer: prompts by level, kinds of fact that need a source, refusals.

What the prompts ask for is what the checks look for: the refusals are read as no claim, and the marks of
general knowledge as such.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from verifier.core.grounding_levels import read_level
from verifier.core.turns import Level

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelPrompt:
    """The prompt of one level: the whole text, and its parts by name."""

    level: Level
    text: str
    parts: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingPrompts:
    """Prompts by level, kinds of fact that must be grounded, wordings of refusals and of general marks."""

    levels: tuple[LevelPrompt, ...]
    kinds: Mapping[str, str]
    refusals: tuple[str, ...]
    general_labels: tuple[str, ...]


def load_prompts(levels: Sequence[Level | str] = tuple(Level)) -> GroundingPrompts:
    """Return the prompts of `levels`, with what they share. Raises InputError for an unknown level."""
    texts = _read_texts()
    wordings = texts["refusals"]
    return GroundingPrompts(
        levels=tuple(_compose(read_level(level), texts) for level in levels),
        kinds=dict(texts["kinds"]),
        refusals=tuple(wordings["wordings"]),
        general_labels=tuple(wordings["labels"]),
    )


def _compose(level: Level, texts: Mapping[str, Mapping[str, str]]) -> LevelPrompt:
    filled = {
        "kinds": "; ".join(texts["kinds"].values()),
        "refusal": texts["refusals"]["wordings"][0],
        "label": texts["refusals"]["labels"][0],
        "boundary": texts["boundaries"][level.value].strip(),
    }
    named = {**texts["parts"], "allowed_inference": texts["levels"][level.value]}
    order = (*list(texts["parts"])[:-2], "allowed_inference", *list(texts["parts"])[-2:])
    parts = {name: named[name].format(**filled).strip() for name in order}
    return LevelPrompt(level=level, text="\n\n".join(parts.values()), parts=parts)


@cache
def _read_texts() -> Mapping[str, Mapping[str, str]]:
    source = files("verifier.core").joinpath("data", "prompts.toml").read_text(encoding="utf-8")
    return tomllib.loads(source)
