"""From a turn file to a report to the explanation of a claim, through the installed command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.acceptance.conftest import Command

TURNS = [
    {
        "id": "t1",
        "question": "What did I buy?",
        "default_currency": "USD",
        "calls": [
            {
                "id": "1",
                "tool": "get_order",
                "result": {
                    "order_id": "A-204",
                    "status": "shipped",
                    "items": [
                        {"name": "Copper Kettle", "price": 64.0},
                        {"name": "Linen Apron", "price": 27.5},
                    ],
                },
            }
        ],
        "answer": "The Copper Kettle costs $27.50. Together with the Linen Apron that is $91.50 in total.",
    },
    {"id": "t2", "answer": "Hello!"},
]


def test_a_wrong_price_is_explained_from_the_report_alone(on_database: Command) -> None:
    lines = "\n".join(json.dumps(turn) for turn in TURNS)
    verified = on_database("verify", "-", "--json", stdin=lines.encode())
    assert verified.code == 1, verified.err
    reports = on_database.folder / "reports.jsonl"
    reports.write_text(verified.out, encoding="utf-8")

    nowhere = on_database.with_options("--dsn", "postgresql://nowhere.invalid/none")
    ended = nowhere("explain", "reports.jsonl", "c1", "--turn", "t1")
    assert ended.code == 0, ended.err
    assert "✗ c1 contradicted by ledger" in ended.out
    assert "right is 64" in ended.out
    decided, lost = (
        line for line in ended.out.splitlines() if "get_order 1" in line and "price" in line
    )
    assert "Copper Kettle" in decided
    assert "it decided" in decided
    assert "Linen Apron" in lost
    assert "lost:" in lost

    piped = nowhere("explain", "-", "c1", "--turn", "t1", "--json", stdin=verified.out.encode())
    [told] = piped.values
    assert told["schema"] == "explanation.v1"
    assert told["binding"]["fate"] == "refuted"
    assert told["remarks"] == []
    assert told["claim"] == verified.values[0]["verdicts"][0]

    missing = nowhere("explain", "reports.jsonl", "c1", "--turn", "t2", "--json")
    assert missing.code == 2
    assert missing.error["type"] == "UnknownThing"
    assert "it has none" in missing.error["message"]
