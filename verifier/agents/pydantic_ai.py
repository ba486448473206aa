"""PydanticAI: a capability of an agent that verifies its final answers.

    agent = Agent(model, tools=[…], capabilities=[GroundingCapability(grounding)])

Needs the extra `pydantic-ai`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verifier.agents.requests import refuse_stream
from verifier.agents.typed_answers import read_value, write_value

try:
    from pydantic_ai import messages as parts
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ModelRequest, ModelResponse
    from pydantic_ai.tools import DeferredToolRequests
except ModuleNotFoundError as missing:
    raise ImportError(
        "the capability needs pydantic-ai: pip install 'grounding-verifier[pydantic-ai]'"
    ) from missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pydantic_ai import RunContext
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.output import OutputContext

    from verifier.agents.answers import ReleasedAnswer
    from verifier.agents.grounding import Grounding

_STRUCTURED = frozenset({"native", "prompted"})


class GroundingCapability(AbstractCapability[Any]):
    """Verifies each answer that calls no tool before the run, its history or its caller sees it.

    What tools return counts as it was. An output of another type than text is verified as JSON; where it
    is held, HeldAnswer is raised. A run that streams raises InputError before the model is asked.
    """

    def __init__(self, grounding: Grounding) -> None:
        self._grounding = grounding

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Refuse a stream."""
        del ctx
        refuse_stream({"stream": request_context.streaming})
        return request_context

    async def after_model_request(
        self,
        ctx: RunContext[Any],
        *,
        request_context: ModelRequestContext,
        response: ModelResponse,
    ) -> ModelResponse:
        """Return the response of the model, its final answer verified."""
        mode = request_context.model_request_parameters.output_mode
        answer = None if mode in _STRUCTURED or response.tool_calls else response.text
        if not answer or not answer.strip():
            return response
        told = await self._release(answer, [*ctx.messages, response])
        return _with_text(response, told)

    async def after_output_validate(
        self,
        ctx: RunContext[Any],
        *,
        output_context: OutputContext,
        output: Any,  # noqa: ANN401 -- of the agent's output type
    ) -> Any:  # noqa: ANN401 -- as above
        """Return a typed output as it is released."""
        del output_context
        if ctx.partial_output or isinstance(output, DeferredToolRequests):
            return output
        return read_value(await self._release(write_value(output), ctx.messages), output)

    async def _release(self, answer: str, messages: Sequence[ModelMessage]) -> ReleasedAnswer:
        told = [one.instructions for one in messages if isinstance(one, ModelRequest)]
        history = read_history(messages)
        return await self._grounding.release_awaiting(
            answer, history, system=_system(told[-1] if told else None, history)
        )


def read_history(messages: Iterable[ModelMessage]) -> list[dict[str, Any]]:
    """Return messages of PydanticAI, running or stored, in the form that `Grounding.turn` reads."""
    return [
        record
        for message in messages
        for record in (_told(message) if isinstance(message, ModelRequest) else _said(message))
    ]


def _system(instructions: str | None, history: Sequence[dict[str, Any]]) -> str | None:
    """Return the instructions of the newest request and the system prompts before it."""
    prompts = [one["content"] for one in history if one["role"] == "system"]
    return "\n\n".join(filter(None, [*prompts, instructions])) or None


def _told(request: ModelRequest) -> Iterator[dict[str, Any]]:
    """Yield what the application and its tools told the model."""
    for part in request.parts:
        if isinstance(part, parts.SystemPromptPart):
            yield {"role": "system", "content": part.content}
        elif isinstance(part, parts.UserPromptPart):
            yield {"role": "user", "content": _words(part.content)}
        elif isinstance(part, parts.ToolReturnPart):
            as_it_was = {} if isinstance(part.content, str) else {"result": part.content}
            failed = part.outcome != "success"
            yield _result(part.tool_call_id, part.content, is_error=failed) | as_it_was
        elif isinstance(part, parts.RetryPromptPart) and part.tool_name is not None:
            yield _result(part.tool_call_id, part.content, is_error=True)


def _result(call_id: str, content: object, *, is_error: bool) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content, "is_error": is_error}


def _words(content: object) -> str:
    given = [content] if isinstance(content, str) else list(content or ())  # type: ignore[call-overload]
    told = (one if isinstance(one, str) else getattr(one, "content", None) for one in given)
    return "\n".join(one for one in told if isinstance(one, str))


def _said(response: ModelResponse) -> Iterator[dict[str, Any]]:
    """Yield the model's message; tools that its provider ran are told as blocks."""
    blocks = [block for part in response.parts for block in _blocks(part)]
    calls = [
        {"id": one.tool_call_id, "function": {"name": one.tool_name, "arguments": one.args}}
        for one in response.tool_calls
    ]
    yield {"role": "assistant", "content": blocks, "tool_calls": calls}


def _blocks(part: object) -> Iterator[dict[str, Any]]:
    if isinstance(part, parts.TextPart):
        yield {"type": "text", "text": part.content}
    elif isinstance(part, parts.CompactionPart):
        yield {"type": "compaction"}
    elif isinstance(part, parts.NativeToolCallPart):
        asked = {"id": part.tool_call_id, "name": part.tool_name, "input": part.args}
        yield {"type": "server_tool_use", **asked}
    elif isinstance(part, parts.NativeToolReturnPart):
        kind = f"{part.tool_name}_tool_result"
        yield {"type": kind, "tool_use_id": part.tool_call_id, "content": part.content}


def _with_text(response: ModelResponse, told: ReleasedAnswer) -> ModelResponse:
    """Return the response with the released text as its only one; of a held one thoughts are left out."""
    if not told.is_changed:
        return response
    left_out: tuple[type, ...] = (parts.TextPart, parts.SpeechPart)
    if told.held:
        left_out = (*left_out, parts.ThinkingPart)
    left = [part for part in response.parts if not isinstance(part, left_out)]
    return replace(response, parts=[*left, parts.TextPart(content=told.text)])
