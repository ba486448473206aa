"""Which operations the words around a value license."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.derivation.operations import Cues, Direction, Operation
from verifier.core.derivation.windows import find_phrases, list_phrases, read_surroundings
from verifier.core.lexicons import load_word_lists

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verifier.core.derivation.windows import Surroundings
    from verifier.core.spans import Span

_FOLLOWING: Final = frozenset(
    {
        Operation.SUM,
        Operation.DIFFERENCE,
        Operation.PRODUCT,
        Operation.PERCENT_OF,
        Operation.DISCOUNT,
        Operation.DATE_SHIFT,
        Operation.DATE_DIFFERENCE,
    }
)
_CHANGES: Final = frozenset(
    {Operation.CHANGE_PERCENT, Operation.CHANGE_POINTS, Operation.BASIS_POINTS}
)
_SIGNS: Final[Mapping[str, frozenset[Operation]]] = {
    "+": frozenset({Operation.SUM, Operation.MARKUP}),
    "-": frozenset({Operation.DIFFERENCE, Operation.DISCOUNT}),
    "−": frozenset({Operation.DIFFERENCE, Operation.DISCOUNT}),
    "*": frozenset({Operation.PRODUCT, Operation.PERCENT_OF}),
    "x": frozenset({Operation.PRODUCT, Operation.PERCENT_OF}),
    "×": frozenset({Operation.PRODUCT, Operation.PERCENT_OF}),
    "/": frozenset({Operation.UNIT_PRICE, Operation.RATIO, Operation.SHARE, Operation.AVERAGE}),
    "÷": frozenset({Operation.UNIT_PRICE, Operation.RATIO, Operation.SHARE, Operation.AVERAGE}),
}
_OF_SHAPE: Final[Mapping[str, frozenset[Operation]]] = {
    "money": frozenset(
        {
            Operation.SUM,
            Operation.DIFFERENCE,
            Operation.BALANCE,
            Operation.PRODUCT,
            Operation.PERCENT_OF,
            Operation.DISCOUNT,
            Operation.MARKUP,
            Operation.AVERAGE,
            Operation.UNIT_PRICE,
            Operation.EXTREME,
        }
    ),
    "percent": frozenset(
        {
            Operation.SUM,
            Operation.SHARE,
            Operation.AS_PERCENT,
            Operation.CHANGE_PERCENT,
            Operation.AVERAGE,
            Operation.EXTREME,
        }
    ),
    "points": frozenset({Operation.CHANGE_POINTS, Operation.BASIS_POINTS}),
    "duration": frozenset(
        {
            Operation.SUM,
            Operation.DIFFERENCE,
            Operation.PRODUCT,
            Operation.AVERAGE,
            Operation.EXTREME,
            Operation.DATE_DIFFERENCE,
            Operation.WINDOW,
        }
    ),
    "date": frozenset({Operation.DATE_SHIFT, Operation.EXTREME}),
    "number": frozenset(Operation)
    - _CHANGES
    - {Operation.DATE_SHIFT, Operation.DATE_DIFFERENCE, Operation.WINDOW, Operation.AS_PERCENT},
}
_NEAR: Final = 7
_FARTHEST: Final = 10_000
_PRICED_WITHIN: Final = 5
_TOTALS: Final = frozenset({"total", "altogether", "together"})
_ENDS: Final = frozenset({"from", "to"})


def find_cues(sentence: str, span: Span) -> Cues:
    """Return the operations that the words of `sentence` license for the value at `span`.

    A word counts only where it can speak of this value: up to the last value of the same shape before
    it, a few words after it. The nearest word that tells a direction decides it. Nothing is licensed by
    the numbers themselves, and the words say nothing of which values are meant.
    """
    around = read_surroundings(sentence, span)
    operations: set[Operation] = set()
    directions: dict[str, tuple[int, Direction | None]] = {}
    for operation, direction, distance in _matches(around):
        operations.add(operation)
        told = "extreme" if operation is Operation.EXTREME else "change"
        nearest, known = directions.get(told, (_FARTHEST, None))
        if direction is not None and distance < nearest:
            directions[told] = (distance, direction)
        elif direction is not None and distance == nearest and known is not direction:
            directions[told] = (distance, None)
    operations |= _of_signs(around) | _of_form(around)
    if operations & _CHANGES:
        operations |= _CHANGES
    return Cues(
        operations=frozenset(operations) & _OF_SHAPE[around.shape],
        direction=directions.get("change", (0, None))[1],
        extreme=directions.get("extreme", (0, None))[1],
    )


_Meaning = tuple[Operation, Direction | None]


@cache
def _meanings() -> Mapping[str, Mapping[str, tuple[_Meaning, ...]]]:
    """Return what each phrase licenses, by the place where it counts."""
    found: dict[str, dict[str, tuple[_Meaning, ...]]] = {"before": {}, "after": {}, "wide": {}}
    for key, phrases in load_word_lists("derivation_cues").items():
        name, _, place = key.partition("__")
        place, _, direction = place.partition("__")
        if not place:
            continue
        meaning = (Operation(name), Direction(direction) if direction else None)
        for one in ("before", "after") if place == "beside" else (place,):
            for phrase in phrases:
                found[one][phrase] = (*found[one].get(phrase, ()), meaning)
    return MappingProxyType(found)


def _matches(around: Surroundings) -> Iterator[tuple[Operation, Direction | None, int]]:
    """Yield the operation, the direction and the distance in words of each cue found."""
    is_end = bool(around.before) and around.before[-1] in _ENDS
    fitting = _OF_SHAPE[around.shape] | _CHANGES
    windows = {"before": around.before, "after": around.after, "wide": around.wide}
    for place, words in windows.items():
        meanings = _meanings()[place]
        for index, phrase in list_phrases(words):
            for operation, direction in meanings.get(phrase, ()):
                directed = direction is not None and operation is not Operation.EXTREME
                if operation in fitting and not (is_end and directed):
                    distance = index + 1 if place == "after" else len(words) - index
                    yield operation, direction, distance


def _of_signs(around: Surroundings) -> set[Operation]:
    """Return the operations of a calculation that is written out and ends in the value."""
    if not around.wide or around.wide[-1] not in {"=", "≈"}:
        return set()
    words = around.wide
    found = {
        operation
        for index in range(1, len(words) - 1)
        for operation in _SIGNS.get(words[index], ())
        if _ends_operand(words[index - 1]) and _begins_operand(words[index + 1])
    }
    if Operation.SUM in found and Operation.DIFFERENCE in found:
        found.add(Operation.BALANCE)
    return found


def _ends_operand(token: str) -> bool:
    return token[-1].isdigit() or token[-1] in ")]%$€£¥"


def _begins_operand(token: str) -> bool:
    return token[0].isdigit() or token[0] in "([$€£¥"


def _of_form(around: Surroundings) -> set[Operation]:
    """Return what the form of the value licenses: counts, fractions, `so`, `for two`."""
    lists = load_word_lists("derivation_cues")
    near = around.before[-_NEAR:]
    found: set[Operation] = set()
    if around.shape == "percent":
        found.add(Operation.AS_PERCENT)
    if any(find_phrases(near, lists["follows"])) or near[:1] == ("so",):
        found |= _FOLLOWING
    if around.shape == "number" and (
        not around.before or any(word in lists["counting"] for word in near[-4:])
    ):
        found.add(Operation.COUNT)
    if around.text.split("-")[-1].split(" ")[-1] in lists["shares"] and around.after[:1] == ("of",):
        found.add(Operation.RATIO)
    if _is_for_several(around, lists["counts"]) or _is_priced_count(around, lists["counts"]):
        found.add(Operation.PRODUCT)
    return found


def _is_for_several(around: Surroundings, counts: frozenset[str]) -> bool:
    for words in (around.wide, around.after):
        for first, second in pairwise(words):
            if first in {"for", "of"} and (second in counts or second.isdigit()):
                return True
    return False


def _is_priced_count(around: Surroundings, counts: frozenset[str]) -> bool:
    """Return whether a count of things leads to a price or a total: "five nights at $118", "3 of them"."""
    words = around.wide
    told = [at for at, word in enumerate(words) if word in counts or word.isdecimal()]
    if around.shape != "money" or not told:
        return False
    first = told[0]
    priced = "at" in words[first : first + _PRICED_WITHIN]
    totalled = first == 0 and not _TOTALS.isdisjoint((*words, *around.after))
    return priced or totalled
