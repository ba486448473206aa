"""Units with dimension, exact factor and offset; synonyms, SI and binary prefixes, compounds.

A unit's magnitude in base units is `number * factor + offset`; only temperatures have an offset. The
base units are those of the SI, with three of this project's own: the calendar month (a year is twelve
of them, never a number of days), the business day, and the bit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, Final

from verifier.core.tables import read_table

Dimension = tuple[tuple[str, int], ...]
"""Base dimensions with their powers, sorted by name."""

TIME: Final[Dimension] = (("time", 1),)
MONTH: Final[Dimension] = (("month", 1),)
BUSINESS_DAY: Final[Dimension] = (("business_day", 1),)
TEMPERATURE: Final[Dimension] = (("temperature", 1),)
TEMPERATURE_DIFFERENCE: Final[Dimension] = (("temperature_difference", 1),)
INFORMATION: Final[Dimension] = (("information", 1),)
DURATION_DIMENSIONS: Final = frozenset({TIME, MONTH, BUSINESS_DAY})

_LONGEST: Final = 48
_IEC: Final = {"K": 10, "M": 20, "G": 30, "T": 40, "P": 50, "E": 60}
_IEC_WORDS: Final = {"kibi": 10, "mebi": 20, "gibi": 30, "tebi": 40, "pebi": 50, "exbi": 60}
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−", "0123456789-+-")
_PART: Final = re.compile(
    r"""(?P<power>square[ ]|cubic[ ]|sq[ ]|cu[ ])?   # square metre
        (?P<name>.*?[^\d\s^*+-])                     # metre, m, °C
        (?:\^|\*\*)?(?P<exponent>[+-]?\d)?$          # m2, m^2, s-1
    """,
    re.VERBOSE,
)
_PER: Final = re.compile(r"\s+(?:per|pro|par|por|an?|je)\s+")
_PRODUCT: Final = re.compile(r"\s*[·⋅*×]\s*|\s+|(?<=[a-zA-Z])-(?=[a-zA-Z])")
_MOST_PARTS: Final = 6
_POWER_WORDS: Final = {"square ": 2, "sq ": 2, "cubic ": 3, "cu ": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A unit of measure. `name` is its canonical symbol, such as `km/h`.

    `binary_factor` is the factor that the same prefix has for those who count in powers of two (GB).
    """

    name: str
    dimension: Dimension
    factor: Fraction
    offset: Fraction = Fraction(0)
    binary_factor: Fraction | None = None

    @property
    def has_offset(self) -> bool:
        """Whether zero of this unit is not the zero of its dimension."""
        return self.offset != 0

    def same_dimension(self, other: Unit) -> bool:
        """Return whether amounts of the two can be converted into each other."""
        return self.dimension == other.dimension


def unit_of(symbol_or_word: str) -> Unit | None:
    """Return the unit that a symbol, word or compound (`kg·m/s²`, `miles per hour`) names, or None."""
    return _unit_named(symbol_or_word) if len(symbol_or_word) <= _LONGEST else None


@lru_cache(maxsize=4096)
def _unit_named(written: str) -> Unit | None:
    text = " ".join(written.split())
    return (find_simple_unit(text) or _parse_compound(text)) if text else None


def find_simple_unit(text: str) -> Unit | None:
    """Return the unit of one symbol or word, without products, quotients or powers."""
    symbols, words, folded = _tables()
    text = text.replace("μ", "µ").replace("\u2126", "Ω").replace("\u212b", "Å")
    return symbols.get(text) or words.get(text.casefold()) or folded.get(text.casefold())


def is_unit_word(word: str) -> bool:
    """Return whether a case-folded word, or a word pair joined by a space, names a unit."""
    return word in _tables()[1]


def _parse_compound(text: str) -> Unit | None:
    text = _PER.sub("/", text)
    first, *divisors = re.split(r"\s*[/∕]\s*", text)
    if not divisors and len(_factors(first)) == 1:
        return _parse_part(text)
    signed = [(1, part) for part in _factors(first)]
    signed += [(-1, part) for divisor in divisors for part in _factors(divisor)]
    if not 1 < len(signed) <= _MOST_PARTS:
        return None
    powers: dict[str, int] = {}
    factor, name = Fraction(1), ""
    for sign, text_part in signed:
        part = _parse_part(text_part)
        if part is None or part.offset:
            return None
        factor *= part.factor**sign
        name += ("/" if sign < 0 else "·") + part.name
        for dimension, power in part.dimension:
            powers[dimension] = powers.get(dimension, 0) + sign * power
    return Unit(name=name.lstrip("·"), dimension=_sorted(powers), factor=factor)


def _factors(chunk: str) -> list[str]:
    """Return the factors of a product; a name of several words that is one unit stays whole."""
    parts = _PRODUCT.split(chunk)
    return [chunk] if len(parts) > 1 and _parse_part(chunk) is not None else parts


def _parse_part(part: str) -> Unit | None:
    part = part.translate(_SUPERSCRIPTS).strip()
    if part.endswith("^"):
        return None
    if part in {"1", ""}:
        return Unit(name="1", dimension=(), factor=Fraction(1)) if part else None
    simple = find_simple_unit(part)
    if simple is not None:
        return simple
    squared = re.sub(r"\s(squared|cubed)$", lambda m: "2" if m[1] == "squared" else "3", part)
    match = _PART.match(squared)
    if match is None:
        return None
    unit = find_simple_unit(match["name"])
    exponent = int(match["exponent"] or 1) * _POWER_WORDS.get(match["power"] or "", 1)
    if unit is None or exponent == 0 or unit.offset or abs(exponent) > 4:
        return None
    return raise_unit(unit, exponent)


def raise_unit(unit: Unit, exponent: int) -> Unit:
    """Return the unit to a whole power other than zero."""
    if exponent == 1:
        return unit
    suffix = "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(abs(exponent)))
    return Unit(
        name=f"{unit.name}{'⁻' if exponent < 0 else ''}{suffix}",
        dimension=tuple((name, power * exponent) for name, power in unit.dimension),
        factor=unit.factor**exponent,
    )


def _sorted(powers: dict[str, int]) -> Dimension:
    return tuple(sorted((name, power) for name, power in powers.items() if power))


def _parse_dimension(text: str) -> Dimension:
    powers: dict[str, int] = {}
    for index, chunk in enumerate(text.split("/")):
        for part in filter(None, chunk.split("·")):
            name = part.rstrip("0123456789")
            power = int(part[len(name) :] or 1)
            powers[name] = powers.get(name, 0) + (-power if index else power)
    return _sorted(powers)


def _fraction(text: str) -> Fraction:
    top, _, bottom = text.partition("/")
    return Fraction(top) / Fraction(bottom or 1)


_Table = dict[str, Unit]


@cache
def _tables() -> tuple[_Table, _Table, _Table]:
    lexicon = read_table("units")
    symbols: _Table = {}
    words: _Table = {}
    aliases = []
    for entry in lexicon["units"]:
        if "same_as" in entry:
            aliases.append(entry)
            continue
        unit = Unit(
            name=entry["id"],
            dimension=_parse_dimension(entry["of"]),
            factor=_fraction(entry["factor"]),
            offset=_fraction(entry.get("offset", "0")),
        )
        _add(unit, entry, symbols, words)
        _add_prefixed(unit, entry, lexicon["prefixes"], (symbols, words))
    for entry in aliases:
        target = symbols.get(entry["same_as"]) or _parse_with(entry["same_as"], symbols)
        for symbol in entry["symbols"].split():
            symbols[symbol] = target
    return symbols, words, _case_blind(symbols)


def _parse_with(text: str, symbols: _Table) -> Unit:
    top, _, bottom = text.partition("/")
    upper, lower = symbols[top], symbols[bottom]
    powers = dict(upper.dimension)
    for name, power in lower.dimension:
        powers[name] = powers.get(name, 0) - power
    return Unit(name=text, dimension=_sorted(powers), factor=upper.factor / lower.factor)


def _add(unit: Unit, entry: dict[str, Any], symbols: _Table, words: _Table) -> None:
    for symbol in [unit.name, *entry.get("symbols", "").split()]:
        symbols.setdefault(symbol, unit)
    for word in entry.get("words", "").split():
        words.setdefault(word.replace("_", " ").casefold(), unit)


def _add_prefixed(
    unit: Unit,
    entry: dict[str, Any],
    prefixes: dict[str, dict[str, int]],
    tables: tuple[_Table, _Table],
) -> None:
    """Add kilo-, mega- … and, for what is counted in bits, kibi-, mebi- … of a unit."""
    symbols, words = tables
    spelled = entry.get("words", "").split()
    by_power: dict[int, list[str]] = {}
    for prefix, power in prefixes["words"].items():
        by_power.setdefault(power, []).append(prefix)
    for letter in entry.get("si", ""):
        power = 3 if letter == "K" else prefixes["symbols"][letter]
        binary = Fraction(2) ** (power // 3 * 10) * unit.factor if entry.get("iec") else None
        made = _prefixed(unit, letter, Fraction(10) ** power, binary)
        symbols.setdefault(made.name, made)
        symbols.setdefault(made.name.replace("µ", "u"), made)
        names = [prefix + word for prefix in by_power[power] for word in spelled if letter != "K"]
        words.update({name.casefold(): made for name in names if name.casefold() not in words})
    if entry.get("iec"):
        _add_binary(unit, spelled, tables)


def _add_binary(unit: Unit, spelled: list[str], tables: tuple[_Table, _Table]) -> None:
    symbols, words = tables
    for letter, power in _IEC.items():
        made = _prefixed(unit, f"{letter}i", Fraction(2) ** power, None)
        symbols.setdefault(made.name, made)
        symbols.setdefault(made.name.lower().capitalize(), made)
    for prefix, power in _IEC_WORDS.items():
        made = _prefixed(unit, prefix[:2].capitalize(), Fraction(2) ** power, None)
        for word in spelled:
            words.setdefault(prefix + word, made)


def _prefixed(unit: Unit, prefix: str, factor: Fraction, binary: Fraction | None) -> Unit:
    return Unit(
        name=f"{prefix}{unit.name}",
        dimension=unit.dimension,
        factor=unit.factor * factor,
        binary_factor=binary,
    )


def _case_blind(symbols: _Table) -> _Table:
    """Return the symbols of two letters and more whose case does not matter."""
    units: dict[str, set[Unit]] = {}
    for symbol, unit in symbols.items():
        if len(symbol) > 1:
            units.setdefault(symbol.casefold(), set()).add(unit)
    return {folded: next(iter(found)) for folded, found in units.items() if len(found) == 1}


@cache
def first_unit_words() -> frozenset[str]:
    """Return the case-folded first words of all unit names and the longer symbols."""
    symbols, words, _ = _tables()
    return frozenset(
        {
            *(word.split()[0] for word in words),
            *(symbol.casefold() for symbol in symbols),
            "square",
            "cubic",
            "sq",
            "cu",
        }
    )
