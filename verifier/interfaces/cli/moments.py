"""Moments as people type them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

import typer

_PERIOD: Final = re.compile(r"([0-9]{1,5})([dhm])")  # 90d
_MINUTES: Final = {"d": 1_440, "h": 60, "m": 1}


def read_moment(text: str) -> datetime:
    """Return the moment that an ISO 8601 text names; UTC where it has no offset."""
    moment = _read(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def read_stored_moment(text: str) -> datetime:
    """Return a moment that the store is to keep. It needs an offset: later nobody knows which was meant."""
    moment = _read(text)
    if moment.tzinfo is None:
        raise typer.BadParameter(
            f"{text!r} has no time zone; give one, such as 2030-01-31T00:00+01:00 or 2030-01-31T00:00Z"
        )
    return moment


def _read(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is no date or time such as 2026-11-30 or 2026-11-30T09:00+01:00"
        ) from None


def read_period(text: str) -> timedelta:
    """Return how long `90d`, `12h` or `30m` is."""
    read = _PERIOD.fullmatch(text.strip())
    if read is None or not int(read[1]):
        raise typer.BadParameter(f"{text!r} is no period such as 90d, 12h or 30m")
    return timedelta(minutes=int(read[1]) * _MINUTES[read[2]])
