"""Killing an ingest at random moments while a reader polls, and what is left of it in the end.

A round has a database of its own: the ingest is killed and begun again until it comes to its end, then all
that the store knows must equal what an undisturbed ingest leaves.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import asyncpg

from tests.integration.store_reading import TENANT, history
from verifier.ingest.embedding import EMBED_BATCH
from verifier.store.pool import open_pool, tenant_transaction
from verifier.store.spaces import active_space, space_table

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

    from verifier.store.pool import Pool

ROOT: Final = Path(__file__).resolve().parents[2]
NAME: Final = "kill-ingest"
CONNECTION_EVERY: Final = 3
"""Of so many kills one takes the connections at the server instead of the process."""
MOST_IN_FLIGHT: Final = 2 * EMBED_BATCH
"""Texts that a kill may cost: the batch that is embedded, and the one that is being written."""
COUNT_PUBLISHED: Final = """
    SELECT count(*) FROM document_version WHERE state IN ('current', 'superseded')
"""
ORPHANS: Final = {
    "passages that no chunk uses": """
        SELECT count(*)
          FROM passage p
         WHERE NOT EXISTS (SELECT FROM chunk c WHERE c.input_hash = p.input_hash)""",
    "versions without chunks": """
        SELECT count(*)
          FROM document_version v
         WHERE NOT EXISTS (SELECT FROM chunk c WHERE c.version_id = v.version_id)""",
    "versions neither current nor superseded": """
        SELECT count(*) FROM document_version v WHERE v.state NOT IN ('current', 'superseded')""",
    "vectors that no chunk uses": """
        SELECT count(*)
          FROM {vectors} e
         WHERE NOT EXISTS (SELECT FROM chunk c WHERE c.input_hash = e.input_hash)""",
    "live vectors that nothing current uses": """
        SELECT count(*)
          FROM {vectors} e
         WHERE e.live
           AND NOT EXISTS (SELECT FROM current_chunk n WHERE n.input_hash = e.input_hash)""",
    "chunks without a vector": """
        SELECT count(*)
          FROM chunk c
         WHERE NOT EXISTS (SELECT FROM {vectors} e WHERE e.input_hash = c.input_hash)""",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestKill:
    """One kill: what was killed, how far in, and how many versions were published by then."""

    target: str
    delay_s: float
    published: int


@dataclass(slots=True, kw_only=True)
class KillRound:
    """What one database went through. `faults` is empty where all is well."""

    kills: list[IngestKill] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    polls: int = 0
    embedded_twice: int = 0


async def kill_often(
    make_database: Callable[[], Awaitable[str]],
    manifest: Path,
    *,
    count: int,
    seed: int,
    pages: Sequence[str] = (),
) -> AsyncIterator[KillRound]:
    """Yield rounds until there were `count` kills; moments follow from `seed`.

    `make_database` returns the connection string of a new, migrated database, as verifier_app.
    """
    rng = random.Random(seed)  # noqa: S311 -- a measurement, repeated by its seed
    undisturbed, seconds = await _ingest_undisturbed(await make_database(), manifest, pages)
    left = count
    while left > 0:
        dsn = await make_database()
        told = await _run_round(dsn, manifest, pages, rng=rng, most=left, seconds=seconds)
        await _compare(dsn, undisturbed, told)
        left -= len(told.kills)
        yield told


async def _ingest_undisturbed(
    dsn: str, manifest: Path, pages: Sequence[str]
) -> tuple[Mapping[str, object], float]:
    """Return all that the store then knows, and the seconds that it takes the process that is killed."""
    with tempfile.TemporaryDirectory() as folder:
        victim = begin_victim(dsn, manifest, Path(folder) / "log", pages)
        begun = time.perf_counter()
        ended = await asyncio.to_thread(victim.communicate)
        seconds = time.perf_counter() - begun
    if victim.returncode or "0 failed" not in ended[0]:
        raise RuntimeError(f"before any kill the ingest fails already: {ended}")
    async with _opened(dsn) as pool:
        return await history(pool), seconds


@contextlib.asynccontextmanager
async def _opened(dsn: str) -> AsyncIterator[Pool]:
    pool = await open_pool(dsn, max_size=2)
    try:
        yield pool
    finally:
        await pool.close()


async def _run_round(
    dsn: str,
    manifest: Path,
    pages: Sequence[str],
    *,
    rng: random.Random,
    most: int,
    seconds: float,
) -> KillRound:
    told = KillRound()
    with tempfile.TemporaryDirectory() as folder:
        log, stop = Path(folder) / "log", Path(folder) / "stop"
        reader = begin("casework.ingest_reader", dsn, str(stop))
        try:
            while len(told.kills) < most:
                delay_s = rng.uniform(0, seconds / 2)
                target = "process" if rng.randrange(CONNECTION_EVERY) else "connection"
                victim = begin_victim(dsn, manifest, log, pages)
                if not await _kill_after(victim, delay_s, dsn if target == "connection" else None):
                    break
                published = await _count_published(dsn)
                told.kills.append(IngestKill(target=target, delay_s=delay_s, published=published))
            final = begin_victim(dsn, manifest, log, pages)
            said = (await asyncio.to_thread(final.communicate))[0]
            if "0 failed" not in said:
                told.faults.append(f"the last run: {said!r}")
        finally:
            stop.touch()
            said = (await asyncio.to_thread(reader.communicate))[0]
        told.faults += [line for line in said.splitlines() if line.startswith("FAULT")]
        if reader.returncode:
            told.faults.append("the reader failed")
        told.polls = int(said.rsplit("polls ", 1)[-1]) if "polls " in said else 0
        counted = Counter(log.read_text().split())
        told.embedded_twice = counted.total() - len(counted)
    if told.embedded_twice > MOST_IN_FLIGHT * len(told.kills):
        told.faults.append(f"{told.embedded_twice} texts were embedded twice")
    return told


def begin(*arguments: str) -> subprocess.Popen[str]:
    """Begin a module of these scripts and wait for its first line."""
    running = subprocess.Popen(
        [sys.executable, "-m", *arguments],
        cwd=ROOT / "scripts",
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    if running.stdout is None or running.stdout.readline() != "begins\n":
        raise RuntimeError(f"{arguments[0]} did not begin: {running.communicate()[1][-2_000:]}")
    return running


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'scripts'}"}


def begin_victim(
    dsn: str, manifest: Path, log: Path, pages: Sequence[str]
) -> subprocess.Popen[str]:
    """Begin an ingest whose connections bear a name; what it has embedded is written to `log`."""
    named = f"{dsn}{'&' if '?' in dsn else '?'}application_name={NAME}"
    return begin("casework.ingest_victim", named, str(manifest), str(log), *pages)


async def _kill_after(victim: subprocess.Popen[str], delay_s: float, dsn: str | None) -> bool:
    """Kill the process, or its connections to `dsn`; return False where it ended before."""
    await asyncio.sleep(delay_s)
    if victim.poll() is None and dsn is not None:
        await _terminate_connections(dsn)
        with contextlib.suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(victim.wait, 20)
    if victim.poll() is None:
        victim.kill()
    await asyncio.to_thread(victim.communicate)
    return victim.returncode != 0


async def _terminate_connections(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(
            """SELECT pg_terminate_backend(pid)
                 FROM pg_stat_activity
                WHERE application_name = $1 AND datname = current_database()""",
            NAME,
        )
    finally:
        await connection.close()


async def _count_published(dsn: str) -> int:
    async with _opened(dsn) as pool, tenant_transaction(pool, TENANT) as conn:
        return int(await conn.fetchval(COUNT_PUBLISHED))


async def _compare(dsn: str, undisturbed: Mapping[str, object], told: KillRound) -> None:
    """Add what differs from the undisturbed store, and orphans."""
    async with _opened(dsn) as pool:
        found = await history(pool)
        told.faults += [
            f"{name} differ from those of an undisturbed ingest"
            for name, rows in found.items()
            if rows != undisturbed[name]
        ]
        async with tenant_transaction(pool, TENANT, read_only=True) as conn:
            active = await active_space(conn)
            vectors = space_table(active[0])
            for name, statement in ORPHANS.items():
                count = await conn.fetchval(statement.format(vectors=vectors))
                if count:
                    told.faults.append(f"{count} {name}")
