"""A message list as a turn: what the user asked and said before, what tools returned, and the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from verifier.core.messages import calls_of_messages, read_messages, user_words, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.turns import ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What a message list tells. `answer` is None where it does not end with words of the model.

    `system` are the instructions that stand in the list itself.
    """

    said: tuple[str, ...]
    system: str | None
    calls: tuple[ToolCall, ...]
    answer: str | None

    @property
    def question(self) -> str | None:
        """What the user said last."""
        return self.said[-1] if self.said else None

    @property
    def turn_fields(self) -> dict[str, Any]:
        """The fields of a turn: of its newest one, which may have made no calls."""
        return {
            "question": self.question,
            "said": self.said[:-1],
            "current_turn": len(self.said),
            "calls": self.calls,
        }


def read_conversation(messages: object, *, where: str = "messages") -> Conversation:
    """Return what a message list tells. Raises InputError for what is no message list.

    The forms are those of `verifier.core.messages`: Anthropic, OpenAI chat and OpenAI Responses.
    """
    read = [reader.fields for reader in read_messages(messages, where=where)]
    told = [user_words(message) for message in read]
    system = [
        words_of(message.get("content"))
        for message in read
        if message.get("role") in {"system", "developer"}
    ]
    return Conversation(
        said=tuple(words for words in told if words is not None),
        system="\n\n".join(text for text in system if text.strip()) or None,
        calls=calls_of_messages(messages, where=where),
        answer=_answer(read[-1]) if read else None,
    )


def _answer(message: Mapping[str, object]) -> str | None:
    """Return the words of the model's message that calls no tool."""
    if message.get("role") != "assistant" or message.get("tool_calls"):
        return None
    content = message.get("content")
    if isinstance(content, list) and any(_calls_tool(block) for block in content):
        return None
    words = answer_words(content)
    return words if words.strip() else None


def answer_words(content: object) -> str:
    """Return an answer's text; the blocks of an answer continue each other without a break."""
    if isinstance(content, list):
        return "".join(words_of([block]) for block in content)
    return words_of(content)


def _calls_tool(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_use"
