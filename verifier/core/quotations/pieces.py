"""A quotation as the pieces that must stand in the source, without its omissions and its editor's marks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from verifier.core.lexicons import load_word_lists

_OMISSION: Final = re.compile(
    r"""\[\s?(?:\.\s?\.\s?\.\s?\.?|…)\s?\] | \(\s?(?:\.\s?\.\s?\.\s?\.?|…)\s?\)  # [...], (…)
      | …\.? | \.\.\.\.? | \.\s\.\s\.(?:\s\.)?                                   # ..., . . .""",
    re.VERBOSE,
)
_EDITED: Final = re.compile(
    r"(?P<before>\w?)(?P<space>\s?)\[(?P<inside>[^\[\]\n]{1,80})\](?P<after>\w?)"
)
_REPLACED: Final = "\0"
_WORD: Final = re.compile(r"\w")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """What must stand in the source, in order. `replaced` says that an editor put in words of their own."""

    texts: tuple[str, ...]
    replaced: bool = False


def cut_pieces(quotation: str) -> Pieces:
    """Return the pieces of a quotation; none where it has no word."""
    edited = _EDITED.sub(_edit, _OMISSION.sub("\1", quotation))
    parts = re.split(f"[\1{_REPLACED}]", edited)
    texts = tuple(part.strip() for part in parts if _WORD.search(part))
    return Pieces(texts=texts, replaced=_REPLACED in edited)


def without_brackets(quotation: str) -> str:
    """Return the quotation with the words that an editor bracketed as if they were the text's own."""
    return _EDITED.sub(lambda match: match.group().replace("[", "").replace("]", ""), quotation)


def leaves_out(quotation: str) -> bool:
    """Return whether the quotation has a mark of omission or of an editor."""
    return _OMISSION.search(quotation) is not None or _EDITED.search(quotation) is not None


def _edit(match: re.Match[str]) -> str:
    inside = match["inside"]
    if "_".join(inside.casefold().split()) in load_word_lists("quotations")["editorial"]:
        return f"{match['before']}{match['space'] if match['after'] else ''}{match['after']}"
    if len(inside) == 1 and inside.isalpha() and (match["after"] or match["before"]):
        return f"{match['before']}{match['space']}{inside}{match['after']}"
    return f"{match['before']}{_REPLACED}{match['after']}"
