"""Public questions whose documents disagree, as sources of a real store, and which conflicts are found."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

from casework.turnfiles import find_shared
from verifier.core.conflict_finding import find_conflicts
from verifier.core.conflict_finding_reading import SourceText
from verifier.core.documents import Document, SourceKey
from verifier.ingest.requests import IngestRequest
from verifier.service import open_verifier

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from verifier.core.ports import Embedder

_UNKNOWN: Final = "unknown"
_MISINFORMING: Final = "misinfo"
_YEAR: Final = re.compile(r"\b(?:1[0-9]|20)\d\d\b")
_AT_ONCE: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A document of a question: what it answers, and whether it was made to misinform."""

    key: str
    text: str
    type: str
    answer: str


def read_halves() -> Mapping[str, tuple[tuple[Told, ...], ...]]:
    """Return the documents by question, of the first half of the file and of the second."""
    path = find_shared("ramdocs") / "ramdocs_first250.jsonl"
    lines = path.read_text("utf-8").splitlines()
    questions = tuple(
        tuple(
            Told(
                key=f"{number:03}/{place:02}",
                text=one["text"],
                type=one["type"],
                answer=one["answer"],
            )
            for place, one in enumerate(json.loads(line)["documents"])
        )
        for number, line in enumerate(lines)
    )
    middle = len(questions) // 2
    return {"first": questions[:middle], "second": questions[middle:]}


def list_true_pairs(questions: Sequence[Sequence[Told]]) -> dict[tuple[str, str], str]:
    """Return the pairs of documents that are in conflict, with the kind of what they differ in.

    Both answer the same question otherwise, and at least one was made to misinform. Two right answers that
    differ are of two things of one name, which is no conflict; documents without an answer are in none.
    """
    return {
        (one.key, other.key): _kind_of(one.answer, other.answer)
        for documents in questions
        for one, other in combinations(documents, 2)
        if _MISINFORMING in {one.type, other.type}
        and _UNKNOWN not in {one.answer, other.answer}
        and _fold(one.answer) != _fold(other.answer)
    }


def _kind_of(one: str, other: str) -> str:
    if all(_YEAR.search(answer) for answer in (one, other)):
        return "date"
    return "number" if all(re.search(r"\d", answer) for answer in (one, other)) else "name or text"


def _fold(answer: str) -> str:
    return " ".join(re.findall(r"\w+", answer.casefold()))


async def measure(
    folder: Path, embedder: Embedder, say: Callable[[str], None]
) -> dict[str, object]:
    """Return precision and recall by kind, of either half of the questions, from a store of its own."""
    figures: dict[str, object] = {}
    for half, questions in read_halves().items():
        documents = [one for each in questions for one in each]
        async with open_verifier(data_dir=folder, tenant=half, embedder=embedder) as store:
            say(f"{half} half: {len(documents)} documents are ingested")
            await store.ingest_requests(
                IngestRequest(document=Document(key=SourceKey(one.key), text=one.text))
                for one in documents
            )
            begun = time.monotonic()
            summary = await store.conflicts.find()
            say(f"{half} half: found in {time.monotonic() - begun:.1f} s")
            again = await store.conflicts.find()
            listed = (await store.conflicts.list(limit=_AT_ONCE)).conflicts
        found = {
            (one.side.source, one.other.source): one.side.words or ""
            for one in listed
            if one.other is not None
        }
        figures[half] = {
            "documents": len(documents),
            "chunks": summary.texts,
            "added_again": len(again.added),
            **_judge(found, list_true_pairs(questions)),
        }
    return figures


def _judge(
    found: Mapping[tuple[str, str], str], true: Mapping[tuple[str, str], str]
) -> dict[str, object]:
    right = [pair for pair in found if pair in true]
    there, seen = Counter(true.values()), Counter(true[pair] for pair in right)
    return {
        "found_pairs": len(found),
        "right": len(right),
        "precision": round(len(right) / len(found), 3) if found else None,
        "recall": round(len(right) / len(true), 3),
        "by_kind": {
            kind: {
                "there": there[kind],
                "found": seen[kind],
                "recall": round(seen[kind] / there[kind], 3),
            }
            for kind in sorted(there)
        },
        "wrong": sorted(
            f"{one} {other}: {found[one, other]}" for one, other in found.keys() - true.keys()
        ),
    }


def time_scale(sizes: Sequence[int]) -> dict[int, float]:
    """Return the seconds that finding takes among so many chunks, public texts with a number each."""
    documents = [one.text for half in read_halves().values() for each in half for one in each]
    taken = {}
    for size in sizes:
        texts = [
            SourceText(
                source=str(number),
                seq=1,
                start=0,
                text=f"Item K{number}. {documents[number % len(documents)]}",
            )
            for number in range(size)
        ]
        begun = time.monotonic()
        find_conflicts(texts)
        taken[size] = round(time.monotonic() - begun, 1)
    return taken
