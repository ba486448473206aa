"""What `verifier demo` does: ingest, search, verify, audit and review, on a server and sample of its own.

Nothing of what it shows is written down beforehand: the verdicts that it has to show are looked for in the
reports, and what is missing is told.
"""

from __future__ import annotations

import json
import time
import tomllib
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.verdicts import Tier, VerdictCode
from verifier.errors import InputError
from verifier.interfaces.cli.circle import REQUIRED as CIRCLE_REQUIRED
from verifier.interfaces.cli.circle import go_round, settle_policy
from verifier.interfaces.cli.demo_steps import (
    ingest_documents,
    put_rows,
    read_sample,
    verify_exchange,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from verifier.audit.staleness import StaleAudit
    from verifier.core.verdicts import Verdict
    from verifier.ingest.requests import IngestOutcome
    from verifier.interfaces.cli.circle import Circle
    from verifier.interfaces.cli.demo_steps import ShownExchange
    from verifier.interfaces.cli.invocation import Invocation
    from verifier.interfaces.cli.progress import ProgressLine
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
class Demonstration:
    """What was ingested, every exchange, what is stale, the circle; `seen` counts what has to be shown."""

    outcomes: tuple[IngestOutcome, ...]
    exchanges: tuple[ShownExchange, ...]
    stale: StaleAudit
    circle: Circle
    seen: Mapping[str, int]
    html: Path
    seconds: float

    @property
    def missing(self) -> tuple[str, ...]:
        """What had to be shown, and was found nowhere."""
        return tuple(name for name, count in self.seen.items() if count == 0)


def demo_settings(invocation: Invocation) -> Settings:
    """Return the settings of the demonstration: its own server, folder, tenant and catalog."""
    if invocation.dsn is not None:
        raise InputError("demo brings its own server and writes into no other; leave --dsn away")
    settings = invocation.load_settings()
    own = settings.data_dir if invocation.data_dir is not None else settings.data_dir / "demo"
    catalog = tomllib.loads(read_sample("verifier.toml")).get("catalog", {})
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
            outcomes = await ingest_documents(verifier, progress)
            await settle_policy(verifier, outcomes)
            await put_rows(settings, json.loads(read_sample("rows.json")))
            progress.tell("verifying answers")
            exchanges = [
                await verify_exchange(verifier, told)
                for told in json.loads(read_sample("exchanges.json"))
            ]
            stale = await verifier.audits.stale()
            circle = await go_round(verifier, settings, exchanges, progress)
    verdicts = [judged.verdict for shown in exchanges for judged in shown.report.judged]
    return Demonstration(
        outcomes=outcomes,
        exchanges=tuple(exchanges),
        stale=stale,
        circle=circle,
        seen={name: sum(map(holds, verdicts)) for name, holds in REQUIRED.items()}
        | {name: count(circle) for name, count in CIRCLE_REQUIRED.items()},
        html=html,
        seconds=time.monotonic() - started,
    )


def _is(verdict: Verdict, code: VerdictCode, tier: Tier) -> bool:
    return verdict.code is code and verdict.tier is tier
