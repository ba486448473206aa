"""OpenAI Responses: tools run until the model answers, and only what is released of that is shown."""

import json
from collections.abc import Callable
from typing import Any

from openai import OpenAI

from verifier.agents.grounding import Grounding
from verifier.agents.openai_responses import VerifiedResponses


def ask(client: OpenAI, grounding: Grounding, question: str, tool: Callable[..., Any]) -> str:
    """Return the answer that may be shown."""
    responses = VerifiedResponses(client.responses, grounding)
    described = {"type": "function", "name": tool.__name__, "parameters": {}}
    said: list[Any] = [{"role": "user", "content": question}]
    while True:
        reply = responses.create(model="gpt", tools=[described], input=said)
        said += reply.output
        if not (calls := [one for one in reply.output if one.type == "function_call"]):
            return reply.output_text
        for one in calls:
            told = {"call_id": one.call_id, "output": json.dumps(tool(**json.loads(one.arguments)))}
            said.append({"type": "function_call_output", **told})
