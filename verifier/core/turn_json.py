"""Turns as JSON, in the form of turn files; the schema is `verifier/schemas/turn.v1.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verifier.core.plain_json import to_json_values

if TYPE_CHECKING:
    from verifier.core.turns import RetrievedChunk, ToolCall, Turn


def turn_to_json(turn: Turn) -> dict[str, Any]:
    """Return the turn as JSON values; what is at its default is left out, so that reading it restores it."""
    told: dict[str, Any] = {
        "id": turn.turn_id,
        "question": turn.question,
        "said": list(turn.said),
        "system": turn.system,
        "principal": turn.principal,
        "tenant": turn.tenant,
        "context": dict(turn.context),
        "current_turn": turn.current_turn,
        "locale": turn.locale,
        "timezone": turn.timezone,
        "now": None if turn.now is None else turn.now.isoformat(),
        "default_currency": turn.default_currency,
        "fiscal_year_start": None if turn.fiscal_year_start == 1 else turn.fiscal_year_start,
        "level": turn.level.value,
        "citations_required": turn.citations_required or None,
        "scope": turn.scope.value,
        "calls": [_call(call) for call in turn.calls],
        "retrieved": [chunk_to_json(chunk) for chunk in turn.retrieved],
        "numbering": dict(turn.numbering),
        "bibliography": dict(turn.bibliography),
        "mark_style": turn.mark_style,
        "cited": turn.cited,
        "origin": turn.origin.value,
        "check_ledger_against_database": turn.check_ledger_against_database or None,
        "model": turn.model,
        "prompt_hash": turn.prompt_hash,
        "retriever": turn.retriever,
    }
    kept = {name: value for name, value in told.items() if value not in (None, [], {})}
    if turn.allowed_sources is not None:
        kept["allowed_sources"] = sorted(turn.allowed_sources)
    return kept


def _call(call: ToolCall) -> dict[str, Any]:
    told = call_fields(call)
    return told | {name: to_json_values(told[name]) for name in ("arguments", "result")}


def call_fields(call: ToolCall) -> dict[str, Any]:
    """Return the fields of a call as turn files name them, its arguments and result as they are."""
    told: dict[str, Any] = {
        "id": call.call_id,
        "tool": call.tool,
        "arguments": dict(call.arguments),
        "result": call.result,
        "ok": call.ok,
        "complete": call.complete,
    }
    if call.shown_chars is not None:
        told["shown_chars"] = call.shown_chars
    if call.turn is not None:
        told["turn"] = call.turn
    return told


def chunk_to_json(chunk: RetrievedChunk) -> dict[str, Any]:
    """Return the fields of a chunk as turn files name them."""
    return {
        "label": chunk.label,
        "source": chunk.source,
        "text": chunk.text,
        "seq": chunk.seq,
        "ordinal": chunk.ordinal,
        "span": None if chunk.span is None else [chunk.span.start, chunk.span.end],
        "approved": chunk.approved,
        "current": chunk.current,
        "review_until": None if chunk.review_until is None else chunk.review_until.isoformat(),
    }
