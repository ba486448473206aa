"""OpenAI chat completions: the client's `chat.completions.create`, its final answers verified.

    completions = VerifiedCompletions(client.chat.completions, Grounding(verifier, policy="correct"))
    reply = completions.create(model=MODEL, messages=history, tools=TOOLS)

Works with every client of this form. Needs the extra `openai`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verifier.agents.requests import refuse_stream, unseen_call

try:
    from openai.types.chat import ChatCompletionMessage
except ModuleNotFoundError as missing:
    raise ImportError(
        "verified completions need openai: pip install 'grounding-verifier[openai]'"
    ) from missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from openai.resources.chat.completions import AsyncCompletions, Completions
    from openai.types.chat import ChatCompletion
    from openai.types.chat.chat_completion import Choice

    from verifier.agents.answers import ReleasedAnswer
    from verifier.agents.grounding import Grounding


class VerifiedCompletions:
    """`client.chat.completions`, whose final answers are verified before they return: each choice its own.

    A choice that calls tools returns as it is. Of a final one the text is what the policy releases; speech
    is left out where its transcript is not what is released.
    """

    def __init__(self, completions: Completions, grounding: Grounding) -> None:
        grounding.require_blocking()
        self._completions = completions
        self._grounding = grounding

    def create(self, **request: Any) -> ChatCompletion:  # noqa: ANN401 -- the client's own parameters
        """Return the completion that `create` returns, verified. Raises InputError for a stream."""
        refuse_stream(request)
        request["messages"] = list(request.get("messages", ()))
        reply: ChatCompletion = self._completions.create(**request)
        return self.release(reply, _history(request))

    def release(self, reply: ChatCompletion, messages: Iterable[object]) -> ChatCompletion:
        """Return a completion that came another way, such as that of a stream, verified."""
        history = list(messages)
        choices = [
            choice
            if (answer := _find_answer(choice)) is None
            else _with_text(choice, self._grounding.release(answer, history))
            for choice in reply.choices
        ]
        return _with_choices(reply, choices)


class AsyncVerifiedCompletions:
    """`VerifiedCompletions` of an asynchronous client."""

    def __init__(self, completions: AsyncCompletions, grounding: Grounding) -> None:
        self._completions = completions
        self._grounding = grounding

    async def create(self, **request: Any) -> ChatCompletion:  # noqa: ANN401 -- the client's own
        """Return the completion that `create` returns, verified. Raises InputError for a stream."""
        refuse_stream(request)
        request["messages"] = list(request.get("messages", ()))
        reply: ChatCompletion = await self._completions.create(**request)
        return await self.release(reply, _history(request))

    async def release(self, reply: ChatCompletion, messages: Iterable[object]) -> ChatCompletion:
        """Return a completion that came another way, such as that of a stream, verified."""
        history = list(messages)
        choices = [
            choice
            if (answer := _find_answer(choice)) is None
            else _with_text(choice, await self._grounding.release_awaiting(answer, history))
            for choice in reply.choices
        ]
        return _with_choices(reply, choices)


def _history(request: dict[str, Any]) -> list[object]:
    """Return the messages; what a model that searches the web found is not among them."""
    searches = "web_search_options" in request
    return [*request["messages"], *([unseen_call("web_search")] if searches else ())]


def _find_answer(choice: Choice) -> str | None:
    """Return all that a final answer says, written, refused or spoken; None where a choice is none."""
    message = choice.message
    if message.tool_calls or message.function_call:
        return None
    spoken = message.audio.transcript if message.audio else None
    said = [one for one in (message.content, message.refusal, spoken) if one and one.strip()]
    return "\n\n".join(dict.fromkeys(said)) or None


def _with_text(choice: Choice, told: ReleasedAnswer) -> Choice:
    """Return the choice with the released text; what tells of another text is left out."""
    if not told.is_changed:
        return choice
    message = ChatCompletionMessage(role="assistant", content=told.text)
    return choice.model_copy(update={"message": message, "logprobs": None})


def _with_choices(reply: ChatCompletion, choices: Sequence[Choice]) -> ChatCompletion:
    return reply.model_copy(update={"choices": list(choices)})
