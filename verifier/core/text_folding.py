"""Single characters on their way into the normal form.

Each character is taken apart (NFKD) and case-folded, and signs that differ only in shape become one.
What would change a number is kept apart: a raised digit becomes ^2, a fraction never joins the digit
before it.
"""

from __future__ import annotations

import unicodedata
from enum import Enum, auto
from functools import lru_cache
from types import MappingProxyType
from typing import Final


class Joining(Enum):
    """How what a character folds to may follow a digit."""

    PLAIN = auto()
    APART = auto()
    RAISED = auto()


_SHAPES: Final = MappingProxyType(
    {
        **dict.fromkeys("“”„‟«»″〝〞〟「」『』❝❞ˮ", '"'),
        **dict.fromkeys("‘’‚‛′ʼ‹›´ʹˈ❛❜`", "'"),
        **dict.fromkeys("‐‑‒–−﹣⁃˗", "-"),
        **dict.fromkeys("—―⸺⸻", " - "),
        **dict.fromkeys("⁄∕", "/"),
        **dict.fromkeys("º˚", "°"),
        **dict.fromkeys("™®©℠", ""),
        "×": "x",
        "æ": "ae",
        "œ": "oe",
        "`": "`",
    }
)
_DIGIT_SHAPES: Final = ("<wide>", "<font>", "<narrow>")
_INVISIBLE: Final = frozenset({"Cf", "Cc"})


@lru_cache(maxsize=16_384)
def fold_character(character: str) -> tuple[str, Joining]:
    """Return what one character becomes, decomposed and folded, and how it may follow a digit."""
    if "\ud800" <= character <= "\udfff":
        return "\ufffd", Joining.PLAIN
    if character.isspace():
        return " ", Joining.PLAIN
    tag = unicodedata.decomposition(character).partition(" ")[0]
    folded = _fold_shapes(character)
    joining = Joining.PLAIN
    if folded[:1].isdigit() and tag.startswith("<") and tag not in _DIGIT_SHAPES:
        joining = Joining.RAISED if tag == "<super>" else Joining.APART
    return folded, joining


def _fold_shapes(characters: str) -> str:
    """Decompose, fold and unify until nothing changes; four rounds are enough for all of Unicode."""
    for _ in range(4):
        mapped = "".join(_SHAPES.get(sign, sign) for sign in characters)
        decomposed = unicodedata.normalize("NFKD", mapped)
        folded = unicodedata.normalize("NFKD", decomposed.casefold())
        folded = "".join(sign for sign in folded if not _is_invisible(sign))
        if folded == characters:
            break
        characters = folded
    return characters


def _is_invisible(sign: str) -> bool:
    if unicodedata.category(sign) in _INVISIBLE:
        return True
    return "\ufe00" <= sign <= "\ufe0f" or "\U000e0100" <= sign <= "\U000e01ef" or sign == "\u034f"
