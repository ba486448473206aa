"""What was changed in an answer, and where it stands afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from verifier.core.spans import Span


@dataclass(frozen=True, slots=True)
class Change:
    """One span of the original answer and what stands there instead."""

    span: Span
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Corruption:
    """An answer made false, how, and where the changes stand in it."""

    kind: str
    answer: str
    changes: tuple[Change, ...]

    @property
    def spans(self) -> tuple[Span, ...]:
        """The changed spans in the corrupted answer."""
        moved, shift = [], 0
        for change in self.changes:
            start = change.span.start + shift
            moved.append(Span(start, start + len(change.new)))
            shift += len(change.new) - len(change.old)
        return tuple(moved)

    def to_json(self) -> dict[str, Any]:
        """Return what was changed, with spans in the corrupted answer."""
        return {
            "kind": self.kind,
            "changes": [
                {"span": [span.start, span.end], "old": change.old, "new": change.new}
                for span, change in zip(self.spans, self.changes, strict=True)
            ],
        }


def make_corruption(kind: str, answer: str, changes: tuple[Change, ...]) -> Corruption:
    """Return the corruption that these changes, in the order of their spans, make of an answer."""
    for change in reversed(changes):
        answer = answer[: change.span.start] + change.new + answer[change.span.end :]
    return Corruption(kind, answer, changes)
