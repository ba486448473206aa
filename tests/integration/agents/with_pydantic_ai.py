"""PydanticAI: an agent with the framework's function model."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from pydantic_ai import Agent, Tool, ToolFailed
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from tests.integration.agents.script import Model, Talk
from verifier.agents.pydantic_ai import GroundingCapability, read_history

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.integration.agents.script import Exchange, Step
    from verifier.agents.grounding import Grounding


def response(step: Step) -> ModelResponse:
    words = [TextPart(content=step.words)] if step.words else []
    calls = [
        ToolCallPart(tool_name=one.tool, args=one.arguments, tool_call_id=one.call_id)
        for one in step.calls
    ]
    return ModelResponse(parts=[*words, *calls])


def function_model(model: Model) -> FunctionModel:
    return FunctionModel(lambda *_: response(model.reply()))


def told_failures(tool: Callable[..., Any]) -> Callable[..., Any]:
    """Return a tool whose failures are told to the model, as the framework wants them raised."""

    @functools.wraps(tool)
    def told(**arguments: Any) -> Any:
        try:
            return tool(**arguments)
        except LookupError as error:
            raise ToolFailed(f"no {error}") from error

    return told


def make_agent(
    grounding: Grounding, model: Model, tools: Sequence[Callable[..., Any]], **options: Any
) -> Agent[None, Any]:
    return Agent(
        function_model(model),
        instructions="Be kind.",
        tools=[Tool(told_failures(one)) for one in tools],
        capabilities=[GroundingCapability(grounding)],
        **options,
    )


async def talk(
    grounding: Grounding, script: Sequence[Exchange], *, tools: Sequence[Callable[..., Any]]
) -> Talk:
    agent = make_agent(grounding, Model(script), tools)
    shown: list[str] = []
    history: list[Any] = []
    for exchange in script:
        result = await agent.run(exchange.question, message_history=history)
        shown.append(result.output)
        history = list(result.all_messages())
    return Talk(shown, read_history(history[:-1]))
