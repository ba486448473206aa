"""LangChain agents: `create_agent` with a chat model of the framework's own that follows the script."""

from __future__ import annotations

import asyncio
import functools
from typing import TYPE_CHECKING, Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import ToolException
from langchain_core.tools import tool as as_tool

from tests.integration.agents.script import Model, Talk
from verifier.agents.langgraph import GroundingMiddleware, read_history

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.integration.agents.script import Exchange, Step
    from verifier.agents.grounding import Grounding


class ScriptedChatModel(BaseChatModel):  # type: ignore[misc] # mypy does not follow the framework
    model: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **options: Any) -> ScriptedChatModel:
        del tools, options
        return self

    def _generate(self, *args: Any, **options: Any) -> ChatResult:
        del args, options
        return ChatResult(generations=[ChatGeneration(message=message(self.model.reply()))])


def message(step: Step) -> AIMessage:
    calls = [
        {"id": one.call_id, "name": one.tool, "args": one.arguments, "type": "tool_call"}
        for one in step.calls
    ]
    return AIMessage(content=step.words, tool_calls=calls)


def told_failures(tool: Callable[..., Any]) -> Callable[..., Any]:
    """Return a tool whose failures are told to the model, as the framework wants them raised."""

    @functools.wraps(tool)
    def told(**arguments: Any) -> Any:
        try:
            return tool(**arguments)
        except LookupError as error:
            raise ToolException(f"no {error}") from error

    return told


def make_agent(
    grounding: Grounding, model: Model, tools: Sequence[Callable[..., Any]], **options: Any
) -> Any:
    made = [as_tool(told_failures(one)) for one in tools]
    for one in made:
        one.handle_tool_error = True
    return create_agent(
        ScriptedChatModel(model=model),
        made,
        system_prompt="Be kind.",
        middleware=[GroundingMiddleware(grounding)],
        **options,
    )


async def talk(
    grounding: Grounding, script: Sequence[Exchange], *, tools: Sequence[Callable[..., Any]]
) -> Talk:
    agent = make_agent(grounding, Model(script), tools)
    shown: list[str] = []
    history: list[Any] = []
    for exchange in script:
        asked = {"messages": [*history, {"role": "user", "content": exchange.question}]}
        history = (await agent.ainvoke(asked))["messages"]
        shown.append(history[-1].text)
    return Talk(shown, read_history(history[:-1]))


async def talk_blocking(
    grounding: Grounding, script: Sequence[Exchange], *, tools: Sequence[Callable[..., Any]]
) -> Talk:
    agent = make_agent(grounding, Model(script), tools)
    shown: list[str] = []
    history: list[Any] = []
    for exchange in script:
        asked = {"messages": [*history, {"role": "user", "content": exchange.question}]}
        history = (await asyncio.to_thread(agent.invoke, asked))["messages"]
        shown.append(history[-1].text)
    return Talk(shown, read_history(history[:-1]))
