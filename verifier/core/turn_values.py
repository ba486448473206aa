"""The quantities of a text, read as the turn's settings say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.catalog.declarations import PRINCIPAL, TENANT
from verifier.core.quantities import extract_quantities

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.quantities import ValueMention
    from verifier.core.turns import Turn


def read_quantities(text: str, turn: Turn) -> tuple[ValueMention, ...]:
    """Return what `extract_quantities` finds with a turn's locale, clock, zone, currency and fiscal year."""
    return extract_quantities(
        text,
        locale=turn.locale,
        now=turn.now,
        timezone=turn.timezone,
        default_currency=turn.default_currency,
        fiscal_year_start=turn.fiscal_year_start,
    )


def read_turn_fields(turn: Turn) -> Mapping[str, str]:
    """Return the fields of a turn that scopes may name: principal, tenant, and those of its context."""
    told = {PRINCIPAL: turn.principal, TENANT: turn.tenant, **turn.context}
    return {name: value for name, value in told.items() if value}
