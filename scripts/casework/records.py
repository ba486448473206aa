"""A turn's evidence as records with names and values: a small reading that owes nothing to the verifier's.

A record is an object of a tool result or a sentence of a document. It is named by its texts and those of
the objects around it, and its values are the numbers, dates, ids and states in it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.turns import ToolCall, Turn

NUMBER: Final = re.compile(
    r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w])|(?<![\w.,])\d+(?:\.\d+)?(?!\w)"
)
ISO_DAY: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
IDENTIFIER: Final = re.compile(r"#?[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?")
_STATE_KEY: Final = re.compile(r"(?:^|_)(?:status|state)$")
_SENTENCE: Final = re.compile(r"[^\n]+?(?:[.!?](?=\s)|\n|$)")
_WORD: Final = re.compile(r"[^\W\d_]{4,}|\w*\d\w*")
_DEEPEST: Final = 200


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """One value of a record: what it is called there, and what is written."""

    key: str
    value: Decimal | str | date
    record: Record

    @property
    def is_state(self) -> bool:
        """Whether the value is a state, as a word: not that of an address, nor that of a seat."""
        if not isinstance(self.value, str) or len(self.value) <= 3 or self.value == "available":
            return False
        return _STATE_KEY.search(self.key) is not None


@dataclass(slots=True, eq=False)
class Record:
    """An object, its names and those of what it stands in, and every value in it and around it."""

    own: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    leaves: list[Leaf] = field(default_factory=list)
    around: list[Leaf] = field(default_factory=list)

    @property
    def ids(self) -> set[str]:
        """The names with a digit in them: two records that share one may be the same thing."""
        return {name for name in self.own if any(sign.isdigit() for sign in name) and len(name) > 3}


@dataclass(slots=True)
class Reading:
    """All records of a turn's evidence, and every text of the turn in one."""

    records: list[Record] = field(default_factory=list)
    text: str = ""
    numbers: set[Decimal] = field(default_factory=set)
    days: set[date] = field(default_factory=set)

    @property
    def leaves(self) -> Iterator[Leaf]:
        """Every value, once."""
        for record in self.records:
            yield from record.leaves


def read_records(turn: Turn) -> Reading:
    """Return what the turn's successful calls and its documents hold."""
    reading = Reading()
    texts = [turn.question or "", *turn.said, turn.system or ""]
    for call in turn.calls:
        if call.ok and _in_scope(call, turn):
            texts.append(_written(call.result))
            parsed = _parsed(call.result)
            _walk(parsed, reading, around=(), key="", depth=0)
            if isinstance(parsed, str) and " " in parsed:
                _read_prose(parsed, reading)
        texts.append(_written(dict(call.arguments)))
    for chunk in turn.retrieved:
        texts.append(chunk.text)
        _read_prose(chunk.text, reading)
    reading.text = "\n".join(texts)
    reading.numbers = {number_of(found.group()) for found in NUMBER.finditer(reading.text)}
    reading.numbers |= {leaf.value for leaf in reading.leaves if isinstance(leaf.value, Decimal)}
    reading.days = set(days_in(reading.text))
    return reading


def number_of(text: str) -> Decimal:
    """Return the number that digits with commas between thousands write."""
    return Decimal(text.replace(",", ""))


def days_in(text: str) -> Iterator[date]:
    """Yield the days that a text writes the ISO way."""
    for found in ISO_DAY.finditer(text):
        try:
            yield date(int(found[1]), int(found[2]), int(found[3]))
        except ValueError:
            continue


def _in_scope(call: ToolCall, turn: Turn) -> bool:
    if turn.scope == "conversation" or call.turn is None or turn.current_turn is None:
        return True
    return call.turn == turn.current_turn


def _parsed(result: object) -> Any:  # noqa: ANN401 -- any JSON value
    if not isinstance(result, str):
        return result
    try:
        return json.loads(result, parse_float=Decimal, parse_int=Decimal)
    except (ValueError, RecursionError):
        return result


def _written(result: object) -> str:
    """Return a result's text; of what is nested too deep to be written, none."""
    if isinstance(result, str):
        return result
    try:
        return json.dumps(result, default=str, ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""


def _walk(
    value: object, reading: Reading, *, around: tuple[Record, ...], key: str, depth: int
) -> None:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for one in value:
            _walk(one, reading, around=around, key="", depth=depth + 1)
    elif isinstance(value, dict):
        record = _record(value, key, around)
        reading.records.append(record)
        for name, one in value.items():
            if isinstance(one, (dict, list)) and not _is_plain(one):
                _walk(one, reading, around=(*around, record), key=str(name), depth=depth + 1)


def _record(value: dict[str, Any], key: str, around: tuple[Record, ...]) -> Record:
    record = Record()
    if any(sign.isdigit() for sign in key):
        record.own.add(key)
    for name, one in value.items():
        for inner, scalar in _scalars(str(name), one):
            _add_leaf(record, inner, scalar)
    record.names = record.own.union(*(outer.own for outer in around))
    record.around = [leaf for outer in around for leaf in outer.leaves]
    for outer in around:
        outer.around += record.leaves
    return record


def _scalars(name: str, value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 -- any JSON value
    """Yield a field's own values, and those of a plain object such as options or an address."""
    if isinstance(value, dict):
        if _is_plain(value):
            yield from ((str(inner), one) for inner, one in value.items())
    elif isinstance(value, list):
        yield from ((name, one) for one in value if not isinstance(one, (dict, list)))
    else:
        yield name, value


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return not any(isinstance(one, (dict, list)) for one in value)
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


def _add_leaf(record: Record, key: str, value: object) -> None:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, Decimal)):
        record.leaves.append(Leaf(key, Decimal(value), record))
        return
    text = str(value).strip()
    day = next(days_in(text), None)
    if day is not None:
        record.leaves.append(Leaf(key, day, record))
        return
    leaf = Leaf(key, text, record)
    record.leaves.append(leaf)
    if 2 <= len(text) <= 80 and not leaf.is_state:
        record.own.add(text)


def _read_prose(text: str, reading: Reading) -> None:
    for found in _SENTENCE.finditer(text):
        sentence = found.group()
        record = Record(own={word for word in _WORD.findall(sentence) if not word.isdecimal()})
        record.names = record.own
        for number in NUMBER.finditer(sentence):
            record.leaves.append(Leaf("", number_of(number.group()), record))
        record.leaves += [Leaf("", day, record) for day in days_in(sentence)]
        reading.records.append(record)
