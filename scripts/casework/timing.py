"""Answers and turns of a given size, and how long verifying them takes by the wall and by the processor."""

from __future__ import annotations

import gc
import json
import random
import time
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from casework.engine import verify
from verifier.core.turn_file import read_turn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.core.turns import Turn

ANSWER_BYTES: Final = 1_024
EVIDENCE_BYTES: Final = 6_144
_TOLD: Final = 12
_NAMES: Final = ("lamp", "vase", "mug", "desk", "throw", "chair", "shelf", "clock", "rug", "mirror")
_MATERIALS: Final = ("Oak", "Copper", "Linen", "Marble", "Walnut", "Steel", "Cork", "Wool")
_STATES: Final = ("pending", "shipped", "delivered", "cancelled")
_RULES: Final = (
    ("Returns", "Unused goods may be returned within {0} days of delivery."),
    ("Refunds", "A refund is paid within {0} business days of receipt."),
    ("Shipping", "Standard delivery takes {0} days and costs {1}.90 EUR."),
    ("Warranty", "The warranty for furniture lasts {0} months."),
    ("Orders", "An order can be changed until {0} hours after it was placed."),
    ("Storage", "Oils must be stored between {0} and 4{1} °C in a dry place."),
)
_FILLER: Final = (
    " Our staff will gladly answer questions about this by telephone or in the shop.",
    " Exceptions are decided by the manager of the branch where the goods were bought.",
    " Goods that were made to measure are not part of this rule.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One answer and its turn."""

    answer: str
    turn: Turn
    answer_bytes: int
    evidence_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Percentiles of many runs, in milliseconds."""

    runs: int
    wall_p50: float
    wall_p99: float
    processor_p50: float
    processor_p99: float


def make_sample(seed: int, *, calls: int | None = None) -> Sample:
    """Return an answer of about 1 KB against about 6 KB of records and text, or against so many results.

    Half of the evidence are tool results, half documents that the answer cites; one count in eight is
    false, so that no run is only about what agrees. Against any number of results the answer is the same.
    """
    results = _make_results(_rng(seed, "results"), calls)
    documents = _make_documents(_rng(seed, "documents"))
    told = results[:_TOLD] if calls is None else _make_results(_rng(seed, "results"), _TOLD)
    answer = _write_answer(_rng(seed, "answer"), told, documents)
    listed = [
        {"id": f"c{at}", "tool": "get_record", "arguments": {}, "result": result}
        for at, result in enumerate(results, 1)
    ]
    turn = read_turn({"calls": listed, "documents": documents, "default_currency": "EUR"}).turn
    texts = [json.dumps(result, default=str) for result in results] + list(documents.values())
    return Sample(
        answer=answer,
        turn=turn,
        answer_bytes=len(answer.encode()),
        evidence_bytes=sum(len(text.encode()) for text in texts),
    )


def _rng(seed: int, part: str) -> random.Random:
    return random.Random(f"{seed}:{part}")  # noqa: S311 -- a measurement, repeated by its seed


def _make_results(rng: random.Random, calls: int | None) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = []
    size = 0
    while len(results) < calls if calls is not None else size < EVIDENCE_BYTES // 2:
        number = 1_000 + 7 * len(results)
        product = {
            "id": f"P-{number}",
            "name": f"{_MATERIALS[number % 8]} {_NAMES[number % 10]} {number}",
            "price": Decimal(rng.randint(500, 99_999)) / 100,
            "currency": "EUR",
            "stock": rng.randint(0, 80),
            "weight_kg": Decimal(rng.randint(2, 400)) / 10,
        }
        order = {
            "order_id": f"W{7_000_000 + 13 * number}",
            "status": rng.choice(_STATES),
            "total": Decimal(rng.randint(2_000, 199_999)) / 100,
            "currency": "EUR",
            "ordered_on": f"2026-0{rng.randint(1, 9)}-{rng.randint(10, 28)}",
            "product": product,
        }
        results.append(order)
        size += len(json.dumps(order, default=str))
    return results


def _make_documents(rng: random.Random) -> dict[str, str]:
    documents: dict[str, str] = {}
    budget = EVIDENCE_BYTES // 2 // len(_RULES)
    for title, rule in _RULES:
        text = f"# {title}\n\n{rule.format(rng.randint(3, 60), rng.randint(1, 9))}"
        while len(text.encode()) < budget - 40:
            text += rng.choice(_FILLER)
        documents[title.lower()] = text
    return documents


def _write_answer(
    rng: random.Random, results: list[dict[str, Any]], documents: dict[str, str]
) -> str:
    sentences = [_of_document(label, text) for label, text in documents.items()]
    for order in results:
        product = order["product"]
        sentences += [
            f"The {product['name']} costs {product['price']:.2f} EUR and weighs {product['weight_kg']} kg.",
            f"Order {order['order_id']} is {order['status']}; its total is {order['total']:.2f} EUR.",
            f"There are {product['stock'] + (rng.random() < 1 / 8)} pieces of {product['name']} left.",
        ]
    head, rest = sentences[:4], sentences[4:]
    rng.shuffle(rest)
    answer = "Thank you for waiting. Here is what I found."
    for sentence in (*head, *rest):
        if len(answer.encode()) + len(sentence.encode()) + 1 <= ANSWER_BYTES:
            answer += (" " if rng.random() < 0.7 else "\n- ") + sentence
    return answer


def _of_document(label: str, text: str) -> str:
    rule = text.split("\n\n", 1)[1].split(". ", 1)[0].rstrip(".")
    return f"{rule} [{label}]."


def take_times(samples: Iterable[Sample], *, repeats: int = 1) -> Times:
    """Return the percentiles over all samples; of each the best of `repeats` runs."""
    wall: list[float] = []
    processor: list[float] = []
    gc.collect()
    for sample in samples:
        best = min(_take_one(sample) for _ in range(repeats))
        wall.append(best[0] * 1_000)
        processor.append(best[1] * 1_000)
    return Times(
        runs=len(wall),
        wall_p50=percentile(wall, 50),
        wall_p99=percentile(wall, 99),
        processor_p50=percentile(processor, 50),
        processor_p99=percentile(processor, 99),
    )


def _take_one(sample: Sample) -> tuple[float, float]:
    begun, worked = time.perf_counter(), time.process_time()
    verify(sample.answer, sample.turn)
    return time.perf_counter() - begun, time.process_time() - worked


def percentile(values: list[float], share: int) -> float:
    """Return the smallest value that so many percent of the values do not exceed."""
    ranked = sorted(values)
    return ranked[max(0, -(-len(ranked) * share // 100) - 1)]
