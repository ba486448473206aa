"""OpenAI Responses: the client's `responses.create`, its final answers verified.

    responses = VerifiedResponses(client.responses, Grounding(verifier, policy="correct"))
    reply = responses.create(model=MODEL, input=history, tools=TOOLS)

Needs the extra `openai`.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from verifier.agents.requests import refuse_stream, unseen_call

try:
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText
except ModuleNotFoundError as missing:
    raise ImportError(
        "verified responses need openai: pip install 'grounding-verifier[openai]'"
    ) from missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openai.resources.responses import AsyncResponses, Responses
    from openai.types.responses import Response

    from verifier.agents.answers import ReleasedAnswer
    from verifier.agents.grounding import Grounding

_MOST_HISTORIES: Final = 1_000
_ASKS: Final = frozenset(
    {
        *("function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call"),
        *("apply_patch_call", "mcp_approval_request"),
    }
)


class VerifiedResponses:
    """`client.responses`, whose final answers are verified before they return.

    A response that asks for tools, or that is not there yet, returns as it is. Of a final one the text is
    what the policy releases; of a held one reasoning is left out, too. What stands before a
    `previous_response_id` is known where it went through this object, else the evidence is incomplete; the
    provider goes on from what its model wrote, not from what was released.
    """

    def __init__(self, responses: Responses, grounding: Grounding) -> None:
        grounding.require_blocking()
        self._responses = responses
        self._grounding = grounding
        self._histories = Histories()

    def create(self, **request: Any) -> Response:  # noqa: ANN401 -- the client's own parameters
        """Return the response that `responses.create` returns, verified. Raises InputError for a stream."""
        refuse_stream(request)
        history = self._histories.begin(request)
        reply: Response = self._responses.create(**request)
        self._histories.note(reply.id, request, [*history, *reply.output])
        return self.release(reply, history, system=request.get("instructions"))

    def release(
        self, reply: Response, messages: Sequence[object], *, system: object = None
    ) -> Response:
        """Return a response that came another way, such as that of a stream, verified."""
        answer = find_answer(reply.output)
        if answer is None:
            return reply
        told = self._grounding.release(answer, [*messages, *reply.output], system=_system(system))
        return reply.model_copy(update={"output": with_text(reply.output, told)})


class AsyncVerifiedResponses:
    """`VerifiedResponses` of an asynchronous client."""

    def __init__(self, responses: AsyncResponses, grounding: Grounding) -> None:
        self._responses = responses
        self._grounding = grounding
        self._histories = Histories()

    async def create(self, **request: Any) -> Response:  # noqa: ANN401 -- the client's own parameters
        """Return the response that `responses.create` returns, verified. Raises InputError for a stream."""
        refuse_stream(request)
        history = self._histories.begin(request)
        reply: Response = await self._responses.create(**request)
        self._histories.note(reply.id, request, [*history, *reply.output])
        return await self.release(reply, history, system=request.get("instructions"))

    async def release(
        self, reply: Response, messages: Sequence[object], *, system: object = None
    ) -> Response:
        """Return a response that came another way, such as that of a stream, verified."""
        answer = find_answer(reply.output)
        if answer is None:
            return reply
        history = [*messages, *reply.output]
        told = await self._grounding.release_awaiting(answer, history, system=_system(system))
        return reply.model_copy(update={"output": with_text(reply.output, told)})


class Histories:
    """What stands before a response or in a conversation that the provider keeps, as far as it was seen."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, list[object]] = OrderedDict()

    def begin(self, request: dict[str, Any]) -> list[object]:
        """Return all that a request's model sees; its input becomes a list, which is read twice."""
        asked = request.get("input", ())
        told = [{"role": "user", "content": asked}] if isinstance(asked, str) else list(asked)
        if not isinstance(asked, str):
            request["input"] = told
        before = _goes_on_from(request)
        if before is None:
            return told
        known = self._kept.get(before)
        return [*told, unseen_call("history")] if known is None else [*known, *told]

    def note(
        self, response_id: str | None, request: dict[str, Any], history: Sequence[object]
    ) -> None:
        """Keep what stands before whatever goes on from a response; `history` ends with its own items."""
        for name in filter(None, (response_id, _conversation(request))):
            self._kept[name] = list(history)
            self._kept.move_to_end(name)
        while len(self._kept) > _MOST_HISTORIES:
            self._kept.popitem(last=False)


def _goes_on_from(request: dict[str, Any]) -> str | None:
    before = request.get("previous_response_id")
    return before if isinstance(before, str) else _conversation(request)


def _conversation(request: dict[str, Any]) -> str | None:
    given = request.get("conversation")
    named = given.get("id") if isinstance(given, dict) else given
    return named if isinstance(named, str) else None


def _system(instructions: object) -> str | None:
    return instructions if isinstance(instructions, str) else None


def find_answer(output: Sequence[Any]) -> str | None:
    """Return the text of a final answer; None where the items of a response ask for something first."""
    told = {getattr(one, "call_id", None) for one in output if one.type.endswith("_output")}
    if any(one.type in _ASKS and getattr(one, "call_id", None) not in told for one in output):
        return None
    parts = [part for one in output if one.type == "message" for part in one.content]
    written = "".join(part.text for part in parts if part.type == "output_text")
    refused = "".join(part.refusal for part in parts if part.type == "refusal")
    return "\n\n".join(one for one in (written, refused) if one.strip()) or None


def with_text(output: Sequence[Any], told: ReleasedAnswer) -> list[Any]:
    """Return the items of a response with the released text as their only one."""
    if not told.is_changed:
        return list(output)
    spoken = next(one for one in output if one.type == "message")
    text = ResponseOutputText(type="output_text", text=told.text, annotations=[])
    message = ResponseOutputMessage(
        id=spoken.id, type="message", role="assistant", status="completed", content=[text]
    )
    left_out = {"message", "reasoning"} if told.held else {"message"}
    return [*(one for one in output if one.type not in left_out), message]
