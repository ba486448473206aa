"""OpenAI chat completions and Responses: the real client over a local transport."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import httpx2
from openai import AsyncOpenAI, OpenAI

from tests.integration.agents.script import Model, Talk
from verifier.agents.openai_chat import AsyncVerifiedCompletions, VerifiedCompletions
from verifier.agents.openai_responses import AsyncVerifiedResponses, VerifiedResponses

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from openai.types.chat import ChatCompletionMessage
    from openai.types.responses import Response

    from tests.integration.agents.script import Exchange, Step
    from verifier.agents.grounding import Grounding

SYSTEM = {"role": "system", "content": "Be kind."}


def transport(model: Model) -> httpx2.MockTransport:
    """Answer each request with the model's next step, as the API that it asks would."""
    numbers = iter(range(1, 1_000))

    def answer(request: httpx2.Request) -> httpx2.Response:
        form = response if request.url.path.endswith("/responses") else completion
        return httpx2.Response(200, json=form(model.reply(), next(numbers)))

    return httpx2.MockTransport(answer)


def completion(step: Step, number: int) -> dict[str, Any]:
    calls = [
        {
            "id": one.call_id,
            "type": "function",
            "function": {"name": one.tool, "arguments": json.dumps(one.arguments)},
        }
        for one in step.calls
    ]
    message: dict[str, Any] = {"role": "assistant", "content": step.words, "refusal": None}
    choice = {
        "index": 0,
        "message": message | ({"tool_calls": calls} if calls else {}),
        "finish_reason": "tool_calls" if calls else "stop",
        "logprobs": None,
    }
    return {
        "id": f"c{number}",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
    }


def response(step: Step, number: int) -> dict[str, Any]:
    text = {"type": "output_text", "text": step.words, "annotations": []}
    said = {
        "id": f"msg{number}",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [text],
    }
    calls = [
        {
            "id": f"fc{number}{at}",
            "type": "function_call",
            "call_id": one.call_id,
            "name": one.tool,
            "arguments": json.dumps(one.arguments),
            "status": "completed",
        }
        for at, one in enumerate(step.calls)
    ]
    return {
        "id": f"r{number}",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "completed",
        "output": [*([said] if step.words else ()), *calls],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def client(model: Model) -> OpenAI:
    return OpenAI(api_key="none", http_client=httpx2.Client(transport=transport(model)))


def async_client(model: Model) -> AsyncOpenAI:
    return AsyncOpenAI(api_key="none", http_client=httpx2.AsyncClient(transport=transport(model)))


async def chat(
    grounding: Grounding, script: Sequence[Exchange], *, tools: Sequence[Callable[..., Any]]
) -> Talk:
    completions = AsyncVerifiedCompletions(async_client(Model(script)).chat.completions, grounding)
    shown: list[str] = []
    history: list[Any] = [SYSTEM]
    for exchange in script:
        history.append({"role": "user", "content": exchange.question})
        said = await completions.create(model="m", messages=history)
        while said.choices[0].message.tool_calls:
            history += chat_results(said.choices[0].message, tools)
            said = await completions.create(model="m", messages=history)
        shown.append(said.choices[0].message.content or "")
        stored = [*history]
        history.append(said.choices[0].message)
    return Talk(shown, stored)


async def chat_blocking(
    grounding: Grounding, script: Sequence[Exchange], *, tools: Sequence[Callable[..., Any]]
) -> Talk:
    return await asyncio.to_thread(_chat_blocking, grounding, script, tools)


def _chat_blocking(
    grounding: Grounding, script: Sequence[Exchange], tools: Sequence[Callable[..., Any]]
) -> Talk:
    completions = VerifiedCompletions(client(Model(script)).chat.completions, grounding)
    shown: list[str] = []
    history: list[Any] = [SYSTEM]
    for exchange in script:
        history.append({"role": "user", "content": exchange.question})
        said = completions.create(model="m", messages=history)
        while said.choices[0].message.tool_calls:
            history += chat_results(said.choices[0].message, tools)
            said = completions.create(model="m", messages=history)
        shown.append(said.choices[0].message.content or "")
        stored = [*history]
        history.append(said.choices[0].message)
    return Talk(shown, stored)


def chat_results(
    said: ChatCompletionMessage, tools: Sequence[Callable[..., Any]]
) -> list[dict[str, Any]]:
    told = [
        {
            "role": "tool",
            "tool_call_id": one.id,
            "content": returned(tools, one.function.name, one.function.arguments),
        }
        for one in said.tool_calls or ()
        if one.type == "function"
    ]
    return [said.model_dump(exclude_none=True), *told]


def returned(tools: Sequence[Callable[..., Any]], name: str, arguments: str) -> str:
    """Return what the model is shown of a result; this form has no mark for a call that failed."""
    by_name = {tool.__name__: tool for tool in tools}
    try:
        return json.dumps(by_name[name](**json.loads(arguments)), default=str)
    except LookupError as error:
        return json.dumps({"error": f"no {error}"})


async def responses(
    grounding: Grounding, script: Sequence[Exchange], *, tools: Sequence[Callable[..., Any]]
) -> Talk:
    verified = AsyncVerifiedResponses(async_client(Model(script)).responses, grounding)
    shown: list[str] = []
    history: list[Any] = []
    for exchange in script:
        history.append({"role": "user", "content": exchange.question})
        said = await verified.create(model="m", input=history, instructions="Be kind.")
        while asked(said):
            history += response_results(said, tools)
            said = await verified.create(model="m", input=history, instructions="Be kind.")
        shown.append(said.output_text)
        stored = [*history]
        history += said.output
    return Talk(shown, stored)


async def responses_blocking(
    grounding: Grounding, script: Sequence[Exchange], *, tools: Sequence[Callable[..., Any]]
) -> Talk:
    """Leave the history to the provider, as `previous_response_id` does."""
    return await asyncio.to_thread(_responses_blocking, grounding, script, tools)


def _responses_blocking(
    grounding: Grounding, script: Sequence[Exchange], tools: Sequence[Callable[..., Any]]
) -> Talk:
    verified = VerifiedResponses(client(Model(script)).responses, grounding)
    shown: list[str] = []
    history: list[Any] = []
    before: dict[str, str] = {}
    for exchange in script:
        told: list[Any] = [{"role": "user", "content": exchange.question}]
        while True:
            history += told
            said = verified.create(model="m", input=told, instructions="Be kind.", **before)
            before = {"previous_response_id": said.id}
            if not asked(said):
                break
            history += said.output
            told = response_results(said, tools)[len(said.output) :]
        shown.append(said.output_text)
        stored = [*history]
        history += said.output
    return Talk(shown, stored)


def asked(said: Response) -> bool:
    return any(one.type == "function_call" for one in said.output)


def response_results(said: Response, tools: Sequence[Callable[..., Any]]) -> list[Any]:
    told = [
        {
            "type": "function_call_output",
            "call_id": one.call_id,
            "output": returned(tools, one.name, one.arguments),
        }
        for one in said.output
        if one.type == "function_call"
    ]
    return [*said.output, *told]
