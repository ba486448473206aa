"""A catalog in its TOML form as text, with the reasons for what was guessed beside it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verifier.core.catalog.proposal import Proposal

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_INLINE: Final = frozenset({"on", "scope", "visible", "applies", "states"})


def write_proposal(proposal: Proposal) -> str:
    """Return the proposal as a part of verifier.toml: each guess a comment where it stands."""
    reasons: dict[str, list[str]] = {}
    for guess in proposal.guesses:
        reasons.setdefault(guess.path, []).append(guess.reason)
    lines: list[str] = []
    for name, fields in proposal.catalog.items():
        if isinstance(fields, dict):
            lines += _write_table(f"catalog.{_name(name)}", f"catalog.{name}", fields, reasons)
    if proposal.left_out:
        lines += ["# Left out:", *(f"# {one.path}: {one.reason}" for one in proposal.left_out)]
    return "\n".join(lines) + "\n"


def _write_table(
    header: str, path: str, fields: Mapping[str, object], reasons: Mapping[str, list[str]]
) -> Iterator[str]:
    yield from (f"# {reason}" for reason in reasons.get(path, ()))
    yield f"[{header}]"
    inner: list[tuple[str, Mapping[str, object]]] = []
    for name, value in fields.items():
        if isinstance(value, dict) and name not in _INLINE:
            inner.append((name, value))
            continue
        told = "; ".join(reasons.get(f"{path}.{name}", ()))
        yield f"{_name(name)} = {_write(value)}" + (f"  # {told}" if told else "")
    yield ""
    for name, value in inner:
        yield from _write_inner(f"{header}.{_name(name)}", f"{path}.{name}", value, reasons)


def _write_inner(
    header: str, path: str, value: Mapping[str, object], reasons: Mapping[str, list[str]]
) -> Iterator[str]:
    """Write a table; one that only holds tables needs no header of its own."""
    if value and all(isinstance(one, dict) for one in value.values()):
        for name, one in value.items():
            if isinstance(one, dict):
                yield from _write_table(f"{header}.{_name(name)}", f"{path}.{name}", one, reasons)
    else:
        yield from _write_table(header, path, value, reasons)


def _write(value: object) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_name(name)} = {_write(one)}' for name, one in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_write, value))}]"
    return json.dumps(value, ensure_ascii=False)


def _name(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)
