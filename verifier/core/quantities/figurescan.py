"""What stands at a token of digits: a date, a time, a version, a code, or an amount."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.quantities.amounts import read_amount
from verifier.core.quantities.clock import add_iso_time, read_time
from verifier.core.quantities.codes import has_tail, opens_code, read_named_figure
from verifier.core.quantities.dates import read_date
from verifier.core.quantities.fastlane import read_plain_figure
from verifier.core.quantities.marks import opens_item, read_code
from verifier.core.quantities.numericdates import read_slashed
from verifier.core.quantities.periodparts import read_part_number
from verifier.core.quantities.periods import read_period
from verifier.core.quantities.quarters import read_year_and_quarter
from verifier.core.quantities.spokentimes import read_spoken_time
from verifier.core.quantities.tokens import BREAK, WORD
from verifier.core.quantities.triggers import date_followers, label_cues
from verifier.core.quantities.versions import in_name
from verifier.core.quantities.wordamounts import read_ordinal
from verifier.core.quantities.years import read_year
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.quantities.context import Context
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream


def read_figure_at(stream: Stream, index: int, context: Context) -> Reading | int | None:
    """Return the reading that starts at the digits at `index`, an index to go on from, or None."""
    plain = read_plain_figure(stream, index, context)
    if plain is not None:
        return plain
    if index == 0 or stream.kinds[index - 1] == BREAK:
        after_item = opens_item(stream, index)
        if after_item is not None:
            return after_item
    if stream.read_to < index and stream.kinds[index - 1] == WORD and stream.glued(index):
        return index + 1
    special = _special(stream, index, context) or _touching(stream, index)
    if special is not None:
        return special
    amount = read_amount(stream, index, context)
    if amount is None or amount.kind is not Kind.NUMBER:
        return amount
    return _bare(stream, index, amount)


def _touching(stream: Stream, index: int) -> Reading | int | None:
    """Return the code or ordinal that digits make with the letters glued to them, or None."""
    if not stream.glued(index + 1):
        return None
    if stream.kinds[index + 1] == WORD and opens_code(stream, index):
        return read_code(stream, index)
    return read_ordinal(stream, index)


def _special(stream: Stream, index: int, context: Context) -> Reading | int | None:
    """Return what only the neighbours of digits can make of them, None where these are ordinary."""
    word = stream.words[index]
    touches = stream.glued(index + 1) or not word.isdecimal()
    if touches or len(word) == 4 or stream.folds[index + 1] in date_followers():
        found = _dated(stream, index, context)
        if found is not None:
            return found
    before = stream.words[index - 1] if index else ""
    named = touches or len(word) > 3 or word[0] == "0" or before[:1].isupper()
    return read_named_figure(stream, index) if named or before.lower() in label_cues() else None


def _dated(stream: Stream, index: int, context: Context) -> Reading | None:
    found = read_date(stream, index, context)
    if found is not None:
        return add_iso_time(stream, found, context)
    return (
        read_time(stream, index, context)
        or read_spoken_time(stream, index, context)
        or read_year_and_quarter(stream, index, context)
        or read_slashed(stream, index, context)
        or _numbered_part(stream, index, context)
        or read_year(stream, index)
    )


def _numbered_part(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return `1st quarter of 2013`, `2nd week of 2021`, or None."""
    if stream.folds[index + 1] not in {"st", "nd", "rd", "th"}:
        return None
    return read_period(stream, index, context) or read_part_number(stream, index)


def _bare(stream: Stream, index: int, amount: Reading) -> Reading | int:
    """Return a bare number unless it belongs to a name (`Orbit 15`) or has letters at its end (`15c`)."""
    if has_tail(stream, amount.end):
        return amount.end + 1
    return amount.end if in_name(stream, index, amount.end) else amount
