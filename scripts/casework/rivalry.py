"""The rivals: their environment, what they find in texts, and what that says in this project's values."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from verifier.core.quantities import ValueMention, extract_quantities, unit_of
from verifier.core.spans import Span
from verifier.core.units import DURATION_DIMENSIONS
from verifier.core.values import Interval, Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Sequence

RIVALS: Final = ("quantulum3", "quantulum3-plain", "price-parser")
CACHE: Final = (
    Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    / "grounding-verifier"
    / "bench-claims"
)
_PACKAGES: Final = (
    "quantulum3[classifier]==0.10.0",
    "scikit-learn==1.8.0",
    "price-parser==0.5.1",
    "setuptools<81",
)
"""scikit-learn is the version that quantulum3's classifier was stored with; another one can't load it."""
_UNITS: Final = {
    "degree angle": "°",
    "degree angle degree Celsius": "°C",
    "minute of arc": "arcmin",
    "second of arc": "arcsec",
}
_DOZEN: Final = 12
_MONTH_S: Final = 30 * 86_400
_YEAR_S: Final = 365 * 86_400


def prepare_rivals(folder: Path) -> Path:
    """Return the interpreter of an environment with the rivals, made in `folder` if need be."""
    python = folder / "bin" / "python"
    ready, wanted = folder / "ready", "\n".join(_PACKAGES)
    if not ready.exists() or ready.read_text(encoding="utf-8") != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *_PACKAGES], check=True)
        ready.write_text(wanted, encoding="utf-8")
    return python


def run_rival(
    python: Path, name: str, texts: Sequence[str]
) -> tuple[list[list[dict[str, Any]]], float]:
    """Return what a rival finds in each text, and its processor seconds for all of them."""
    script = Path(__file__).with_name("rivals.py")
    done = subprocess.run(
        [str(python), str(script), name],
        input=json.dumps(list(texts)),
        capture_output=True,
        text=True,
        check=True,
    )
    answer = json.loads(done.stdout)
    return answer["found"], answer["seconds"]


def mentions_of(text: str, found: Sequence[dict[str, Any]]) -> tuple[ValueMention, ...]:
    """Return a rival's findings as mentions, every doubt in its favour.

    Each has the whole text for its place, so that no span counts; a spread is a range whose ends are open
    or closed, whichever is asked for; parts (`5 feet and 2 inches`) also count as their sum.
    """
    values = [value for one in found if (value := _value(one)) is not None]
    place = Span(0, len(text))
    return tuple(ValueMention(span=place, value=value) for value in (*values, *_sums(values)))


def _sums(values: Sequence[Quantity]) -> list[Quantity]:
    """Return the sums of the durations, and of the measures of each dimension, where there are several."""
    durations = [_seconds(value) for value in values if value.kind is Kind.DURATION]
    total = sum(durations, Fraction(0))
    sums = [_quantity(Kind.DURATION, "s", (total, total))] if len(durations) > 1 else []
    measures: dict[object, list[tuple[str, Fraction]]] = {}
    for value in values:
        unit = unit_of(value.unit or "") if value.kind is Kind.QUANTITY else None
        if unit is not None and not unit.offset and value.interval.low is not None:
            amount = value.interval.low * unit.factor
            measures.setdefault(unit.dimension, []).append((unit.name, amount))
    for parts in measures.values():
        name, first = parts[0][0], unit_of(parts[0][0])
        if first is not None and len(parts) > 1:
            total = sum((amount for _, amount in parts), Fraction(0)) / first.factor
            sums.append(_quantity(Kind.QUANTITY, name, (total, total)))
    return sums


def _value(found: dict[str, Any]) -> Quantity | None:
    """Return one finding, None for a crash and for what is no finite number."""
    if "crash" in found or not math.isfinite(float(found["value"])):
        return None
    number, spread = Fraction(str(found["value"])), Fraction(str(found["uncertainty"] or 0))
    pattern = _pattern(str(found["unit"] or ""), str(found["entity"]))
    factor = pattern.interval.low or Fraction(1)
    ends = ((number - spread) * factor, (number + spread) * factor)
    value = replace(pattern, interval=Interval(low=ends[0], high=ends[1]), nominal=None)
    return _with_open_ends(value) if spread else value


def _pattern(name: str, entity: str) -> Quantity:
    """Return one of a rival's unit: `cent` is a hundredth of an open currency, `dozen` is twelve."""
    one = (Fraction(1), Fraction(1))
    if entity == "currency":
        return _coin(name)
    if name == "percentage":
        return _quantity(Kind.PERCENT, None, one)
    if name == "dozen":
        return _quantity(Kind.NUMBER, None, (Fraction(_DOZEN), Fraction(_DOZEN)))
    unit = unit_of(_UNITS.get(name, name))
    if unit is None:
        bare = entity == "dimensionless" or not name
        return _quantity(Kind.NUMBER if bare else Kind.QUANTITY, None if bare else name, one)
    kind = Kind.DURATION if unit.dimension in DURATION_DIMENSIONS else Kind.QUANTITY
    return _quantity(kind, unit.name, one)


def _coin(name: str) -> Quantity:
    """Return one of a currency by its name, code or mark; what has no such meaning keeps its name."""
    for text in (f"1 {name}", f"{name} 1"):
        for mention in extract_quantities(text) if name else ():
            if isinstance(mention.value, Quantity) and mention.value.kind is Kind.MONEY:
                return replace(mention.value, writing=Writing.EXACT, alternatives=())
    return _quantity(Kind.MONEY, name or None, (Fraction(1), Fraction(1)))


def _quantity(kind: Kind, unit: str | None, ends: tuple[Fraction, Fraction]) -> Quantity:
    return Quantity(kind=kind, interval=Interval(low=ends[0], high=ends[1]), text="", unit=unit)


def _with_open_ends(value: Quantity) -> Quantity:
    """Return a spread as a range, with the same range open at either or both ends beside it."""
    ranged = replace(value, writing=Writing.RANGE)
    others = (
        replace(ranged, interval=replace(value.interval, low_open=low, high_open=high))
        for low, high in ((True, False), (False, True), (True, True))
    )
    return replace(ranged, alternatives=tuple(others))


def _seconds(part: Quantity) -> Fraction:
    """Return a duration in seconds; a month has 30 days and a year 365, as the labels count them."""
    unit, number = unit_of(part.unit or "s"), part.interval.low or Fraction(0)
    if unit is None:
        return Fraction(0)
    if unit.dimension != (("month", 1),):
        return number * unit.factor
    years, months = divmod(number * unit.factor, 12)
    return years * _YEAR_S + months * _MONTH_S
