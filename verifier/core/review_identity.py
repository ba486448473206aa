"""What makes two questions to a reviewer the same one: what a claim states, and the evidence it rests on."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from verifier.core.citations import read_stated
from verifier.core.evidence import LedgerLocator, RowLocator, SpanLocator
from verifier.core.text_normal import normal_form

if TYPE_CHECKING:
    from verifier.core.claims import Claim
    from verifier.core.evidence import Evidence
    from verifier.core.report import JudgedClaim


def hash_claim(claim: Claim) -> bytes:
    """Return the SHA-256 of what a claim states: its normal form without citations, and what it leaves above.

    Typography, letter case and the numbers of its citations make no other claim of it.
    """
    stated = read_stated(claim.text, claim.citations, claim.span.start)
    return _hash(
        [
            claim.entity_type,
            _normal(stated),
            _normal(claim.subject_text),
            [_normal(one) for one in claim.above],
        ]
    )


def hash_evidence(judged: JudgedClaim, question: str | None) -> bytes:
    """Return the SHA-256 of where the verdict's evidence stands and what is written there.

    The order of evidence does not count. A tool result is known by tool, place and value, not by its call.
    Where there is no evidence, the `question` stands for it: the same words may answer another one.
    """
    places = {json.dumps(_place(one)) for one in judged.verdict.evidence}
    return _hash([*sorted(places)] if places else ["question", _normal(question or "")])


def _place(evidence: Evidence) -> list[object]:
    locator = evidence.locator
    match locator:
        case SpanLocator():
            span = (locator.span.start, locator.span.end)
            return ["span", locator.source, locator.seq, *span, locator.text_hash]
        case RowLocator():
            row = (locator.database, locator.table, locator.key, locator.column)
            return ["row", *row, locator.fingerprint]
        case LedgerLocator():
            return ["ledger", locator.tool, locator.pointer, evidence.text]
        case _:
            return ["turn", locator.part.value, evidence.text]


def _normal(text: str) -> str:
    return normal_form(text).text.strip()


def _hash(content: list[object]) -> bytes:
    written = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(written.encode("ascii")).digest()
