"""PydanticAI: a capability of the agent verifies what its runs return."""

from collections.abc import Callable
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.models import Model

from verifier.agents.grounding import Grounding
from verifier.agents.pydantic_ai import GroundingCapability


def ask(model: Model, grounding: Grounding, question: str, tool: Callable[..., Any]) -> str:
    """Return the answer that may be shown."""
    agent = Agent(model, tools=[tool], capabilities=[GroundingCapability(grounding)])
    return agent.run_sync(question).output
