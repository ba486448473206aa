"""Extraction beside quantulum3 and price-parser: how much each gets right, and how long it takes.

An expression counts as right when every quantity that it is labelled with is found, with unit and
uncertainty, and nothing else. What only extraction reads (ordinals, times of day, dates, vague amounts) is
no error; a sum such as `3 years, 2 months` counts where its parts are labelled one by one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from verifier.core.quantities import extract_quantities, unit_of
from verifier.core.values import Kind, Quantity, Writing

_EXTRA: Final = frozenset({Kind.ORDINAL, Kind.TIME, Kind.DATE, Kind.QUARTER})
_COINS: Final = {"cent": 100, "penny": 100, "dime": 10}
_BARE: Final = frozenset({"dimensionless", "dozen", "count per week"})
_TINY: Final = Fraction(1, 10**6)
_REPEATS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How one reader did on one set of texts."""

    reader: str
    texts: str
    right: int | None
    of: int
    microseconds: float


def time_extraction(texts: list[str]) -> float:
    """Return the processor seconds that extraction takes for all texts, the best of several runs."""
    best = float("inf")
    for _ in range(_REPEATS):
        begun = time.process_time()
        for text in texts:
            extract_quantities(text)
        best = min(best, time.process_time() - begun)
    return best


def extraction_is_right(text: str, labels: list[dict[str, Any]]) -> bool:
    """Return whether extraction finds the labelled quantities of a text and no other."""
    mentions = [
        mention.value for mention in extract_quantities(text) if isinstance(mention.value, Quantity)
    ]
    rest = list(mentions)
    open_labels = [label for label in labels if not _take(rest, [label])]
    if open_labels and not all(_take_sum(rest, group) for group in _sums(open_labels)):
        return False
    return all(value.kind in _EXTRA or value.fault for value in rest)


def _take(rest: list[Quantity], labels: list[dict[str, Any]]) -> bool:
    found = next((value for value in rest if _is_label(value, labels[0])), None)
    if found is not None:
        rest.remove(found)
    return found is not None


def _sums(labels: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return labels of durations that may be parts of one sum, months apart from days and hours."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for label in labels:
        unit = unit_of(label["unit"])
        groups.setdefault(str(unit and unit.dimension), []).append(label)
    return list(groups.values())


def _take_sum(rest: list[Quantity], labels: list[dict[str, Any]]) -> bool:
    total, dimension = Fraction(0), None
    for label in labels:
        unit = unit_of(label["unit"])
        if unit is None:
            return False
        total, dimension = total + Fraction(str(label["value"])) * unit.factor, unit.dimension
    for value in rest:
        unit, low = unit_of(value.unit or ""), value.interval.low
        if unit and low is not None and unit.dimension == dimension and low * unit.factor == total:
            rest.remove(value)
            return True
    return False


def _is_label(value: Quantity, label: dict[str, Any]) -> bool:
    middle, spread = _middle(value)
    wanted = Fraction(str(label["value"]))
    if label["unit"] == "dozen":
        wanted *= 12
    if value.kind is Kind.MONEY:
        wanted /= _COINS.get(label["unit"], 1)
    if middle is None or abs(middle - wanted) > _TINY * abs(wanted):
        return False
    near = abs(spread - Fraction(str(label.get("uncertainty") or 0))) <= _TINY * max(
        Fraction(1), abs(wanted)
    )
    return near and _is_unit(value, label)


def _middle(value: Quantity) -> tuple[Fraction | None, Fraction]:
    low, high = value.interval.low, value.interval.high
    if value.kind is Kind.DATE and low is not None:
        from datetime import date

        return Fraction(date.fromordinal(int(low)).year), Fraction(0)
    if value.writing in {Writing.RANGE, Writing.TOLERANCE} and low is not None and high is not None:
        return (low + high) / 2, (high - low) / 2
    return (value.nominal if value.nominal is not None else low), Fraction(0)


def _is_unit(value: Quantity, label: dict[str, Any]) -> bool:
    name = label["unit"]
    if value.kind is Kind.MONEY:
        return "currency" in str(label.get("entity")) or any(
            word in name for word in ("dollar", "euro", "pound", "yen", *_COINS)
        )
    if name == "percentage":
        return value.kind is Kind.PERCENT
    mine = unit_of(f"{value.unit}/{value.per}" if value.per else value.unit or "")
    if name in _BARE:
        return mine is None or mine.name == "sigma"
    theirs = unit_of(_WRITTEN.get(name, name.replace("per square second", "per second squared")))
    return (
        mine is not None
        and theirs is not None
        and (mine.dimension, mine.factor) == (theirs.dimension, theirs.factor)
    )


_WRITTEN: Final = {
    "inverse second": "s-1",
    "inverse femtobarn": "fb-1",
    "kilometre per square second": "km/s2",
    "ton per day": "tpd",
}


def rival_is_right(found: list[dict[str, Any]], labels: list[dict[str, Any]]) -> bool:
    """Return whether a rival's quantities are the labelled ones, by the rival's own unit names."""
    rest = list(found)
    for label in labels:
        match = next((each for each in rest if _same_label(each, label)), None)
        if match is None:
            return False
        rest.remove(match)
    return not rest


def _same_label(found: dict[str, Any], label: dict[str, Any]) -> bool:
    if "crash" in found:
        return False
    wanted = float(label["value"])
    value = abs(float(found["value"]) - wanted) <= 1e-6 * max(abs(wanted), 1e-9)
    spread = abs(float(found["uncertainty"]) - float(label.get("uncertainty") or 0)) <= 1e-6
    return value and spread and _plain_name(found["unit"]) == _plain_name(label["unit"])


def _plain_name(unit: object) -> str:
    return str(unit).replace("-", " ").casefold()
