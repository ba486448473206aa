"""Asking the stores in turn, and counting what each says wrong."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import threading
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final

import asyncpg
import numpy as np

from storebench.environments import OWN, program
from storebench.serving import Corpus, K, Piece, by_document

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from pathlib import Path

BATCH: Final = 1_000
QUERIES_A_ROUND: Final = 50
_PAUSE_S: Final = 0.01


class Running:
    """The program of one store, asked by lines of JSON."""

    def __init__(self, name: str, python: Path, corpus: Path, dsn: str) -> None:
        self.name = name
        self._process = subprocess.Popen(
            [str(python), "-W", "ignore", str(program(name)), str(corpus), dsn],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, do: str, **told: object) -> dict[str, Any]:
        """Return what it answers. Raises RuntimeError where it ended."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None  # noqa: S101 -- pipes were asked for
        assert stdout is not None  # noqa: S101
        stdin.write(json.dumps({"do": do, **told}) + "\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise RuntimeError(f"the program of {self.name} ended while asked to {do}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """Let it end."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(timeout=60)


@dataclass(slots=True, kw_only=True)
class Figures:
    """What was measured of one store. Times are seconds; `wrong` counts what it said wrong, by kind."""

    batches: list[float] = field(default_factory=list)
    index_s: float = 0.0
    search: list[float] = field(default_factory=list)
    filtered: list[float] = field(default_factory=list)
    recall: list[float] = field(default_factory=list)
    filtered_recall: list[float] = field(default_factory=list)
    tuned: list[float] = field(default_factory=list)
    tuned_recall: list[float] = field(default_factory=list)
    first_ingest_s: float = 0.0
    reingest_s: float = 0.0
    reembedded: int = 0
    wrong: Counter[str] = field(default_factory=Counter)

    def as_json(self) -> dict[str, Any]:
        """Return medians and counts."""
        written = sum(self.batches)
        return {
            "batch_s": statistics.median(self.batches),
            "write_s": written,
            "index_s": self.index_s,
            "write_and_index_s": written + self.index_s,
            "search_ms": statistics.median(self.search) * 1e3,
            "recall": statistics.mean(self.recall),
            "filtered_ms": statistics.median(self.filtered) * 1e3,
            "filtered_recall": statistics.mean(self.filtered_recall),
            "filtered_iterative_ms": statistics.median(self.tuned) * 1e3 if self.tuned else None,
            "filtered_iterative_recall": statistics.mean(self.tuned_recall) if self.tuned else None,
            "first_ingest_s": self.first_ingest_s,
            "reingest_s": self.reingest_s,
            "reingest_embedded": self.reembedded,
            "wrong": dict(self.wrong),
        }


class Comparison:
    """The stores, asked in alternating order."""

    def __init__(self, stores: Sequence[Running], corpus: Corpus) -> None:
        self.stores = stores
        self.corpus = corpus
        self.figures = {store.name: Figures() for store in stores}
        self._orders = cycle([list(stores), list(reversed(stores))])

    def write(self) -> None:
        """Write the corpus batch by batch, then let each build its index."""
        for start in range(0, len(self.corpus.first), BATCH):
            for store in next(self._orders):
                answer = store.ask("write", start=start, end=start + BATCH)
                self.figures[store.name].batches.append(answer["seconds"])
        for store in next(self._orders):
            self.figures[store.name].index_s = store.ask("index")["seconds"]

    def search(self, *, rounds: int) -> None:
        """Search without a filter and with one that 1% of the chunks pass."""
        for number in range(rounds):
            for store in next(self._orders):
                figures = self.figures[store.name]
                wanted = list(range(number * QUERIES_A_ROUND, (number + 1) * QUERIES_A_ROUND))
                self._search(store, wanted, figures.search, figures.recall, is_filtered=False)
                self._search(
                    store, wanted, figures.filtered, figures.filtered_recall, is_filtered=True
                )

    def search_tuned(self, *, rounds: int) -> None:
        """Search the peers with a filter again, now that their databases scan the index iteratively."""
        for store in self.stores:
            store.ask("reconnect")
        for number in range(rounds):
            for store in next(self._orders):
                if store.name == OWN:
                    continue
                figures = self.figures[store.name]
                wanted = list(range(number * QUERIES_A_ROUND, (number + 1) * QUERIES_A_ROUND))
                self._search(store, wanted, figures.tuned, figures.tuned_recall, is_filtered=None)

    def ingest(self) -> None:
        """Ingest the second corpus."""
        for store in next(self._orders):
            self.figures[store.name].first_ingest_s = store.ask("ingest")["seconds"]

    def reingest(self, watch: Callable[[str], Watch]) -> None:
        """Ingest the second corpus again after 1% of its documents changed, watched by a reader."""
        for store in next(self._orders):
            figures = self.figures[store.name]
            with watch(store.name) as watched:
                answer = store.ask("reingest")
            figures.reingest_s = answer["seconds"]
            figures.reembedded = answer["embedded"]
            figures.wrong.update(watched.counts)

    def _search(
        self,
        store: Running,
        wanted: list[int],
        times: list[float],
        recalls: list[float],
        *,
        is_filtered: bool | None,
    ) -> None:
        """Search and compare; short results count as wrong, unless `is_filtered` is None."""
        groups = [None if is_filtered is False else query % 100 for query in wanted]
        store.ask("search", queries=wanted[:5], groups=groups[:5])  # warms connections and caches
        answer = store.ask("search", queries=wanted, groups=groups)
        times += answer["times"]
        for query, group, found in zip(wanted, groups, answer["found"], strict=True):
            truth = self._nearest(query, group)
            recalls.append(len(truth & set(found)) / len(truth))
            if is_filtered is not None and len(found) < len(truth):
                self.figures[store.name].wrong["short results"] += 1

    def _nearest(self, query: int, group: int | None) -> set[str]:
        pieces = self.corpus.first
        rows = [piece.row for piece in pieces if group is None or piece.group == group]
        similarities = self.corpus.vectors[rows] @ self.corpus.queries[query]
        texts = {piece.row: piece.text for piece in pieces}
        best = np.argsort(-similarities)[: min(K, len(rows))]
        return {texts[rows[at]] for at in best}


def count_wrong(there: Counter[str], expected: Sequence[Piece]) -> Counter[str]:
    """Return what is wrong with the texts that a store holds in the end."""
    wanted = Counter(piece.text for piece in expected)
    return Counter(
        {
            "duplicates": sum(max(there[text] - number, 0) for text, number in wanted.items()),
            "stale rows": sum(number for text, number in there.items() if text not in wanted),
            "missing rows": sum(max(number - there[text], 0) for text, number in wanted.items()),
        }
    )


class Watch:
    """A reader beside a re-ingest: how often a changed document was neither as before nor as after."""

    def __init__(self, reader: Reader, corpus: Corpus) -> None:
        before, after = by_document(corpus.before), by_document(corpus.after)
        self._states = {
            name: (_texts(before[name]), _texts(after[name]))
            for name in before
            if before[name] != after[name]
        }
        self._reader = reader
        self._ended = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._watch()))
        self.counts: Counter[str] = Counter()

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    async def _watch(self) -> None:
        torn: set[str] = set()
        async with self._reader.opened() as read:
            while not self._ended.is_set():
                there: dict[str, Counter[str]] = {}
                for document, text in await read(list(self._states)):
                    there.setdefault(document, Counter())[text] += 1
                torn |= {
                    name
                    for name, states in self._states.items()
                    if there.get(name, Counter()) not in states
                }
                await asyncio.sleep(_PAUSE_S)
        self.counts["documents seen half changed"] = len(torn)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads what a store offers of the second corpus: pairs of document and text."""

    dsn: str
    statement: str

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Callable[[Sequence[str] | None], Awaitable[list[Any]]]]:
        """Yield what reads the documents of these names, or all."""
        connection = await asyncpg.connect(self.dsn)
        try:
            yield lambda names: connection.fetch(self.statement, names)
        finally:
            await connection.close()

    async def read_all(self) -> Counter[str]:
        """Return every text that is offered, with how often."""
        async with self.opened() as read:
            return Counter(text for _, text in await read(None))


def _texts(pieces: Sequence[Piece]) -> Counter[str]:
    return Counter(piece.text for piece in pieces)
