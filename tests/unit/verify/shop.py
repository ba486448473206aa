"""The catalog of a small shop, and short ways to make its turns."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from verifier.core.catalog import parse_catalog
from verifier.core.turns import RetrievedChunk, ToolCall, Turn
from verifier.verify.verifier import verify_answer, verify_claims

if TYPE_CHECKING:
    from verifier.core.report import GroundingReport

SHOP: Final = parse_catalog(
    {
        "product": {
            "table": "product",
            "names": ["name"],
            "key": {"column": "id", "type": "uuid"},
            "attributes": {
                "price": {
                    "kind": "money",
                    "currency_column": "currency",
                    "labels": ["price", "costs"],
                }
            },
        },
        "order": {
            "table": "order",
            "key": {"column": "id", "type": "uuid", "aliases": ["order_id"]},
            "scope": {"customer": "principal"},
            "attributes": {
                "status": {
                    "kind": "state",
                    "states": {"shipped": ["on its way"], "delivered": [], "processing": []},
                },
                "total": {"kind": "money", "currency_column": "currency"},
                "tracking": {
                    "kind": "identifier",
                    "aliases": ["tracking_number"],
                    "labels": ["tracking number"],
                },
            },
        },
    }
)
THROW: Final = "0fd372fa-ecb2-4db0-bb71-8628a784ced9"
LAMP: Final = "22222222-2222-4222-8222-222222222222"
ORDER: Final = "1a2b3c4d-5e6f-4890-abcd-ef0123456789"


def call(tool: str, result: object, **told: object) -> ToolCall:
    """A successful call of a tool, unless told otherwise."""
    fields: dict[str, object] = {"call_id": "c1", "arguments": {}, **told}
    return ToolCall(tool=tool, result=result, **fields)  # type: ignore[arg-type]  # named in the test


def verify_by_ledger(answer: str, *calls: ToolCall) -> GroundingReport:
    """Verify against tool results alone."""
    return asyncio.run(verify_claims(answer, calls, None, catalog=SHOP))


def verify_cited(answer: str, turn: Turn | None = None, **texts: str) -> GroundingReport:
    """Verify an answer against the texts, each citable as `[name]`."""
    chunks = tuple(
        RetrievedChunk(label=label, source=label, text=text) for label, text in texts.items()
    )
    return asyncio.run(verify_answer(answer, turn or Turn(retrieved=chunks)))


def codes(report: GroundingReport) -> list[str]:
    """The codes of a report's verdicts, in order; an unverifiable one with its reason."""
    return [
        f"{judged.verdict.code}:{judged.verdict.reason}"
        if judged.verdict.reason
        else str(judged.verdict.code)
        for judged in report.judged
    ]
