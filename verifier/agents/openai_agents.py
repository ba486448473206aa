"""OpenAI Agents SDK: a model that verifies its final answers, and hooks that keep what tools return.

    agent = Agent(name="shop", model=GroundedModel(model, grounding), tools=[…])
    result = await Runner.run(agent, question, hooks=ToolResults(grounding))

Needs the extra `openai-agents`.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verifier.agents.answers import HeldAnswer
from verifier.agents.openai_responses import Histories, find_answer, with_text
from verifier.agents.requests import STREAM_REFUSED
from verifier.errors import InputError

try:
    from agents import ItemHelpers, Model, ModelProvider, RunHooks
    from agents.exceptions import ModelBehaviorError
    from agents.tool_context import ToolContext
except ModuleNotFoundError as missing:
    raise ImportError(
        "the grounded model needs openai-agents: pip install 'grounding-verifier[openai-agents]'"
    ) from missing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from agents import (
        Agent,
        ModelResponse,
        ModelRetryAdvice,
        ModelRetryAdviceRequest,
        RunContextWrapper,
        Tool,
        TResponseStreamEvent,
    )
    from agents.agent_output import AgentOutputSchemaBase

    from verifier.agents.answers import ReleasedAnswer
    from verifier.agents.grounding import Grounding

_REQUEST = inspect.signature(Model.get_response)


class GroundedModel(Model):
    """A model whose answers are verified where they call no tool and hand nothing over.

    The run, its session and its caller get what the policy releases. Where an agent has an output type and
    its answer is held, HeldAnswer is raised. `Runner.run_streamed` raises InputError.
    """

    def __init__(self, model: Model, grounding: Grounding) -> None:
        self._model = model
        self._grounding = grounding
        self._histories = Histories()

    async def get_response(self, *positional: Any, **named: Any) -> ModelResponse:  # noqa: ANN401 -- the base's own
        """Return the response of the model, its final answer verified."""
        request = _REQUEST.bind(self, *positional, **named).arguments
        asked = dict(request) | {"conversation": request.get("conversation_id")}
        history = self._histories.begin(asked)
        response = await self._model.get_response(*positional, **named)
        whole = [*history, *response.output]
        self._histories.note(response.response_id, asked, whole)
        answer = find_answer(response.output)
        if answer is None:
            return response
        told = await self._grounding.release_awaiting(
            answer, [self._as_returned(one) for one in whole], system=request["system_instructions"]
        )
        return _with_text(response, told, request["output_schema"])

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[TResponseStreamEvent]:  # noqa: ANN401 -- as above
        """Raise InputError: what is streamed is read before it is verified."""
        raise InputError(STREAM_REFUSED)

    def get_retry_advice(self, request: ModelRetryAdviceRequest) -> ModelRetryAdvice | None:
        """Return the advice of the model."""
        return self._model.get_retry_advice(request)

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()

    def _as_returned(self, message: object) -> object:
        """Return an item; of what a tool returned, with the result as it was before it became text."""
        if not isinstance(message, dict) or message.get("type") != "function_call_output":
            return message
        kept = self._grounding.results.tell(message.get("call_id"), message.get("output"))
        return {**message, **kept}


class GroundedModels(ModelProvider):
    """A provider whose models are grounded, for `RunConfig(model_provider=…)`: agents name theirs as before.

    An agent that holds a model itself keeps it as it is.
    """

    def __init__(self, provider: ModelProvider, grounding: Grounding) -> None:
        self._provider = provider
        self._grounding = grounding

    def get_model(self, model_name: str | None) -> Model:
        """Return the model of this name, grounded."""
        return GroundedModel(self._provider.get_model(model_name), self._grounding)

    async def aclose(self) -> None:
        """Close the provider."""
        await self._provider.aclose()


class ToolResults(RunHooks[Any]):
    """Hooks of a run that keep what tools return, before it becomes text for the model."""

    def __init__(self, grounding: Grounding) -> None:
        self._grounding = grounding

    async def on_tool_end(
        self, context: RunContextWrapper[Any], agent: Agent[Any], tool: Tool, result: object
    ) -> None:
        """Keep a result."""
        del agent, tool
        if isinstance(context, ToolContext) and context.tool_call is not None:
            shown = ItemHelpers.tool_call_output_item(context.tool_call, result)["output"]
            self._grounding.results.keep(context.tool_call_id, shown, result)


def _with_text(
    response: ModelResponse, told: ReleasedAnswer, schema: AgentOutputSchemaBase | None
) -> ModelResponse:
    """Return the response with what is released, as long as that is of the agent's output type."""
    if schema is not None and not schema.is_plain_text():
        if told.held:
            raise HeldAnswer(told)
        try:
            schema.validate_json(told.text)
        except ModelBehaviorError:
            return response
    return replace(response, output=with_text(response.output, told))
