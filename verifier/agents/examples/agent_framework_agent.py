"""Microsoft Agent Framework: a middleware of the agent verifies what its runs return."""

import asyncio
from collections.abc import Callable
from typing import Any

from agent_framework import Agent, BaseChatClient

from verifier.agents.agent_framework import GroundingMiddleware
from verifier.agents.grounding import Grounding


def ask(
    client: BaseChatClient[Any], grounding: Grounding, question: str, tool: Callable[..., Any]
) -> str:
    """Return the answer that may be shown."""
    agent = Agent(client, tools=[tool], middleware=[GroundingMiddleware(grounding)])

    async def run() -> str:
        return (await agent.run(question)).messages[-1].text

    return asyncio.run(run())
