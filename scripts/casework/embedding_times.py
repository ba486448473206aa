"""Ways of embedding the same texts, timed in turns."""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tests.integration.policy_pages import find_manifest, read_pages
from verifier.core.chunking import chunk_document
from verifier.core.spaces import DEFAULT_MODEL
from verifier.inference.backends import make_embedder
from verifier.inference.encoders import load_torch
from verifier.inference.model_folder import find_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

QUERIES: Final = 60
QUERY: Final = "how long do I have to cancel and get a refund, version {}"


@dataclass(slots=True, kw_only=True)
class Way:
    """One way: the seconds of each run, and what its vectors and queries are."""

    seconds: list[float] = field(default_factory=list)
    query_ms: float = 0.0
    least_cosine: float = 1.0


def collect_texts(count: int, *, seed: int) -> list[tuple[str, int]]:
    """Return `count` chunks with their tokens: those of all versions, shuffled, repetitions included."""
    embedder = make_embedder(DEFAULT_MODEL, "torch", cache=find_manifest().parent)
    texts: list[str] = []
    requests = list(read_pages(find_manifest()))
    rng = random.Random(seed)  # noqa: S311 -- a measurement, repeated by its seed
    rng.shuffle(requests)
    for request in requests:
        chunks = chunk_document(
            request.document, count_tokens=embedder.count_tokens, token_limit=embedder.token_limit
        )
        texts += [chunk.embedded_input for chunk in chunks]
        if len(texts) >= count:
            break
    del texts[count:]
    rng.shuffle(texts)
    return [(text, embedder.count_tokens(text)) for text in texts]


def time_ways(texts: Sequence[str], cache: Path, *, runs: int) -> dict[str, Way]:
    """Return the ways by name, `plain` first, after loading each and embedding one text."""
    model = load_torch(find_model(DEFAULT_MODEL)).model
    by_torch = make_embedder(DEFAULT_MODEL, "torch", cache=cache)
    by_onnx = make_embedder(DEFAULT_MODEL, "onnx", cache=cache)

    def plain(given: Sequence[str]) -> NDArray[np.float32]:
        return model.encode(list(given), normalize_embeddings=True, show_progress_bar=False)

    ways: dict[str, Callable[[Sequence[str]], NDArray[np.float32]]] = {
        "plain": plain,
        "torch, sorted, each once": lambda given: asyncio.run(by_torch.embed_documents(given)),
        "onnx, sorted, each once": lambda given: asyncio.run(by_onnx.embed_documents(given)),
    }
    told = {name: Way() for name in ways}
    for embed in ways.values():
        embed(texts[:1])
    vectors: dict[str, NDArray[np.float32]] = {}
    for _ in range(runs):
        for name, embed in ways.items():
            begun = time.perf_counter()
            vectors[name] = embed(texts)
            told[name].seconds.append(time.perf_counter() - begun)
    for name, embed in ways.items():
        told[name].query_ms = 1_000 * statistics.median(
            _time_query(embed, n) for n in range(QUERIES)
        )
        told[name].least_cosine = float((vectors[name] * vectors["plain"]).sum(axis=1).min())
    return told


def _time_query(embed: Callable[[Sequence[str]], object], number: int) -> float:
    begun = time.perf_counter()
    embed([QUERY.format(number)])
    return time.perf_counter() - begun
