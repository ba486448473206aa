"""What the pages are shown with: answers of every disposition, reviews, sources in every state, keys."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import TYPE_CHECKING

from pydantic import SecretStr

from tests.integration.hashing_embedder import HashingEmbedder
from verifier.core.keys import Scope
from verifier.ingest.requests import Actor
from verifier.service import Verifier
from verifier.settings import load_settings
from verifier.store.pool import open_pool
from verifier.store.sample_shop import put_sample_rows

if TYPE_CHECKING:
    from tests.integration.conftest import Database
    from verifier.core.report import GroundingReport
    from verifier.settings import Settings

TENANT = "shop"
OTHER_TENANT = "rival"
OPERATOR = "ann"
"""The name of the key that may do everything."""
TERMS = "shop-terms"
HOSTILE = (
    "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
    "\u202e{{ 7*7 }} & 'quoted' \"double\" "
)
EXAMINER = f"mal {HOSTILE.strip()[:150]}".replace("\u202e", "")
"""The name of a key that may verify, and vouch for nothing."""
LONG_WORD = "w" * 300
HOSTILE_KEY = f"notes/{HOSTILE}?a=1#b%2e%2e/{LONG_WORD}"
CASES: str = "\n".join(
    json.dumps(
        {
            "id": f"case-{number}",
            "question": "What does it cost?",
            "answer": f"The lamp costs ${price}.",
            "calls": [{"id": "1", "tool": "get_lamp", "result": {"name": "lamp", "price_usd": 80}}],
            "labels": [
                {
                    "reviewer": reviewer,
                    "label": label,
                    "labelled_at": "2026-01-01T00:00:00+00:00",
                }
                for reviewer in ("ann", "<b>bob</b>")
            ],
        }
    )
    for number, (price, label) in enumerate(
        [(80, "supported"), (85, "contradicted"), (80, "unsupported"), (90, "supported")] * 3
    )
)
"""Cases of which some are wrongly accepted and some wrongly refused, whoever verifies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What was put: secrets by the names of their keys, reports by what they show, and a review to decide."""

    settings: Settings
    secrets: dict[str, str]
    reports: dict[str, GroundingReport]
    reviews: tuple[int, ...]
    other_report: str


def settings_of(database: Database, tenant: str = TENANT) -> Settings:
    sample = tomllib.loads(files("verifier.sample").joinpath("verifier.toml").read_text("utf-8"))
    return load_settings(
        dsn=SecretStr(database.app_dsn),
        tenant=tenant,
        catalog=sample["catalog"],
        databases={"default": {"dsn": database.reader_dsn}},
    )


async def put_content(database: Database) -> Content:
    """Put everything, through the service alone but for the rows of the shop."""
    pool = await open_pool(database.owner_dsn, min_size=0, max_size=1)
    async with pool, pool.acquire() as conn:
        await put_sample_rows(conn, json.loads(_sample("rows.json")))
    settings = settings_of(database)
    verifier = Verifier(settings, embedder=HashingEmbedder())
    rival = verifier.for_tenant(OTHER_TENANT)
    try:
        await _put_sources(verifier)
        reports = await _put_answers(verifier)
        await _supersede(verifier)
        secrets = await _add_keys(verifier)
        await rival.ingest_text(TERMS, "# Terms\n\nThe rival refunds within 99 days.", by="zoe")
        other = await rival.verify("The rival refunds within 99 days.", evidence={"days": 98})
        waiting = await verifier.reviews.list(limit=100)
        return Content(
            settings=settings,
            secrets=secrets,
            reports=reports,
            reviews=tuple(one.review_id for one in waiting.entries),
            other_report=other.report_id,
        )
    finally:
        await verifier.close()


def _sample(name: str) -> str:
    return files("verifier.sample").joinpath(name).read_text("utf-8")


async def _put_sources(verifier: Verifier) -> None:
    for entry in json.loads(_sample("documents.json")):
        until = entry["review_until"]
        await verifier.ingest_text(
            entry["key"],
            _sample(entry["file"]),
            title=entry.get("title"),
            by="ann",
            valid_from=datetime.fromisoformat(entry["valid_from"]),
            review_until=None if until is None else datetime.fromisoformat(until),
        )
    await verifier.ingest_text(
        HOSTILE_KEY,
        f"# {HOSTILE}\n\nThe {LONG_WORD} is kept for 12 days. {HOSTILE}\n",
        title=f"Title {HOSTILE} {LONG_WORD}",
        by=HOSTILE[:150],
        metadata={HOSTILE: HOSTILE},
    )
    await verifier.ingest_text(
        "drafts/pending", "# Draft\n\nNobody approved it.", by="agent", actor=Actor.AGENT
    )
    await verifier.ingest_text("old/denied", "# Old\n\nIt may not be used: 3 days.", by="ann")
    await verifier.sources.deny("old/denied", by="ann", reason=f"It is wrong. {HOSTILE}")


async def _put_answers(verifier: Verifier) -> dict[str, GroundingReport]:
    reports = {}
    for told in json.loads(_sample("exchanges.json")):
        turn = verifier.turn(question=told["question"], principal=told.get("principal"))
        for call in told.get("calls", []):
            turn.record(call["tool"], call["arguments"], call["result"])
        if "search" in told:
            found = await verifier.semantic_search(told["search"], k=3)
            turn = verifier.turn(
                question=told["question"],
                numbering={str(at): hit.chunk_id for at, hit in enumerate(found.hits, 1)},
            )
            turn.retrieved(found)
        reports[told["id"]] = await verifier.verify(told["answer"], turn)
    reports["cited"] = await _cited(verifier)
    reports["hostile"] = await _hostile(verifier)
    reports["greeting"] = await verifier.verify("Hello! How can I help you today?", verifier.turn())
    return reports


async def _cited(verifier: Verifier) -> GroundingReport:
    """An answer on the terms of the shop, with claims of which each ends elsewhere."""
    found = await verifier.semantic_search("returns refund days shipping warranty", k=5)
    hits = [hit for hit in found.hits if hit.source == TERMS]
    turn = verifier.turn(
        question="What are your terms?",
        numbering={str(at): hit.chunk_id for at, hit in enumerate(hits, 1)},
    )
    turn.retrieved(found)
    text = hits[0].text
    sentence = next(
        one for one in text.replace("\n", " ").split(". ") if any(map(str.isdigit, one))
    )
    return await verifier.verify(
        f"{sentence.strip('# .')} [1]. We always treat our customers kindly [1]. "
        "It takes 77 days to get your money back [1]. Order ZZ-99999 was shipped.",
        turn,
    )


async def _hostile(verifier: Verifier) -> GroundingReport:
    turn = verifier.turn(question=f"Is it {HOSTILE}?", principal=HOSTILE)
    turn.record(
        f"get_{HOSTILE}", {"q": HOSTILE}, {"name": HOSTILE, "price_usd": 80, HOSTILE: {"days": 12}}
    )
    found = await verifier.semantic_search(f"kept for 12 days {LONG_WORD}", k=2)
    turn.retrieved(found)
    return await verifier.verify(
        f"{HOSTILE} costs $85 and lasts 12 days. {LONG_WORD} is 99 kg.", turn
    )


async def _supersede(verifier: Verifier) -> None:
    """Publish a newer version of the terms, with other numbers."""
    text = _sample("documents/shop-terms.md")
    changed = "".join(str((int(char) + 1) % 10) if char.isdigit() else char for char in text)
    await verifier.ingest_text(TERMS, changed, title="Terms of the shop", by="ann")


async def _add_keys(verifier: Verifier) -> dict[str, str]:
    scopes = {
        OPERATOR: [Scope.ADMIN],
        "bob": [Scope.REVIEW],
        "eve": [Scope.SEARCH],
        EXAMINER: [Scope.VERIFY],
    }
    return {
        name: (
            await verifier.keys.add(
                name,
                chosen,
                may_act_for_principals=name == OPERATOR,
                may_supply_calls=name == OPERATOR,
            )
        ).secret
        for name, chosen in scopes.items()
    }
