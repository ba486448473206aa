"""What the name of a field says of its value: role, unit, currency, scale, without a catalog."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from verifier.core.facts.currency_words import is_code
from verifier.core.facts.dimensions import stems_of_list
from verifier.core.facts.field_periods import cut_per, is_rate_of_money, period_of
from verifier.core.field_names import field_words, fold_field
from verifier.core.lexicons import load_word_lists
from verifier.core.tables import read_table
from verifier.core.text import content_stems
from verifier.core.text_stems import stem

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORDS: Final = load_word_lists("fact_words")
_TABLE: Final[dict[str, Any]] = read_table("fact_units")
_PERCENT: Final = frozenset({"pct", "percent", "percentage", "perc", "prozent"})
_POINTS: Final[Mapping[tuple[str, ...], Fraction]] = MappingProxyType(
    {
        ("percentage", "points"): Fraction(1),
        ("percentage", "point"): Fraction(1),
        ("basis", "points"): Fraction(1, 100),
    }
)
_POINT_WORDS: Final = {"pp": Fraction(1), "bps": Fraction(1, 100), "bp": Fraction(1, 100)}
_MINOR: Final = frozenset({"cents", "cent", "pence", "minor", "centimes", "paise"})
_MOMENT: Final = frozenset({"at", "ts", "timestamp", "epoch", "unix", "time", "datetime"})
_BOUNDS: Final = frozenset({"min", "max", "minimum", "maximum", "low", "high", "from", "to"})
_NUMBERS: Final = frozenset({"number", "no", "num", "nr"})
_SPANS_OF_YEARS: Final = frozenset({("this",), ("last",), ("a",), ("each",), ("every",)})


class Role(Enum):
    """What a field's value is read as."""

    ID = auto()
    NAME = auto()
    CODE = auto()
    PHONE = auto()
    ADDRESS = auto()
    STATE = auto()
    PROSE = auto()
    MONEY = auto()
    MONEY_OR_NUMBER = auto()
    PERCENT = auto()
    POINTS = auto()
    RATIO = auto()
    RATE = auto()
    MEASURE = auto()
    MOMENT = auto()
    YEAR = auto()
    PLAIN = auto()


MONEY_ROLES: Final = frozenset({Role.MONEY, Role.MONEY_OR_NUMBER, Role.RATE})


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldForm:
    """The reading of one field name. `minor` is None, or whether it counts cents (else minor units).

    `per` is what an amount of it is for. `period` is told by a word such as "monthly" and is that of an
    amount of money only; `per` has it already where the role is one of money.
    """

    name: str
    words: tuple[str, ...]
    cues: frozenset[str]
    role: Role
    currency: str | None = None
    unit: str | None = None
    per: str | None = None
    period: str | None = None
    scale: Fraction = Fraction(1)
    minor: str | None = None


@lru_cache(maxsize=8192)
def read_form(name: str) -> FieldForm:
    """Return what a field's name says; the name is as written or folded."""
    folded = fold_field(name)
    words = field_words(folded)
    body, per = cut_per(words)
    body, currency = _cut_currency(body)
    body, minor = _cut_minor(body)
    role, unit, scale, used = _measure_of(body)
    if role is None and body[-1:] and body[-1] in _BOUNDS:
        role, unit, scale, _ = _measure_of(body[:-1])
    if currency or minor:
        role, unit = Role.MONEY, None
    elif role is None:
        role = _role_of(folded, body)
    told = body[: len(body) - used] or body
    period = period_of(body)
    return FieldForm(
        name=folded,
        words=words,
        cues=frozenset(content_stems(" ".join(told))),
        role=role,
        currency=currency,
        unit=unit,
        per=per or (period if role in MONEY_ROLES else None),
        period=per or period,
        scale=scale,
        minor=minor,
    )


def _cut_currency(words: tuple[str, ...]) -> tuple[tuple[str, ...], str | None]:
    codes = [word for word in words if is_code(word)]
    if len(codes) != 1 or "to" in words:
        return words, None
    rest = tuple(word for word in words if word != codes[0])
    return (rest or words), codes[0].upper()


def _cut_minor(words: tuple[str, ...]) -> tuple[tuple[str, ...], str | None]:
    kept = words[:-1] if words and words[-1] in {"units", "unit"} else words
    if kept and kept[-1] in _MINOR and (len(kept) < len(words) or kept[-1] != "minor" or kept[1:]):
        minor = "minor" if kept[-1] == "minor" else "cents"
        rest = kept[:-1]
        if rest and rest[-1] == "in":
            rest = rest[:-1]
        return (rest or kept), minor
    return words, None


def _measure_of(words: tuple[str, ...]) -> tuple[Role | None, str | None, Fraction, int]:
    """Return role, unit, scale and how many words at the end told them."""
    if not words:
        return None, None, Fraction(1), 0
    last = words[-1]
    if words[-2:] in _POINTS:
        return Role.POINTS, None, _POINTS[words[-2:]], 2
    if last in _POINT_WORDS:
        return Role.POINTS, None, _POINT_WORDS[last], 1
    if last in _PERCENT:
        return Role.PERCENT, None, Fraction(1), 1
    if _is_money(words[:-1]) and words[:-1] != ("amount",):
        power = _TABLE["scales"].get(last)
        return (None, None, Fraction(1), 0) if power is None else _scaled(power)
    unit, used = _unit_told(words)
    return (None if unit is None else Role.MEASURE), unit, Fraction(1), used


def _unit_told(words: tuple[str, ...]) -> tuple[str | None, int]:
    """Return the unit that a field's first or last words name, and how many last words told it."""
    if words[-2:] in {("business", "days"), ("working", "days")}:
        return "business_day", 2
    if _names_unit(words):
        return _unit_of_ending(words), 1
    if len(words) > 1 and words[0] in _TABLE["beginnings"].split():
        return str(_TABLE["endings"][words[0]]), 0
    return None, 0


def _scaled(power: int) -> tuple[Role | None, str | None, Fraction, int]:
    return Role.MONEY, None, Fraction(10**power), 1


def _unit_of_ending(words: tuple[str, ...]) -> str:
    if words[-1] == "m" and set(words[:-1]) & _WORDS["times"] - _WORDS["sizes"]:
        return "min"
    return str(_TABLE["endings"][words[-1]])


def _names_unit(words: tuple[str, ...]) -> bool:
    """Return whether the last word is a unit: a short one only beside a word that fits it."""
    last, before = words[-1], set(words[:-1])
    if last not in _TABLE["endings"]:
        return False
    if last in {"c", "f"}:
        return bool(before & _WORDS["temperatures"])
    if last == "in":
        return bool(before & _WORDS["sizes"])
    if last in {"min", "d", "h"}:
        return bool(before & _WORDS["times"])
    if last in {"bar", "ms", "mo", "ha", "pa", "w", "bit", "feet", "pounds"}:
        return bool(before)
    return len(last) > 1 or bool(before)


def _is_money(words: tuple[str, ...]) -> bool:
    return any(stem(word) in stems_of_list("money") for word in words)


def _role_of(name: str, words: tuple[str, ...]) -> Role:
    """Return the role that the words tell, where no unit, currency or percent does."""
    last = words[-1] if words else ""
    if name in _WORDS["names"] or last == "name":
        return Role.NAME
    if is_id_name(name) or last == "ids":
        return Role.ID
    if name in _WORDS["codes"] or {last, *words[:1]} & _WORDS["codes"] or "last_4" in name:
        return Role.CODE
    if last in _WORDS["phones"] or (last in _NUMBERS and set(words) & _WORDS["phones"]):
        return Role.PHONE
    if last in _WORDS["states"]:
        return Role.STATE
    if last in _WORDS["prose"]:
        return Role.PROSE
    return _numeric_role(words, last)


def _numeric_role(words: tuple[str, ...], last: str) -> Role:
    if last in _MOMENT:
        return Role.MOMENT
    if (last == "year" and words[-2:-1] not in _SPANS_OF_YEARS) or words[:1] == ("year",):
        return Role.YEAR
    if last in _WORDS["addresses"]:
        return Role.ADDRESS
    if is_rate_of_money(words):
        return Role.RATE
    if set(words) & _WORDS["ratios"] and not set(words) & _WORDS["no_ratios"]:
        return Role.RATIO
    if _is_money(words):
        return Role.MONEY
    weak = any(stem(word) in stems_of_list("money_or_number") for word in words)
    return Role.MONEY_OR_NUMBER if weak else Role.PLAIN


@lru_cache(maxsize=8192)
def is_id_name(name: str) -> bool:
    """Return whether a folded field name ends like an id: `order_id`, `flight_number`, `sku`."""
    if name in _WORDS["no_ids"] or set(name.split("_")) & _WORDS["phones"]:
        return False
    return name in _WORDS["own_ids"] or name.rpartition("_")[2] in _WORDS["id_endings"]


@lru_cache(maxsize=8192)
def id_kinds(name: str) -> frozenset[str]:
    """Return the stems of what an id field identifies: `order_id` an order; none for a bare `id`."""
    words = field_words(name)
    if name in _WORDS["own_ids"] or words[:1] == ("new",):
        return frozenset()
    return frozenset(stem(word) for word in words[:-1])


@lru_cache(maxsize=8192)
def kinds_of_container(name: str) -> frozenset[str]:
    """Return the stems of what a container holds: `line_items` holds lines, items; `data` tells nothing."""
    if name in _WORDS["wrappers"] or name in _WORDS["generic"] - {"items", "item"}:
        return frozenset()
    return frozenset(stem(word) for word in field_words(name))


@lru_cache(maxsize=8192)
def kinds_of_tool(tool: str) -> frozenset[str]:
    """Return the stems of what a tool's name is about: `get_order_details` an order."""
    return frozenset(stem(word) for word in words_of_tool(tool))


@lru_cache(maxsize=8192)
def words_of_tool(tool: str) -> tuple[str, ...]:
    """Return the words of a tool's name that say what it is about."""
    verbs = load_word_lists("record_words")["beside_the_object"] - {"user", "customer"}
    words: list[str] = []
    for word in field_words(tool):
        if word in {"by", "for", "with", "from", "of", "in"} and words:
            break
        if word not in verbs:
            words.append(word)
    return tuple(words)


def is_listed(name: str, words: str) -> bool:
    """Return whether a folded field name stands in a list of `fact_words`."""
    return name in _WORDS[words]
