"""JSON as records or as an outline: numbers as they are written, names that stand twice refused."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from verifier.errors import UnreadableDocument
from verifier.ingest.decoding import decode
from verifier.ingest.formats import MEDIA_TYPES, Format
from verifier.ingest.markup import TextWriter
from verifier.ingest.reading import Reading
from verifier.ingest.records import Record, write_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_DEEPEST_OUTLINE: Final = 5


class _Number(str):
    """A number of JSON in the figures in which it is written."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLines:
    """An object a line. `open_bytes` begins the file anew; no line is longer than `max_bytes`.

    `noun` is what errors call a line.
    """

    name: str
    open_bytes: Callable[[], BinaryIO]
    max_bytes: int
    noun: str = "line"
    media_type: str = MEDIA_TYPES[Format.JSON_LINES]

    def __iter__(self) -> Iterator[Record]:
        number = 0
        with self.open_bytes() as raw:
            for line, content in enumerate(self._lines(raw), 1):
                if not content.strip():
                    continue
                number += 1
                place = f"{self.name} {self.noun} {line}"
                fields = parse_json(decode(content, place), self.name, place=place)
                if not isinstance(fields, dict):
                    raise UnreadableDocument(f"{place}: is no object; write one a line")
                yield Record(number=number, place=place, fields=fields)

    def _lines(self, raw: BinaryIO) -> Iterator[bytes]:
        while content := raw.readline(self.max_bytes + 1):
            if len(content) > self.max_bytes:
                raise UnreadableDocument(
                    f"{self.name}: a line has more than {self.max_bytes:,} bytes; write one object a"
                    " line, or raise max_document_bytes"
                )
            yield content


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonList:
    """The objects of a JSON file that is a list of them."""

    name: str
    objects: Sequence[dict[str, Any]]
    media_type: str = MEDIA_TYPES[Format.JSON]

    def __iter__(self) -> Iterator[Record]:
        for number, fields in enumerate(self.objects, 1):
            yield Record(number=number, place=f"{self.name} object {number}", fields=fields)


def read_json(content: bytes, name: str) -> JsonList | Reading:
    """Return the records of a list of objects, else all as text: a heading for each object in an object.

    Raises UnreadableDocument for what is no JSON, or is empty.
    """
    value = parse_json(decode(content, name), name)
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        return JsonList(name=name, objects=value)
    writer = TextWriter()
    _write(writer, value, name, 1)
    text = writer.text()
    if not text.strip():
        raise UnreadableDocument(f"{name}: holds no text")
    return Reading(text=text)


def parse_json(text: str, name: str, *, place: str | None = None) -> Any:  # noqa: ANN401 -- a value of JSON
    """Return a value of JSON with its numbers as texts. Raises UnreadableDocument naming the place."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [key for key, _ in pairs]
            twice = next(key for key in names if names.count(key) > 1)
            raise UnreadableDocument(f"{where}the name {twice!r} stands twice in an object")
        return found

    def refuse(constant: str) -> None:
        raise UnreadableDocument(f"{where}{constant} is no number of JSON")

    where = f"{place or name}: "
    try:
        return json.loads(
            text,
            parse_float=_Number,
            parse_int=_Number,
            parse_constant=refuse,
            object_pairs_hook=unique,
        )
    except json.JSONDecodeError as error:
        at = place or f"{name} line {error.lineno}"
        raise UnreadableDocument(
            f"{at}: is no JSON: {error.msg}, at column {error.colno}"
        ) from None
    except RecursionError:
        raise UnreadableDocument(f"{where}is nested too deep to be read") from None


def _write(writer: TextWriter, value: Any, name: str, level: int) -> None:  # noqa: ANN401 -- a value of JSON
    """Write what stands in an object directly, then a section for each object or list of objects in it."""
    if not isinstance(value, dict):
        members = value if isinstance(value, list) else [value]
        for member in members:
            _write_record(writer, member if isinstance(member, dict) else {"": member}, name)
        return
    sections = {key: member for key, member in value.items() if _is_section(member, level)}
    _write_record(
        writer, {key: member for key, member in value.items() if key not in sections}, name
    )
    for key, member in sections.items():
        writer.add_heading(level, key)
        _write(writer, member, name, level + 1)


def _is_section(value: Any, level: int) -> bool:  # noqa: ANN401 -- a value of JSON
    if level > _DEEPEST_OUTLINE:
        return False
    members = value if isinstance(value, list) else [value]
    return any(isinstance(member, dict) and member for member in members)


def _write_record(writer: TextWriter, fields: dict[str, Any], name: str) -> None:
    if fields:
        writer.add_lines(write_record(Record(number=1, place=name, fields=fields)))
