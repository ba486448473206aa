"""Stored conversations of every form: what counts as a call, as its result, and as whose word."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from verifier.core.conversations import read_conversation
from verifier.core.messages import as_returned, calls_of_messages
from verifier.core.turn_file import read_turns
from verifier.errors import InputError

USER = {"role": "user", "content": "And?"}


def blocks(*told: dict[str, Any]) -> list[dict[str, Any]]:
    return [USER, {"role": "assistant", "content": list(told)}]


def hosted(tool: str, content: object, **more: object) -> list[dict[str, Any]]:
    """A tool that the provider ran within its answer."""
    return blocks(
        {"type": "server_tool_use", "id": "s", "name": tool, "input": {"q": "x"}},
        {"type": f"{tool}_tool_result", "tool_use_id": "s", "content": content, **more},
    )


CASES: dict[str, tuple[list[dict[str, Any]], tuple[str, bool, bool]]] = {
    "responses": (
        [
            USER,
            {"type": "function_call", "call_id": "a", "name": "get", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "a", "output": '{"n": 1}'},
        ],
        ("get", True, True),
    ),
    "responses, output in parts": (
        [
            USER,
            {"type": "custom_tool_call", "call_id": "a", "name": "get", "input": "free text"},
            {
                "type": "custom_tool_call_output",
                "call_id": "a",
                "output": [{"type": "input_text", "text": '{"n": 1}'}],
            },
        ],
        ("get", True, True),
    ),
    "responses, unanswered": (
        [USER, {"type": "function_call", "call_id": "a", "name": "get", "arguments": "{}"}],
        ("get", False, True),
    ),
    "chat, a custom tool": (
        [
            USER,
            {"role": "assistant", "tool_calls": [{"id": "a", "custom": {"name": "get"}}]},
            {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "{}"}]},
        ],
        ("get", True, True),
    ),
    "a search of the web by the provider": (
        hosted("web_search", [{"type": "web_search_result", "encrypted_content": "zzz"}]),
        ("web_search", True, False),
    ),
    "a search that failed": (
        hosted("web_search", {"type": "web_search_tool_result_error", "error_code": "x"}),
        ("web_search", False, False),
    ),
    "code that the model wrote": (
        hosted("bash_code_execution", {"type": "result", "stdout": '{"price": 5}'}),
        ("bash_code_execution", False, False),
    ),
    "code that the model wrote, in responses": (
        [USER, {"type": "code_interpreter_call", "id": "a", "outputs": [{"logs": "5"}]}],
        ("code_interpreter", False, True),
    ),
    "a web search, in responses": (
        [USER, {"type": "web_search_call", "id": "a", "status": "completed"}],
        ("web_search", False, True),
    ),
    "files that were searched": (
        [USER, {"type": "file_search_call", "id": "a", "results": [{"text": "t"}]}],
        ("file_search", True, False),
    ),
    "files that were searched without telling": (
        [USER, {"type": "file_search_call", "id": "a", "results": None}],
        ("file_search", False, False),
    ),
    "a remote server": (
        [USER, {"type": "mcp_call", "id": "a", "name": "get", "arguments": "{}", "output": "{}"}],
        ("get", True, True),
    ),
    "a remote server that failed": (
        [USER, {"type": "mcp_call", "id": "a", "name": "get", "error": "no", "output": "5"}],
        ("get", False, True),
    ),
    "a remote server, in blocks": (
        blocks(
            {"type": "mcp_tool_use", "id": "s", "name": "get", "input": {}},
            {"type": "mcp_tool_result", "tool_use_id": "s", "content": "x", "is_error": True},
        ),
        ("get", False, True),
    ),
    "a shell that the model wrote to": (
        [
            USER,
            {"type": "shell_call", "call_id": "a", "action": {"commands": ["echo 5"]}},
            {"type": "shell_call_output", "call_id": "a", "output": [{"stdout": "5"}]},
        ],
        ("shell", False, True),
    ),
    "what was summed up": (
        [USER, {"type": "compaction", "id": "z", "encrypted_content": "zzz"}],
        ("compaction", False, True),
    ),
    "what was summed up, in blocks": (
        blocks({"type": "compaction", "content": "a summary"}),
        ("compaction", False, True),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_call_counts_as_what_it_is(case: str) -> None:
    messages, (tool, ok, complete) = CASES[case]
    [call] = calls_of_messages(messages)
    assert (call.tool, call.ok, call.complete, call.turn) == (tool, ok, complete, 1)


@pytest.mark.parametrize(
    ("shown", "returned"),
    [
        ('{"price": 49.90}', {"price": Decimal("49.90")}),
        ("[1, 2]", [1, 2]),
        ("{'price': Decimal('49.90'), 'sold': None}", {"price": "49.90", "sold": None}),
        ([{"type": "text", "text": '{"n": 1}'}], {"n": 1}),
        ([{"type": "text", "text": "Two"}], "Two"),
        ("It costs $5.", "It costs $5."),
        ('Found: {"n": 1}', 'Found: {"n": 1}'),
        ('{"n": 1, "n": 2}', '{"n": 1, "n": 2}'),
        ('{"n": NaN}', {"n": "NaN"}),
        ("{broken", "{broken"),
        ("[" * 5_000, "[" * 5_000),
        ({"n": 1}, {"n": 1}),
        (None, None),
        ("", ""),
    ],
)
def test_a_result_is_read_as_it_was_returned(shown: object, returned: object) -> None:
    assert as_returned(shown) == returned


def test_several_blocks_of_a_result_stay_several() -> None:
    told = [{"type": "text", "text": '{"n": 1}'}, {"type": "text", "text": '{"n": 2}'}]
    assert as_returned(told) == told


def test_a_call_is_one_where_a_library_tells_it_twice() -> None:
    message = {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "a", "name": "get", "input": {}}],
        "tool_calls": [{"id": "a", "function": {"name": "get", "arguments": "{}"}}],
    }
    [call] = calls_of_messages([USER, message])
    assert call.call_id == "a"


def test_ten_thousand_calls_of_one_id_stay_apart() -> None:
    asked = {"type": "function_call", "call_id": "a", "name": "get", "arguments": "{}"}
    calls = calls_of_messages([USER, *([asked] * 10_000)])
    assert len({call.call_id for call in calls}) == 10_000


def test_a_conversation_tells_who_said_what() -> None:
    told = read_conversation(
        [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Hi!"},
            {"role": "user", "content": [{"type": "input_text", "text": "How much?"}]},
            {"role": "developer", "content": [{"type": "text", "text": "Be brief."}]},
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "It is "}, {"type": "text", "text": "$5."}],
            },
        ]
    )
    assert told.said == ("Hello", "How much?")
    assert (told.question, told.system) == ("How much?", "Be kind.\n\nBe brief.")
    assert told.answer == "It is $5."
    assert told.turn_fields["current_turn"] == 2


@pytest.mark.parametrize(
    "last",
    [
        USER,
        {"role": "assistant", "content": ""},
        {"role": "assistant", "content": "Wait.", "tool_calls": [{"id": "a"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a"}]},
    ],
)
def test_what_is_no_answer_is_none(last: dict[str, Any]) -> None:
    assert read_conversation([USER, last]).answer is None


def test_a_turn_file_needs_no_more_than_messages() -> None:
    messages = [
        USER,
        {"type": "function_call", "call_id": "a", "name": "get", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "5"},
        {"role": "user", "content": "Sure?"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "5."}],
        },
    ]
    [case] = read_turns(json.dumps({"messages": messages}))
    assert (case.answer, case.turn.question, case.turn.said) == ("5.", "Sure?", ("And?",))
    assert (case.turn.current_turn, case.turn.calls[0].turn) == (2, 1)
    given = {"messages": messages, "answer": "6.", "question": "q", "said": [], "current_turn": 1}
    [case] = read_turns(json.dumps(given))
    assert (case.answer, case.turn.question, case.turn.said) == ("6.", "q", ())
    assert case.turn.current_turn == 1


@pytest.mark.parametrize("wrong", [{}, "x", [5], [{"role": 5}]])
def test_what_is_no_message_list_is_named(wrong: object) -> None:
    with pytest.raises(InputError, match="messages"):
        read_conversation(wrong)
