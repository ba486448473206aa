"""What the caller knows beyond the text: locale, clock, zone, default currency, fiscal year."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.core.quantities.numbers import Marks


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The settings of one extraction. `day_first` is None where the locale does not tell."""

    marks: Marks
    day_first: bool | None = None
    now: datetime | None = None
    timezone: str | None = None
    default_currency: str | None = None
    fiscal_year_start: int = 1
