"""Moments as people type them."""

from __future__ import annotations

from datetime import UTC, datetime

import typer


def read_moment(text: str) -> datetime:
    """Return the moment that an ISO 8601 text names; UTC where it has no offset."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is no date or time such as 2026-11-30 or 2026-11-30T09:00+01:00"
        ) from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
