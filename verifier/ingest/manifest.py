"""A manifest: a CSV file that names files, their keys and from when each version holds."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from verifier.errors import InputError, UnreadableDocument
from verifier.ingest.readers import DEFAULT_LIMITS, read_document
from verifier.ingest.requests import IngestRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from verifier.ingest.limits import ReadLimits


@dataclass(frozen=True, slots=True, kw_only=True)
class _Columns:
    file: str
    key: str
    valid_from: str


def read_manifest(
    csv_path: Path,
    *,
    file_column: str = "file",
    key_column: str = "key",
    valid_from_column: str = "valid_from",
    limits: ReadLimits = DEFAULT_LIMITS,
) -> tuple[IngestRequest, ...]:
    """Return a request for each row in the order of rows, as an operator's.

    Files are named relative to the CSV file and must lie below its folder; `valid_from` is an ISO 8601
    moment with an offset, or blank for the moment of publishing. Raises InputError naming the line that
    can't be used, UnreadableDocument for a file that can't be read.
    """
    columns = _Columns(file=file_column, key=key_column, valid_from=valid_from_column)
    return tuple(
        _request(csv_path, row, columns, line=line, limits=limits)
        for line, row in _rows(csv_path, columns)
    )


def _rows(csv_path: Path, columns: _Columns) -> Iterator[tuple[int, Mapping[str, str | None]]]:
    try:
        with csv_path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            for name in (columns.file, columns.key, columns.valid_from):
                if name not in (reader.fieldnames or ()):
                    raise InputError(
                        f"{csv_path.name} has no column {name!r}, only {_listed(reader)}"
                    )
            for row in reader:
                yield reader.line_num, row
    except OSError as error:
        raise UnreadableDocument(f"{csv_path} can't be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise UnreadableDocument(f"{csv_path} is no CSV file in UTF-8: {error}") from error


def _listed(reader: csv.DictReader[str]) -> str:
    return ", ".join(repr(name) for name in reader.fieldnames or ()) or "an empty first line"


def _request(
    csv_path: Path,
    row: Mapping[str, str | None],
    columns: _Columns,
    *,
    line: int,
    limits: ReadLimits,
) -> IngestRequest:
    place = f"{csv_path.name} line {line}"
    name = (row[columns.file] or "").strip()
    key = (row[columns.key] or "").strip()
    if not name or not key:
        raise InputError(f"{place}: {columns.file} and {columns.key} must not be blank")
    folder = csv_path.resolve().parent
    file = (folder / name).resolve()
    if not file.is_relative_to(folder):
        raise InputError(f"{place}: {name!r} lies outside the folder of the manifest")
    try:
        document = read_document(file, key=key, limits=limits)
    except InputError as error:
        raise UnreadableDocument(f"{place}: {error}") from error
    moment = _moment((row[columns.valid_from] or "").strip(), f"{place}: {columns.valid_from}")
    return IngestRequest(document=document, valid_from=moment)


def _moment(text: str, place: str) -> datetime | None:
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"{place}: {text!r} is no ISO 8601 moment") from error
    if moment.tzinfo is None:
        raise InputError(f"{place}: {text!r} has no time zone; give an offset, such as +00:00")
    return moment
