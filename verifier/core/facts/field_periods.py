"""What an amount is for: a month, a night, a pound, as names of fields and siblings of amounts tell it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.facts.currency_words import is_code
from verifier.core.facts.plain import is_record
from verifier.core.field_names import field_words
from verifier.core.ledger_walk import fold_fields
from verifier.core.lexicons import load_word_lists
from verifier.core.tables import read_table
from verifier.core.units import unit_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_PER: Final[Mapping[str, str]] = read_table("fact_units")["per"]
_WORDS: Final = load_word_lists("fact_periods")
_ARTICLES: Final = frozenset({"a", "an", "each", "every"})
_TOLD: Final = re.compile(  # monthly, per month, every 3 months, month(s), P1M
    r"""(?:(?:per|an?|each|every|once\sa)\s)?(?:(?P<count>[1-9]\d?)\s)?(?P<word>[a-z]{1,12}?)(?:\(?s\)?)?
      | p(?P<iso_count>[1-9]\d?)(?P<iso>[dwmy])""",
    re.VERBOSE,
)
_ISO: Final = {"d": "d", "w": "wk", "m": "mo", "y": "yr"}
_LONGEST: Final = 30


def cut_per(words: tuple[str, ...]) -> tuple[tuple[str, ...], str | None]:
    """Return the words before "per", and what it is per: `price_per_lb`, `fee_a_month`."""
    at = next((at for at, word in enumerate(words) if at and word == "per"), 0)
    if at:
        currencies = tuple(word for word in words[at + 1 :] if is_code(word))
        written = " ".join(word for word in words[at + 1 :] if word not in currencies)
        return (*words[:at], *currencies), _unit_named(written) or None
    if len(words) > 2 and words[-2] in _ARTICLES and words[-1] in _PER:
        return words[:-2], _unit_named(words[-1])
    return words, None


def period_of(words: tuple[str, ...]) -> str | None:
    """Return what amounts of a field are for by a word at either end: `nightly_rate`, `price_monthly`.

    What was taken or spent in a period is no amount for one: `monthly_revenue`.
    """
    if not words or _WORDS["flows"] & set(words):
        return None
    told = words[0] if words[0] in _WORDS["adjectives"] else words[-1]
    if told not in _WORDS["adjectives"] and words[0] == "per":
        return _unit_named(" ".join(words[1:])) or None
    return _unit_named(told) if told in _WORDS["adjectives"] else None


def period_of_field(name: str, told: str | None) -> str | None:
    """Return the period told beside a field if it is the field's: a fee's, but no setup fee's."""
    if told is None:
        return None
    words = set(field_words(name))
    return told if _WORDS["recurring"] & words and not _WORDS["once"] & words else None


def is_rate_of_money(words: tuple[str, ...]) -> bool:
    """Return whether a field may be what is asked for a night, an hour, a room: not `tax_rate`."""
    names_rate = bool(words) and bool({words[0], words[-1]} & {"rate", "rates"})
    return names_rate and set(words) <= _WORDS["rates"] | _WORDS["adjectives"]


def tells_period(name: str) -> bool:
    """Return whether a folded field may tell the period of the amounts beside it."""
    return name in _WORDS["siblings"]


@lru_cache(maxsize=1024)
def period_told(text: str) -> str | None:
    """Return the unit that a sibling such as `billing_period` names: "month", "monthly", "every 3 months"."""
    match = _TOLD.fullmatch(" ".join(text.casefold().replace("_", " ").replace("-", " ").split()))
    if match is None:
        return None
    unit = _ISO[match["iso"]] if match["iso"] else _unit_listed(match["word"])
    count = match["count"] or match["iso_count"]
    return unit if unit is None or count in {None, "1"} else f"{count} {unit}"


def period_beside(fields: Mapping[str, tuple[str, object]]) -> str | None:
    """Return the period that a record tells for its amounts; an `interval_count` beside it counts."""
    inner = fields.get("recurring", ("", None))[1]
    if is_record(inner):
        fields = fold_fields(inner)
    for name in _WORDS["siblings"] & fields.keys():
        told = fields[name][1]
        period = period_told(told) if isinstance(told, str) and len(told) <= _LONGEST else None
        if period is not None:
            return _counted(period, fields.get("interval_count", ("", 1))[1])
    return None


def _counted(period: str, count: object) -> str | None:
    if type(count) is not int or not 0 < count < 100:
        return None
    return period if count == 1 else None if period[:1].isdigit() else f"{count} {period}"


def _unit_listed(word: str) -> str | None:
    return _unit_named(word) if word in _PER else None


def _unit_named(written: str) -> str:
    unit = unit_of(_PER.get(written) or written) or unit_of(written.upper())
    return unit.name if unit is not None else _PER.get(written) or written
