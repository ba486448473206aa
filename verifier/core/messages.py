"""Stored conversations, in Anthropic or OpenAI chat form, as tool calls of numbered turns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from verifier.core.json_reading import UnreadableJson, read_json
from verifier.core.turn_fields import FieldReader
from verifier.core.turns import ToolCall
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_UNANSWERED = "no result"


def calls_of_messages(messages: object, *, where: str = "messages") -> tuple[ToolCall, ...]:
    """Return the tool calls of a message list, in order, each with the user turn that it belongs to.

    A turn begins with a message in which the user speaks. A call without a result failed. Raises
    InputError for what is no message list.
    """
    if not isinstance(messages, list):
        raise InputError(f"{where} must be a list of messages")
    calls: dict[str, ToolCall] = {}
    turn = 0
    for at, message in enumerate(messages):
        reader = FieldReader(message, f"{where}[{at}]")
        role = reader.text("role")
        turn += role == "user" and _user_speaks(reader.fields.get("content"))
        for call in _begun(reader, turn):
            calls[call.call_id] = call
        for call_id, result, ok in _results(reader, role):
            if call_id in calls:
                calls[call_id] = replace(calls[call_id], result=result, ok=ok)
    return tuple(calls.values())


def _user_speaks(content: object) -> bool:
    if isinstance(content, str):
        return bool(content.strip())
    return any(_kind(block) == "text" for block in _blocks(content))


def _begun(reader: FieldReader, turn: int) -> Iterator[ToolCall]:
    for block in _blocks(reader.fields.get("content")):
        if _kind(block) == "tool_use":
            yield _call(block.get("id"), block.get("name"), block.get("input"), turn)
    for request in _blocks(reader.fields.get("tool_calls")):
        function = request.get("function")
        if isinstance(function, dict):
            arguments = function.get("arguments")
            yield _call(request.get("id"), function.get("name"), arguments, turn)


def _call(call_id: object, tool: object, arguments: object, turn: int) -> ToolCall:
    if isinstance(arguments, str):
        try:
            arguments = read_json(arguments)
        except UnreadableJson:
            arguments = {}
    return ToolCall(
        call_id=str(call_id),
        tool=str(tool),
        arguments=arguments if isinstance(arguments, dict) else {},
        result=_UNANSWERED,
        ok=False,
        turn=turn,
    )


def _results(reader: FieldReader, role: str | None) -> Iterator[tuple[str, object, bool]]:
    content = reader.fields.get("content")
    if role == "tool":
        yield str(reader.fields.get("tool_call_id")), content, True
        return
    for block in _blocks(content):
        if _kind(block) == "tool_result":
            failed = block.get("is_error") is True
            yield str(block.get("tool_use_id")), block.get("content"), not failed


def _blocks(content: object) -> Iterator[Mapping[str, object]]:
    if isinstance(content, list):
        yield from (block for block in content if isinstance(block, dict))


def _kind(block: Mapping[str, object]) -> object:
    return block.get("type")
