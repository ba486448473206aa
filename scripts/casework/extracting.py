"""Judging the task `extract`: the mentions of a text against the items expected of it."""

from __future__ import annotations

import time
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from casework.cases import Judgement
from casework.mentions import describe, in_unit, same_unit
from verifier.core.quantities import extract_quantities

if TYPE_CHECKING:
    from casework.cases import Case

_ONLY_IF_LISTED = frozenset({"version", "id", "phone"})
_NUMERIC = frozenset({"value", "min", "max", "uncertainty", "quarter", "year"})
_TEXT_TYPES = frozenset({"version", "id", "phone"})


def judge_extract(case: Case) -> Judgement:
    """Return whether the text's mentions are the expected items, all of them and no other."""
    text = case.text
    begun = time.perf_counter()
    mentions = extract_quantities(
        text,
        locale=case.extra.get("locale"),
        now=_moment(case.extra.get("now")),
        timezone=case.extra.get("tz") or case.extra.get("timezone"),
        default_currency=case.extra.get("default_currency"),
        fiscal_year_start=int(case.extra.get("fiscal_year_start", 1)),
    )
    took = time.perf_counter() - begun
    items = [describe(mention) for mention in mentions]
    got = [_plain(item) for item in items][:40]
    if case.expected == "ambiguous":
        return Judgement(ok=True, got=got, counted=False)
    limit = case.extra.get("finishes_within_s") or (
        case.expected.get("finishes_within_s") if isinstance(case.expected, dict) else None
    )
    if limit is not None and took > float(limit):
        return Judgement(ok=False, got=[f"took {took:.2f} s"], error="wrong_value")
    ok = _fits(items, case.expected)
    return Judgement(ok=ok, got=got, error=None if ok else "wrong_value")


def _moment(text: object) -> datetime | None:
    return datetime.fromisoformat(text) if isinstance(text, str) else None


def _fits(items: list[dict[str, Any]], expected: object) -> bool:
    if not isinstance(expected, dict):
        return False
    if "any_of" in expected:
        return any(_fits(items, choice) for choice in expected["any_of"])
    unknown = set(expected) - {"items", "absent", "finishes_within_s"}
    if unknown:
        return False
    if any(_has(items, unwanted) for unwanted in expected.get("absent", [])):
        return False
    wanted = expected.get("items")
    return wanted is None or _match_all(items, list(wanted))


def _match_all(items: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> bool:
    listed = {entry.get("type") for entry in wanted}
    rest = [item for item in items if item["type"] not in _ONLY_IF_LISTED or item["type"] in listed]
    for entry in wanted:
        found = next((item for item in rest if matches(item, entry)), None)
        if found is None:
            return False
        rest.remove(found)
    return not [item for item in rest if item["type"] not in _ONLY_IF_LISTED]


def matches(item: dict[str, Any], entry: dict[str, Any]) -> bool:
    """Return whether an item has every field of an expected entry."""
    return all(_field_matches(item, name, wanted, entry) for name, wanted in entry.items())


def _field_matches(item: dict[str, Any], name: str, wanted: object, entry: dict[str, Any]) -> bool:
    kind, ours = item["type"], item.get(name)
    if name == "type":
        return bool(kind == wanted or (wanted == "temperature" and is_temperature(item)))
    if name == "unit":
        return kind.startswith("duration") or same_unit(ours, wanted)
    if name == "per":
        return same_unit(ours, wanted) or _per_in_unit(item, wanted)
    if name in {"start", "end"}:
        return bool(ours == wanted)
    if name in _NUMERIC and kind not in _TEXT_TYPES and not kind.startswith(("date", "time")):
        if kind.startswith("duration"):
            ours = in_unit(ours, item.get("unit"), str(entry.get("unit") or "s"))
        return _same_number(ours, wanted)
    return _same_text(kind, ours, wanted)


def _same_text(kind: str, ours: object, wanted: object) -> bool:
    if wanted is None or ours is None:
        return ours is wanted
    if kind.startswith(("date", "time")):
        return str(ours).startswith(str(wanted))
    return str(ours) == str(wanted)


def is_temperature(item: dict[str, Any]) -> bool:
    """Return whether an item is a temperature."""
    return item.get("unit") in {"°C", "°F", "K"}


def _per_in_unit(item: dict[str, Any], wanted: object) -> bool:
    _, slash, below = str(item.get("unit") or "").rpartition("/")
    return bool(slash) and same_unit(below, wanted)


def _same_number(ours: object, wanted: object) -> bool:
    number = _number(wanted)
    if number is None or not isinstance(ours, Fraction):
        return ours is None and wanted is None
    if ours == number:
        return True
    decimals = len(str(wanted).partition(".")[2])
    return decimals >= 6 and abs(ours - number) < Fraction(1, 10**decimals)


def _number(raw: object) -> Fraction | None:
    try:
        return Fraction(str(raw))
    except (ValueError, ZeroDivisionError):
        return None


def _has(items: list[dict[str, Any]], unwanted: object) -> bool:
    if isinstance(unwanted, dict):
        return any(matches(item, unwanted) for item in items)
    number = _number(unwanted)
    for item in items:
        values = [item.get(name) for name in ("value", "min", "max")]
        if (
            number is not None
            and item["type"] not in _TEXT_TYPES
            and any(isinstance(value, Fraction) and value == number for value in values)
        ):
            return True
        if number is None and str(unwanted) in {
            str(item.get("unit")),
            str(item.get("currency")),
            str(item.get("value")),
        }:
            return True
    return False


def _plain(item: dict[str, Any]) -> dict[str, Any]:
    return {name: _shown(value) for name, value in item.items() if value is not None}


def _shown(value: object) -> object:
    if not isinstance(value, Fraction):
        return value
    return str(value) if value.denominator == 1 else f"{float(value):.12g}"
