"""The turn: one question-and-answer exchange with everything that may prove its answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.citations.styles import compile_style
from verifier.core.plain_json import copy_plain, is_plain
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from verifier.core.spans import Span

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
"""A JSON value. Records that count money should carry `Decimal` or text; see `core.ledger`."""

_MOST_ARGUMENTS: Final = 5_000

EMPTY: Final[Mapping[str, str]] = MappingProxyType({})


class Level(StrEnum):
    """How far an answer may go beyond its sources."""

    STRICT_EXTRACTIVE = "strict_extractive"
    SYNTHESIS = "synthesis"
    LABELLED_GENERAL = "labelled_general"


class Scope(StrEnum):
    """Which tool calls count as evidence."""

    TURN = "turn"
    CONVERSATION = "conversation"


class Origin(StrEnum):
    """Who vouches for the turn's evidence: the application itself, or an unproven caller."""

    APPLICATION = "application"
    CALLER = "caller"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One tool call and what it returned.

    `result` is any JSON value (objects are dicts, numbers may be Decimal); other objects of an application
    are kept in their plain form (`core.plain_json`). `ok` is False for a failed call: it proves nothing.
    `complete` is False where the result was truncated or is one page of several, and where it or the
    arguments were cut off or could not be read: it proves no absence. `shown_chars` says how much of the
    result the model was shown.
    """

    call_id: str
    tool: str
    arguments: Mapping[str, object]
    result: object
    ok: bool = True
    complete: bool = True
    shown_chars: int | None = None
    turn: int | None = None

    def __post_init__(self) -> None:
        if not is_plain(self.result):
            copied = copy_plain(self.result)
            object.__setattr__(self, "result", copied.value)
            object.__setattr__(self, "complete", self.complete and copied.whole)
        if not is_plain(self.arguments, nodes=_MOST_ARGUMENTS):
            copied = copy_plain(self.arguments, nodes=_MOST_ARGUMENTS)
            told = copied.value if isinstance(copied.value, dict) else {}
            object.__setattr__(self, "arguments", told)
            object.__setattr__(self, "complete", self.complete and copied.whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievedChunk:
    """A chunk that was given to the model, with what the store knew of its version then.

    `seq` and `ordinal` are None for a document that came with the turn instead of from the store.
    `current` is False where another version is current now; `review_until` is a moment with zone.
    """

    label: str
    source: str
    text: str
    seq: int | None = None
    ordinal: int | None = None
    span: Span | None = None
    approved: bool = True
    current: bool = True
    review_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Everything known about one exchange. `now` has a time zone; `timezone` is an IANA name.

    `said` is what the user said before, `system` is text that the operator vouches for, `context` holds
    fields such as channel and quantity. `allowed_sources` of None allows every approved source. `cited`
    names a document that the whole answer cites; `numbering` maps a mark to a chunk label. `bibliography`
    has the entry of a chunk label by which "(Smith 2020)" cites it; `mark_style` is the form of the answer's
    marks, with N for the label ("<N>"), beside those that are read without being told. `model`, `prompt_hash`
    and `retriever` are noted in the report as they are told: who wrote the answer, by which prompt, and how
    what it was given was searched.
    """

    turn_id: str | None = None
    question: str | None = None
    said: tuple[str, ...] = ()
    system: str | None = None
    principal: str | None = None
    tenant: str | None = None
    context: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    current_turn: int | None = None
    locale: str | None = None
    timezone: str | None = None
    now: datetime | None = None
    default_currency: str | None = None
    fiscal_year_start: int = 1
    level: Level = Level.SYNTHESIS
    citations_required: bool = False
    scope: Scope = Scope.TURN
    calls: tuple[ToolCall, ...] = ()
    retrieved: tuple[RetrievedChunk, ...] = ()
    numbering: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    bibliography: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    mark_style: str | None = None
    cited: str | None = None
    allowed_sources: frozenset[str] | None = None
    origin: Origin = Origin.APPLICATION
    check_ledger_against_database: bool = False
    model: str | None = None
    prompt_hash: str | None = None
    retriever: str | None = None

    def __post_init__(self) -> None:
        if self.now is not None and self.now.tzinfo is None:
            raise InputError(
                "the turn's clock `now` has no time zone; give an offset, such as +00:00"
            )
        if self.mark_style is not None:
            compile_style(self.mark_style)
        for chunk in self.retrieved:
            if chunk.review_until is not None and chunk.review_until.tzinfo is None:
                raise InputError(
                    f"review_until of {chunk.label!r} has no time zone; give an offset"
                )
