"""As much of a text, or of a JSON value, as is shown around what counts in it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.audit.reviewing import Passage
    from verifier.core.spans import Span

_MOST_RECORD: Final = 4_000
_LONGEST_WRITTEN: Final = 3 * _MOST_RECORD
"""Of what is nested deeply, most would be indentation; it is written in one line."""

_AROUND: Final = 300
_SENTINEL: Final = "\ufdd0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A passage in three parts, the middle one marked; more stands before or after it where it was cut."""

    before: str
    marked: str
    after: str
    before_cut: bool = False
    after_cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of a text; `hit` tells that it is marked."""

    text: str
    hit: bool = False


def cut_record(result: object, pointers: Sequence[str]) -> tuple[Piece, ...]:
    """Return the record of a JSON value that holds all that `pointers` name, written out, with that marked.

    It is the outermost one of at most 4,000 characters; nothing where a pointer names nothing, or where no
    record is as short.
    """
    paths = [_read_pointer(pointer) for pointer in dict.fromkeys(pointers)]
    if not paths or any(len(_walk(result, path)) <= len(path) for path in paths):
        return ()
    try:
        around = _walk(result, _shared(paths))
        start = _choose_start(around)
        if start is None or _SENTINEL in json.dumps(around[start], ensure_ascii=False):
            return ()
        record = around[start]
        for number, path in enumerate(paths):
            record = _replace(record, path[start:], f"{_SENTINEL}{number}{_SENTINEL}")
        written = json.dumps(record, ensure_ascii=False, indent=2)
        indent = 2 if len(written) <= _LONGEST_WRITTEN else None
        if indent is None:
            written = json.dumps(record, ensure_ascii=False)
        return tuple(_split(written, [_write(result, path, indent) for path in paths]))
    except (RecursionError, TypeError, ValueError):
        return ()


def _read_pointer(pointer: str) -> tuple[str, ...]:
    """Return the steps of a JSON pointer (RFC 6901)."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def _walk(result: object, path: Sequence[str]) -> list[object]:
    """Return a value and what each step of a path leads to, as far as there is something."""
    values = [result]
    for part in path:
        value = values[-1]
        if isinstance(value, dict) and part in value:
            values.append(value[part])
        elif isinstance(value, list) and part.isascii() and part.isdecimal():
            if int(part) >= len(value):
                break
            values.append(value[int(part)])
        else:
            break
    return values


def _shared(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the steps that all paths begin with; of one path the record that its value stands in."""
    if len(paths) == 1:
        return paths[0][:-1]
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(min(paths), max(paths), strict=False))
    return tuple(one for one, _ in alike)


def _choose_start(values: Sequence[object]) -> int | None:
    """Return at which step the outermost record stands that is short enough, None where none is."""
    short = None
    for at in range(len(values) - 1, -1, -1):
        if len(json.dumps(values[at], ensure_ascii=False)) > _MOST_RECORD:
            break
        short = at
    return short


def _replace(value: object, path: Sequence[str], new: object) -> object:
    """Return a copy of `value` with another one at `path`; what lies beside the path is shared."""
    if isinstance(value, dict) and path:
        return value | {path[0]: _replace(value[path[0]], path[1:], new)}
    if isinstance(value, list) and path:
        at = int(path[0])
        return [*value[:at], _replace(value[at], path[1:], new), *value[at + 1 :]]
    return new


def _write(result: object, path: Sequence[str], indent: int | None) -> str:
    return json.dumps(_walk(result, path)[-1], ensure_ascii=False, indent=indent)


def _split(written: str, values: Sequence[str]) -> Iterator[Piece]:
    """Yield a record in pieces, the values put back that signs stand for."""
    for at, piece in enumerate(re.split(f'"{_SENTINEL}([0-9]+){_SENTINEL}"', written)):
        if at % 2:
            yield Piece(text=values[int(piece)], hit=True)
        elif piece:
            yield Piece(text=piece)


def cut_passage(passage: Passage) -> Cut:
    """Return a passage in its three parts."""
    span = passage.span
    return Cut(
        before=passage.text[: span.start],
        marked=span.of(passage.text),
        after=passage.text[span.end :],
        before_cut=passage.start > 0,
    )


def cut_text(text: str, span: Span, *, most: int = 2_000) -> Cut:
    """Return a span of a text with 300 characters on both sides; of a long one its beginning."""
    start, end = max(0, span.start - _AROUND), min(len(text), span.end + _AROUND)
    marked = span.of(text)
    return Cut(
        before=text[start : span.start],
        marked=marked if len(marked) <= most else f"{marked[:most]} …",
        after=text[span.end : end],
        before_cut=start > 0,
        after_cut=end < len(text),
    )
