"""Reports as the log keeps them where it may hold no texts: verdicts, places and hashes are left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

REDACTED: Final = "[redacted]"

_REPORT: Final = (
    *("schema", "report_id", "id", "accepted", "outcome", "claims", "grounded_share", "hold"),
    *("database_round_trips", "provenance", "limits"),
)
_TURN: Final = (
    *("id", "principal", "tenant", "current_turn", "locale", "timezone", "now", "level", "scope"),
    *("citations_required", "origin", "allowed_sources", "cited", "check_ledger_against_database"),
    *("model", "prompt_hash", "retriever"),
)
_VERDICT: Final = ("claim", "form", "span", "sentence", "entity_type", "citations")
_FINDING: Final = ("tier", "code", "disposition", "reason", "attribute", "settles")
_CALL: Final = ("id", "tool", "ok", "complete", "shown_chars", "turn")


def redact_report(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return a report's JSON values without what anybody said, wrote or looked up in it.

    The question, the answer and its claims, tool arguments and results, quoted evidence and corrected values
    are gone; codes, spans, locators with their hashes, ids and provenance stay. Its id stays that of the
    whole report, which it can't be checked against any more.
    """
    kept = _keep(report, _REPORT)
    return kept | {
        "answer": REDACTED,
        "verdicts": [_verdict(one) for one in report["verdicts"]],
        "unchecked": [{"span": one["span"], "text": REDACTED} for one in report["unchecked"]],
        "turn": redact_turn(report["turn"]),
        "release": None,
    }


def redact_turn(turn: Mapping[str, Any]) -> dict[str, Any]:
    """Return a turn's JSON values without its texts: which tools were called, which chunks it was given."""
    told = _keep(turn, _TURN)
    calls = [_keep(one, _CALL) | {"arguments": {}, "result": None} for one in turn.get("calls", ())]
    chunks = [dict(one) | {"text": ""} for one in turn.get("retrieved", ())]
    return told | ({"calls": calls} if calls else {}) | ({"retrieved": chunks} if chunks else {})


def _verdict(verdict: Mapping[str, Any]) -> dict[str, Any]:
    told = _keep(verdict, _VERDICT) | _finding(verdict)
    findings = [_finding(one) for one in verdict["findings"]]
    return told | {"text": REDACTED, "assertions": [], "findings": findings}


def _finding(finding: Mapping[str, Any]) -> dict[str, Any]:
    evidence = [
        {"locator": one["locator"], "text": REDACTED, "note": None} for one in finding["evidence"]
    ]
    told = {"detail": REDACTED, "corrected_value": None, "values": [], "evidence": evidence}
    return _keep(finding, _FINDING) | told


def _keep(record: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: record[name] for name in names if name in record}
