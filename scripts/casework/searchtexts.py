"""Vectors of real texts, and many more that lie as they do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from casework.turnfiles import find_shared

if TYPE_CHECKING:
    from verifier.core.spaces import EmbeddingSpace

Matrix: TypeAlias = NDArray[np.float32]
Halves: TypeAlias = NDArray[np.float16]

BATCH: Final = 20_000
_TEXTS: Final = 600
_QUERIES: Final = 60


async def embed_texts() -> tuple[EmbeddingSpace, Matrix, Matrix]:
    """Return the packaged model's space, its vectors of real sentences, and those of real questions."""
    from verifier.core.sentences import split_sentences
    from verifier.inference.embedder import SentenceTransformerEmbedder

    articles = json.loads((find_shared("xquad") / "xquad.en.json").read_text())["data"]
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    texts = [paragraph["context"] for paragraph in paragraphs]
    pages = json.loads((find_shared("docs-retrieval") / "anthropic_docs.json").read_text())
    texts += [page["text"] for page in pages]
    sentences = dict.fromkeys(s.text.strip() for text in texts for s in split_sentences(text))
    chosen = [text for text in sentences if 30 < len(text) < 300][:_TEXTS]
    questions = [answer["question"] for paragraph in paragraphs for answer in paragraph["qas"]]
    asked = questions[:: len(questions) // _QUERIES][:_QUERIES]
    embedder = SentenceTransformerEmbedder()
    vectors = await embedder.embed_documents([*chosen, *asked])
    return embedder.space, vectors[: len(chosen)], vectors[len(chosen) :]


def mix(bases: Matrix, count: int, random: np.random.Generator) -> Halves:
    """Return vectors between two real ones each, nearer to the first, and moved a little."""
    made = np.empty((count, bases.shape[1]), np.float16)
    for start in range(0, count, BATCH):
        size = min(BATCH, count - start)
        one, other = random.integers(0, len(bases), (2, size))
        share = random.uniform(0.6, 1.0, (size, 1)).astype(np.float32)
        made[start : start + size] = jitter(
            bases[one] * share + bases[other] * (1 - share), 0.2, random
        )
    return made


def jitter(vectors: NDArray[np.floating], strength: float, random: np.random.Generator) -> Halves:
    """Return unit vectors beside the given ones; `strength` is the length of what is added to each."""
    made = np.empty(vectors.shape, np.float16)
    for start in range(0, len(vectors), BATCH):
        part = vectors[start : start + BATCH].astype(np.float32)
        noise = random.standard_normal(part.shape, np.float32) * (strength / part.shape[1] ** 0.5)
        moved = part / np.linalg.norm(part, axis=1, keepdims=True) + noise
        made[start : start + BATCH] = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    return made
