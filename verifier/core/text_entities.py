"""Entities of HTML, by names that are case-folded already."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@cache
def _entities() -> Mapping[str, str]:
    """Return named entities by their folded names; of two that differ in case the small one."""
    from html.entities import html5

    names = sorted((name for name in html5 if name.endswith(";")), key=str.islower)
    return MappingProxyType({name[:-1].casefold(): html5[name] for name in names})


def decode_entity(name: str) -> str | None:
    """Return the characters of an entity by its folded name, as `eacute` or `#x26`; None if unknown."""
    if not name.startswith("#"):
        return _entities().get(name)
    digits, base = (name[2:], 16) if name[1:2] == "x" else (name[1:], 10)
    if not (digits.isascii() and digits.isalnum()):
        return None
    try:
        code = int(digits, base)
    except ValueError:
        return None
    return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"
