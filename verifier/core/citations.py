"""Citations: an answer's own pointers to chunks or sources."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from verifier.core.turns import RetrievedChunk, Turn

_BRACKETED: Final = re.compile(
    r"\[(?P<inside>[^\[\]\n]{1,300})\](?!\()"
)  # [1, 3]; not [text](link)
_PART: Final = re.compile(r"[^,;]+")
_CHUNK: Final = re.compile(r"\S.*#[0-9]+")  # refund-policy@3#0
_MARK: Final = re.compile(r"[0-9]{1,3}")  # 12
_DIGIT: Final = re.compile(r"[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One pointer as written. `label` is what stands between the marks: `refund-policy@3#0`, `1`."""

    label: str
    span: Span


def find_citations(
    text: str, *, labels: Collection[str] = (), numbering: Mapping[str, str] | None = None
) -> tuple[Citation, ...]:
    """Return the citations of `text`: `[source@seq#ordinal]`, `[doc#0]`, `[label]`, `[1]`, `[1, 3]`.

    A bracket cites where all its parts are known labels or marks, or look like one: a chunk's id, a
    small number, the form of a known label (`[S99]` beside `S01`). Other brackets are text.
    """
    known = {*labels, *(numbering or {})}
    forms = {_DIGIT.sub("0", label) for label in labels if _DIGIT.search(label)}
    found: list[Citation] = []
    for bracket in _BRACKETED.finditer(text):
        parts = list(_parts(bracket))
        indexes = bracket.start() > 0 and text[bracket.start() - 1].isalnum() and not numbering
        if parts and all(_cites(part.label, known, forms, indexes=indexes) for part in parts):
            found.extend(parts)
    return tuple(found)


def find_cited_chunk(label: str, turn: Turn) -> RetrievedChunk | None:
    """Return the chunk that the label points to among those given to the turn."""
    target = turn.numbering.get(label, label)
    return next((chunk for chunk in turn.retrieved if target in name_chunk(chunk)), None)


def name_chunk(chunk: RetrievedChunk) -> tuple[str, ...]:
    """Return every label by which a chunk may be cited."""
    if chunk.seq is None or chunk.ordinal is None:
        return (chunk.label,)
    return (
        chunk.label,
        f"{chunk.source}@{chunk.seq}#{chunk.ordinal}",
        f"{chunk.source}#{chunk.ordinal}",
    )


def _parts(bracket: re.Match[str]) -> Iterator[Citation]:
    offset = bracket.start("inside")
    for part in _PART.finditer(bracket["inside"]):
        label = part.group().strip()
        if label:
            start = offset + part.start() + part.group().index(label)
            yield Citation(label=label, span=Span(start, start + len(label)))


def _cites(label: str, known: Collection[str], forms: Collection[str], *, indexes: bool) -> bool:
    if label in known:
        return True
    if _MARK.fullmatch(label):
        return not indexes
    return bool(_CHUNK.fullmatch(label)) or _DIGIT.sub("0", label) in forms
