"""What the caller knows beyond the text: locale, clock, zone, default currency, fiscal year."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime


class Context(NamedTuple):
    """The settings of one extraction.

    `mark` is the locale's decimal mark and `day_first` its order of day and month, both None where
    it does not tell; `language` is its language in lower case, empty without a locale.
    """

    mark: str | None = None
    language: str = ""
    day_first: bool | None = None
    now: datetime | None = None
    timezone: str | None = None
    default_currency: str | None = None
    fiscal_year_start: int = 1
