"""Cases of derived values, read from the table and from texts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.core.derivation import Cues, Operand, find_cues
from verifier.core.quantities import extract_quantities
from verifier.core.spans import Span
from verifier.core.values import Interval, Kind, Quantity

if TYPE_CHECKING:
    from fractions import Fraction

TABLE = Path(__file__).parents[2] / "data" / "derivations.jsonl"
CASES: list[dict[str, Any]] = [
    json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCase:
    claimed: Quantity
    cues: Cues
    operands: tuple[Operand, ...]
    now: datetime | None


def quantity(text: str, *, currency: str | None = None) -> Quantity:
    (mention,) = extract_quantities(text, default_currency=currency)
    assert isinstance(mention.value, Quantity)
    return mention.value


def money(number: Fraction, currency: str = "USD") -> Quantity:
    point = Interval.point(number)
    return Quantity(kind=Kind.MONEY, interval=point, text=str(number), currency=currency, places=2)


def cues_at(sentence: str, written: str) -> Cues:
    start = sentence.index(written)
    return find_cues(sentence, Span(start, start + len(written)))


def read_case(case: dict[str, Any]) -> ReadCase:
    currency, sentence = case.get("currency"), case["sentence"]
    now = datetime.fromisoformat(case["now"]) if "now" in case else None
    start = sentence.index(case["value"])
    wanted = Span(start, start + len(case["value"]))
    mention = next(
        mention
        for mention in extract_quantities(sentence, default_currency=currency, now=now)
        if mention.span.overlaps(wanted)
    )
    assert isinstance(mention.value, Quantity)
    return ReadCase(
        claimed=mention.value,
        cues=find_cues(sentence, mention.span),
        operands=tuple(read_operand(told, currency) for told in case["operands"]),
        now=now,
    )


def read_operand(told: str | dict[str, Any], currency: str | None) -> Operand:
    told = {"text": told} if isinstance(told, str) else told
    return Operand(
        value=quantity(told["text"], currency=currency),
        group=told.get("group"),
        period=told.get("period"),
        is_subject=told.get("subject", False),
    )
