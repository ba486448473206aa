"""Which of a turn's chunks a label points to."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.core.turns import RetrievedChunk, Turn


class ChunkIndex:
    """The chunks that were given to a turn, by every label that they may be cited by."""

    def __init__(self, turn: Turn) -> None:
        self._numbering = turn.numbering
        self._by_name: defaultdict[str, list[RetrievedChunk]] = defaultdict(list)
        for chunk in turn.retrieved:
            for name in dict.fromkeys(name_chunk(chunk)):
                self._by_name[name].append(chunk)

    def find(self, label: str) -> tuple[RetrievedChunk, ...]:
        """Return the chunks that the label may mean: several where it is the label of several."""
        target = self._numbering.get(label, label)
        if not target or target not in self._by_name:
            return ()
        return _apart(self._by_name[target])


def find_cited_chunk(label: str, turn: Turn) -> RetrievedChunk | None:
    """Return the chunk that the label points to among those given to the turn; None where several may be."""
    found = ChunkIndex(turn).find(label)
    return found[0] if len(found) == 1 else None


def name_chunk(chunk: RetrievedChunk) -> tuple[str, ...]:
    """Return every label by which a chunk may be cited."""
    if chunk.seq is None or chunk.ordinal is None:
        return (chunk.label,)
    return (
        chunk.label,
        f"{chunk.source}@{chunk.seq}#{chunk.ordinal}",
        f"{chunk.source}#{chunk.ordinal}",
    )


def _apart(chunks: Iterable[RetrievedChunk]) -> tuple[RetrievedChunk, ...]:
    """Return the chunks without those that were only given twice."""
    places = {(one.source, one.seq, one.ordinal, one.text): one for one in chunks}
    return tuple(places.values())
