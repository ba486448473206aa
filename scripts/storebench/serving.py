"""What a store under measurement is asked, as lines of JSON over its streams, and about which corpus.

Runs in the environment of each store, so it imports the standard library and numpy alone.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

K = 10
GROUPS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A chunk of the corpus: its document, its text, and the row of its vector."""

    document: str
    group: int
    text: str
    row: int


class Corpus:
    """Pieces with their vectors, as they are first and after 1% of some documents changed; and queries."""

    def __init__(self, folder: Path) -> None:
        self.first = _read_pieces(folder / "first.jsonl")
        self.before = _read_pieces(folder / "before.jsonl")
        self.after = _read_pieces(folder / "after.jsonl")
        self.vectors = np.load(folder / "vectors.npy")
        self.queries = np.load(folder / "queries.npy")
        pieces = (*self.first, *self.before, *self.after)
        self._rows = {piece.text: piece.row for piece in pieces}
        self.embedded = 0

    def vector(self, text: str) -> list[float]:
        """Return the vector of a text, which counts as embedded."""
        self.embedded += 1
        row: list[float] = self.vectors[self._rows[text]].tolist()
        return row


class Store(Protocol):
    """A store, by what it is asked. Each call is timed as a whole."""

    def write(self, pieces: list[Piece]) -> None:
        """Add pieces with their vectors."""

    def build_index(self) -> None:
        """Do what its manual advises once the rows are there."""

    def search(self, query: int, group: int | None) -> list[str]:
        """Return the texts of the K nearest, of one group if it is told."""

    def ingest(self, pieces: list[Piece]) -> None:
        """Bring the second corpus to what `pieces` say, in the documented way."""

    def reconnect(self) -> None:
        """Open new connections, so that settings of the database hold."""


def serve(store: Store, corpus: Corpus) -> None:
    """Answer the questions on standard input, a line each, until it ends."""
    for line in sys.stdin:
        asked = json.loads(line)
        corpus.embedded = 0
        answer = _answer(store, corpus, asked)
        sys.stdout.write(json.dumps({**answer, "embedded": corpus.embedded}) + "\n")
        sys.stdout.flush()


def _answer(store: Store, corpus: Corpus, asked: dict[str, Any]) -> dict[str, Any]:
    do = asked["do"]
    if do == "search":
        return _search(store, asked["queries"], asked["groups"])
    pieces = corpus.first[asked.get("start", 0) : asked.get("end")]
    act = {
        "write": lambda: store.write(pieces),
        "index": store.build_index,
        "ingest": lambda: store.ingest(corpus.before),
        "reingest": lambda: store.ingest(corpus.after),
        "reconnect": store.reconnect,
    }[do]
    started = time.perf_counter()
    act()
    return {"seconds": time.perf_counter() - started}


def _search(store: Store, queries: list[int], groups: list[int | None]) -> dict[str, Any]:
    times, found = [], []
    for query, group in zip(queries, groups, strict=True):
        started = time.perf_counter()
        found.append(store.search(query, group))
        times.append(time.perf_counter() - started)
    return {"times": times, "found": found}


def _read_pieces(path: Path) -> list[Piece]:
    with path.open(encoding="utf-8") as lines:
        return [Piece(**json.loads(line)) for line in lines]


def by_document(pieces: list[Piece]) -> dict[str, list[Piece]]:
    """Return the pieces of each document, in order."""
    found: dict[str, list[Piece]] = {}
    for piece in pieces:
        found.setdefault(piece.document, []).append(piece)
    return found
