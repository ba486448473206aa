"""Filters as people write them: mappings and lists (JSON), and short texts such as `pages>=10`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Final, TypeAlias

from verifier.core.filters import Comparator, Comparison, Either, Every, Existence, Filter, field
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FilterLike: TypeAlias = "Filter | Mapping[str, object] | Sequence[object]"
"""What a search takes for its filter."""

_OPERATORS: Final = ", ".join((*Comparator, "in", "exists"))
_SHORT: Final = re.compile(
    r"""
    (?P<absent> ! )?
    (?P<key> [^=!<>]+? )
    \s* (?: (?P<comparator> == | != | <= | >= | = | < | > ) (?P<value> .* ) )?
    """,
    re.VERBOSE | re.DOTALL,
)
_LEVELS: Final = 120
"""Deeper JSON is refused before it is read; an expression is held to a lower limit than this."""


def read_filter(given: FilterLike | None) -> Filter | None:
    """Return the filter that `given` stands for, None where it restricts nothing.

    A mapping demands all of its keys: a plain value must be equal, of a list one, and a mapping holds
    comparisons by operator: `{"pages": {">=": 10}, "lang": ["de", "fr"], "draft": {"exists": false}}`.
    A list is a combination: `["and", …]`, `["or", …]`, `["not", …]`. Raises InputError naming what can't
    be read.
    """
    if given is None or isinstance(given, Filter):
        return given
    condition = _read(given, 0)
    return None if condition == Every(parts=()) else condition


def read_filter_text(text: str) -> Filter | None:
    """Return the filter of a text: JSON as `read_filter` takes it, else `KEY OPERATOR VALUE`.

    The operators are =, !=, <, <=, >, >=; `KEY` alone demands that it is there, `!KEY` that it is not. The
    value is read as JSON where it is a number, true, false, null, a list or a text in double quotes, else it
    is a text as it stands: `pages>=10`, `lang=de`, `lang=["de","fr"]`, `code="007"`. One that is empty, or
    begins as an operator does (`pages=>10`), has to stand in double quotes. Raises InputError.
    """
    stripped = text.strip()
    if stripped.startswith(("{", "[")):
        return read_filter(_load_json(stripped))
    match = _SHORT.fullmatch(stripped)
    if match is None or (match["absent"] and match["comparator"]):
        raise InputError(
            f"filter {text!r} can't be read; write KEY OPERATOR VALUE, such as pages>=10 or lang=de, or JSON"
        )
    key, comparator = match["key"], match["comparator"]
    if comparator is None:
        return ~field(key).exists() if match["absent"] else field(key).exists()
    value = match["value"].strip()
    if not value or value[0] in "=<>":
        raise InputError(
            f"filter {text!r}: no value stands behind {comparator}; operators are =, !=, <, <=, >, >=,"
            ' and a text that is empty or begins so stands in double quotes, as in code="<7"'
        )
    operator = Comparator.EQUAL if comparator == "=" else Comparator(comparator)
    return _compare(key, operator, _load_value(value))


def read_filter_texts(texts: Iterable[str]) -> Filter | None:
    """Return the filter that demands all of `texts`, as `read_filter_text` reads each. Raises InputError."""
    parts = tuple(part for part in map(read_filter_text, texts) if part is not None)
    return Every(parts=parts) if parts else None


def _compare(key: str, operator: Comparator, value: object) -> Filter:
    if isinstance(value, list) and operator is Comparator.EQUAL:
        return field(key).in_(value)
    if isinstance(value, list) and operator is Comparator.UNEQUAL:
        return field(key).exists() & ~field(key).in_(value)
    return Comparison(key=key, comparator=operator, value=value)  # type: ignore[arg-type]


def _read(given: object, level: int) -> Filter:
    if level > _LEVELS:
        raise InputError("the filter is nested too deeply")
    if isinstance(given, Filter):
        return given
    if isinstance(given, Mapping):
        return Every(parts=tuple(part for key in given for part in _read_key(key, given[key])))
    if isinstance(given, list | tuple) and given and isinstance(given[0], str):
        return _combine(given[0], [_read(part, level + 1) for part in given[1:]])
    raise InputError(
        f'a filter is a mapping of keys, or a list ["and" | "or" | "not", …], not {_shorten(given)}'
    )


def _combine(name: str, parts: Sequence[Filter]) -> Filter:
    if name == "and":
        return Every(parts=tuple(parts))
    if name == "or":
        return Either(parts=tuple(parts))
    if name == "not" and len(parts) == 1:
        return ~parts[0]
    raise InputError(
        f"filter [{name!r}, …] of {len(parts)} parts can't be read;"
        ' write ["and", …], ["or", …] or ["not", one]'
    )


def _read_key(key: object, wanted: object) -> list[Filter]:
    if isinstance(wanted, Mapping) and wanted:
        return [_read_operator(key, name, operand) for name, operand in wanted.items()]
    return [_read_operator(key, "in" if isinstance(wanted, list | tuple | set) else "==", wanted)]


def _read_operator(key: object, name: object, operand: object) -> Filter:
    if name == "in" and isinstance(operand, list | tuple | set | frozenset):
        return field(key).in_(operand)  # type: ignore[arg-type]
    if name == "exists" and isinstance(operand, bool):
        existence = Existence(key=key)  # type: ignore[arg-type]
        return existence if operand else ~existence
    if name not in tuple(Comparator):
        raise InputError(
            f"filter {key!r}: {name!r} of {_shorten(operand)} can't be read; operators are {_OPERATORS}"
        )
    return Comparison(key=key, comparator=Comparator(name), value=operand)  # type: ignore[arg-type]


def _load_json(text: str) -> Mapping[str, object] | Sequence[object]:
    try:
        loaded: Mapping[str, object] | Sequence[object] = json.loads(
            text,
            parse_float=Decimal,
            parse_constant=_refuse_constant,
            object_pairs_hook=_refuse_repeats,
        )
    except RecursionError:
        raise InputError("the filter is nested too deeply") from None
    except ValueError as error:
        raise InputError(f"filter {_shorten(text)} is no JSON: {error}") from None
    return loaded


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _refuse_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key is named twice; write a list of both after and")
    return members


def _load_value(text: str) -> object:
    try:
        value = json.loads(text, parse_float=Decimal, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, Mapping) else value


def _shorten(given: object) -> str:
    text = repr(given)
    return text if len(text) <= 60 else f"{text[:59]}…"
