"""Rows of a file that people make: CSV with a head, JSON lines, or one JSON list or object."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.json_reading import UnreadableJson, read_json
from verifier.core.turn_fields import kind_of_json
from verifier.errors import InputError, UnreadableDocument

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LONGEST_CELL: Final = 200_000_000
_LINE_END: Final = re.compile(r"[\r\n]")
_PARTING: Final = ",;\t"
_AROUND_NAMES: Final = ' \t\r"'


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    """One row with its fields by name; `place` is what an error calls it: "line 3"."""

    place: str
    fields: Mapping[str, object]

    def need(self, *names: str) -> str:
        """Return the text of the first field of these names. Raises InputError where it is blank."""
        found = next((self.fields[name] for name in names if self.fields.get(name) is not None), "")
        if isinstance(found, Mapping | list | bool) or not str(found).strip():
            raise InputError(f"{self.place}: {names[0]} is empty; every row needs one")
        return str(found)


def refuse_empty(text: str) -> None:
    """Raise InputError for the text of a file that holds nothing."""
    if not text.strip("\ufeff \t\r\n"):
        raise InputError("the file is empty")


def looks_like_json(text: str) -> bool:
    """Return whether a file's text begins as JSON does."""
    return text.lstrip("\ufeff \t\r\n").startswith(("{", "["))


def read_csv_rows(text: str, columns: Sequence[str]) -> Iterator[FileRow]:
    """Yield the rows of a CSV text, whose fields are parted by a comma, a semicolon or a tab.

    Raises InputError for a missing column, or a row of another length.
    """
    csv.field_size_limit(_LONGEST_CELL)
    text = text.removeprefix("\ufeff")
    head = _LINE_END.split(text.lstrip("\r\n"), maxsplit=1)[0]
    parting = _find_parting(head, columns)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=parting, strict=True)
    try:
        names = [name.strip() for name in reader.fieldnames or ()]
        _check_names(names, columns)
        reader.fieldnames = names
        for row in reader:
            if None in row or None in row.values():
                raise InputError(f"line {reader.line_num}: not as many fields as columns")
            yield FileRow(place=f"line {reader.line_num}", fields=dict(row))
    except csv.Error as problem:
        raise UnreadableDocument(f"line {reader.line_num}: no CSV: {problem}") from None


def _check_names(names: Sequence[str], columns: Sequence[str]) -> None:
    missing = [name for name in columns if name not in names]
    if missing:
        found = ", ".join(names) or "none"
        raise InputError(f"no column {', '.join(missing)}; the columns are {found}")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"the column {', '.join(twice)} is there twice")


def _find_parting(head: str, columns: Sequence[str]) -> str:
    """Return the sign between the fields: the one by which the head has every column, else a comma."""
    for parting in _PARTING:
        if {*columns} <= {name.strip(_AROUND_NAMES) for name in head.split(parting)}:
            return parting
    return ","


def read_json_rows(text: str) -> object:
    """Return one JSON value, or a list of those that stand one a line. Raises UnreadableDocument."""
    stripped = text.strip("\ufeff \t\r\n")
    try:
        return read_json(stripped)
    except UnreadableJson as problem:
        if "\n" not in stripped:
            raise UnreadableDocument(f"no JSON: {problem}") from None
    return [_read_line(line, at) for at, line in enumerate(stripped.split("\n"), 1) if line.strip()]


def number_rows(rows: object) -> Iterator[FileRow]:
    """Yield the objects of a list, or a single one, as rows. Raises InputError for another value."""
    listed = rows if isinstance(rows, list) else [rows]
    for at, row in enumerate(listed, 1):
        if not isinstance(row, Mapping):
            raise InputError(f"row {at}: an object is needed, not {kind_of_json(row)}")
        yield FileRow(place=f"row {at}", fields=row)


def _read_line(line: str, at: int) -> object:
    try:
        return read_json(line)
    except UnreadableJson as problem:
        raise UnreadableDocument(f"line {at}: no JSON: {problem}") from None
