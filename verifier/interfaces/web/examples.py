"""An example of each operation: its body, its parameters, or both."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_SOURCE: Final = "handbook/returns.md"
_BY_KEY: Final[Mapping[str, object]] = MappingProxyType({"source": _SOURCE})

EXAMPLES: Final[Mapping[str, Mapping[str, object]]] = MappingProxyType(
    {
        "semantic_search": {
            "body": {"query": "how long may I return goods", "k": 3, "filters": {"lang": "en"}}
        },
        "verify": {
            "body": {
                "question": "What does the lamp cost?",
                "answer": "The desk lamp costs $49.90.",
                "calls": [
                    {
                        "id": "call-1",
                        "tool": "get_product",
                        "arguments": {"sku": "LAMP-1"},
                        "result": {"sku": "LAMP-1", "name": "desk lamp", "price_usd": 49.90},
                    }
                ],
                "policy": "annotate",
            }
        },
        "begin_turn": {"body": {"question": "What does the lamp cost?", "locale": "en-US"}},
        "record_call": {
            "turn_id": "turn_Zk3v0rQ1p9sX2mB7cW4tN8yLhJ6dAfEu",
            "body": {
                "tool": "get_product",
                "arguments": {"sku": "LAMP-1"},
                "result": {"sku": "LAMP-1", "name": "desk lamp", "price_usd": 49.90},
            },
        },
        "get_turn": {"turn_id": "turn_Zk3v0rQ1p9sX2mB7cW4tN8yLhJ6dAfEu"},
        "evaluate": {
            "body": {
                "cases": [
                    {
                        "id": "case-1",
                        "answer": "Goods may be returned within 30 days [returns].",
                        "documents": {"returns": "Goods may be returned within 30 days."},
                        "labels": [
                            {
                                "reviewer": "anna",
                                "label": "supported",
                                "labelled_at": "2026-01-02T09:00:00+00:00",
                            }
                        ],
                    }
                ]
            }
        },
        "ingest_text": {
            "body": {
                "source": _SOURCE,
                "text": "# Returns\n\nGoods may be returned within 30 days.\n",
                "metadata": {"lang": "en"},
                "review_until": "2030-01-31T00:00:00+00:00",
            }
        },
        "ingest_bytes": {"source": _SOURCE, "format": "markdown"},
        "list_sources": {"permission": "pending"},
        "approve": {"body": {"source": _SOURCE}},
        "deny": {"body": {"source": _SOURCE, "reason": "not ours"}},
        "withdraw": {"body": {"source": _SOURCE, "reason": "wrong price"}},
        "restore": {"body": {"source": _SOURCE}},
        "revert": {"body": {"source": _SOURCE, "version": 3}},
        "reviewed": {"body": {"source": _SOURCE, "until": "2030-01-31T00:00:00+00:00"}},
        "validity": {
            "body": {
                "source": _SOURCE,
                "version": 3,
                "valid_from": "2030-01-01T00:00:00+00:00",
            }
        },
        "authority": {"body": {"source": _SOURCE, "authority": 10}},
        "plan_erasure": {"body": {"source": _SOURCE, "version": 2}},
        "erase": {
            "body": {
                "source": _SOURCE,
                "version": 2,
                "reason": "a private address",
                "confirmed": True,
            }
        },
        "list_versions": _BY_KEY,
        "list_changes": _BY_KEY,
        "get_version": {"source": _SOURCE, "version": "current"},
        "diff": {"source": _SOURCE, "old": "first", "new": "current"},
        "audit_stale": _BY_KEY,
        "audit_superseded": _BY_KEY,
        "audit_unapproved": {"limit": 20},
        "audit_drift": {"table": "shop.product"},
        "audit_orphans": {"limit": 20},
        "audit_conflicts": {"state": ["open"]},
        "audit_impact": {"source": _SOURCE, "version": 2},
        "list_conflicts": {"state": "open"},
        "declare_conflict": {
            "body": {
                "place": _SOURCE,
                "other": "handbook/faq.md",
                "subject": "returns",
                "attribute": "period",
                "value": "30 days",
                "other_value": "14 days",
            }
        },
        "assign_conflict": {"conflict_id": 1, "body": {"to": "anna"}},
        "resolve_conflict": {"conflict_id": 1, "body": {"reason": "the handbook is right"}},
        "list_reviews": {"state": "open", "limit": 20},
        "get_review": {"review_id": 1},
        "decide_review": {
            "review_id": 1,
            "body": {"decision": "supported", "reason": "the handbook says so"},
        },
        "assign_review": {"review_id": 1, "body": {"to": "anna"}},
        "reopen_review": {"review_id": 1, "body": {"reason": "decided in haste"}},
        "list_reports": {"outcome": "rejected", "limit": 20},
        "get_report": {"report_id": "0f3c2ab41d"},
        "recheck": {"report_id": "0f3c2ab41d", "body": {}},
        "recheck_all": {"body": {"source": _SOURCE}},
    }
)
"""By operationId."""
