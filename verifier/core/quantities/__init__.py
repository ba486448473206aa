"""Reading quantities from text; the only place that holds number patterns."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.build import ValueMention, to_mention
from verifier.core.quantities.context import Context
from verifier.core.quantities.currencies import is_currency, minor_units
from verifier.core.quantities.numerals import locale_habits, read_exact
from verifier.core.quantities.relativeorder import add_relative_order
from verifier.core.quantities.scan import scan
from verifier.core.quantities.tokens import Stream
from verifier.core.units import Unit, unit_of

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

__all__ = [
    "Unit",
    "ValueMention",
    "extract_quantities",
    "is_currency",
    "minor_units",
    "read_exact",
    "unit_of",
]

_LONGEST_CACHED: Final = 600


def extract_quantities(
    text: str,
    *,
    locale: str | None = None,
    now: datetime | None = None,
    timezone: str | None = None,
    default_currency: str | None = None,
    fiscal_year_start: int = 1,
    relative_order: bool = False,
) -> tuple[ValueMention, ...]:
    """Return the values that `text` holds, in the order of their spans, which never overlap.

    `locale` (`de-DE`) settles decimal marks and the order of day and month, `now` (with zone) and
    `timezone` (IANA) relative dates, `default_currency` what an open mark such as "$" means, and
    `fiscal_year_start` the month in which a fiscal year begins. What stays open has alternatives.
    `relative_order` adds ordinals that count from the end or the current one (`last`, `next`,
    `penultimate`: an offset whose unit is `end` or `current`) and those after an article (`a first draft`).
    Never raises for any text; takes time linear in its length. Not read: more than 400 digits in a row,
    exponents beyond 400, codes of more than 64 and units of more than 48 characters.
    """
    mark, language, day_first = locale_habits(locale)
    context = Context(mark, language, day_first, now, timezone, default_currency, fiscal_year_start)
    if len(text) > _LONGEST_CACHED:
        return _extract(text, context, relative_order=relative_order)
    zone = None if now is None else (now.tzinfo, now.fold)
    return _extract_short(text, context, zone, relative_order=relative_order)


@lru_cache(maxsize=4_096)
def _extract_short(
    text: str, context: Context, _zone: tuple[tzinfo | None, int] | None, *, relative_order: bool
) -> tuple[ValueMention, ...]:
    """Return the values of a sentence or field; moments of two zones are equal, and not the same."""
    return _extract(text, context, relative_order=relative_order)


def _extract(text: str, context: Context, *, relative_order: bool) -> tuple[ValueMention, ...]:
    stream = Stream(text)
    readings = scan(stream, context)
    if relative_order:
        readings = add_relative_order(stream, readings)
    return tuple([to_mention(text, reading) for reading in readings])
