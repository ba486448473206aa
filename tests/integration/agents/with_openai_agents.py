"""OpenAI Agents SDK: its runner with the scripted model that it brings."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from agents import Agent, RunConfig, Runner, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from tests.integration.agents.script import Talk, in_own_loop
from verifier.agents.openai_agents import GroundedModel, ToolResults

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.integration.agents.script import Exchange, Step
    from verifier.agents.grounding import Grounding

QUIET = RunConfig(tracing_disabled=True)
set_tracing_disabled(True)  # nothing here leaves the machine


def output(step: Step) -> list[Any]:
    text = ResponseOutputText(type="output_text", text=step.words, annotations=[])
    said = ResponseOutputMessage(
        id="msg", type="message", role="assistant", status="completed", content=[text]
    )
    calls = [
        ResponseFunctionToolCall(
            type="function_call",
            call_id=one.call_id,
            name=one.tool,
            arguments=json.dumps(one.arguments),
        )
        for one in step.calls
    ]
    return [*([said] if step.words else ()), *calls]


def scripted(script: Sequence[Exchange]) -> ScriptedModel:
    return ScriptedModel([{"output": output(step)} for one in script for step in one.steps])


def make_agent(
    grounding: Grounding,
    script: Sequence[Exchange],
    tools: Sequence[Callable[..., Any]],
    **options: Any,
) -> Agent[Any]:
    return Agent(
        name="shop",
        instructions="Be kind.",
        model=GroundedModel(scripted(script), grounding),
        tools=[function_tool(one, strict_mode=False) for one in tools],
        **options,
    )


async def talk(
    grounding: Grounding, script: Sequence[Exchange], *, tools: Sequence[Callable[..., Any]]
) -> Talk:
    agent = make_agent(grounding, script, tools)
    hooks = ToolResults(grounding)
    shown: list[str] = []
    history: list[Any] = []
    for exchange in script:
        asked = [*history, {"role": "user", "content": exchange.question}]
        result = await Runner.run(agent, asked, hooks=hooks, run_config=QUIET)
        shown.append(result.final_output)
        history = result.to_input_list()
    return Talk(shown, history[:-1])


async def talk_blocking(
    grounding: Grounding, script: Sequence[Exchange], *, tools: Sequence[Callable[..., Any]]
) -> Talk:
    """`run_sync` has an event loop of its own, which a verifier that blocks does not mind."""

    def converse() -> list[str]:
        agent = make_agent(grounding, script, tools)
        hooks = ToolResults(grounding)
        shown: list[str] = []
        history: list[Any] = []
        for exchange in script:
            asked = [*history, {"role": "user", "content": exchange.question}]
            result = Runner.run_sync(agent, asked, hooks=hooks, run_config=QUIET)
            shown.append(result.final_output)
            history = result.to_input_list()
        return shown

    return Talk(await asyncio.to_thread(in_own_loop, converse), [])
