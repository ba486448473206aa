"""The events of a stream as JSON values, their claims as reports tell them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from verifier.core.evidence_json import span_to_json
from verifier.core.release_json import edit_to_json
from verifier.core.report_json import judged_to_json, report_to_json
from verifier.core.streaming_events import Amended, Ended, Released, Withheld

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.core.report import JudgedClaim, UncheckedSentence
    from verifier.core.streaming_events import StreamEvent


def event_to_json(event: StreamEvent) -> dict[str, Any]:
    """Return an event; its `event` is `released`, `withheld`, `amended` or `ended`."""
    match event:
        case Released():
            return _released(event)
        case Withheld():
            return {
                "event": "withheld",
                "span": span_to_json(event.span),
                "verdicts": _claims(event.judged),
                "unchecked": _unchecked(event.unchecked),
                "reason": None if event.reason is None else event.reason.value,
                "stops": event.stops,
            }
        case Amended():
            return _amended(event)
        case Ended():
            return {
                "event": "ended",
                "complete": event.complete,
                "report": report_to_json(event.report),
            }
        case _:
            assert_never(event)


def _released(event: Released) -> dict[str, Any]:
    return {
        "event": "released",
        "text": event.text,
        "span": span_to_json(event.span),
        "verdicts": _claims(event.judged),
        "unchecked": _unchecked(event.unchecked),
        "edits": [edit_to_json(one) for one in event.edits],
        "late": None if event.late is None else event.late.value,
    }


def _amended(event: Amended) -> dict[str, Any]:
    return {
        "event": "amended",
        "span": span_to_json(event.span),
        "text": event.text,
        "was": [code.value for code in event.was],
        "now": [one.verdict.code.value for one in event.now],
        "retracts": event.retracts,
        "verdicts": _claims(event.now),
        "shown": event.shown,
        "right": event.right,
    }


def _claims(judged: Iterable[JudgedClaim]) -> list[dict[str, Any]]:
    return [judged_to_json(one) for one in judged]


def _unchecked(sentences: Iterable[UncheckedSentence]) -> list[dict[str, Any]]:
    return [{"span": span_to_json(one.span), "text": one.text} for one in sentences]
