"""What `verifier demo` does: ingest, search, verify and audit on the sample, on a server of its own.

Nothing of what it shows is written down beforehand: the verdicts that it has to show are looked for in the
reports, and what is missing is told.
"""

from __future__ import annotations

import json
import time
import tomllib
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import as_file, files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from verifier.core.verdicts import Tier, VerdictCode
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from verifier.audit.staleness import StaleAudit
    from verifier.core.documents import SearchResult
    from verifier.core.report import GroundingReport
    from verifier.core.verdicts import Verdict
    from verifier.ingest.requests import IngestOutcome
    from verifier.interfaces.cli.invocation import Invocation
    from verifier.interfaces.cli.progress import ProgressLine
    from verifier.service import Verifier
    from verifier.settings import Settings

REQUIRED: Final[Mapping[str, Callable[[Verdict], bool]]] = MappingProxyType(
    {
        "verified by ledger": lambda verdict: _is(verdict, VerdictCode.VERIFIED, Tier.LEDGER),
        "verified by database": lambda verdict: _is(verdict, VerdictCode.VERIFIED, Tier.DATABASE),
        "price_mismatch with the right value": lambda verdict: (
            verdict.code is VerdictCode.PRICE_MISMATCH and verdict.corrected_value is not None
        ),
        "not_found": lambda verdict: verdict.code is VerdictCode.NOT_FOUND,
        "supported": lambda verdict: verdict.code is VerdictCode.SUPPORTED,
        "unsupported_quantity": lambda verdict: verdict.code is VerdictCode.UNSUPPORTED_QUANTITY,
        "stale_review": lambda verdict: verdict.code is VerdictCode.STALE_REVIEW,
    }
)
"""What the demonstration has to show, each found in a verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownExchange:
    """One exchange of the sample with what was found for it and what its answer came to."""

    exchange_id: str
    title: str
    question: str
    tool_calls: tuple[str, ...]
    found: SearchResult | None
    report: GroundingReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Demonstration:
    """What was ingested, every exchange, what is stale; `seen` counts the required verdicts."""

    outcomes: tuple[IngestOutcome, ...]
    exchanges: tuple[ShownExchange, ...]
    stale: StaleAudit
    seen: Mapping[str, int]
    html: Path
    seconds: float

    @property
    def missing(self) -> tuple[str, ...]:
        """The required verdicts that no report holds."""
        return tuple(name for name, count in self.seen.items() if count == 0)


def demo_settings(invocation: Invocation) -> Settings:
    """Return the settings of the demonstration: its own server, folder, tenant and catalog."""
    if invocation.dsn is not None:
        raise InputError("demo brings its own server and writes into no other; leave --dsn away")
    settings = invocation.load_settings()
    own = settings.data_dir if invocation.data_dir is not None else settings.data_dir / "demo"
    catalog = tomllib.loads(_sample("verifier.toml")).get("catalog", {})
    return settings.model_copy(
        update={"dsn": None, "data_dir": own, "tenant": "demo", "databases": {}, "catalog": catalog}
    )


async def run_demonstration(
    settings: Settings, *, html: Path, progress: ProgressLine
) -> Demonstration:
    """Run the whole demonstration on the embedded server under `settings.data_dir`."""
    from verifier.service import open_verifier

    started = time.monotonic()
    with progress:
        async with open_verifier(settings=settings) as verifier:
            outcomes = await _ingest_documents(verifier, progress)
            await _put_rows(settings)
            progress.tell("verifying answers")
            exchanges = [
                await _exchange(verifier, told) for told in json.loads(_sample("exchanges.json"))
            ]
            stale = await verifier.audits.stale()
    verdicts = [judged.verdict for shown in exchanges for judged in shown.report.judged]
    return Demonstration(
        outcomes=outcomes,
        exchanges=tuple(exchanges),
        stale=stale,
        seen={name: sum(map(holds, verdicts)) for name, holds in REQUIRED.items()},
        html=html,
        seconds=time.monotonic() - started,
    )


def _is(verdict: Verdict, code: VerdictCode, tier: Tier) -> bool:
    return verdict.code is code and verdict.tier is tier


def _sample(name: str) -> str:
    return files("verifier.sample").joinpath(name).read_text("utf-8")


async def _ingest_documents(
    verifier: Verifier, progress: ProgressLine
) -> tuple[IngestOutcome, ...]:
    outcomes: list[IngestOutcome] = []
    with ExitStack() as unpacked:
        for entry in json.loads(_sample("documents.json")):
            path = unpacked.enter_context(as_file(files("verifier.sample").joinpath(entry["file"])))
            review = entry["review_until"]
            summary = await verifier.ingest(
                path,
                key=entry["key"],
                by="demo",
                valid_from=datetime.fromisoformat(entry["valid_from"]),
                review_until=None if review is None else datetime.fromisoformat(review),
                on_progress=progress.tell_ingest,
            )
            outcomes.extend(summary.outcomes)
    return tuple(outcomes)


async def _put_rows(settings: Settings) -> None:
    """Write the sample rows as the owner, which the service never is."""
    import asyncio

    from verifier.embedded import start_embedded
    from verifier.store.pool import open_pool
    from verifier.store.sample_shop import put_sample_rows

    server = await asyncio.to_thread(start_embedded, settings.data_dir)
    try:
        pool = await open_pool(server.owner_dsn, min_size=0, max_size=1)
        async with pool, pool.acquire() as conn:
            await put_sample_rows(conn, json.loads(_sample("rows.json")))
    finally:
        await asyncio.to_thread(server.stop)


async def _exchange(verifier: Verifier, told: Mapping[str, Any]) -> ShownExchange:
    found = await verifier.semantic_search(told["search"], k=3) if "search" in told else None
    hits = found.hits if found else ()
    turn = verifier.turn(
        turn_id=told["id"],
        question=told["question"],
        principal=told.get("principal"),
        numbering={str(number): hit.chunk_id for number, hit in enumerate(hits, start=1)},
    )
    calls = told.get("calls", [])
    for call in calls:
        turn.record(call["tool"], call["arguments"], call["result"])
    if found is not None:
        turn.retrieved(found)
    return ShownExchange(
        exchange_id=told["id"],
        title=told["title"],
        question=told["question"],
        tool_calls=tuple(f"{call['tool']} → {json.dumps(call['result'])}" for call in calls),
        found=found,
        report=await verifier.verify(told["answer"], turn),
    )
