"""What was verified a moment ago is verified again as it was, whatever its turn holds."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.test_rechecking import CATALOG, TABLES, TERMS
from verifier.blocking import open_blocking_verifier
from verifier.core.rechecks import Standing
from verifier.core.turn_json import turn_to_json
from verifier.core.turns import Level, Origin, RetrievedChunk, Scope, ToolCall, Turn
from verifier.settings import load_settings

if TYPE_CHECKING:
    from tests.integration.conftest import Database
    from verifier.blocking import BlockingVerifier

SENTENCES = (
    "The Tea Kettle costs $40.50.",
    "The kettle costs $40.50.",
    "It costs $41.",
    "The chair is $99.",
    "The Oak Chair and the Tea Kettle cost $139.50 in total.",
    "Order 5512 is shipped.",
    "Order 5513 was sent yesterday.",
    "Your order is open.",
    "The lamp has 3 lights at €1.234,50.",
    "Goods may be returned within 30 days [terms@1#0].",
    "Refunds take 5 business days [1].",
    "It saves 20% (Smith 2020).",
    "Shipping is free.",
    "The Tea Kettle costs CA$ 40.50 <a>.",
    '```good\n{"id": 1, "price": 40.50}\n```',
    '"paid within 5 business days" [a]',
    "Hello!",
)
WORDS = (
    "Tea Kettle",
    "Oak Chair",
    "chair",
    "lamp",
    "",
    "terms",
    "5512",
    "30 days",
    "a\x00b",
    "\ud800",
)
texts = st.sampled_from((*SENTENCES, *WORDS))
DECIMALS = ("40.50", "139.50", "41", "1E+2", "0.1000000000000000000001", "30.00")
numbers = st.sampled_from(
    (0, 1, 3, 20, 40.5, 99, 1e22, 10**30, -0.0, True, *map(Decimal, DECIMALS))
)
NOW = datetime.now(UTC)
KEYS = (
    "id",
    "name",
    "price",
    "price_usd",
    "status",
    "total",
    "days",
    "lights",
    "currency",
    "lines",
)
ROWS = (
    {"id": 1, "name": "Tea Kettle", "price": Decimal("40.50"), "currency": "USD"},
    {"price": 99.0, "name": "Oak Chair", "id": 2},
    {"id": 3, "name": "desk lamp", "price_usd": 49.90},
    {"status": "shipped", "customer": "mira", "id": 5512},
)
"""What the tables hold as well: tools that say otherwise are held against them, and fall."""
foreign = st.dictionaries(st.sampled_from(KEYS[1:]), numbers | texts | st.none(), max_size=4)
results = (
    st.sampled_from(ROWS)
    | st.lists(st.sampled_from(ROWS), max_size=3)
    | st.dictionaries(st.sampled_from(("lamps", "page")), foreign | numbers, max_size=2)
    | texts
    | numbers
    | st.none()
)
calls = st.builds(
    ToolCall,
    call_id=st.sampled_from(("c1", "c2", "")),
    tool=st.sampled_from(("get_good", "order", "")),
    arguments=st.dictionaries(st.sampled_from(KEYS), numbers | texts, max_size=2),
    result=results,
    ok=st.booleans(),
    complete=st.booleans(),
    shown_chars=st.none() | st.integers(0, 60),
    turn=st.none() | st.integers(0, 3),
)
chunks = st.builds(
    RetrievedChunk,
    label=st.sampled_from(("a", "1", "terms@1#0", "terms")),
    source=st.sampled_from(("a", "terms")),
    text=st.just(TERMS) | texts,
    approved=st.booleans(),
    current=st.booleans(),
)
tables = st.dictionaries(st.sampled_from(("1", "2", "a", "channel")), texts, max_size=3)
turns = st.builds(
    Turn,
    turn_id=st.none() | texts,
    question=st.none() | texts,
    said=st.lists(texts, max_size=2).map(tuple),
    system=st.none() | texts,
    principal=st.sampled_from((None, "mira", "jon", "")),
    context=tables,
    current_turn=st.none() | st.integers(0, 3),
    locale=st.sampled_from((None, "en-US", "de-DE", "en-CA", "fr", "x", "")),
    now=st.sampled_from((None, NOW)),
    timezone=st.sampled_from((None, "Europe/Berlin", "Pacific/Kiritimati")),
    default_currency=st.sampled_from((None, "USD", "CAD", "EUR", "0")),
    fiscal_year_start=st.integers(1, 12),
    level=st.sampled_from(Level),
    citations_required=st.booleans(),
    scope=st.sampled_from(Scope),
    calls=st.lists(calls, max_size=3).map(tuple),
    retrieved=st.lists(chunks, max_size=2).map(tuple),
    numbering=tables,
    bibliography=tables,
    mark_style=st.sampled_from((None, "<N>")),
    cited=st.sampled_from((None, None, "a", "terms", "x", "")),
    allowed_sources=st.none() | st.frozensets(st.sampled_from(("a", "terms")), max_size=2),
    origin=st.sampled_from(Origin),
    check_ledger_against_database=st.booleans(),
)
answers = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=3).map(" ".join)

LAMPS = "INSERT INTO shop.good VALUES (3, 'Desk lamp', 49.90), (4, 'Floor lamp', 89.50)"


def recheck(verifier: BlockingVerifier, answer: str, turn: Turn) -> list[tuple[Any, ...]]:
    """Verify an answer and at once again; return the claims that do not stand as they did."""
    report = verifier.verify(answer, turn)
    note(json.dumps(turn_to_json(turn), default=str))
    again = verifier.answers.recheck(report.report_id)
    assert again.reason is None
    assert len(again.claims) == report.claims
    return [
        (one.before, one.now, one.detail, one.changes)
        for one in again.claims
        if one.standing is not Standing.HOLDS or one.now is not one.before
    ]


def test_every_claim_holds_at_once(fresh_database: Database) -> None:
    asyncio.run(fresh_database.execute(*TABLES, LAMPS))
    chosen = load_settings(None, dsn=fresh_database.app_dsn, catalog=CATALOG)
    with open_blocking_verifier(settings=chosen, embedder=HashingEmbedder()) as verifier:
        verifier.ingest_text("terms", TERMS)

        @settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
        @given(answer=answers, turn=turns)
        def holds(answer: str, turn: Turn) -> None:
            assert recheck(verifier, answer, turn) == []

        holds()
