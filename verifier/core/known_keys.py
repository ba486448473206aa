"""What the canonical tables told of the ids that an answer may hold: which are there, and which are not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.catalog.declarations import KeyType

if TYPE_CHECKING:
    from verifier.core.catalog import EntityType

_LETTER: Final = re.compile(r"[^\W\d_]")
_CODE: Final = re.compile(r"[A-Z][A-Z0-9]*(?:[-_/][A-Z0-9]+)+")  # XQ-404, A_1
_CAPITALS: Final = re.compile(r"[A-Z]{3,}(?:[-_][A-Z]+)*")  # ALFKI
_LETTERS: Final = re.compile(r"[A-Za-z]{2,6}(?=[^A-Za-z])")
_SHORTEST: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownKeys:
    """Keys by type and stored form: those of which rows were read, and those without a visible row."""

    found: frozenset[tuple[str, str]] = frozenset()
    absent: frozenset[tuple[str, str]] = frozenset()


def may_be_key(entity: EntityType, token: str) -> bool:
    """Return whether a token with a digit may be a key that only its table can tell from other text."""
    free = entity.key.type is KeyType.TEXT and entity.key.pattern is None
    return free and len(token) >= _SHORTEST and _LETTER.search(token) is not None


def is_code(token: str) -> bool:
    """Return whether a token is written as codes are: capitals and digits with a separator."""
    return _CODE.fullmatch(token) is not None


def is_capitals(token: str) -> bool:
    """Return whether a token is all capitals, as codes without a digit are; so are words of emphasis."""
    return _CAPITALS.fullmatch(token) is not None


def abbreviates(token: str, word: str) -> bool:
    """Return whether the letters that an id begins with shorten a word: LMP-1 of lamp, VAS-2 of vase."""
    found = _LETTERS.match(token)
    if found is None:
        return False
    letters, rest = found.group().casefold(), iter(word.casefold())
    return word[:1].casefold() == letters[0] and all(letter in rest for letter in letters)
