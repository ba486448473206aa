"""The pass over the tokens that hands each to the readers it may start, and joins what they find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.quantities.bounds import join_bounds
from verifier.core.quantities.comparators import add_comparators, add_rates
from verifier.core.quantities.compounds import join_compounds
from verifier.core.quantities.figurescan import read_figure_at
from verifier.core.quantities.marks import find_masks
from verifier.core.quantities.percentof import read_percents_of
from verifier.core.quantities.ranges import join_ranges
from verifier.core.quantities.relative import resolve_relative
from verifier.core.quantities.tokens import DIGITS, SYMBOL, WORD
from verifier.core.quantities.triggers import symbol_triggers, word_triggers
from verifier.core.quantities.wordscan import read_sign_at, read_word_at
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.quantities.context import Context
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream

_NO_COUNTS: Final = frozenset(
    {"one", "thousands", "millions", "billions", "dozens", "hundreds", "nil", "gross"}
)
"""Number words that count nothing when they stand alone."""


def scan(stream: Stream, context: Context) -> list[Reading]:
    """Return what the readers find, in order and without overlaps."""
    found: list[Reading] = []
    masked = _masked_until(stream)
    index, count = 0, stream.count
    while index < count:
        step = masked[index] if index in masked else _step_at(stream, index, context)
        if step is None:
            index += 1
        elif isinstance(step, int):
            index = max(step, index + 1)
        else:
            found.append(step)
            stream.read_to = step.end
            index = max(step.end, index + 1)
    return _joined(stream, found, context) if found else found


def _step_at(stream: Stream, index: int, context: Context) -> Reading | int | None:
    kind = stream.kinds[index]
    if kind == WORD:
        trigger = word_triggers().get(stream.folds[index])
        if trigger is None and stream.starts[index + 1] != stream.ends[index]:
            return None
        return read_word_at(stream, index, context, trigger)
    if kind == DIGITS:
        return read_figure_at(stream, index, context)
    if kind == SYMBOL and stream.words[index] in symbol_triggers():
        return read_sign_at(stream, index, context)
    return None


def _masked_until(stream: Stream) -> dict[int, int]:
    """Return the first token of each address or piece of code, and the token after it."""
    masked: dict[int, int] = {}
    index = 0
    for start, stop in find_masks(stream.text):
        while index < stream.count and stream.starts[index] < start:
            index += 1
        first = index
        while index < stream.count and stream.starts[index] < stop:
            index += 1
        masked[first] = index
    return masked


def _joined(stream: Stream, found: list[Reading], context: Context) -> list[Reading]:
    readings = _apart(join_compounds(stream, found, context))
    readings = resolve_relative(stream, readings, context)
    readings = join_ranges(stream, read_percents_of(stream, readings))
    readings = _apart(add_rates(stream, readings))
    readings = _apart(join_bounds(stream, add_comparators(stream, readings)))
    return [reading for reading in readings if not _counts_nothing(stream, reading)]


def _apart(readings: list[Reading]) -> list[Reading]:
    """Return the readings without those that an earlier one has grown over."""
    kept: list[Reading] = []
    for reading in readings:
        if not kept or reading.begins >= kept[-1].stops:
            kept.append(reading)
    return kept


def _counts_nothing(stream: Stream, reading: Reading) -> bool:
    alone = reading.spelled and reading.kind is Kind.NUMBER and reading.end == reading.start + 1
    return alone and stream.folds[reading.start] in _NO_COUNTS
