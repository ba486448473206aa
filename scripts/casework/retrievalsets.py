"""Public sets of questions whose right texts are known, and the plain BM25 to compare with."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from casework.turnfiles import find_shared

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question and the keys of the texts that answer it."""

    text: str
    right: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSet:
    """Texts by key in one language, and the questions put to them."""

    name: str
    corpus: str
    language: str
    texts: Mapping[str, str]
    questions: tuple[Question, ...]


def read_sets() -> tuple[RetrievalSet, ...]:
    """Return documentation, and paragraphs in English and German, the former asked in German too."""
    docs = find_shared("docs-retrieval")
    xquad = find_shared("xquad")
    english, german = _read_squad(xquad / "xquad.en.json"), _read_squad(xquad / "xquad.de.json")
    return (
        _read_docs(docs),
        RetrievalSet(
            name="xquad en", corpus="en", language="en", texts=english[0], questions=english[1]
        ),
        RetrievalSet(
            name="xquad de", corpus="de", language="de", texts=german[0], questions=german[1]
        ),
        RetrievalSet(
            name="xquad de→en", corpus="en", language="en", texts=english[0], questions=german[1]
        ),
    )


def _read_docs(folder: Path) -> RetrievalSet:
    chunks = json.loads((folder / "anthropic_docs.json").read_text(encoding="utf-8"))
    asked = json.loads((folder / "docs_evaluation_dataset.json").read_text(encoding="utf-8"))
    return RetrievalSet(
        name="docs-retrieval",
        corpus="docs",
        language="en",
        texts={chunk["chunk_link"]: chunk["text"] for chunk in chunks},
        questions=tuple(
            Question(text=one["question"], right=frozenset(one["correct_chunks"])) for one in asked
        ),
    )


def _read_squad(path: Path) -> tuple[dict[str, str], tuple[Question, ...]]:
    paragraphs = [
        paragraph
        for article in json.loads(path.read_text(encoding="utf-8"))["data"]
        for paragraph in article["paragraphs"]
    ]
    texts = {f"p{number:03}": one["context"] for number, one in enumerate(paragraphs)}
    questions = tuple(
        Question(text=asked["question"], right=frozenset({key}))
        for key, one in zip(texts, paragraphs, strict=True)
        for asked in one["qas"]
    )
    return texts, questions


def rank_plainly(texts: Mapping[str, str], questions: Sequence[Question]) -> list[list[str]]:
    """Return for each question the ten texts that BM25 puts first (k1 = 1.5, b = 0.75, as rank_bm25 does).

    Words are runs of letters and digits in lower case: no stop words, no stems, whole texts.
    """
    counts = {key: Counter(WORD.findall(text.lower())) for key, text in texts.items()}
    holding = Counter(word for words in counts.values() for word in words)
    mean = sum(words.total() for words in counts.values()) / len(counts)
    ranked = []
    for question in questions:
        weights = dict.fromkeys(texts, 0.0)
        for word in WORD.findall(question.text.lower()):
            worth = math.log(1 + (len(texts) - holding[word] + 0.5) / (holding[word] + 0.5))
            for key, words in counts.items():
                if times := words[word]:
                    length = 1.5 * (0.25 + 0.75 * words.total() / mean)
                    weights[key] += worth * times * 2.5 / (times + length)
        ranked.append(sorted(weights, key=lambda key: -weights[key])[:10])
    return ranked


def recall_at_5(ranked: Sequence[str], right: frozenset[str]) -> float:
    """Return the share of the right texts that are among the first five."""
    return len(right.intersection(ranked[:5])) / len(right)


def gain_at_10(ranked: Sequence[str], right: frozenset[str]) -> float:
    """Return nDCG@10 with one grade of right: Järvelin and Kekäläinen, 2002."""
    gained = sum(1 / math.log2(place + 2) for place, key in enumerate(ranked[:10]) if key in right)
    return gained / sum(1 / math.log2(place + 2) for place in range(min(10, len(right))))
