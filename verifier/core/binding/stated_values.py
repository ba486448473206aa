"""The values that a sentence of an answer states: quantities, identifiers, states."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.binding.absences import find_absences
from verifier.core.binding.states import find_states
from verifier.core.quantities import ValueMention, extract_quantities
from verifier.core.spans import Span
from verifier.core.text import fold
from verifier.core.values import Kind, Quantity, TextValue, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.facts.model import ThingMention
    from verifier.core.turns import Turn

_CODE: Final = re.compile(
    r"[#]?(?=[\w.@+-]{0,80}\d)[A-Za-z0-9][\w@+-]*(?:[.][\w@+-]+)*|[\w.+-]{1,64}@[\w.-]{1,80}\w"
)
_LONGEST_CODE: Final = 80
_ORDINARY: Final = re.compile(
    r"\d{1,3}[a-z]{1,4}|[a-z]+-?\d|\d+-[a-z-]+", re.IGNORECASE
)  # 4G, 10th, 3-day


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
    text: str, offset: int, turn: Turn, mentions: Sequence[ThingMention]
) -> tuple[StatedValue, ...]:
    """Return the values of the sentence `text`, which begins at `offset` of the answer, in order.

    What names a thing is no value, but the id of a thing is stated with it.
    """
    names = [one for one in mentions if one.by == "name"]
    found = [
        StatedValue(span=one.span, value=_identifier(one.span.shift(-offset).of(text)), key=one)
        for one in mentions
        if one.by == "key"
    ]
    taken = [one.span for one in (*found, *names)]
    for mention in _quantities(text, turn):
        span = mention.span.shift(offset)
        if not any(span.overlaps(other) for other in taken):
            found.append(StatedValue(span=span, value=mention.value))
            taken.append(span)
    for place, value in find_absences(text):
        span = place.shift(offset)
        if not any(span.overlaps(other) for other in taken):
            found.append(StatedValue(span=span, value=value))
            taken.append(span)
    for span in _codes(text, offset):
        if not any(span.overlaps(other) for other in taken):
            found.append(StatedValue(span=span, value=_identifier(span.shift(-offset).of(text))))
            taken.append(span)
    for span, value in find_states(text):
        placed = span.shift(offset)
        if not any(placed.overlaps(other) for other in taken):
            found.append(StatedValue(span=placed, value=value))
    return tuple(sorted(found, key=lambda one: one.span))


def _quantities(text: str, turn: Turn) -> Iterator[ValueMention]:
    for mention in extract_quantities(
        text,
        locale=turn.locale,
        now=turn.now,
        timezone=turn.timezone,
        default_currency=turn.default_currency,
        fiscal_year_start=turn.fiscal_year_start,
    ):
        value = mention.value
        if isinstance(value, Quantity) and (value.fault == "vague" or value.kind is Kind.ORDINAL):
            continue
        yield mention


def _codes(text: str, offset: int) -> Iterator[Span]:
    for match in _CODE.finditer(text):
        token = match.group().rstrip(".-_")
        if len(token) <= _LONGEST_CODE and not _ORDINARY.fullmatch(token):
            yield Span(match.start() + offset, match.start() + offset + len(token))


def _identifier(written: str) -> TextValue:
    return TextValue(kind=Kind.IDENTIFIER, text=written, folded=fold(written))
