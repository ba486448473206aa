"""Manifests: rows in order, and a clear error for each that can't be used."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from verifier.errors import InputError
from verifier.ingest.manifest import read_manifest

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, text: str) -> Path:
    (folder / "pages").mkdir()
    (folder / "pages" / "1.md").write_text("# One\n\nText.", encoding="utf-8")
    (folder / "pages" / "2.md").write_text("# Two\n\nText.", encoding="utf-8")
    manifest = folder / "versions.csv"
    manifest.write_text(text, encoding="utf-8")
    return manifest


def test_rows_become_requests_in_order(tmp_path: Path) -> None:
    manifest = write(
        tmp_path,
        "\ufefffile,page,since\npages/1.md,terms,2026-01-01T00:00:00+00:00\npages/2.md,terms,\n",
    )
    first, second = read_manifest(manifest, key_column="page", valid_from_column="since")
    assert (first.document.key, first.valid_from) == ("terms", datetime(2026, 1, 1, tzinfo=UTC))
    assert first.document.text.startswith("# One")
    assert (second.document.key, second.valid_from) == ("terms", None)


BAD_ROWS = {
    "no such file": ("pages/3.md,a,", "line 2"),
    "a blank key": ("pages/1.md, ,", "line 2: file and key must not be blank"),
    "too few cells": ("pages/1.md", "line 2: file and key must not be blank"),
    "no moment": (
        "pages/1.md,a,yesterday",
        "line 2: valid_from: 'yesterday' is no ISO 8601 moment",
    ),
    "no zone": ("pages/1.md,a,2026-01-01", "line 2: valid_from: '2026-01-01' has no time zone"),
    "outside": ("../1.md,a,", "line 2: '../1.md' lies outside"),
    "absolute": ("/etc/hostname,a,", "line 2: '/etc/hostname' lies outside"),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_a_row_that_cannot_be_used_is_named(tmp_path: Path, name: str) -> None:
    row, message = BAD_ROWS[name]
    manifest = write(tmp_path, f"file,key,valid_from\n{row}\n")
    with pytest.raises(InputError, match=message):
        read_manifest(manifest)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"file,name\n", "no column 'key'"),
        (b"", "no column 'file', only an empty first line"),
        (b"file,key,valid_from\n\xff\xfe,a,\n", "no CSV file in UTF-8"),
        (b'file,key,valid_from\n"a"b,c,d\n', "no CSV file"),
    ],
)
def test_what_is_no_manifest_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    manifest = tmp_path / "versions.csv"
    manifest.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_manifest(manifest)


def test_a_missing_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.csv can't be read"):
        read_manifest(tmp_path / "nowhere.csv")
