"""Puts public questions to a real store in each mode, and measures how well each finds the right texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from casework.retrievalsets import gain_at_10, rank_plainly, read_sets, recall_at_5
from verifier.core.documents import Document, SourceKey
from verifier.ingest.requests import IngestRequest
from verifier.service import open_verifier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from casework.retrievalsets import Question, RetrievalSet
    from verifier.core.documents import SearchHit
    from verifier.core.ports import Embedder, Reranker
    from verifier.core.spaces import EmbeddingSpace
    from verifier.service import Verifier

MODES: Final = ("words", "vector", "hybrid")
FACTORS: Final = (1, 2, 3, 4, 5, 6, 8)
RERANKED: Final = "hybrid, reranked"
RERANK: Final = 50
"""How many first hits are put in the reranker's order."""
_FUSED_HITS: Final = 200


@dataclass(slots=True)
class RememberingEmbedder:
    """Embeds with another embedder, each query once a run."""

    inner: Embedder
    vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    @property
    def space(self) -> EmbeddingSpace:
        """The space of the other embedder."""
        return self.inner.space

    @property
    def token_limit(self) -> int:
        """That of the other embedder."""
        return self.inner.token_limit

    def count_tokens(self, text: str) -> int:
        """Return what the other embedder counts."""
        return self.inner.count_tokens(text)

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the other embedder's vectors."""
        return await self.inner.embed_documents(texts)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the other embedder's vector, asked for once."""
        if text not in self.vectors:
            self.vectors[text] = await self.inner.embed_query(text)
        return self.vectors[text]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Means over questions, each in [0, 1]."""

    recall_at_5: float
    ndcg_at_10: float

    def to_json(self) -> dict[str, float]:
        """Return both figures, rounded."""
        return {"recall_at_5": round(self.recall_at_5, 4), "ndcg_at_10": round(self.ndcg_at_10, 4)}

    def exceeds(self, other: Quality) -> bool:
        """Return whether both figures are above those of `other`."""
        return self.recall_at_5 > other.recall_at_5 and self.ndcg_at_10 > other.ndcg_at_10


def judge(ranked: Sequence[Sequence[str]], questions: Sequence[Question]) -> Quality:
    """Return the quality of the keys that were found for each question."""
    pairs = list(zip(ranked, questions, strict=True))
    return Quality(
        recall_at_5=sum(recall_at_5(keys, one.right) for keys, one in pairs) / len(pairs),
        ndcg_at_10=sum(gain_at_10(keys, one.right) for keys, one in pairs) / len(pairs),
    )


async def measure(
    folder: Path,
    embedder: Embedder,
    *,
    reranker: Reranker | None = None,
    most: int | None,
    factors: bool,
    say: Callable[[str], None],
) -> dict[str, dict[str, object]]:
    """Return, by set, the quality of plain BM25 and of each mode, and whether hybrid exceeds them all.

    With a reranker also that of hybrid's first hits in its order.
    """
    remembering = RememberingEmbedder(embedder)
    figures = {}
    for one in read_sets():
        async with open_verifier(
            data_dir=folder, tenant=one.corpus, embedder=remembering, reranker=reranker
        ) as store:
            await _fill(store, one, say)
            reranks = reranker is not None
            figures[one.name] = await _measure_set(store, one, most, say, reranks=reranks)
            if factors:
                say(f"{one.name}: other factors")
                figures[one.name]["factors"] = await _try_factors(store, _sample(one, most))
    return figures


async def _fill(store: Verifier, one: RetrievalSet, say: Callable[[str], None]) -> None:
    requests = [
        IngestRequest(
            document=Document(key=SourceKey(key), text=text), metadata={"language": one.language}
        )
        for key, text in one.texts.items()
    ]
    say(f"{one.name}: ingesting {len(requests)} texts")
    summary = await store.ingest_requests(
        requests,
        on_progress=lambda p: (
            say(f"{one.name}: {p.embedded} of {p.to_embed} passages embedded")
            if p.embedded
            else None
        ),
    )
    if summary.failed:
        raise RuntimeError(f"{summary.failed[0].key} was not ingested: {summary.failed[0].error}")


def _sample(one: RetrievalSet, most: int | None) -> Sequence[Question]:
    every = 1 if most is None else max(1, len(one.questions) // most)
    return one.questions[::every][:most]


async def _measure_set(
    store: Verifier,
    one: RetrievalSet,
    most: int | None,
    say: Callable[[str], None],
    *,
    reranks: bool,
) -> dict[str, object]:
    questions = _sample(one, most)
    found = {"plain BM25": rank_plainly(one.texts, questions)}
    for mode in MODES:
        say(f"{one.name}: {len(questions)} questions by {mode}")
        found[mode] = [
            await _find(store, question.text, mode=mode, k=10, per_source=1)
            for question in questions
        ]
    if reranks:
        say(f"{one.name}: {len(questions)} questions by hybrid, reranked")
        found[RERANKED] = [
            await _find(store, question.text, mode="hybrid", k=10, per_source=1, rerank=RERANK)
            for question in questions
        ]
    quality = {name: judge(ranked, questions) for name, ranked in found.items()}
    return {
        "questions": len(questions),
        "texts": len(one.texts),
        **{name: each.to_json() for name, each in quality.items()},
        "halves": {
            half: {name: judge(r[at::2], questions[at::2]).to_json() for name, r in found.items()}
            for at, half in enumerate(("even", "odd"))
        },
        "met": all(
            quality["hybrid"].exceeds(each)
            for name, each in quality.items()
            if name not in ("hybrid", RERANKED)
        ),
    }


async def _find(
    store: Verifier, text: str, *, mode: str, k: int, per_source: int, rerank: int | None = None
) -> list[str]:
    found = await store.semantic_search(text, mode=mode, k=k, per_source=per_source, rerank=rerank)
    return [hit.source for hit in found.hits]


async def _try_factors(
    store: Verifier, questions: Sequence[Question]
) -> Mapping[str, Mapping[str, object]]:
    """Return what other factors of coverage would make of the two lists, by halves of the questions."""
    found = [
        (await store.semantic_search(one.text, mode="hybrid", k=_FUSED_HITS)).hits
        for one in questions
    ]
    figures: dict[str, Mapping[str, object]] = {}
    for name, strength in {
        "reciprocal rank alone": 0,
        **{str(each): each for each in FACTORS},
    }.items():
        ranked = [_order(hits, strength) for hits in found]
        figures[name] = {
            half: judge(ranked[at::2], questions[at::2]).to_json()
            for at, half in enumerate(("even", "odd"))
        }
    return figures


def _order(hits: Iterable[SearchHit], factor: int) -> list[str]:
    """Return the sources by their best hit; a factor of 0 is reciprocal rank without strengths."""
    ordered = sorted(hits, key=lambda hit: -_fuse(hit, factor))
    return list(dict.fromkeys(hit.source for hit in ordered))


def _fuse(hit: SearchHit, factor: int) -> float:
    vector = 0.0 if hit.vector_rank is None else 1 / (60 + hit.vector_rank)
    words = 0.0 if hit.words_rank is None else 1 / (60 + hit.words_rank)
    if not factor:
        return vector + words
    return max(hit.similarity or 0.0, 0.0) * vector + factor * (hit.coverage or 0.0) * words
