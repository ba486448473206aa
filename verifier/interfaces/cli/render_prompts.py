"""Prompts of grounding levels as plain text, to be copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.grounding_prompts import GroundingPrompts


def write_prompts(prompts: GroundingPrompts) -> str:
    """Return the prompt of each level under its name, then the lists that they share."""
    return "\n".join(_list_lines(prompts)).rstrip()


def _list_lines(prompts: GroundingPrompts) -> Iterator[str]:
    for prompt in prompts.levels:
        yield from (f"== {prompt.level.value}", "", prompt.text, "")
    yield from ("== kinds of fact that must be grounded", "")
    yield from (f"{name}: {says}" for name, says in prompts.kinds.items())
    yield from ("", "== refusals", "", *prompts.refusals)
    yield from ("", "== marks of general knowledge", "", *prompts.general_labels)
