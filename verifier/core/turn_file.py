"""Turn files: answers with the turns that they are to be verified in, as JSON or JSON lines.

One JSON object is one case; a file of several lines holds one a line. The fields are those of the schema
`verifier/schemas/turn.v1.json`; `documents` (id to text) or `retrieved`, `calls` or `messages`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from verifier.core.citations.styles import compile_style
from verifier.core.conversations import Conversation, read_conversation
from verifier.core.json_reading import UnreadableJson, read_json
from verifier.core.spans import Span
from verifier.core.turn_fields import FieldReader
from verifier.core.turns import Level, Origin, RetrievedChunk, Scope, ToolCall, Turn
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEEPEST: Final = 500
_FIELDS: Final = frozenset(
    {
        *("id", "question", "said", "system", "answer", "principal", "tenant", "context"),
        *("current_turn", "locale", "timezone", "now", "default_currency", "fiscal_year_start"),
        *("level", "citations_required", "scope", "calls", "messages", "retrieved", "documents"),
        *(
            "numbering",
            "bibliography",
            "mark_style",
            "cited",
            "allowed_sources",
            "origin",
            "check_ledger_against_database",
            "model",
            "prompt_hash",
            "retriever",
        ),
    }
)
_CALL_FIELDS: Final = frozenset(
    {"id", "tool", "arguments", "args", "result", "ok", "complete", "shown_chars", "turn"}
)
_CHUNK_FIELDS: Final = frozenset(
    {"label", "source", "text", "seq", "ordinal", "span", "approved", "current", "review_until"}
)
_CHUNK_ID: Final = re.compile(
    r"(?P<source>.+)@(?P<seq>[0-9]{1,9})#(?P<ordinal>[0-9]{1,9})", re.DOTALL
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCase:
    """An answer, None where the file holds none, and the turn that it belongs to."""

    turn: Turn
    answer: str | None


def read_turns(text: str) -> tuple[TurnCase, ...]:
    """Return the cases of a turn file's text. Raises InputError naming the line and the field."""
    stripped = text.strip().removeprefix("\ufeff")
    if not stripped:
        raise InputError("the turn file is empty; give a JSON object, or one a line")
    try:
        whole = read_json(stripped, deepest=_DEEPEST)
    except UnreadableJson as problem:
        if "\n" not in stripped:
            raise InputError(f"the turn file is no JSON: {problem}") from None
        return tuple(_read_lines(stripped))
    cases = whole if isinstance(whole, list) else [whole]
    return tuple(read_turn(case, where=f"turn {at}") for at, case in enumerate(cases, 1))


def read_turn(case: object, *, where: str = "the turn") -> TurnCase:
    """Return the case that a JSON object states. Raises InputError naming the field."""
    reader = FieldReader(case, where)
    reader.allow(_FIELDS)
    now = reader.text("now")
    told = _conversation(reader)
    turn = Turn(
        turn_id=reader.text("id"),
        question=_given(reader.text("question"), told.question),
        said=reader.texts("said") if "said" in reader.fields else told.said[:-1],
        system=reader.text("system"),
        principal=reader.text("principal"),
        tenant=reader.text("tenant"),
        context=reader.text_table("context"),
        current_turn=_current_turn(reader, told),
        locale=reader.text("locale"),
        timezone=reader.text("timezone"),
        now=None if now is None else read_moment(now, f"{where}: now"),
        default_currency=reader.text("default_currency"),
        fiscal_year_start=_month(reader, "fiscal_year_start"),
        level=reader.choice("level", Level, Level.SYNTHESIS),
        citations_required=reader.flag("citations_required", default=False),
        scope=reader.choice("scope", Scope, Scope.TURN),
        calls=told.calls or _calls(reader),
        retrieved=_retrieved(reader),
        numbering=reader.text_table("numbering"),
        bibliography=reader.text_table("bibliography"),
        mark_style=_mark_style(reader),
        cited=reader.text("cited"),
        allowed_sources=_allowed(reader),
        origin=reader.choice("origin", Origin, Origin.APPLICATION),
        check_ledger_against_database=reader.flag("check_ledger_against_database", default=False),
        model=reader.text("model"),
        prompt_hash=reader.text("prompt_hash"),
        retriever=reader.text("retriever"),
    )
    return TurnCase(turn=turn, answer=_given(reader.text("answer"), told.answer))


def _month(reader: FieldReader, name: str) -> int:
    month = reader.integer(name)
    if month is not None and not 1 <= month <= 12:
        raise InputError(f"{reader.where}: {name} is {month}; give a month, 1 to 12")
    return month or 1


def _mark_style(reader: FieldReader) -> str | None:
    style = reader.text("mark_style")
    if style is None:
        return None
    try:
        compile_style(style)
    except InputError as problem:
        raise InputError(f"{reader.where}: {problem}") from None
    return style


def _read_lines(text: str) -> Iterator[TurnCase]:
    for number, line in enumerate(
        text.split("\n"), 1
    ):  # JSON text may hold other line ends as they are
        if not line.strip():
            continue
        try:
            case = read_json(line, deepest=_DEEPEST)
        except UnreadableJson as problem:
            raise InputError(f"line {number} of the turn file is no JSON: {problem}") from None
        yield read_turn(case, where=f"line {number}")


def _conversation(reader: FieldReader) -> Conversation:
    """Return what the stored conversation tells, of which fields that are given say otherwise."""
    if "calls" in reader.fields and "messages" in reader.fields:
        raise InputError(f"{reader.where}: give calls or messages, not both")
    return read_conversation(reader.fields.get("messages", []), where=f"{reader.where}: messages")


def _given(given: str | None, told: str | None) -> str | None:
    return told if given is None else given


def _current_turn(reader: FieldReader, told: Conversation) -> int | None:
    given = reader.integer("current_turn")
    return given if given is not None or "messages" not in reader.fields else len(told.said)


def _calls(reader: FieldReader) -> tuple[ToolCall, ...]:
    return tuple(read_call(one, at) for at, one in enumerate(reader.tables("calls"), 1))


def read_call(reader: FieldReader, at: int | None = None) -> ToolCall:
    """Return the call that an object states; one without an id is named by its number. Raises InputError."""
    reader.allow(_CALL_FIELDS)
    told = [reader.fields.get(name) for name in ("arguments", "args")]
    if not all(one is None or isinstance(one, Mapping) for one in told):
        raise InputError(f"{reader.where}: arguments must be an object")
    arguments = next((one for one in told if isinstance(one, Mapping)), {})
    return ToolCall(
        call_id=reader.text("id") or ("" if at is None else f"call-{at}"),
        tool=reader.text("tool") or "tool",
        arguments={str(name): value for name, value in arguments.items()},
        result=reader.fields.get("result"),
        ok=reader.flag("ok", default=True),
        complete=reader.flag("complete", default=True),
        shown_chars=reader.integer("shown_chars"),
        turn=reader.integer("turn"),
    )


def _retrieved(reader: FieldReader) -> tuple[RetrievedChunk, ...]:
    """Return documents and chunks; a chunk's id alone has no text, whoever has the store fills it in."""
    documents = tuple(
        RetrievedChunk(label=label, source=label.partition("#")[0], text=text)
        for label, text in reader.text_table("documents").items()
    )
    given = reader.fields.get("retrieved")
    if isinstance(given, list) and given and all(isinstance(one, str) for one in given):
        return documents + tuple(map(_chunk_by_id, reader.texts("retrieved")))
    return documents + tuple(read_chunk(one) for one in reader.tables("retrieved"))


def _chunk_by_id(chunk_id: str) -> RetrievedChunk:
    found = _CHUNK_ID.fullmatch(chunk_id)
    if found is None:
        return RetrievedChunk(label=chunk_id, source=chunk_id.partition("#")[0], text="")
    return RetrievedChunk(
        label=chunk_id,
        source=found["source"],
        text="",
        seq=int(found["seq"]),
        ordinal=int(found["ordinal"]),
    )


def read_chunk(reader: FieldReader) -> RetrievedChunk:
    """Return the chunk that an object states. Raises InputError."""
    reader.allow(_CHUNK_FIELDS)
    label = reader.text("label") or ""
    review_until = reader.text("review_until")
    span = reader.fields.get("span")
    return RetrievedChunk(
        label=label,
        source=reader.text("source") or label.partition("#")[0].partition("@")[0],
        text=reader.text("text") or "",
        seq=reader.integer("seq"),
        ordinal=reader.integer("ordinal"),
        span=None if span is None else _span(span, reader.where),
        approved=reader.flag("approved", default=True),
        current=reader.flag("current", default=True),
        review_until=None
        if review_until is None
        else read_moment(review_until, f"{reader.where}: review_until"),
    )


def _span(raw: object, where: str) -> Span:
    ends = (
        [int(end) for end in raw if isinstance(end, (int, Decimal))]
        if isinstance(raw, list)
        else []
    )
    try:
        start, end = ends
        return Span(start, end)
    except ValueError:
        raise InputError(f"{where}: span must be [start, end], with start not after end") from None


def _allowed(reader: FieldReader) -> frozenset[str] | None:
    if reader.fields.get("allowed_sources") is None:
        return None
    return frozenset(reader.texts("allowed_sources"))


def read_moment(text: str, where: str) -> datetime:
    """Return the moment that an ISO 8601 text names. Raises InputError, also where it has no offset."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"{where} is {text!r}; give an ISO 8601 moment") from None
    if moment.tzinfo is None:
        raise InputError(f"{where} has no time zone; give an offset, such as +00:00")
    return moment
