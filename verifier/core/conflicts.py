"""Conflicts: two places that say different things of one subject and attribute."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from verifier.errors import InputError

if TYPE_CHECKING:
    from verifier.core.spans import Span


class ConflictState(StrEnum):
    """How far a conflict is; the first two stand, the others are closed, `obsolete` by itself."""

    OPEN = "open"
    ASSIGNED = "assigned"
    RESOLVED = "resolved"
    OBSOLETE = "obsolete"


class ConflictOrigin(StrEnum):
    """Whether a person said so, or the texts were read."""

    DECLARED = "declared"
    FOUND = "found"


STANDING: Final = (ConflictState.OPEN, ConflictState.ASSIGNED)

_PLACE: Final = re.compile(
    r"""
    (?P<source> .+ )                            # returns.md
    @ (?P<seq> [1-9][0-9]{0,8} )                # @3
    (?: \# (?P<ordinal> 0 | [1-9][0-9]{0,8} ) )?    # #0
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_ROW_PARTS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPlace:
    """Words of a document version that a verdict rests on."""

    source: str
    seq: int
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """An open conflict of a place: what stands there, and what another place says."""

    place: StoredPlace
    conflict_id: int
    subject: str
    attribute: str
    value: str
    other_value: str
    other: str


def split_place(text: str) -> tuple[str, int, int | None] | None:
    """Return source, version and chunk of `source@seq` or `source@seq#ordinal`; None for a bare key."""
    found = _PLACE.fullmatch(text)
    if found is None:
        return None
    ordinal = found["ordinal"]
    return found["source"], int(found["seq"]), None if ordinal is None else int(ordinal)


def read_row_place(text: str) -> str:
    """Return the name of a row's cell, `database/table/key/column`. Raises InputError for less or more."""
    parts = text.split("/")
    if len(parts) < _ROW_PARTS or not all(part.strip() for part in parts):
        raise InputError(
            f"{text!r} names no row; write database/table/key/column, such as default/shop.fee/7/amount"
        )
    return text
