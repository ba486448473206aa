"""Words for the states of things, in classes of which a thing has one at a time."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

from verifier.core.spans import Span
from verifier.core.text import fold
from verifier.core.values import Kind, TextValue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_WORD: Final = re.compile(r"[^\W_]+")
_LONGEST_PHRASE: Final = 4
_LONGEST_CACHED: Final = 60
_WAY: Final = (
    *("pending", "processing", "ready", "shipped", "out_for_delivery", "delivered"),
    *("return_requested", "exchange_requested", "returned", "refunded"),
)
_IMPLYING: Final = {
    "shipped": frozenset(
        {"out_for_delivery", "delivered", "return_requested", "exchange_requested"}
    ),
    "delivered": frozenset({"return_requested", "exchange_requested", "returned"}),
}


class State(NamedTuple):
    """A state and the class that it belongs to."""

    group: str
    name: str


def read_states(text: str) -> tuple[State, ...]:
    """Return the states that `text` is a word for, such as `in_transit` or "On its way", one a class."""
    return (
        _states_of_text(text) if len(text) <= _LONGEST_CACHED else _phrases().get(_words(text), ())
    )


@lru_cache(maxsize=4_096)
def _states_of_text(text: str) -> tuple[State, ...]:
    return _phrases().get(_words(text), ())


def find_states(text: str) -> Iterator[tuple[Span, TextValue]]:
    """Yield the words for states in `text`, the longest at each place, with the state as value."""
    words = [(match.group().casefold(), match.span()) for match in _WORD.finditer(text)]
    firsts, phrases = _firsts(), _phrases()
    at = 0
    while at < len(words):
        length = 0
        start = words[at][1][0]
        if words[at][0] in firsts and text[max(0, start - 1) : start] != "-":
            lengths = range(min(_LONGEST_PHRASE, len(words) - at), 0, -1)
            found = (n for n in lengths if tuple(word for word, _ in words[at : at + n]) in phrases)
            length = next(found, 0)
        if length:
            span = Span(words[at][1][0], words[at + length - 1][1][1])
            first = phrases[tuple(word for word, _ in words[at : at + length])][0]
            yield span, TextValue(kind=Kind.STATE, text=span.of(text), folded=first.name)
        at += length or 1


def comes_before(name: str, other: str) -> bool:
    """Return whether a state of the way of an order is passed when the other is reached."""
    return name in _WAY and other in _WAY and _WAY.index(name) < _WAY.index(other)


def is_implied(name: str, other: str) -> bool:
    """Return whether what is in the state `other` must have been in the state `name`."""
    return other in _IMPLYING.get(name, ())


def groups_of_state(name: str) -> frozenset[str]:
    """Return the classes in which a state's canonical name stands."""
    return frozenset([state.group for state in read_states(name)])


def _words(text: str) -> tuple[str, ...]:
    return tuple(fold(text).replace("_", " ").replace("-", " ").split())


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    source = files("verifier.core").joinpath("data", "states.toml").read_text(encoding="utf-8")
    return tomllib.loads(source)


@cache
def _phrases() -> Mapping[tuple[str, ...], tuple[State, ...]]:
    found: dict[tuple[str, ...], list[State]] = {}
    for group, states in _tables().items():
        for name, words in states.items():
            for word in dict.fromkeys((name, *words.split())):
                found.setdefault(tuple(word.split("_")), []).append(State(group, name))
    return {phrase: tuple(states) for phrase, states in found.items()}


@cache
def _firsts() -> frozenset[str]:
    return frozenset(phrase[0] for phrase in _phrases())
