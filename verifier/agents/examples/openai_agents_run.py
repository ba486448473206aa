"""OpenAI Agents SDK: the model is grounded, and hooks of the run keep what tools return."""

from collections.abc import Callable
from typing import Any

from agents import Agent, Model, Runner, function_tool

from verifier.agents.grounding import Grounding
from verifier.agents.openai_agents import GroundedModel, ToolResults


def ask(model: Model, grounding: Grounding, question: str, tool: Callable[..., Any]) -> str:
    """Return the answer that may be shown."""
    agent = Agent(name="shop", model=GroundedModel(model, grounding), tools=[function_tool(tool)])
    result = Runner.run_sync(agent, question, hooks=ToolResults(grounding))
    return str(result.final_output)
