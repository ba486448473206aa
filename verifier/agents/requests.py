"""What the adapters of clients look for in a request before it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

STREAM_REFUSED: Final = (
    "a stream is read before it is verified; run without streaming, or read the stream of the client"
    " itself and let `release` verify its last message"
)


def refuse_stream(request: Mapping[str, object]) -> None:
    """Raise InputError where an answer would be streamed: it would be read before it is verified."""
    if request.get("stream"):
        raise InputError(STREAM_REFUSED)


def unseen_call(tool: str) -> dict[str, object]:
    """Return a call whose result nobody saw, as a message: what is absent elsewhere may stand there."""
    return {"type": "function_call", "call_id": f"unseen-{tool}", "name": tool, "arguments": "{}"}
