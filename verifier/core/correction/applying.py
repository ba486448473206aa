"""Applying edits to a text: all else stays as it is, character for character."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.policy import Edit


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """Return `text` with its edits, which are in order and do not overlap.

    Raises ValueError where they do, or where what an edit replaces is not there.
    """
    parts: list[str] = []
    done = 0
    for edit in edits:
        if edit.span.start < done or edit.span.of(text) != edit.old:
            raise ValueError(f"no edit of {edit.old!r} at {edit.span.start} of this text")
        parts += (text[done : edit.span.start], edit.new)
        done = edit.span.end
    return "".join([*parts, text[done:]])


def place_edits(edits: Sequence[Edit]) -> tuple[Span, ...]:
    """Return where the new text of each edit stands when all are applied."""
    places: list[Span] = []
    moved = 0
    for edit in edits:
        start = edit.span.start + moved
        places.append(Span(start, start + len(edit.new)))
        moved += len(edit.new) - len(edit.old)
    return tuple(places)
