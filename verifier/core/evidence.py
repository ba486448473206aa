"""What evidence is read into: facts, where they stand, and what a finding cites of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier.core.spans import Span
    from verifier.core.values import Value


class TurnPart(StrEnum):
    """A text of the turn that is not a tool result."""

    QUESTION = "question"
    SAID = "said"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerLocator:
    """A value in a tool result: the call and the JSON pointer (RFC 6901) into its result.

    `in_arguments` marks a pointer into the call's arguments instead, which prove nothing.
    """

    call_id: str
    tool: str
    pointer: str
    in_arguments: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RowLocator:
    """A value in a canonical table. `fingerprint` is the SHA-256 of the row's compared columns."""

    database: str
    table: str
    key: str
    column: str | None
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanLocator:
    """A slice of a document version. `seq` is None for a document that came with the turn."""

    source: str
    seq: int | None
    ordinal: int | None
    span: Span
    text_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTextLocator:
    """A slice of what the user said or what the operator's system text says."""

    part: TurnPart
    span: Span


Locator = LedgerLocator | RowLocator | SpanLocator | TurnTextLocator


class Polarity(StrEnum):
    """Whether something is stated or denied."""

    STATED = "stated"
    DENIED = "denied"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Who or what something is said of: a type, a key, names; at least one is known."""

    entity_type: str | None = None
    key: str | None = None
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.entity_type is None and self.key is None and not self.names:
            raise ValueError("a subject needs a type, a key or a name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One statement that evidence makes. `subjects` runs from the nearest outwards."""

    subjects: tuple[Subject, ...]
    attribute: tuple[str, ...]
    value: Value
    locator: Locator
    period: str | None = None
    polarity: Polarity = Polarity.STATED
    condition: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a finding rests on: where it stands and what is written there.

    `text` is the value or the quoted characters; `note` says what a reader must know of it, such as
    that a ledger entry is out of date.
    """

    locator: Locator
    text: str
    note: str | None = None
