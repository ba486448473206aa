"""The corpus: texts with vectors mixed from those of real sentences, and a second one of which 1% changes."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sys
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from storebench.serving import GROUPS, Piece

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

ROOT: Final = Path(__file__).resolve().parents[2]
CHUNKS_A_DOCUMENT: Final = 10
QUERIES: Final = 400
CHANGED_SHARE: Final = 0.01
_PAGES: Final = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")
_TABLES: Final = ("sentences.jsonl", "rules_in_prose.jsonl", "cited_supported.jsonl")
_NOISE: Final = 0.35
"""Length of what is added to a mix of two sentences' directions, so that no two vectors are equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large a corpus is: `chunks` to be written and searched, `documents` to be ingested again."""

    chunks: int
    documents: int
    sentences: int
    seed: int


def make_corpus(folder: Path, cache: Path, size: Size) -> None:
    """Write the corpus into `folder`, the vectors of its sentences once into `cache`."""
    rng = np.random.default_rng(size.seed)
    sentences, base = embed_sentences(cache, size.sentences)
    vectors: list[NDArray[np.float32]] = []

    def piece(document: str, group: int, note: str) -> Piece:
        one, other = rng.integers(len(sentences), size=2)
        share = rng.uniform(0.5, 1.0)
        vectors.append(_mix(rng, share * base[one] + (1 - share) * base[other]))
        text = f"{sentences[one]} {sentences[other]} ({note})"
        return Piece(document=document, group=group, text=text, row=len(vectors) - 1)

    first = [
        piece(f"doc-{at // CHUNKS_A_DOCUMENT}", at // CHUNKS_A_DOCUMENT % GROUPS, f"chunk {at}")
        for at in range(size.chunks)
    ]
    before = [
        [piece(f"page-{n}", n % GROUPS, f"page {n}, part {at}") for at in range(CHUNKS_A_DOCUMENT)]
        for n in range(size.documents)
    ]
    after = [list(pieces) for pieces in before]
    changed = rng.permutation(size.documents)[: max(int(size.documents * CHANGED_SHARE), 1)]
    for kind, number in enumerate(changed):
        after[number] = _change(kind % 3, after[number], piece)
    queries = [_mix(rng, base[rng.integers(len(sentences))]) for _ in range(QUERIES)]
    for name, pieces in (("first", first), ("before", chain(*before)), ("after", chain(*after))):
        _write(folder / f"{name}.jsonl", pieces)
    np.save(folder / "vectors.npy", np.stack(vectors))
    np.save(folder / "queries.npy", np.stack(queries))


def _change(kind: int, pieces: list[Piece], piece) -> list[Piece]:  # noqa: ANN001 -- the maker of pieces
    """Return a changed document: one part says something else, or it lost its end, or gained a beginning."""
    name, group = pieces[0].document, pieces[0].group
    if kind == 0:
        return [*pieces[:3], piece(name, group, f"{name}, part 3 anew"), *pieces[4:]]
    if kind == 1:
        return pieces[:-2]
    return [piece(name, group, f"{name}, a new beginning"), *pieces]


def _mix(rng: np.random.Generator, direction: NDArray[np.float32]) -> NDArray[np.float32]:
    noise = rng.normal(size=direction.shape)
    mixed = direction / np.linalg.norm(direction) + _NOISE * noise / np.linalg.norm(noise)
    unit: NDArray[np.float32] = (mixed / np.linalg.norm(mixed)).astype(np.float32)
    return unit


def embed_sentences(cache: Path, most: int) -> tuple[list[str], NDArray[np.float32]]:
    """Return up to `most` real sentences and the default model's vectors of them, kept in `cache`."""
    sentences = list(dict.fromkeys(_find_sentences()))[:most]
    told = hashlib.sha256("\n".join(sentences).encode()).hexdigest()[:16]
    path = cache / f"sentences-{told}.npy"
    if not path.exists():
        from verifier.inference.embedder import SentenceTransformerEmbedder

        print(f"embedding {len(sentences)} sentences (once)", file=sys.stderr, flush=True)
        made = asyncio.run(SentenceTransformerEmbedder().embed_documents(sentences))
        cache.mkdir(parents=True, exist_ok=True)
        np.save(path, made)
    return sentences, np.load(path)


def _find_sentences() -> Iterator[str]:
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in _PAGES]
    for name in _TABLES:
        lines = (ROOT / "tests" / "data" / name).read_text(encoding="utf-8").splitlines()
        for line in lines:
            texts += _find_texts(json.loads(line))
    for text in texts:
        for sentence in re.split(r"(?<=[.!?])\s+|\n+", text):
            plain = " ".join(sentence.split())
            if 30 <= len(plain) <= 300:
                yield plain


def _find_texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for member in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from _find_texts(member)


def _write(path: Path, pieces: Iterable[Piece]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(piece)) + "\n" for piece in pieces)
