"""Prompts of grounding levels as plain text, to be copied."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.turns import Level

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verifier.core.grounding_prompts import GroundingPrompts

_INTRODUCTION: Final = (
    "Give the text of one level to the model that answers, as its system prompt, with the sources below it."
    "\nThe same level in a turn file, or in a file of answers, then holds the answer to it."
)
_LEVELS: Final[Mapping[Level, str]] = MappingProxyType(
    {
        Level.STRICT_EXTRACTIVE: "only what a source says in these words",
        Level.SYNTHESIS: "what follows simply from the sources and what the user said",
        Level.LABELLED_GENERAL: "general knowledge too, in sentences that are marked as such",
    }
)


def write_prompts(prompts: GroundingPrompts) -> str:
    """Return the prompt of each level under its name, then the lists that they share."""
    return "\n".join(_list_lines(prompts)).rstrip()


def _list_lines(prompts: GroundingPrompts) -> Iterator[str]:
    yield from (_INTRODUCTION, "")
    for prompt in prompts.levels:
        yield from (f"== {prompt.level.value}: {_LEVELS[prompt.level]}", "", prompt.text, "")
    yield from ("== kinds of fact that must be grounded", "")
    yield from (f"{name}: {says}" for name, says in prompts.kinds.items())
    yield from ("", "== refusals, which are read as no claim", "", *prompts.refusals)
    yield from ("", "== marks of general knowledge, at the level labelled_general", "")
    yield from prompts.general_labels
