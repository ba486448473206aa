"""Microsoft Agent Framework: an agent over a chat client that follows the script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)

from tests.integration.agents.script import Model, Talk
from verifier.agents.agent_framework import GroundingMiddleware, read_history

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from tests.integration.agents.script import Exchange, Step
    from verifier.agents.grounding import Grounding


class ScriptedClient(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]):
    """A chat client with the layers that those of the framework have."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self._model = model

    def _inner_get_response(self, **asked: Any) -> Awaitable[ChatResponse[Any]]:
        async def answer() -> ChatResponse[Any]:
            options = asked.get("options") or {}
            return ChatResponse(
                messages=message(self._model.reply()),
                response_format=options.get("response_format"),
            )

        return answer()


def message(step: Step) -> Message:
    words = [Content.from_text(step.words)] if step.words else []
    calls = [
        Content.from_function_call(call_id=one.call_id, name=one.tool, arguments=one.arguments)
        for one in step.calls
    ]
    return Message(role="assistant", contents=[*words, *calls])


def make_agent(
    grounding: Grounding, model: Model, tools: Sequence[Callable[..., Any]]
) -> Agent[Any]:
    return Agent(
        ScriptedClient(model),
        instructions="Be kind.",
        tools=[tool(one, approval_mode="never_require") for one in tools],
        middleware=[GroundingMiddleware(grounding)],
    )


async def talk(
    grounding: Grounding, script: Sequence[Exchange], *, tools: Sequence[Callable[..., Any]]
) -> Talk:
    agent = make_agent(grounding, Model(script), tools)
    shown: list[str] = []
    history: list[Message] = []
    for exchange in script:
        history.append(Message(role="user", contents=[exchange.question]))
        result = await agent.run(history)
        shown.append(result.messages[-1].text)
        history += result.messages
    return Talk(shown, read_history(history[:-1]))
