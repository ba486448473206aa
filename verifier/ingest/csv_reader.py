"""Rows of a CSV file, one by one: separated by whatever its head shows, each as long as the head."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Final

from verifier.errors import UnreadableDocument
from verifier.ingest.decoding import find_mark, suggest_encoding
from verifier.ingest.formats import MEDIA_TYPES, Format
from verifier.ingest.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SEPARATORS: Final = ",;\t|"
_TOLD_SEPARATOR: Final = "sep="
_HEAD_CHARACTERS: Final = 100_000
_ROW_CHARACTERS: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvRows:
    """The rows below the first line, which names the columns. `open_bytes` begins the file anew."""

    name: str
    open_bytes: Callable[[], BinaryIO]
    media_type: str = MEDIA_TYPES[Format.CSV]

    def __iter__(self) -> Iterator[Record]:
        with self.open_bytes() as raw:
            start = raw.read(4)
            raw.seek(0)
            encoding = find_mark(start) or "utf-8-sig"
            text = io.TextIOWrapper(raw, encoding=encoding, newline="")
            try:
                yield from self._read(text)
            except UnicodeError as error:
                sample = error.object if isinstance(error, UnicodeDecodeError) else start
                raise UnreadableDocument(
                    f"{self.name}: is no {encoding.removesuffix('-sig')} throughout;"
                    f" {suggest_encoding(sample)}"
                ) from None

    def _read(self, text: io.TextIOWrapper) -> Iterator[Record]:
        separator = _find_separator(text)
        lines = _Lines(text)
        reader = csv.reader(lines, delimiter=separator, strict=True)
        columns: list[str] | None = None
        number = 0
        try:
            for row in reader:
                lines.begin_row()
                if not any(cell.strip() for cell in row):
                    continue
                if columns is None:
                    columns = self._read_head(row)
                    continue
                number += 1
                cells = self._fit(row, columns, reader.line_num)
                place = f"{self.name} line {reader.line_num}"
                yield Record(
                    number=number, place=place, fields=dict(zip(columns, cells, strict=True))
                )
        except (csv.Error, OverflowError) as error:
            raise UnreadableDocument(
                f"{self.name} line {reader.line_num}: {error}; a quotation mark may be open or stray"
            ) from None

    def _read_head(self, row: list[str]) -> list[str]:
        columns = [name.strip() or f"column {at}" for at, name in enumerate(row, 1)]
        twice = [name for name, count in Counter(columns).items() if count > 1]
        if twice:
            raise UnreadableDocument(
                f"{self.name}: the column {twice[0]!r} stands twice in its first line; name each once"
            )
        return columns

    def _fit(self, row: list[str], columns: list[str], line: int) -> list[str]:
        if len(row) < len(columns) or any(cell.strip() for cell in row[len(columns) :]):
            raise UnreadableDocument(
                f"{self.name} line {line}: has {len(row)} fields, its first line {len(columns)}; quote"
                " fields that hold the separator"
            )
        return row[: len(columns)]


class _Lines:
    """The lines of a file, as long as a row does not go on for ever; the limit of `csv` is anybody's."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text
        self._since = 0

    def begin_row(self) -> None:
        """Count from here: what was read so far has become rows."""
        self._since = 0

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._text.readline(_ROW_CHARACTERS)
        self._since += len(line)
        if not line:
            raise StopIteration
        if self._since >= _ROW_CHARACTERS:
            raise OverflowError(f"a row has more than {_ROW_CHARACTERS:,} characters")
        return line


def _find_separator(text: io.TextIOWrapper) -> str:
    """Return what parts the names of the first line, and leave the text where the rows begin."""
    line = text.readline(_HEAD_CHARACTERS)
    while line and not line.strip():
        line = text.readline(_HEAD_CHARACTERS)
    if line.startswith(_TOLD_SEPARATOR) and len(line.strip("\r\n")) == len(_TOLD_SEPARATOR) + 1:
        return line[len(_TOLD_SEPARATOR)]
    unquoted = "".join(line.split('"')[::2])
    text.seek(0)
    return max(_SEPARATORS, key=unquoted.count)
