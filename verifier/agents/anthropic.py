"""Anthropic messages: the client's `messages.create`, its final answers verified.

    messages = VerifiedMessages(client.messages, Grounding(verifier, policy="correct", principal="c-1001"))
    while True:
        reply = messages.create(model=MODEL, max_tokens=1000, messages=history, tools=TOOLS)
        history.append({"role": "assistant", "content": reply.content})
        if reply.stop_reason != "tool_use":
            break
        history.append({"role": "user", "content": [run(block) for block in reply.content …]})

Needs the extra `anthropic`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from verifier.agents.requests import refuse_stream
from verifier.core.messages import words_of

try:
    from anthropic.types import TextBlock
except ModuleNotFoundError as missing:
    raise ImportError(
        "verified messages need anthropic: pip install 'grounding-verifier[anthropic]'"
    ) from missing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anthropic.resources.messages import AsyncMessages, Messages
    from anthropic.types import Message

    from verifier.agents.answers import ReleasedAnswer
    from verifier.agents.grounding import Grounding

_GOES_ON: Final = frozenset({"tool_use", "pause_turn"})
_THOUGHTS: Final = frozenset({"thinking", "redacted_thinking"})


class VerifiedMessages:
    """`client.messages`, or `client.beta.messages`, whose final answers are verified before they return.

    A message that calls tools, or that the model will go on with, returns as it is. Of a final one the text
    is what the policy releases; of a held one thoughts are left out, too.
    """

    def __init__(self, messages: Messages, grounding: Grounding) -> None:
        grounding.require_blocking()
        self._messages = messages
        self._grounding = grounding

    def create(self, **request: Any) -> Message:  # noqa: ANN401 -- the client's own parameters
        """Return the message that `messages.create` returns, verified. Raises InputError for a stream."""
        refuse_stream(request)
        request["messages"] = list(request.get("messages", ()))
        reply: Message = self._messages.create(**request)
        return self.release(reply, request["messages"], system=request.get("system"))

    def release(
        self, reply: Message, messages: Iterable[object], *, system: object = None
    ) -> Message:
        """Return a message that came another way, such as the last one of a stream, verified."""
        answer = _find_answer(reply)
        if answer is None:
            return reply
        history = [*messages, {"role": "assistant", "content": reply.content}]
        told = self._grounding.release(answer, history, system=_system(system))
        return _with_text(reply, told)


class AsyncVerifiedMessages:
    """`VerifiedMessages` of an asynchronous client."""

    def __init__(self, messages: AsyncMessages, grounding: Grounding) -> None:
        self._messages = messages
        self._grounding = grounding

    async def create(self, **request: Any) -> Message:  # noqa: ANN401 -- the client's own parameters
        """Return the message that `messages.create` returns, verified. Raises InputError for a stream."""
        refuse_stream(request)
        request["messages"] = list(request.get("messages", ()))
        reply: Message = await self._messages.create(**request)
        return await self.release(reply, request["messages"], system=request.get("system"))

    async def release(
        self, reply: Message, messages: Iterable[object], *, system: object = None
    ) -> Message:
        """Return a message that came another way, such as the last one of a stream, verified."""
        answer = _find_answer(reply)
        if answer is None:
            return reply
        history = [*messages, {"role": "assistant", "content": reply.content}]
        told = await self._grounding.release_awaiting(answer, history, system=_system(system))
        return _with_text(reply, told)


def _find_answer(reply: Message) -> str | None:
    """Return the text of a final answer; None where the message is none."""
    calls = any(block.type == "tool_use" for block in reply.content)
    if reply.stop_reason in _GOES_ON or (calls and reply.stop_reason is None):
        return None  # a call that was cut off ends the run: its words are the answer
    answer = "".join(block.text for block in reply.content if block.type == "text")
    return answer if answer.strip() else None


def _system(system: object) -> str | None:
    if isinstance(system, (str, list)):
        return words_of(system) or None
    return None


def _with_text(reply: Message, told: ReleasedAnswer) -> Message:
    """Return the message with the released text as its only text; marks of another text are left out."""
    if not told.is_changed:
        return reply
    left = [block for block in reply.content if block.type != "text"]
    if told.held:
        left = [block for block in left if block.type not in _THOUGHTS]
    return reply.model_copy(update={"content": [*left, TextBlock(type="text", text=told.text)]})
