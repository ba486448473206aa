"""JSON as models and tools write it: exact numbers, exact spans, bounded depth, no exception but one."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Final, NoReturn

from verifier.core.spans import Span

DEEPEST: Final = 100
_LONGEST_NUMBER: Final = 100
_LARGEST_MAGNITUDE: Final = 400
"""As a power of ten: whole numbers beyond all bounds would take all time and memory to write out."""
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_MARKS: Final = re.compile(r'\\.|["\[\]{}]', re.DOTALL)  # an escaped character, a quote, a bracket


class UnreadableJson(ValueError):
    """A text that is no JSON, or one that this product refuses: NaN, a key twice, too deep."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonField:
    """One field of an object: its name, its value, and where the value stands in the text."""

    name: str
    value: object
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonRecord:
    """An object with the span of the whole and of each field's value; names are unique."""

    span: Span
    fields: tuple[JsonField, ...]


def read_json(text: str, *, deepest: int = DEEPEST) -> object:
    """Return the JSON value that `text` is, numbers as Decimal. Raises UnreadableJson."""
    _refuse_depth(text, deepest)
    try:
        return _decoder().decode(text)
    except (ValueError, RecursionError, ArithmeticError) as problem:
        raise UnreadableJson(str(problem)) from None


def read_records(text: str, body: Span) -> tuple[JsonRecord, ...]:
    """Return the object, or the objects of the list, that `text[body]` is. Raises UnreadableJson."""
    _refuse_depth(body.of(text), DEEPEST)
    reader = _Reader(text, body)
    try:
        return reader.read()
    except (ValueError, RecursionError, ArithmeticError) as problem:
        raise UnreadableJson(str(problem)) from None


class _Reader:
    """Walks the outer objects itself, for their spans; values are left to the standard decoder."""

    def __init__(self, text: str, body: Span) -> None:
        self._text = body.of(text)
        self._at = 0
        self._offset = body.start
        self._decoder = _decoder()

    def read(self) -> tuple[JsonRecord, ...]:
        records = self._list() if self._peek() == "[" else (self._record(),)
        if self._peek():
            raise UnreadableJson(f"more text after the JSON, at {self._at}")
        return records

    def _peek(self) -> str:
        space = _SPACE.match(self._text, self._at)
        self._at = space.end() if space else self._at
        return self._text[self._at : self._at + 1]

    def _take(self, allowed: str) -> str:
        found = self._peek()
        if not found or found not in allowed:
            raise UnreadableJson(f"expected one of {allowed} at {self._at}")
        self._at += 1
        return found

    def _list(self) -> tuple[JsonRecord, ...]:
        self._take("[")
        records: list[JsonRecord] = []
        if self._peek() == "]":
            self._at += 1
            return ()
        while True:
            records.append(self._record())
            if self._take(",]") == "]":
                return tuple(records)

    def _record(self) -> JsonRecord:
        self._take("{")
        start = self._at - 1
        found: dict[str, JsonField] = {}
        if self._peek() == "}":
            self._at += 1
            return JsonRecord(span=self._span(start), fields=())
        while True:
            one = self._field()
            if one.name in found:
                raise UnreadableJson(f"the key {one.name[:80]!r} occurs twice")
            found[one.name] = one
            if self._take(",}") == "}":
                return JsonRecord(span=self._span(start), fields=tuple(found.values()))

    def _field(self) -> JsonField:
        if self._peek() != '"':
            raise UnreadableJson(f"expected a key at {self._at}")
        name, self._at = self._decoder.raw_decode(self._text, self._at)
        self._take(":")
        self._peek()
        start = self._at
        value, self._at = self._decoder.raw_decode(self._text, self._at)
        return JsonField(name=name, value=value, span=self._span(start))

    def _span(self, start: int) -> Span:
        return Span(start, self._at).shift(self._offset)


@cache
def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(
        parse_float=_number,
        parse_int=_number,
        parse_constant=_refuse_constant,
        object_pairs_hook=_unique,
    )


def _number(written: str) -> Decimal:
    if len(written) > _LONGEST_NUMBER:
        raise UnreadableJson(f"a number of {len(written)} characters")
    number = Decimal(written)
    if number and abs(number.adjusted()) > _LARGEST_MAGNITUDE:
        raise UnreadableJson(f"the number {written} is too large or too small")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise UnreadableJson(f"{name} is no JSON number")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise UnreadableJson("a key occurs twice in one object")
    return record


def _refuse_depth(text: str, deepest: int) -> None:
    depth, quoted = 0, False
    for found in _MARKS.finditer(text):
        mark = found.group()
        if mark == '"':
            quoted = not quoted
        elif quoted or mark[0] == "\\":
            continue
        else:
            depth += 1 if mark in "[{" else -1
            if depth > deepest:
                raise UnreadableJson(f"nested more than {deepest} deep")
