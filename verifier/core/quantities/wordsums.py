"""English number words to whole numbers: the running sum that takes one word after the other."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.tokens import DIGITS
from verifier.core.tables import read_table

if TYPE_CHECKING:
    from verifier.core.quantities.tokens import Stream

SMALL, TENS, HUNDRED, SCALE, FIGURE = "small", "tens", "hundred", "scale", "figure"
LARGEST: Final = 10**60
_LONGEST_SUM: Final = 40


@cache
def word_values() -> dict[str, tuple[str, int]]:
    """Return the cardinal words with their place in a sum and their value."""
    lexicon = read_table("number_words")
    table = {word: (SMALL, value) for word, value in lexicon["cardinals"].items()}
    table.update({word: (TENS, value) for word, value in lexicon["tens"].items()})
    table.update({word: (SCALE, value) for word, value in lexicon["scales"].items()})
    table.update({"hundred": (HUNDRED, 100), "hundreds": (HUNDRED, 100)})
    return table


@cache
def ordinal_values() -> dict[str, tuple[str, int]]:
    """Return the ordinal words with their place in a sum and their value."""
    table = {}
    for word, value in read_table("number_words")["ordinals"].items():
        place = SMALL if value < 20 else TENS if value < 100 else HUNDRED if value == 100 else SCALE
        table[word] = (place, value)
    return table


@cache
def denominators() -> dict[str, int]:
    """Return the words that are denominators whatever stands before them."""
    table: dict[str, int] = read_table("number_words")["denominators"]
    return table


class WordSum:
    """A number that grows word by word: `three`, `hundred`, `and`, `forty`, `seven`."""

    __slots__ = ("current", "last_place", "last_scale", "last_value", "total")

    def __init__(self) -> None:
        self.total = 0
        self.current: int | None = None
        self.last_scale = 0
        self.last_place = ""
        self.last_value = 0

    @property
    def value(self) -> int:
        """The number so far."""
        return self.total + (self.current or 0)

    def take(self, place: str, value: int) -> bool:
        """Add a word and return True, or return False where it can't follow."""
        taken = self._take_scale(value) if place == SCALE else self._take_below(place, value)
        if taken:
            self.last_place, self.last_value = place, value
        return taken

    def _take_below(self, place: str, value: int) -> bool:
        current = self.current
        if place == HUNDRED:
            if current is None and self.total == 0:
                self.current = 100
            elif current is not None and 0 < current < 100:
                self.current = current * 100
            else:
                return False
            return True
        after_hundred = self.last_place == HUNDRED and value < 100
        after_tens = self.last_place == TENS and place == SMALL and 0 < value < 10
        if current is not None and not (after_hundred or after_tens):
            return False
        self.current = (current or 0) + value
        return True

    def _take_scale(self, scale: int) -> bool:
        if self.current is None and self.total:
            if scale <= self.last_scale or self.total * scale > LARGEST:
                return False
            self.total *= scale
        elif not self.last_scale or scale < self.last_scale:
            self.total += (1 if self.current is None else self.current) * scale
        else:
            return False
        self.current = None
        self.last_scale = scale
        return True


def add_words(stream: Stream, index: int, running: WordSum) -> int:
    """Add number words from token `index` on and return the index after the last one that fits."""
    end = index
    limit = index + _LONGEST_SUM
    while end < limit:
        start = _after_joint(stream, end, running) if running.last_place else end
        found = _word_at(stream, start, running)
        if found is None or not running.take(*found):
            return end
        end = start + 1
    return end


def _word_at(stream: Stream, index: int, running: WordSum) -> tuple[str, int] | None:
    found = word_values().get(stream.folds[index])
    if found is not None:
        return found
    word = stream.words[index]
    if (
        running.last_place in {HUNDRED, SCALE}
        and stream.kinds[index] == DIGITS
        and word.isdecimal()
    ):
        joined = stream.folds[index - 1] in {"and", "&"} or (
            index and word_values().get(stream.folds[index + 1])
        )
        return (FIGURE, int(word)) if joined and len(word) <= 3 and int(word) else None
    return None


def _after_joint(stream: Stream, index: int, running: WordSum) -> int:
    """Return the index after a hyphen, `and` or comma that may stand within a number, else `index`."""
    mark = stream.folds[index]
    if mark in {"-", "‐", "‑"}:
        glued = stream.glued(index) and stream.glued(index + 1)
        return index + 1 if glued or running.last_place == TENS else index
    if (
        mark in {"and", "&"}
        and running.last_place != SMALL
        and not _opens_fraction(stream, index + 1)
    ):
        return index + 1
    if mark == "," and running.last_place == SCALE and running.last_scale >= 1000:
        return index + 1
    return index


def _opens_fraction(stream: Stream, index: int) -> bool:
    """Return whether the number words from `index` on end in a denominator: `fifty-four hundredths`."""
    end = index
    while end < index + _LONGEST_SUM and (
        stream.folds[end] in word_values() or stream.folds[end] == "-"
    ):
        end += 1
    return end > index and stream.folds[end] in denominators()
