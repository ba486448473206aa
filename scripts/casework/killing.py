"""Killing a canonical database in the middle of verifying, and what the reports then say."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import asyncpg

from verifier import verify_claims
from verifier.core.catalog import parse_catalog
from verifier.core.turns import Turn
from verifier.core.verdicts import Reason
from verifier.embedded import start_embedded
from verifier.store.canonical_pool import open_canonical_pool

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from verifier.core.report import GroundingReport
    from verifier.store.canonical_pool import CanonicalPool

_SLOW_MS: Final = (
    40  # what the slowest table takes, so that a statement can be caught in its middle
)
_LONGEST_DELAY_S: Final = 0.12
_DECLARED: Final[dict[str, object]] = {
    "product": {
        "table": "shop.product",
        "names": ["name"],
        "key": {"column": "id", "type": "text", "pattern": "P-[0-9]+"},
        "attributes": {
            "price": {"kind": "money", "currency": "EUR", "labels": ["price", "costs"]},
            "stock": {"kind": "quantity", "labels": ["in stock"]},
        },
    },
    "order": {
        "table": "shop.slow_order",
        "key": {"column": "id", "type": "text", "pattern": "W-[0-9]+"},
        "scope": {"customer": "principal"},
        "attributes": {"status": {"kind": "state", "states": {"shipped": [], "delivered": []}}},
    },
}
_TABLES: Final = f"""
    CREATE SCHEMA shop;
    CREATE TABLE shop.product (id text PRIMARY KEY, name text, price numeric, stock integer);
    INSERT INTO shop.product VALUES ('P-1', 'Walnut shelf', 49.90, 7), ('P-2', 'Linen throw', 19.90, 0);
    CREATE TABLE shop.orders (id text PRIMARY KEY, customer text, status text);
    INSERT INTO shop.orders VALUES ('W-1', 'u1', 'shipped'), ('W-2', 'u2', 'shipped');
    CREATE VIEW shop.slow_order AS
      SELECT id, customer, CASE WHEN pg_sleep({_SLOW_MS / 1_000})::text IS NOT NULL THEN status END AS status
        FROM shop.orders;
"""  # noqa: S608 -- our own constants
ANSWER: Final = """The walnut shelf costs 49.90 EUR. The linen throw costs 18.90 EUR. Order W-1 has shipped.
Product P-2 costs 19.90 EUR. Order W-2 has shipped.

```product
{"id": "P-1", "price": 49.9, "stock": 8}
```
```order
{"id": "W-9", "status": "shipped"}
```
"""
RIGHT: Final = (
    ("The walnut shelf costs 49.90 EUR.", "verified"),
    ("The linen throw costs 18.90 EUR.", "price_mismatch"),
    ("Order W-1 has shipped.", "verified"),
    ("Product P-2 costs 19.90 EUR.", "verified"),
    ("Order W-2 has shipped.", "not_found"),
    ('{"id": "P-1", "price": 49.9, "stock": 8}', "attribute_mismatch"),
    ('{"id": "W-9", "status": "shipped"}', "not_found"),
)
_ALLOWED: Final = {(text, str(Reason.DATABASE_UNAVAILABLE)) for text, _ in RIGHT} | set(RIGHT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """One kill: how far into verifying, what the report said, and whether the next one was right."""

    delay_s: float
    seconds: float
    outcomes: tuple[tuple[str, str], ...]
    next_is_right: bool

    @property
    def is_right(self) -> bool:
        """Whether each statement has a verdict: the right one, or that the database was unavailable."""
        told = {text for text, _ in self.outcomes}
        return told == {text for text, _ in RIGHT} and _ALLOWED.issuperset(self.outcomes)

    @property
    def sort(self) -> str:
        """Whether the report is wrong, right throughout, unavailable throughout, or of both."""
        if not self.is_right:
            return "wrong"
        if self.outcomes == RIGHT:
            return "right"
        said = {outcome for _, outcome in self.outcomes}
        return "unavailable" if said == {str(Reason.DATABASE_UNAVAILABLE)} else "in part"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kills:
    """All kills of a run."""

    kills: tuple[Kill, ...] = field(default=())

    @property
    def missed(self) -> tuple[Kill, ...]:
        """Those whose report was wrong, or after which verifying did not work."""
        return tuple(one for one in self.kills if not (one.is_right and one.next_is_right))

    @property
    def sorts(self) -> Counter[str]:
        """How many reports were of each sort."""
        return Counter(one.sort for one in self.kills)


async def kill_often(folder: Path, count: int, *, seed: int) -> AsyncIterator[Kill]:
    """Yield what came of each of `count` kills of a server in `folder`, at times that follow from `seed`."""
    rng = random.Random(seed)  # noqa: S311 -- a measurement, repeated by its seed
    with start_embedded(folder) as server:
        connection = await asyncpg.connect(server.owner_dsn)
        await connection.execute(_TABLES)
        await connection.close()
        async with await open_canonical_pool(server.owner_dsn) as pool:
            _require(await _verify(pool))
            for _ in range(count):
                yield await _kill_once(pool, folder, rng.uniform(0, _LONGEST_DELAY_S))


async def _kill_once(pool: CanonicalPool, folder: Path, delay_s: float) -> Kill:
    begun = time.perf_counter()
    verifying = asyncio.create_task(_verify(pool))
    await asyncio.sleep(delay_s)
    kill_server(folder)
    report = await verifying
    seconds = time.perf_counter() - begun
    restarted = await asyncio.to_thread(start_embedded, folder)
    following = await _verify(pool)
    await asyncio.to_thread(restarted.stop)
    return Kill(
        delay_s=delay_s,
        seconds=seconds,
        outcomes=_outcomes(report),
        next_is_right=_outcomes(following) == RIGHT,
    )


async def _verify(pool: CanonicalPool) -> GroundingReport:
    catalog, turn = parse_catalog(_DECLARED), Turn(principal="u1")
    return await verify_claims(ANSWER, None, pool, catalog=catalog, turn=turn)


def _outcomes(report: GroundingReport) -> tuple[tuple[str, str], ...]:
    return tuple(
        (one.claim.text, str(one.verdict.reason or one.verdict.code)) for one in report.judged
    )


def _require(report: GroundingReport) -> None:
    if _outcomes(report) != RIGHT:
        raise RuntimeError(f"before any kill the report is wrong already: {_outcomes(report)}")


def kill_server(folder: Path) -> None:
    """Kill the server of `folder` and all its processes at once, as a power cut would."""
    master = int((folder / "pgdata" / "postmaster.pid").read_text().split("\n", 1)[0])
    for process in (master, *_children(master)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def _children(master: int) -> tuple[int, ...]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(status.read_text().rpartition(")")[2].split()[1]) == master:
                found.append(int(status.parent.name))
    return tuple(found)
