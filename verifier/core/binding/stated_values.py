"""The values that a sentence of an answer states: quantities, identifiers, states."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.binding.absences import find_absences
from verifier.core.binding.references import find_written_ends
from verifier.core.binding.states import find_states
from verifier.core.facts.model import NamedBy
from verifier.core.spans import Span
from verifier.core.text import fold
from verifier.core.text_stems import stem
from verifier.core.turn_values import read_quantities
from verifier.core.values import Interval, Kind, Quantity, TextValue, Value

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from verifier.core.facts.model import ThingMention
    from verifier.core.quantities import ValueMention
    from verifier.core.turns import Turn

_CODE: Final = re.compile(  # "#W4923227", "ann7@mail.example", "TRK9002", "48213307"
    r"""\#\w[\w-]*
       |[\w.+-]{1,64}@[\w.-]{1,80}\w
       |\b(?=[\w-]{0,80}?\d)(?=[\w-]{0,80}?[A-Za-z])[A-Za-z0-9][\w-]*
       |\b\d{5,}\b""",
    re.VERBOSE,
)
_GENERATION: Final = re.compile(r"[2-6]G\b")  # a network's generation, no weight
_NO_MONTHS: Final = frozenset({"this may", "that may", "may", "march"})  # "this may take long"
_LABELLED: Final = re.compile(  # "platform 7", "gate 12"
    r"\b(?P<label>[A-Za-z]{3,20})\ (?P<number>\d{1,4})\b(?![.,:/-]\d)"
)
_COUNT: Final = re.compile(r"\d{1,6}(?= )")
_LONGEST_CODE: Final = 80
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_NAMING: Final = frozenset({NamedBy.KEY, NamedBy.NAME})
_ORDINARY: Final = re.compile(  # 4G, 10th, A4, 3-day
    r"\d{1,3}[a-z]{1,4}|[a-z]{1,3}\d|\d+-[a-z-]+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedValue:
    """A value as the answer states it; spans are those of the answer. `key` names the things of an id."""

    span: Span
    value: Value
    key: ThingMention | None = None

    @property
    def is_text(self) -> bool:
        """Whether it is compared as text."""
        return isinstance(self.value, TextValue)


def find_stated_values(
    text: str,
    offset: int,
    turn: Turn,
    mentions: Sequence[ThingMention],
    *,
    flags: Container[str] = frozenset(),
    labels: Container[str] = frozenset(),
) -> tuple[StatedValue, ...]:
    """Return the values of the sentence `text`, which begins at `offset` of the answer, in order.

    What names a thing is no value, but the id of a thing is stated with it. `flags` are names of yes-or-no
    fields, said of a thing as states are; `labels` stems of fields, whose numbers may follow their name
    ("platform 7").
    """
    taken = bytearray(len(text) + 1)
    found: list[StatedValue] = []
    for mention in mentions:
        place = mention.span.shift(-offset)
        if mention.by in _NAMING:
            taken[place.start : place.end] = b"\1" * (place.end - place.start)
        if mention.by == NamedBy.KEY:
            code = _identifier(place.of(text))
            found.append(StatedValue(span=mention.span, value=code, key=mention))
    for place, read in _candidates(text, turn, flags, labels):
        span, value = _count_of_named(text, place, read, taken) or (place, read)
        if any(taken[span.start : span.end]):
            continue
        taken[span.start : span.end] = b"\1" * (span.end - span.start)
        found.append(StatedValue(span=span.shift(offset), value=value))
    return tuple(sorted(found, key=lambda one: one.span))


def _count_of_named(
    text: str, span: Span, value: Value, taken: bytearray
) -> tuple[Span, Value] | None:
    """Return the number before the name of what is counted: the 31 of "31 City Walkers"."""
    number = _COUNT.match(text, span.start, span.end)
    if not isinstance(value, Quantity) or value.kind is not Kind.QUANTITY or number is None:
        return None
    if any(taken[number.start() : number.end()]) or not all(taken[number.end() + 1 : span.end]):
        return None
    bare = replace(value, kind=Kind.NUMBER, unit=None, text=number.group(), alternatives=())
    return Span(*number.span()), bare


def _candidates(
    text: str, turn: Turn, flags: Container[str], labels: Container[str]
) -> Iterator[tuple[Span, Value]]:
    """Yield what may be a value; what is yielded first takes its place."""
    ends = frozenset(find_written_ends(text))
    found = ((mention.span, mention.value) for mention in _quantities(text, turn))
    yield from ((span, value) for span, value in found if span not in ends)
    yield from find_absences(text)
    for match in _LABELLED.finditer(text):
        if stem(match["label"].casefold()) in labels:
            number = match["number"]
            point = Interval.point(Fraction(int(number)))
            value = Quantity(kind=Kind.NUMBER, interval=point, text=number, nominal=point.low)
            yield Span(*match.span("number")), value
    yield from ((span, _identifier(span.of(text))) for span in _codes(text))
    yield from ((span, _identifier(span.of(text))) for span in ends)
    yield from ((span, state) for span, state in find_states(text) if text[span.end :][:1] != ":")
    for match in _WORD.finditer(text):
        word = match.group().casefold()
        if word in flags:
            state = TextValue(kind=Kind.STATE, text=match.group(), folded=word)
            yield Span(*match.span()), state


def _quantities(text: str, turn: Turn) -> Iterator[ValueMention]:
    for mention in read_quantities(text, turn):
        value = mention.value
        if isinstance(value, Quantity) and (value.fault == "vague" or value.kind is Kind.ORDINAL):
            continue
        if (
            _GENERATION.match(value.text)
            or _is_glued(text, mention.span)
            or value.text in _NO_MONTHS
        ):
            continue
        yield mention


def _is_glued(text: str, span: Span) -> bool:
    """Return whether a value is only the start of a word: the Q4 of "Q4L9HS", the 2 of "2-piece"."""
    after = text[span.end : span.end + 2]
    return after[:1].isalnum() or (after[:1] == "-" and after[1:].isalpha())


def _codes(text: str) -> Iterator[Span]:
    for match in _CODE.finditer(text):
        token = match.group().rstrip(".-_")
        if len(token) <= _LONGEST_CODE and not _ORDINARY.fullmatch(token):
            yield Span(match.start(), match.start() + len(token))


def _identifier(written: str) -> TextValue:
    return TextValue(kind=Kind.IDENTIFIER, text=written, folded=fold(written))
