"""LangChain agents on LangGraph: a middleware of `create_agent` that verifies final answers.

    grounding = Grounding(verifier, policy="correct", fields=lambda: {"principal": USER.get()})
    agent = create_agent(model, tools, middleware=[GroundingMiddleware(grounding)])

Put it first: it then releases what all others have made of an answer. Needs the extra `langgraph`.
"""

from __future__ import annotations

import functools
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verifier.agents.typed_answers import read_value, write_value

try:
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
except ModuleNotFoundError as missing:
    raise ImportError(
        "the middleware needs langchain: pip install 'grounding-verifier[langgraph]'"
    ) from missing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from langchain.agents.middleware import ModelRequest, ModelResponse, ToolCallRequest
    from langchain_core.messages import BaseMessage
    from langchain_core.tools import BaseTool

    from verifier.agents.answers import ReleasedAnswer
    from verifier.agents.grounding import Grounding
    from verifier.agents.kept_results import KeptResults


class GroundingMiddleware(AgentMiddleware):
    """Verifies each answer that calls no tool before the graph, a checkpoint or a caller sees it.

    What tools return counts as it was before it became a message. A structured response is verified as
    JSON; where it is held, HeldAnswer is raised. Tokens that a graph streams (`stream_mode="messages"`)
    leave the model before an answer is whole: stream `updates` or `values` instead. Synchronous runs need
    a verifier of `open_blocking_verifier`, else they raise InputError.
    """

    def __init__(self, grounding: Grounding) -> None:
        super().__init__()
        self._grounding = grounding

    def wrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]
    ) -> ModelResponse:
        """Return what the model wrote, its final answer verified."""
        self._grounding.require_blocking()
        response = handler(request)
        answer = _find_answer(response)
        if answer is None:
            return response
        history = read_history(request.state["messages"], self._grounding.results)
        told = self._grounding.release(answer, history, system=request.system_prompt)
        return _with_answer(response, told)

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """Return what the model wrote, its final answer verified."""
        response = await handler(request)
        answer = _find_answer(response)
        if answer is None:
            return response
        history = read_history(request.state["messages"], self._grounding.results)
        told = await self._grounding.release_awaiting(answer, history, system=request.system_prompt)
        return _with_answer(response, told)

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]
    ) -> Any:  # noqa: ANN401 -- a message or a command, as the framework has it
        """Keep what a tool returns, beside the message that is made of it."""
        watched = _WatchedTool(request.tool)
        return self._kept(request, watched, handler(replace(request, tool=watched.tool)))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:  # noqa: ANN401 -- a message or a command, as the framework has it
        """Keep what a tool returns, beside the message that is made of it."""
        watched = _WatchedTool(request.tool)
        return self._kept(request, watched, await handler(replace(request, tool=watched.tool)))

    def _kept(self, request: ToolCallRequest, watched: _WatchedTool, made: object) -> object:
        if isinstance(made, ToolMessage) and watched.returned and made.status != "error":
            call_id = request.tool_call["id"]
            self._grounding.results.keep(call_id, made.content, watched.returned[-1])
        return made


class _WatchedTool:
    """A tool whose return values are noted; a pair of content and artifact is no plain result."""

    def __init__(self, tool: BaseTool | None) -> None:
        self.tool = tool
        self.returned: list[object] = []
        if tool is None or tool.response_format != "content":
            return
        self.tool = tool.model_copy()
        object.__setattr__(self.tool, "_run", self._watch(tool._run))  # noqa: SLF001 -- its one way in
        object.__setattr__(self.tool, "_arun", self._watch_awaiting(tool._arun))  # noqa: SLF001

    def _watch(self, run: Callable[..., object]) -> Callable[..., object]:
        @functools.wraps(run)
        def watched(*args: object, **kwargs: object) -> object:
            self.returned.append(result := run(*args, **kwargs))
            return result

        return watched

    def _watch_awaiting(
        self, run: Callable[..., Awaitable[object]]
    ) -> Callable[..., Awaitable[object]]:
        @functools.wraps(run)
        async def watched(*args: object, **kwargs: object) -> object:
            self.returned.append(result := await run(*args, **kwargs))
            return result

        return watched


def read_history(
    messages: Sequence[BaseMessage], results: KeptResults | None = None
) -> list[dict[str, Any]]:
    """Return messages of LangChain, running or stored, in the form that `Grounding.turn` reads."""
    return list(_plain(messages, results))


def _plain(
    messages: Sequence[BaseMessage], results: KeptResults | None
) -> Iterator[dict[str, Any]]:
    for message in messages:
        if isinstance(message, ToolMessage):
            kept = {} if results is None else results.tell(message.tool_call_id, message.content)
            yield {
                "role": "tool",
                "tool_call_id": message.tool_call_id,
                "content": message.content,
                "is_error": message.status == "error",
                **kept,
            }
        elif isinstance(message, AIMessage):
            asked = [
                {"id": one["id"], "function": {"name": one["name"], "arguments": one["args"]}}
                for one in message.tool_calls
            ]
            yield {"role": "assistant", "content": message.content, "tool_calls": asked}
        elif isinstance(message, HumanMessage):
            yield {"role": "user", "content": message.text}
        elif isinstance(message, SystemMessage):
            yield {"role": "system", "content": message.text}


def _find_answer(response: ModelResponse) -> str | None:
    """Return the text of a final answer, or its JSON; None where the model calls a tool."""
    if response.structured_response is not None:
        return write_value(response.structured_response)
    last = response.result[-1] if response.result else None
    if not isinstance(last, AIMessage) or last.tool_calls:
        return None  # a call that can't be read ends the run: its words are the answer
    return str(last.text) if last.text.strip() else None


def _with_answer(response: ModelResponse, told: ReleasedAnswer) -> ModelResponse:
    before = response.structured_response
    if before is None:
        *earlier, last = response.result
        return replace(response, result=[*earlier, _with_text(last, told)])
    value = read_value(told, before)
    if value == before:
        return response
    messages = [_with_value(one, told, (str(before), str(value))) for one in response.result]
    return replace(response, result=messages, structured_response=value)


def _with_text(message: AIMessage, told: ReleasedAnswer) -> AIMessage:
    """Return the message with the released text; what tells of another text is left out."""
    if not told.is_changed:
        return message
    return AIMessage(
        content=told.text,
        id=message.id,
        name=message.name,
        usage_metadata=message.usage_metadata,
        response_metadata={
            name: value for name, value in message.response_metadata.items() if name != "logprobs"
        },
    )


def _with_value(
    message: BaseMessage, told: ReleasedAnswer, written: tuple[str, str]
) -> BaseMessage:
    """Return a message that carries a structured response with the released one instead."""
    if isinstance(message, AIMessage) and message.tool_calls:
        [call, *others] = message.tool_calls
        changed = {**call, "args": json.loads(told.text)}
        return message.model_copy(update={"tool_calls": [changed, *others]})
    if isinstance(message, AIMessage):
        return _with_text(message, told)
    if isinstance(message, ToolMessage) and isinstance(message.content, str):
        return message.model_copy(update={"content": message.content.replace(*written)})
    return message
