"""Cards: fenced blocks that state the fields of one thing, or of several, as JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.json_reading import JsonRecord, UnreadableJson, read_records
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.catalog import Catalog, EntityType

_FENCE: Final = re.compile(  # ```products [list]
    r"^[ \t]*(?P<marks>`{3,}|~{3,})[ \t]*(?P<label>[^\s`{]*)(?P<rest>[^\n]*)$", re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One fenced block of an entity type.

    `span` covers the block with its fences; each record knows its own span and those of its values.
    `fault` says why the block can't be read; it then has no records.
    """

    entity: EntityType
    span: Span
    records: tuple[JsonRecord, ...] = ()
    fault: str | None = None


def find_cards(answer: str, catalog: Catalog) -> tuple[Card, ...]:
    """Return the fenced blocks whose info string begins with an entity type's name or plural."""
    return tuple(
        _read_card(answer, fence, entity)
        for fence in _fences(answer)
        if (entity := catalog.find_type(fence.label)) is not None
    )


def states_records(block: str) -> bool:
    """Return whether a fenced block seems to hold a JSON object or a list of them."""
    body = block.partition("\n")[2].lstrip()
    return body.startswith("{") or (body.startswith("[") and body[1:].lstrip().startswith("{"))


@dataclass(frozen=True, slots=True)
class _Fence:
    label: str
    span: Span
    body: Span


def _fences(answer: str) -> Iterator[_Fence]:
    """Yield fenced blocks as Markdown cuts them: a fence within a fence is its text."""
    opening: re.Match[str] | None = None
    for line in _FENCE.finditer(answer):
        if opening is None:
            if line["marks"][0] == "~" or "`" not in line["rest"]:
                opening = line
        elif _closes(line, opening):
            yield _Fence(
                opening["label"],
                Span(opening.start("marks"), line.end("marks")),
                Span(opening.end(), line.start()),
            )
            opening = None
    if opening is not None:
        end = len(answer)
        yield _Fence(opening["label"], Span(opening.start("marks"), end), Span(opening.end(), end))


def _closes(line: re.Match[str], opening: re.Match[str]) -> bool:
    marks = line["marks"]
    return (
        not line["label"]
        and not line["rest"].strip()
        and marks[0] == opening["marks"][0]
        and len(marks) >= len(opening["marks"])
    )


def _read_card(answer: str, fence: _Fence, entity: EntityType) -> Card:
    try:
        records = read_records(answer, fence.body)
    except UnreadableJson as problem:
        return Card(entity=entity, span=fence.span, fault=str(problem))
    return Card(entity=entity, span=fence.span, records=records)
