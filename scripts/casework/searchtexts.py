"""Real sentences and questions, and the packaged model's vectors of them."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from casework.turnfiles import find_shared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from verifier.core.ports import Embedder
    from verifier.core.spaces import EmbeddingSpace

Matrix: TypeAlias = NDArray[np.float32]

_OF_EACH_SET: Final = 600
_QUERIES_OF_EACH_SET: Final = 100
_PART: Final = 200
_SHORTEST, _LONGEST = 30, 300


async def embed_texts(say: Callable[[str], None]) -> tuple[EmbeddingSpace, Matrix, Matrix]:
    """Return the packaged model's space, its vectors of real sentences, and those of real questions.

    What was embedded once is read from the user's cache folder.
    """
    from verifier.inference.embedder import SentenceTransformerEmbedder

    embedder = SentenceTransformerEmbedder()
    sentences = await _embed(embedder, list_sentences(), say)
    return embedder.space, sentences, await _embed(embedder, list_questions(), say)


def list_sentences() -> list[str]:
    """Return sentences of six public sets, of each as many at most, chosen by hash; none twice."""
    from verifier.core.sentences import split_sentences

    chosen: dict[str, None] = {}
    for texts in (_articles(), _pages(), _policies(), _summarised(), _searched(), _cited()):
        parts = (" ".join(part.text.split()) for text in texts for part in split_sentences(text))
        fit = {part for part in parts if _SHORTEST <= len(part) <= _LONGEST}
        chosen |= dict.fromkeys(_choose(fit - chosen.keys(), _OF_EACH_SET))
    return list(chosen)


def list_questions() -> list[str]:
    """Return questions that people put to those encyclopedia articles and documentation pages."""
    asked = json.loads((find_shared("docs-retrieval") / "docs_evaluation_dataset.json").read_text())
    articles = {one["question"] for part in _paragraphs() for one in part["qas"]}
    pages = {one["question"] for one in asked}
    return [*_choose(articles, _QUERIES_OF_EACH_SET), *_choose(pages, _QUERIES_OF_EACH_SET)]


def _choose(texts: set[str], most: int) -> list[str]:
    return sorted(texts, key=lambda text: hashlib.sha256(text.encode()).digest())[:most]


def _paragraphs() -> Iterator[dict[str, list[dict[str, str]]]]:
    for article in json.loads((find_shared("xquad") / "xquad.en.json").read_text())["data"]:
        yield from article["paragraphs"]


def _articles() -> Iterator[str]:
    return (str(paragraph["context"]) for paragraph in _paragraphs())


def _pages() -> Iterator[str]:
    for page in json.loads((find_shared("docs-retrieval") / "anthropic_docs.json").read_text()):
        yield page["text"]


def _policies() -> Iterator[str]:
    for page in sorted(find_shared("policies").glob("*/")):
        yield max(page.glob("*.md")).read_text()


def _summarised() -> Iterator[str]:
    for path in sorted(find_shared("summedits").glob("*.json")):
        yield from dict.fromkeys(one["doc"] for one in json.loads(path.read_text()))


def _searched() -> Iterator[str]:
    lines = (find_shared("ramdocs") / "ramdocs_first250.jsonl").read_text().splitlines()
    for line in lines:
        yield from (document["text"] for document in json.loads(line)["documents"])


def _cited() -> Iterator[str]:
    for line in (find_shared("wice") / "dev.jsonl").read_text().splitlines():
        yield "\n\n".join(json.loads(line)["evidence"])


async def _embed(embedder: Embedder, texts: Sequence[str], say: Callable[[str], None]) -> Matrix:
    """Return their vectors, by parts, so that a run cut short is gone on with."""
    parts: list[Matrix] = []
    for start in range(0, len(texts), _PART):
        part = texts[start : start + _PART]
        told = json.dumps([str(embedder.space), *part]).encode()
        kept = _cache_folder() / f"vectors-{hashlib.sha256(told).hexdigest()[:32]}.npy"
        if not kept.exists():
            say(f"embedding real texts, once: {start:,} of {len(texts):,}")
            _keep(kept, await embedder.embed_documents(part))
        parts.append(np.load(kept))
    return np.concatenate(parts)


def _keep(path: Path, vectors: Matrix) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    begun = path.with_suffix(f".{os.getpid()}.npy")
    np.save(begun, vectors)
    begun.replace(path)


def _cache_folder() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return cache / "grounding-verifier" / "bench-search"
