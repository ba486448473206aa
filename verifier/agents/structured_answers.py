"""Answers that are JSON: verified by what their values say, and corrected where that stands."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from verifier.core.policy import Edit

    Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredAnswer:
    """An answer's JSON value as a text for the verifier, and where in that its texts stand.

    A text of several words is a paragraph, any other value a line with its field's name before it.
    """

    text: str
    written: str
    places: tuple[tuple[Path, Span], ...]

    def edit(self, edits: Iterable[Edit]) -> str:
        """Return the answer with the edits that lie within one of its texts, as JSON."""
        value = json.loads(self.written)
        for edit in sorted(edits, key=lambda one: one.span, reverse=True):
            for path, place in self.places:
                if place.contains(edit.span):
                    _replace(value, path, edit.span.shift(-place.start), edit.new)
        return json.dumps(value, ensure_ascii=False)


def read_structured(answer: str) -> StructuredAnswer | None:
    """Return an answer that is a JSON object or list; None for any other."""
    if answer.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        leaves = list(_leaves(json.loads(answer), ()))
    except (ValueError, RecursionError):
        return None
    written = ""
    places: list[tuple[Path, Span]] = []
    for path, leaf in leaves:
        name = next((str(step) for step in reversed(path) if isinstance(step, str)), "")
        label = "" if (isinstance(leaf, str) and " " in leaf.strip()) or not name else f"{name}: "
        written += label
        if isinstance(leaf, str):
            places.append((path, Span(len(written), len(written) + len(leaf))))
        written += f"{leaf}\n\n" if not label else f"{leaf}\n"
    return StructuredAnswer(text=written, written=answer, places=tuple(places))


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, str | int | float]]:  # noqa: ANN401 -- JSON
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _leaves(part, (*path, name))
    elif isinstance(value, list):
        for at, part in enumerate(value):
            yield from _leaves(part, (*path, at))
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield path, value


def _replace(value: Any, path: Path, span: Span, new: str) -> None:  # noqa: ANN401 -- JSON
    for step in path[:-1]:
        value = value[step]
    text = value[path[-1]]
    value[path[-1]] = f"{text[: span.start]}{new}{text[span.end :]}"
