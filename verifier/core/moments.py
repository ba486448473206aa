"""What moments can be: those that fit the years 1 to 9999 in UTC."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from verifier.errors import InputError

if TYPE_CHECKING:
    from datetime import datetime


def check_reach(name: str, moment: datetime) -> None:
    """Raise InputError where the moment, by its offset, lies outside the years 1 to 9999 in UTC."""
    try:
        moment.astimezone(UTC)
    except OverflowError:
        raise InputError(f"{name} {moment} lies outside the years 1 to 9999 in UTC") from None
