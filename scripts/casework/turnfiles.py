"""Turn files as the objects that they are written in, so that only what is changed is written anew."""

from __future__ import annotations

import json
import os
import re
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT: Final = Path(__file__).resolve().parents[2]
_EXACT: Final = re.compile(r'"\\u0000([^"\\]*)\\u0000"')


class Unreadable(ValueError):
    """A file that holds no turns; the message names it."""


def read_objects(path: Path) -> list[dict[str, Any]]:
    """Return the turns of a file: one object, a list of them, or one a line. Raises Unreadable."""
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as problem:
        raise Unreadable(f"{path}: {problem}") from None
    try:
        return _objects(_parsed(text), path)
    except json.JSONDecodeError:
        pass
    found: list[dict[str, Any]] = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            found += _objects(_parsed(line), path) if line.strip() else []
        except (json.JSONDecodeError, RecursionError) as problem:
            raise Unreadable(f"{path}:{number}: {problem}") from None
    return found


def _parsed(text: str) -> object:
    return json.loads(text, parse_float=Decimal)


def _objects(value: object, path: Path) -> list[dict[str, Any]]:
    found = value if isinstance(value, list) else [value]
    if not all(isinstance(one, dict) for one in found):
        raise Unreadable(f"{path}: a turn is a JSON object")
    return found


def write_lines(path: Path, objects: Iterable[dict[str, Any]]) -> None:
    """Write one object a line; decimal numbers keep the digits that they were read with."""
    with path.open("w", encoding="utf-8") as file:
        for one in objects:
            text = json.dumps(one, ensure_ascii=False, default=lambda number: f"\0{number}\0")
            file.write(_EXACT.sub(r"\1", text) + "\n")


def find_shared(name: str) -> Path:
    """Return a folder of the public data. Raises Unreadable where it is missing."""
    shared = Path(os.environ.get("VERIFIER_SHARED_DATA", ROOT.parent / "shared" / "data"))
    folder = shared / name
    if not folder.is_dir():
        raise Unreadable(f"no such folder: {folder}; set VERIFIER_SHARED_DATA")
    return folder
