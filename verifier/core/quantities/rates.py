"""What an amount is per: `per month`, `/ 100 g`, `monthly`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.quantities.tokens import WORD
from verifier.core.quantities.unitwords import find_unit
from verifier.core.tables import read_table, word_set

if TYPE_CHECKING:
    from verifier.core.quantities.tokens import Stream

_HYPHENS: Final = frozenset("-‐‑")


def per_unit(stream: Stream, index: int) -> tuple[str, int] | None:
    """Return what an amount at its end is per (`month`, `kg`, `100 g`), and the index after it, or None."""
    word = stream.folds[index]
    start, loose = index + 1, False
    if word in _HYPHENS and stream.folds[index + 1] in {"a", "per"} and stream.glued(index + 1):
        start = index + 3 if stream.folds[index + 2] in _HYPHENS else index + 2
    elif word == "/":
        loose = True
    elif word in word_set("quantity_words", "per_words"):
        loose = word in {"per", "pro", "par"}
    else:
        return _adverb_period(stream, index)
    return _per_what(stream, start, loose=loose)


def _adverb_period(stream: Stream, index: int) -> tuple[str, int] | None:
    periods: dict[str, str] = read_table("script_units")["adverbs"]
    found = periods.get(stream.folds[index]) or (
        periods.get("p.a.") if stream.phrase(index, 3) == "p . a" else None
    )
    if found is None:
        return None
    return found, index + (1 if stream.folds[index] in periods else 4)


def _per_what(stream: Stream, index: int, *, loose: bool) -> tuple[str, int] | None:
    amount = ""
    if stream.words[index].isdecimal() and len(stream.words[index]) <= 5:
        amount, index = stream.words[index] + " ", index + 1
    found = find_unit(stream, index) if stream.kinds[index] == WORD else None
    if found is not None and (loose or len(found.letters) > 1):
        return amount + found.unit.name, found.end
    word = stream.folds[index]
    if stream.kinds[index] != WORD or amount:
        return None
    if word == "annum":
        return "yr", index + 1
    if loose or word.rstrip("s") in word_set("quantity_words", "articles_per"):
        return (word, index + 1) if word not in word_set("quantity_words", "not_nouns") else None
    return None
