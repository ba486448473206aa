"""Lines that only lead to what follows: heads of a table, "The plans are as follows:", a title in bold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.sentences import BlockKind
from verifier.core.speech import holds, list_words, read_words

if TYPE_CHECKING:
    from verifier.core.sentences import Sentence

_DIVIDED: Final = re.compile(r"\n\s*\|?\s*:?-+")  # | Plan | Price | above |---|---|
_BOLD: Final = re.compile(
    r"(?P<mark>\*\*|__)[^*_\n]+[^*_\n.!]:?(?P=mark):?"
)  # **Prices and plans:**
_ENDS: Final = " \t\r\n*_"
_LONGEST_TITLE: Final = 8


def is_leading(sentence: Sentence) -> bool:
    """Return whether a sentence without a value states nothing by itself.

    A title has no verb: "**Pets are allowed**" and "Pets are allowed:" state something.
    """
    text = sentence.text.strip()
    if sentence.block is BlockKind.HEADING:
        return True
    if sentence.block is BlockKind.TABLE_ROW:
        return _DIVIDED.search(text) is not None
    words = read_words(text)
    if text.rstrip(_ENDS).endswith(":") and holds(words, "announcing"):
        return True
    title = text.rstrip(_ENDS).endswith(":") or _BOLD.fullmatch(text) is not None
    return title and len(words) <= _LONGEST_TITLE and list_words("verbs_of_state").isdisjoint(words)
