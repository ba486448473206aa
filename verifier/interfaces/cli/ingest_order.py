"""What `verifier ingest` was asked to ingest, and which wishes contradict each other."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from verifier.ingest.formats import Format
    from verifier.ingest.requests import IngestTerms

STANDARD_INPUT: Final = "-"
URLS: Final = ("http://", "https://")


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestOrder:
    """Paths and URLs, - for standard input, `rows` of a database, or a manifest; one kind of them."""

    paths: tuple[str, ...]
    terms: IngestTerms
    key: str | None = None
    form: Format | None = None
    key_column: str | None = None
    rows: str | None = None
    database: str | None = None
    manifest: Path | None = None
    valid_from_column: str = "valid_from"

    def __post_init__(self) -> None:
        """Raise InputError where the wishes contradict each other."""
        if self.manifest is not None:
            self._check_manifest()
        elif self.rows is not None:
            self._check_rows()
        else:
            self._check_paths()

    def _check_manifest(self) -> None:
        stated = any(term is not None and term is not False for term in self.terms.values())
        if stated or any((self.paths, self.key, self.form, self.rows)):
            raise InputError(
                "a manifest says itself what to ingest; give no paths, key, format, rows or dates with it"
            )

    def _check_rows(self) -> None:
        if self.paths or self.form is not None:
            raise InputError(
                "--rows are ingested by themselves; give no paths and no format with them"
            )
        if self.key is None:
            raise InputError("rows have no name; say which source they are with --key")

    def _check_paths(self) -> None:
        if not self.paths:
            raise InputError(
                "nothing to ingest; name files, folders or URLs, - for standard input, --rows or --manifest"
            )
        if self.database is not None:
            raise InputError("--database says where --rows stand; give it with them")
        if self.key is not None and len(self.paths) != 1:
            raise InputError("--key names one source; give it with exactly one file, URL or -")
        if STANDARD_INPUT in self.paths and self.key is None:
            raise InputError("standard input has no name; say which source it is with --key")


def read_standard_input() -> bytes:
    """Return all that standard input holds."""
    return sys.stdin.buffer.read()
