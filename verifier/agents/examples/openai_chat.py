"""OpenAI chat completions: tools run until the model answers; what is released of that is shown."""

import json
from collections.abc import Callable
from typing import Any

from openai import OpenAI

from verifier.agents.grounding import Grounding
from verifier.agents.openai_chat import VerifiedCompletions


def ask(client: OpenAI, grounding: Grounding, question: str, tool: Callable[..., Any]) -> str:
    """Return the answer that may be shown."""
    completions = VerifiedCompletions(client.chat.completions, grounding)
    described = {"type": "function", "function": {"name": tool.__name__}}
    said: list[Any] = [{"role": "user", "content": question}]
    while True:
        reply = completions.create(model="gpt", tools=[described], messages=said)
        said.append(message := reply.choices[0].message)
        if not message.tool_calls:
            return message.content or ""
        for call in (one for one in message.tool_calls if one.type == "function"):
            result = json.dumps(tool(**json.loads(call.function.arguments)))
            said.append({"role": "tool", "tool_call_id": call.id, "content": result})
