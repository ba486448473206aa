"""What `catalog inspect` proposes of a shop's tables, beside the catalog that a person made of it."""

from __future__ import annotations

import tomllib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from casework.rowbench import CATALOGS
from verifier.core.catalog.proposal import propose_catalog
from verifier.store.canonical_inspection import inspect_tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import asyncpg

RIGHT: Final = "right"
CHANGED: Final = "changed"
ADDED: Final = "added"
REMOVED: Final = "removed"
OUTCOMES: Final = (RIGHT, CHANGED, ADDED, REMOVED)
_LEAVES: Final = frozenset({"on", "scope", "visible", "applies", "states"})
_OF_TYPE: Final = frozenset({"joins", "parts", "attributes", "key", "names", "scope", "describing"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One field that differs: what was proposed, and what a person made of it; None where it is not there."""

    path: str
    proposed: object
    edited: object
    reason: str | None


@dataclass(slots=True)
class Guesses:
    """How the fields of a proposal fared, by what they are of. Not frozen: it counts."""

    counts: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    edits: list[Edit] = field(default_factory=list)

    @property
    def total(self) -> Counter[str]:
        """All counts together."""
        return sum(self.counts.values(), Counter())


async def compare_guesses(connection: asyncpg.Connection, shop: str) -> Guesses:
    """Return how the proposal made of a shop's schema differs from the shop's catalog."""
    proposal = propose_catalog(await inspect_tables(connection, (shop,)))
    reasons = {guess.path: guess.reason for guess in (*proposal.guesses, *proposal.left_out)}
    made = tomllib.loads((CATALOGS / f"{shop}.toml").read_text("utf-8"))
    proposed, edited = dict(_fields(proposal.catalog)), dict(_fields(made["catalog"]))
    guesses = Guesses()
    for path in sorted({*proposed, *edited}):
        outcome = _outcome(path, proposed, edited)
        guesses.counts[_kind_of(path)][outcome] += 1
        if outcome != RIGHT:
            reason = _reason(path, reasons)
            guesses.edits.append(
                Edit(
                    path=path,
                    proposed=proposed.get(path),
                    edited=edited.get(path),
                    reason=reason,
                )
            )
    return guesses


def _outcome(path: str, proposed: Mapping[str, object], edited: Mapping[str, object]) -> str:
    if path not in proposed:
        return ADDED
    if path not in edited:
        return REMOVED
    return RIGHT if proposed[path] == edited[path] else CHANGED


def _fields(table: Mapping[str, Any], path: str = "catalog") -> Iterator[tuple[str, object]]:
    """Yield every field with its path; tables that are one value are one field."""
    for name, value in table.items():
        if isinstance(value, dict) and name not in _LEAVES:
            yield from _fields(value, f"{path}.{name}")
        else:
            listed = sorted(value) if name == "labels" else value  # their order tells nothing
            yield f"{path}.{name}", _plain(listed)


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, (list, tuple)) else value


def _kind_of(path: str) -> str:
    """Return what a field is of: the type's table, its key, names, scope, joins, parts, attributes."""
    words = path.split(".")
    return next((word for word in words[2:] if word in _OF_TYPE), "table")


def _reason(path: str, reasons: Mapping[str, str]) -> str | None:
    """Return the reason of the guess at a path, or of the one that encloses it."""
    while path and path not in reasons:
        path = path.rpartition(".")[0]
    return reasons.get(path)
