"""Anthropic messages: tools run until the model answers, and only what is released of that is shown."""

import json
from collections.abc import Callable
from typing import Any

from anthropic import Anthropic

from verifier.agents.anthropic import VerifiedMessages
from verifier.agents.grounding import Grounding


def ask(client: Anthropic, grounding: Grounding, question: str, tool: Callable[..., Any]) -> str:
    """Return the answer that may be shown."""
    messages = VerifiedMessages(client.messages, grounding)
    described = {"name": tool.__name__, "input_schema": {"type": "object", "properties": {}}}
    said: list[Any] = [{"role": "user", "content": question}]
    while True:
        reply = messages.create(model="claude", max_tokens=999, tools=[described], messages=said)
        said.append({"role": "assistant", "content": reply.content})
        if reply.stop_reason != "tool_use":
            return "".join(block.text for block in reply.content if block.type == "text")
        for call in (block for block in reply.content if block.type == "tool_use"):
            result = {"tool_use_id": call.id, "content": json.dumps(tool(**call.input))}
            said.append({"role": "user", "content": [{"type": "tool_result", **result}]})
