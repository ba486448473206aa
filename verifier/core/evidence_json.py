"""Evidence and the places where it stands, as the JSON values of reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verifier.core.evidence import LedgerLocator, RowLocator, SpanLocator, TurnTextLocator

if TYPE_CHECKING:
    from verifier.core.evidence import Evidence, Locator
    from verifier.core.spans import Span


def evidence_to_json(evidence: Evidence) -> dict[str, Any]:
    """Return what a finding rests on: the place, what is written there, and what to know of it."""
    return {
        "locator": locator_to_json(evidence.locator),
        "text": evidence.text,
        "note": evidence.note,
    }


def locator_to_json(locator: Locator) -> dict[str, Any]:
    """Return where a piece of evidence stands, `kind` telling which sort of place it is."""
    if isinstance(locator, LedgerLocator):
        return {
            "kind": "ledger",
            "call_id": locator.call_id,
            "tool": locator.tool,
            "pointer": locator.pointer,
        }
    if isinstance(locator, RowLocator):
        return {
            "kind": "row",
            "database": locator.database,
            "table": locator.table,
            "key": locator.key,
            "column": locator.column,
            "fingerprint": locator.fingerprint,
        }
    if isinstance(locator, SpanLocator):
        return {
            "kind": "span",
            "source": locator.source,
            "seq": locator.seq,
            "ordinal": locator.ordinal,
            "span": span_to_json(locator.span),
            "text_hash": locator.text_hash,
        }
    return _turn_text(locator)


def _turn_text(locator: TurnTextLocator) -> dict[str, Any]:
    return {"kind": "turn_text", "part": locator.part.value, "span": span_to_json(locator.span)}


def span_to_json(span: Span) -> list[int]:
    """Return the two offsets of a span."""
    return [span.start, span.end]
