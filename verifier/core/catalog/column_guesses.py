"""What a column may be: name, money, state, code or quantity, by its type, its name and what stands in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from verifier.core.field_names import cut_minor_units, field_words, fold_field
from verifier.core.lexicons import load_word_lists
from verifier.core.quantities import is_currency, unit_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.core.catalog.shapes import ColumnShape, TableShape

_MOST_STATES: Final = 15
_FEWEST_SAMPLES: Final = 3
_FLAGS: Final = frozenset({"0", "1"})
_STOCKED: Final = frozenset({("in", "stock"), ("on", "hand")})
_LONGEST_TEXT: Final = 60
_LONGEST_FEATURE: Final = 40
_SHORTEST_STATE: Final = 3
_CLASSES: Final = (
    ("[0-9]", re.compile("[0-9]")),
    ("[A-Z]", re.compile("[A-Z]")),
    ("[a-z]", re.compile("[a-z]")),
)
_WHOLE: Final = frozenset({"int2", "int4", "int8"})
_TEXT: Final = frozenset({"text", "varchar", "bpchar", "citext"})
_KEYED: Final = frozenset({"text", "varchar"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnGuess:
    """The fields of an attribute, None where a column is none; `describes` tells of a describing column."""

    reason: str
    fields: Mapping[str, object] | None = None
    describes: bool = False


def word_lists() -> Mapping[str, frozenset[str]]:
    """Return the words of names from which is guessed."""
    return load_word_lists("catalog_words")


def names_row(column: ColumnShape, shape: TableShape) -> bool:
    """Return whether a column names its row: text called name or title, alone or after the table's word."""
    words = field_words(column.name)
    if column.type not in _TEXT or not words or words[-1] not in word_lists()["names"]:
        return False
    table = {word[:4] for word in field_words(shape.table[-1])}
    own = words[0][:4] in table or words[0] in word_lists()["naming"]
    people = any(field_words(one.name)[-2:] == ("last", "name") for one in shape.columns)
    return own if len(words) > 1 else words[0] != "title" or not people


def describes(column: ColumnShape) -> bool:
    """Return whether a column may tell variants of one thing apart: short text with a few values."""
    short = all(len(sample) <= _LONGEST_FEATURE for sample in column.samples)
    coded = set(field_words(column.name)) & (word_lists()["codes"] | word_lists()["currency"])
    return column.type in _TEXT and column.few and bool(column.samples) and short and not coded


def guess_attribute(column: ColumnShape, shape: TableShape) -> ColumnGuess:
    """Return what a column may be, with the reason."""
    if any(column.name in one.columns for one in shape.references):
        return ColumnGuess(reason="it only refers to another table")
    if column.category == "B":
        return _guess_flag(column)
    if column.category == "D":
        return ColumnGuess(reason=f"its type is {column.type}", fields={"kind": "date"})
    if column.category == "N" and len(shape.key) > 1 and column.name in shape.key:
        return ColumnGuess(reason="it only numbers the rows of one owner")
    if column.category == "N":
        return _guess_number(column, shape)
    if column.category in {"S", "E"}:
        return _guess_text(column)
    return ColumnGuess(reason=f"nothing is compared with a {column.type}")


def _guess_flag(column: ColumnShape) -> ColumnGuess:
    if fold_field(column.name) not in word_lists()["available"]:
        return ColumnGuess(reason="its type is boolean", fields={"kind": "boolean"})
    states = {
        "true": ["available", "in stock"],
        "false": ["out of stock", "unavailable", "sold out", "not available", "not in stock"],
    }
    why = "a flag that prose tells in words"
    return ColumnGuess(reason=why, fields={"kind": "state", "states": states})


def _guess_number(column: ColumnShape, shape: TableShape) -> ColumnGuess:
    lists, words = word_lists(), field_words(column.name)
    if cut_minor_units(words) != words and set(words) & lists["money"]:
        return _guess_money(column, shape)
    if words and words[-1] == "id":
        return ColumnGuess(reason="its name is an id's, and nothing tells of what")
    if set(words) & lists["percent"]:
        return ColumnGuess(reason="its name says percent", fields={"kind": "quantity", "unit": "%"})
    counts = column.type in _WHOLE and not {*words[:1], *words[-1:]} <= lists["money"]
    if set(words) & lists["money"] and not (counts and words[0] == "total"):
        return _guess_money(column, shape)
    unit = words[-1] if len(words) > 1 and unit_of(words[-1]) is not None else None
    if unit is not None:
        return ColumnGuess(
            reason=f"its name ends with the unit {unit}", fields={"kind": "quantity", "unit": unit}
        )
    return ColumnGuess(
        reason="a number without a unit", fields={"kind": "quantity", **_label_stock(words)}
    )


def _label_stock(words: Sequence[str]) -> Mapping[str, object]:
    """Return the labels of a count of what is there, which prose tells in short: units in stock."""
    ending = tuple(words[-2:])
    labels = [" ".join(words), " ".join(ending)]
    return {"labels": labels} if ending in _STOCKED and len(words) > len(ending) else {}


def _guess_money(column: ColumnShape, shape: TableShape) -> ColumnGuess:
    lists, words = word_lists(), field_words(column.name)
    fields: dict[str, object] = {"kind": "money"}
    reason = f"a number whose name says {next(word for word in words if word in lists['money'])}"
    if set(words) & lists["minor_units"]:
        fields["minor_units"] = True
        reason += ", in minor units"
    if "price" in words:
        spoken = " ".join(cut_minor_units(words))
        own = {"price", "costs"} if set(spoken.split()) <= {"unit", "list", "price"} else set()
        fields["labels"] = [spoken, *sorted(own - {spoken})]
    currency = next(
        (one for one in shape.columns if fold_field(one.name) in lists["currency"]), None
    )
    named = next((word.upper() for word in words if is_currency(word.upper())), None)
    if currency is not None:
        fields["currency_column"] = currency.name
        reason += f"; {currency.name} holds its currency"
    elif named is not None:
        fields["currency"] = named
        reason += f", and names {named}"
    else:
        reason += "; nothing tells its currency: add currency"
    return ColumnGuess(reason=reason, fields=fields)


def _guess_text(column: ColumnShape) -> ColumnGuess:
    lists, words = word_lists(), field_words(column.name)
    if fold_field(column.name) in lists["currency"]:
        return ColumnGuess(reason="it holds a currency", fields={"kind": "identifier"})
    state = _guess_state(column, words)
    if state is not None:
        return state
    if set(words) & lists["describing"]:
        return ColumnGuess(
            reason="its name says a feature", fields={"kind": "text"}, describes=True
        )
    if set(words) & lists["codes"]:
        return _guess_code(words)
    if any(len(sample) > _LONGEST_TEXT for sample in column.samples):
        return ColumnGuess(reason="long text, which is not compared word by word")
    return ColumnGuess(reason="text", fields={"kind": "text"})


def _guess_state(column: ColumnShape, words: Sequence[str]) -> ColumnGuess | None:
    listed = column.allowed or (column.samples if column.few else ())
    if words and 0 < len(listed) <= len(_FLAGS) and _FLAGS.issuperset(listed):
        return _guess_written_flag(words, listed)
    told = "its type or a check lists its values" if column.allowed else "it has few values"
    named = bool(words) and words[-1] in word_lists()["states"]
    worded = all(len(value) >= _SHORTEST_STATE for value in listed)
    is_state = bool(column.allowed) or (named and worded)
    if not is_state or not 0 < len(listed) <= _MOST_STATES:
        return None
    states: dict[str, list[str]] = {value: [] for value in listed if value.strip()}
    return ColumnGuess(reason=told, fields={"kind": "state", "states": states})


def _guess_code(words: Sequence[str]) -> ColumnGuess:
    numbered = {"labels": [f"{words[0]} number", " ".join(words)]} if words[-1] == "id" else {}
    return ColumnGuess(reason="its name says a code", fields={"kind": "identifier", **numbered})


def _guess_written_flag(words: Sequence[str], listed: Sequence[str]) -> ColumnGuess:
    """Return the states of a flag that is written as 1 and 0, in the column's own words."""
    name = " ".join(words).removeprefix("is ")
    told = {"1": [name], "0": [f"not {name}"]}
    states = {value: told[value] for value in sorted(listed, reverse=True)}
    why = "it only holds 1 and 0: a flag, told by its name"
    return ColumnGuess(reason=why, fields={"kind": "state", "states": states})


def pattern_of(samples: Sequence[str]) -> str | None:
    """Return the regular expression that keys of one shape have in common: `#W[0-9]{7}`."""
    if len(samples) < _FEWEST_SAMPLES:
        return None
    shapes = {tuple(_runs(sample)) for sample in samples}
    kinds = {tuple(kind for kind, _ in shape) for shape in shapes}
    if len(kinds) != 1 or "[0-9]" not in (kinds_of := next(iter(kinds))):
        return None
    parts: list[str] = []
    for at, kind in enumerate(kinds_of):
        texts = {shape[at][1] for shape in shapes}
        parts.append(_part(kind, texts))
    return "".join(parts)


def _runs(text: str) -> list[tuple[str, str]]:
    return [(kind, "".join(letters)) for kind, letters in groupby(text, _class_of)]


def _class_of(letter: str) -> str:
    return next((name for name, letters in _CLASSES if letters.match(letter)), letter)


def _part(kind: str, texts: set[str]) -> str:
    if len(texts) == 1 and kind != "[0-9]":
        return re.escape(next(iter(texts))).replace("\\#", "#").replace("\\-", "-")
    lengths = {len(text) for text in texts}
    return f"{kind}{{{next(iter(lengths))}}}" if len(lengths) == 1 else f"{kind}+"


def find_spoken_key(shape: TableShape) -> ColumnShape | None:
    """Return the one unique column that people call a row by: an order number, a code, no address."""
    found = (shape.find(name) for name in shape.unique)
    spoken = [one for one in found if one is not None and _is_spoken(one)]
    return spoken[0] if len(spoken) == 1 else None


def _is_spoken(column: ColumnShape) -> bool:
    words = field_words(column.name)
    return column.type in _KEYED and bool(words) and words[-1] in word_lists()["spoken_keys"]


def name_attribute(column: str, guess: ColumnGuess, shape: TableShape) -> str:
    """Return the name of a column's attribute: of `total_cents` `total`, where no other column has it."""
    name = fold_field(column) or column
    if guess.fields is None or not guess.fields.get("minor_units"):
        return name
    spoken = "_".join(cut_minor_units(field_words(name)))
    return name if any(fold_field(one.name) == spoken for one in shape.columns) else spoken


def guess_visibility(name: str, column: ColumnShape) -> dict[str, object] | None:
    """Return the rule by which a column of this folded name hides its row, if it does."""
    lists = word_lists()
    if name in lists["deleted_when_set"] and column.category == "D":
        return {"column": column.name, "is": "null"}
    if column.category != "B":
        return None
    if name in lists["deleted_when_true"]:
        return {"column": column.name, "equals": False}
    return {"column": column.name, "equals": True} if name in lists["visible_when_true"] else None


def singular(word: str) -> str:
    """Return a table's word for one of its rows: categories, boxes, orders, status."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    for ending in ("sses", "shes", "ches", "xes"):
        if word.endswith(ending):
            return word[:-2]
    plural = word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural and len(word) > 3 else word
