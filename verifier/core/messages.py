"""Stored conversations as tool calls of numbered turns, in Anthropic, OpenAI chat or Responses form."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from verifier.core.facts.structured import find_structure
from verifier.core.json_reading import UnreadableJson, read_json
from verifier.core.plain_json import is_plain
from verifier.core.turn_fields import FieldReader
from verifier.core.turns import ToolCall
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Record = Mapping[str, object]

_UNANSWERED: Final = "no result"
_TEXT_KINDS: Final = frozenset({"text", "input_text", "output_text"})
_ASKED: Final = frozenset({"function_call", "custom_tool_call"})
_ANSWERED: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_COMPACTION: Final = "compaction"
"""What stands for earlier messages that a provider summed up: what they held is no longer seen."""
_WRITTEN_BY_MODEL: Final = ("code_execution", "code_interpreter")
"""Tools that run what the model wrote: their output is the model's own word, and proves nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    call_id: str
    value: object
    ok: bool = True
    complete: bool = True


def calls_of_messages(messages: object, *, where: str = "messages") -> tuple[ToolCall, ...]:
    """Return the tool calls of a message list, in order, each with the user turn that it belongs to.

    A turn begins with a message in which the user speaks. A call without a result failed, and so did one
    of a tool that runs what the model wrote. A result that is the text of a record or list is taken as
    that. What a provider's own tools found on the web is incomplete. Raises InputError for what is no
    message list.
    """
    calls: list[ToolCall] = []
    newest: dict[str, int] = {}
    begun: Counter[str] = Counter()
    turn = 0
    for reader in read_messages(messages, where=where):
        turn += user_words(reader.fields) is not None
        for call in _begun(reader, turn):
            newest[call.call_id] = len(calls)
            begun[call.call_id] += 1
            calls.append(_apart(call, begun[call.call_id]))
        for found in _results(reader):
            at = newest.get(found.call_id)
            if at is not None:
                calls[at] = replace(
                    calls[at], result=found.value, ok=found.ok, complete=found.complete
                )
    return tuple(calls)


def read_messages(messages: object, *, where: str = "messages") -> Iterator[FieldReader]:
    """Yield a reader for each message of a list. Raises InputError for what is no message list."""
    if not isinstance(messages, list):
        raise InputError(f"{where} must be a list of messages")
    for at, message in enumerate(messages):
        reader = FieldReader(message, f"{where}[{at}]")
        reader.text("role")
        yield reader


def user_words(message: Record) -> str | None:
    """Return what the user says in a message; None where the user does not speak in it."""
    if message.get("role") != "user":
        return None
    words = words_of(message.get("content"))
    return words if words.strip() else None


def words_of(content: object) -> str:
    """Return the text of a message's content, of its text blocks alone where it has blocks."""
    if isinstance(content, str):
        return content
    return "\n".join(_texts(content))


def _texts(content: object) -> Iterator[str]:
    for block in _blocks(content):
        text = block.get("text")
        if _kind(block) in _TEXT_KINDS and isinstance(text, str):
            yield text


def _apart(call: ToolCall, number: int) -> ToolCall:
    """Return a call under an id of its own: some models number their calls anew in each turn."""
    return call if number == 1 else replace(call, call_id=f"{call.call_id}~{number}")


def _begun(reader: FieldReader, turn: int) -> Iterator[ToolCall]:
    """Yield the calls that a message begins, each id once."""
    begun: set[str] = set()
    for call in (*_asked_in_blocks(reader.fields, turn), *_asked(reader.fields, turn)):
        if call.call_id not in begun:
            begun.add(call.call_id)
            yield call


def _asked_in_blocks(message: Record, turn: int) -> Iterator[ToolCall]:
    for block in _blocks(message.get("content")):
        if _kind(block).endswith("tool_use"):
            yield _call(block.get("id"), block.get("name"), block.get("input"), turn)
        elif _kind(block) == _COMPACTION:
            yield _call(_COMPACTION, _COMPACTION, None, turn)


def _asked(message: Record, turn: int) -> Iterator[ToolCall]:
    for request in _blocks(message.get("tool_calls")):
        for form, arguments in (("function", "arguments"), ("custom", "input")):
            asked = request.get(form)
            if isinstance(asked, dict):
                yield _call(request.get("id"), asked.get("name"), asked.get(arguments), turn)
    kind = _kind(message)
    if kind in _ASKED:
        asked_for = message.get("arguments", message.get("input"))
        yield _call(message.get("call_id"), message.get("name"), asked_for, turn)
    elif kind == _COMPACTION:
        yield _call(_COMPACTION, _COMPACTION, None, turn)
    elif kind.endswith("_call"):
        tool = message.get("name") or kind.removesuffix("_call")
        yield _call(_hosted_id(message), tool, message.get("arguments"), turn)


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


def _results(reader: FieldReader) -> Iterator[_Result]:
    message = reader.fields
    kind = _kind(message)
    if message.get("role") == "tool":
        yield _told(message, message.get("tool_call_id"), "content")
    elif kind in _ANSWERED:
        yield _told(message, message.get("call_id"), "output")
    elif kind in {"mcp_call", "file_search_call"}:
        yield _hosted(message, kind)
    for block in _blocks(message.get("content")):
        if _kind(block).endswith("tool_result"):
            yield _told_in_block(block)


def _told(message: Record, call_id: object, name: str) -> _Result:
    """Return what a tool returned: as it was where the message holds that, else as the model was shown it."""
    value = message["result"] if "result" in message else as_returned(message.get(name))
    return _Result(call_id=str(call_id), value=value, ok=message.get("is_error") is not True)


def _told_in_block(block: Record) -> _Result:
    kind, content = _kind(block), block.get("content")
    failed = block.get("is_error") is True or (
        isinstance(content, dict) and _kind(content).endswith("error")
    )
    return _Result(
        call_id=str(block.get("tool_use_id")),
        value=as_returned(content),
        ok=not failed and not any(tool in kind for tool in _WRITTEN_BY_MODEL),
        complete=kind in {"tool_result", "mcp_tool_result"},
    )


def _hosted(message: Record, kind: str) -> _Result:
    """Return what a tool that the provider ran returned; a search shows some of what there is."""
    value = message.get("output" if kind == "mcp_call" else "results")
    failed = value is None or message.get("error") is not None
    return _Result(
        call_id=_hosted_id(message),
        value=as_returned(value),
        ok=not failed,
        complete=kind == "mcp_call",
    )


def _hosted_id(message: Record) -> str:
    return str(message.get("call_id") or message.get("id"))


def as_returned(content: object) -> object:
    """Return what a tool returned before it became text for a model, as far as the text tells.

    Text that is a record or a list, as JSON or as Python prints it, is read; other text stays.
    """
    blocks = list(_blocks(content))
    only = len(blocks) == 1 and isinstance(content, list) and len(content) == 1
    text = words_of(content) if only and _kind(blocks[0]) in _TEXT_KINDS else content
    if not isinstance(text, str):
        return content
    found = find_structure(text)
    return found.value if found and not found.preface and is_plain(found.value) else text


def _blocks(content: object) -> Iterator[Record]:
    if isinstance(content, list):
        yield from (block for block in content if isinstance(block, dict))


def _kind(block: Record) -> str:
    kind = block.get("type")
    return kind if isinstance(kind, str) else ""
