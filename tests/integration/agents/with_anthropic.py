"""Anthropic messages: the real client over a local transport."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import httpx2
from anthropic import Anthropic, AsyncAnthropic

from tests.integration.agents.script import Model, Talk
from verifier.agents.anthropic import AsyncVerifiedMessages, VerifiedMessages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from anthropic.types import Message

    from tests.integration.agents.script import Exchange, Step
    from verifier.agents.grounding import Grounding

ASKED = {"model": "m", "max_tokens": 100, "system": "Be kind."}


def transport(model: Model) -> httpx2.MockTransport:
    """Answer each request with the model's next step, as the API would."""
    return httpx2.MockTransport(lambda _: httpx2.Response(200, json=message(model.reply())))


def message(step: Step) -> dict[str, Any]:
    words = [{"type": "text", "text": step.words}] if step.words else []
    calls = [
        {"type": "tool_use", "id": one.call_id, "name": one.tool, "input": one.arguments}
        for one in step.calls
    ]
    return reply([*words, *calls], "tool_use" if calls else "end_turn")


def reply(content: list[dict[str, Any]], stop_reason: str = "end_turn") -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def client(model: Model) -> Anthropic:
    return Anthropic(api_key="none", http_client=httpx2.Client(transport=transport(model)))


def async_client(model: Model) -> AsyncAnthropic:
    http = httpx2.AsyncClient(transport=transport(model))
    return AsyncAnthropic(api_key="none", http_client=http)


async def talk(
    grounding: Grounding, script: Sequence[Exchange], *, tools: Sequence[Callable[..., Any]]
) -> Talk:
    messages = AsyncVerifiedMessages(async_client(Model(script)).messages, grounding)
    shown: list[str] = []
    history: list[Any] = []
    for exchange in script:
        history.append({"role": "user", "content": exchange.question})
        while calls_tools(said := await messages.create(messages=history, **ASKED)):
            history += results(said, tools)
        shown.append(words_of(said))
        stored = [*history]
        history.append({"role": "assistant", "content": said.content})
    return Talk(shown, stored)


async def talk_blocking(
    grounding: Grounding, script: Sequence[Exchange], *, tools: Sequence[Callable[..., Any]]
) -> Talk:
    return await asyncio.to_thread(_talk_blocking, grounding, script, tools)


def _talk_blocking(
    grounding: Grounding, script: Sequence[Exchange], tools: Sequence[Callable[..., Any]]
) -> Talk:
    messages = VerifiedMessages(client(Model(script)).messages, grounding)
    shown: list[str] = []
    history: list[Any] = []
    for exchange in script:
        history.append({"role": "user", "content": exchange.question})
        while calls_tools(said := messages.create(messages=history, **ASKED)):
            history += results(said, tools)
        shown.append(words_of(said))
        stored = [*history]
        history.append({"role": "assistant", "content": said.content})
    return Talk(shown, stored)


def calls_tools(said: Message) -> bool:
    return said.stop_reason == "tool_use"


def words_of(said: Message) -> str:
    return "".join(block.text for block in said.content if block.type == "text")


def results(said: Message, tools: Sequence[Callable[..., Any]]) -> list[dict[str, Any]]:
    """Return the model's message, and the one that tells it what its tools returned."""
    by_name = {tool.__name__: tool for tool in tools}
    told: list[dict[str, Any]] = []
    for block in said.content:
        if block.type == "tool_use":
            result = {"type": "tool_result", "tool_use_id": block.id}
            try:
                returned = by_name[block.name](**block.input)
                told.append({**result, "content": json.dumps(returned, default=str)})
            except LookupError as error:
                told.append({**result, "content": f"no {error}", "is_error": True})
    return [
        {"role": "assistant", "content": said.content},
        {"role": "user", "content": told},
    ]
