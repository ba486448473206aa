"""Answers that are JSON: verified by what their values say, and corrected where that stands."""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from verifier.core.policy import Edit

    Path = tuple[str | int, ...]

_NAME: Final = re.compile(r"[^\W\d][\w.-]{0,60}")  # unit_price


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredAnswer:
    """An answer's JSON value as a text for the verifier, and where in that its texts stand.

    A text of several words is a paragraph, any other value a line with its field's name before it. What no
    program reads, a name that is more than one or a value whose name comes again, is verified, too.
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
    unread: list[object] = []
    try:
        value = json.loads(answer, object_pairs_hook=functools.partial(_as_object, unread))
        leaves = list(_leaves(value, ()))
        beside = [leaf for one in unread for _, leaf in _leaves(one, ())]
    except (ValueError, RecursionError):
        return None
    written = "".join(f"{leaf}\n\n" for leaf in beside)
    places: list[tuple[Path, Span]] = []
    for path, leaf in leaves:
        name = next((str(step) for step in reversed(path) if isinstance(step, str)), "")
        label = "" if (isinstance(leaf, str) and " " in leaf.strip()) or not name else f"{name}: "
        written += label
        if isinstance(leaf, str):
            places.append((path, Span(len(written), len(written) + len(leaf))))
        written += f"{leaf}\n\n" if not label else f"{leaf}\n"
    return StructuredAnswer(text=written, written=answer, places=tuple(places))


def _as_object(unread: list[object], pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the object that `pairs` make, and note in `unread` what goes out but stands nowhere in it."""
    made: dict[str, object] = {}
    for name, value in pairs:
        if name in made:
            unread.append(made[name])
        if _NAME.fullmatch(name) is None:
            unread.append(name)
        made[name] = value
    return made


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
