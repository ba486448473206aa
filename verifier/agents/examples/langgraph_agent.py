"""A LangChain agent: its middleware verifies what `invoke` and `ainvoke` return."""

from collections.abc import Callable
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel

from verifier.agents.grounding import Grounding
from verifier.agents.langgraph import GroundingMiddleware


def ask(model: BaseChatModel, grounding: Grounding, question: str, tool: Callable[..., Any]) -> str:
    """Return the answer that may be shown."""
    agent = create_agent(model, [tool], middleware=[GroundingMiddleware(grounding)])
    state = agent.invoke({"messages": [{"role": "user", "content": question}]})
    return str(state["messages"][-1].text)
