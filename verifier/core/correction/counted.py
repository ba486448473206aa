"""The word behind a corrected number: one piece, twelve pieces. English; other words stay as they are."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.quantities import unit_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

_WORD: Final = re.compile(r"(?<=[\s-])[a-z]{3,}$")  # the pieces of "12 pieces", the day of "1-day"
_PLURALS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "child": "children",
        "foot": "feet",
        "half": "halves",
        "knife": "knives",
        "leaf": "leaves",
        "loaf": "loaves",
        "man": "men",
        "mouse": "mice",
        "person": "people",
        "shelf": "shelves",
        "tooth": "teeth",
        "woman": "women",
    }
)
_SINGULARS: Final[Mapping[str, str]] = MappingProxyType(
    {plural: singular for singular, plural in _PLURALS.items()}
)
_HISSING: Final = ("s", "x", "z", "ch", "sh")
_ADDED: Final = ("sses", "xes", "zes", "ches", "shes")


def agree(written: str, old: Fraction, new: Fraction) -> str:
    """Return a corrected count with its last word in the number that goes with it; symbols have none."""
    found = _WORD.search(written)
    if found is None or (old == 1) == (new == 1):
        return written
    word = found.group()
    unit = unit_of(word)
    if unit is not None and unit.name == word:
        return written
    told = _singular(word) if new == 1 else _plural(word)
    return f"{written[: found.start()]}{told}"


def _plural(word: str) -> str:
    if word in _PLURALS:
        return _PLURALS[word]
    if word.endswith("y") and word[-2] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(_HISSING) else f"{word}s"


def _singular(word: str) -> str:
    if word in _SINGULARS:
        return _SINGULARS[word]
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(_ADDED):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
