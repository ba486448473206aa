"""Microsoft Agent Framework: a middleware of an agent or a chat client that verifies final answers.

    agent = Agent(client, tools=[…], middleware=[GroundingMiddleware(grounding)])

Needs the extra `agent-framework`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verifier.agents.answers import HeldAnswer
from verifier.agents.requests import refuse_stream, unseen_call

try:
    from agent_framework import ChatMiddleware, ChatResponse, Content, Message
except ModuleNotFoundError as missing:
    raise ImportError(
        "the middleware needs agent-framework-core:"
        " pip install 'grounding-verifier[agent-framework]'"
    ) from missing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator

    from agent_framework import ChatContext

    from verifier.agents.answers import ReleasedAnswer
    from verifier.agents.grounding import Grounding

_THOUGHTS = frozenset({"text_reasoning"})


class GroundingMiddleware(ChatMiddleware):
    """Verifies each answer that calls no tool before the agent, its session or its caller sees it.

    What tools return is read from the JSON that the framework makes of it. Words beside a tool call are no
    answer, and stay: read the last message of a run, not its `text`, which joins all. Where a response format
    is asked for and the answer is held, HeldAnswer is raised. A run that streams raises InputError before the
    model is asked. What a service keeps of a conversation itself is not seen: evidence is then incomplete.
    """

    def __init__(self, grounding: Grounding) -> None:
        self._grounding = grounding

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Let the model answer, and put what is released in the place of its final answer."""
        refuse_stream({"stream": context.stream})
        await call_next()
        response = context.result
        answer = _find_answer(response) if isinstance(response, ChatResponse) else None
        if answer is None or not isinstance(response, ChatResponse):
            return
        options = context.options or {}
        history = read_history([*context.messages, *response.messages])
        if options.get("conversation_id"):
            history.append(unseen_call("history"))
        instructions = options.get("instructions")
        told = await self._grounding.release_awaiting(
            answer, history, system=instructions if isinstance(instructions, str) else None
        )
        context.result = _with_text(response, told, options.get("response_format"))


def read_history(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return messages of the framework, running or stored, in the form that `Grounding.turn` reads."""
    return [record for message in messages for record in _plain(message)]


def _plain(message: Message) -> Iterator[dict[str, Any]]:
    contents = message.contents
    for one in contents:
        if one.type == "function_result":
            yield {
                "role": "tool",
                "tool_call_id": one.call_id,
                "content": one.result,
                "is_error": one.exception is not None,
            }
        elif one.type.endswith("tool_call"):
            yield unseen_call(one.type)
    text = "".join(one.text or "" for one in contents if one.type == "text")
    calls = [
        {"id": one.call_id, "function": {"name": one.name, "arguments": one.arguments}}
        for one in contents
        if one.type == "function_call"
    ]
    if text or calls:
        yield {"role": str(message.role), "content": text, "tool_calls": calls}


def _find_answer(response: ChatResponse[Any]) -> str | None:
    """Return the text of a final answer; None where the model asks for something first."""
    contents = [one for message in response.messages for one in message.contents]
    if any(_asks(one) for one in contents):
        return None
    answer = "".join(one.text or "" for one in contents if one.type == "text")
    return answer if answer.strip() else None


def _asks(content: Content) -> bool:
    """Return whether the framework does something before the run goes on; what a service did is only told."""
    if content.type == "function_call":
        return not (content.informational_only or content.hosted)
    return content.type == "function_approval_request"


def _with_text(
    response: ChatResponse[Any],
    told: ReleasedAnswer,
    response_format: Any,  # noqa: ANN401 -- a type or a schema
) -> ChatResponse[Any]:
    """Return the response with the released text as its only one; its typed value is read from that."""
    if not told.is_changed:
        return response
    if told.held and response_format is not None:
        raise HeldAnswer(told)
    left_out = {"text", *(_THOUGHTS if told.held else ())}
    kept = [
        one for message in response.messages for one in message.contents if one.type not in left_out
    ]
    last = response.messages[-1]
    message = Message(
        role="assistant",
        contents=[*kept, Content.from_text(told.text)],
        author_name=last.author_name,
        message_id=last.message_id,
    )
    return ChatResponse(
        messages=message,
        response_id=response.response_id,
        conversation_id=response.conversation_id,
        model=response.model,
        created_at=response.created_at,
        finish_reason=response.finish_reason,
        usage_details=response.usage_details,
        response_format=response_format,
        additional_properties=response.additional_properties,
    )
