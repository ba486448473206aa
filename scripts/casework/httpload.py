"""A load on a server that serves: its folder, its process, the clients, its memory, and what came of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final, LiteralString

import asyncpg

from casework.httpclient import Client
from casework.loadmix import Tally, keep_turn, make_turn, search_meaning, search_words, verify
from casework.loadresult import LoadResult, Plan, summarise
from verifier.core.keys import Scope
from verifier.embedded import start_embedded
from verifier.service import open_verifier

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from casework.loadmix import Verb


CLIENTS_A_KEY: Final = 10
MAKE_ACCOUNTS: Final[LiteralString] = """
    CREATE TABLE load_account AS
    SELECT n AS id, n * 7 % 1000 AS balance FROM generate_series(1, 100000) AS n;
    ALTER TABLE load_account ADD PRIMARY KEY (id);
    ANALYZE load_account
"""
GET_BALANCE: Final[LiteralString] = "SELECT balance FROM load_account WHERE id = $1"


async def run_load(plan: Plan, folder: Path) -> LoadResult:
    """Make a store in `folder`, serve it, and load it."""
    data_dir = folder / "data"
    keys = await _make_store(folder, data_dir, -(-plan.clients // CLIENTS_A_KEY))
    with start_embedded(data_dir) as postgres:
        async with _serving(folder, data_dir) as (url, process_id):
            tally, memory = await _storm(plan, url, keys, process_id)
            _say("the steady rate")
            before = _processor_ms(process_id)
            steady, bare = await _hold_steady(plan, url, keys, postgres.owner_dsn)
            spent_ms = _processor_ms(process_id) - before
    return LoadResult(
        plan=plan,
        statuses={
            verb: dict(sorted(found.items())) for verb, found in sorted(tally.statuses.items())
        },
        times={verb: summarise(tally.seconds[verb]) for verb in sorted(tally.statuses)},
        memory_mb=_by_fifths(memory),
        failures=(*tally.failures, *steady.failures),
        steady=summarise(steady.seconds["verify"]),
        steady_statuses=dict(steady.statuses["verify"]),
        bare=summarise(bare),
        processor_ms=spent_ms / max(1, len(steady.seconds["verify"])),
    )


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _command(data_dir: Path, *arguments: str) -> list[str]:
    options = ["--tenant", "load", "--data-dir", str(data_dir), "--json"]
    return [sys.executable, "-m", "verifier", *arguments, *options]


async def _make_store(folder: Path, data_dir: Path, keys: int) -> list[str]:
    """Ingest the sample's documents and return the secrets of so many keys."""
    sample = Path(str(files("verifier.sample").joinpath("documents")))
    ingest = _command(data_dir, "ingest", str(sample), "--by", "load")
    await asyncio.to_thread(
        subprocess.run, ingest, check=True, stdout=subprocess.DEVNULL, cwd=folder
    )
    async with open_verifier(data_dir=data_dir, tenant="load") as verifier:
        made = [
            await verifier.keys.add(
                f"client-{number}", [Scope.SEARCH, Scope.VERIFY], may_supply_calls=True
            )
            for number in range(keys)
        ]
    return [one.secret for one in made]


@contextlib.asynccontextmanager
async def _serving(folder: Path, data_dir: Path) -> AsyncIterator[tuple[str, int]]:
    """Yield the URL and the process of a server; it is told to stop at the end, and must end well."""
    process = await asyncio.create_subprocess_exec(
        *_command(data_dir, "serve", "--port", "0"), stdout=subprocess.PIPE, cwd=folder
    )
    try:
        told = b"" if process.stdout is None else await process.stdout.readline()
        yield json.loads(told)["url"], process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        code = await process.wait()
    if code:
        raise RuntimeError(f"the server ended with code {code}")


async def _storm(
    plan: Plan, url: str, keys: list[str], process_id: int
) -> tuple[Tally, list[float]]:
    """Let all clients ask at once until the time is over."""
    tally, memory = Tally(), list[float]()
    begun = time.monotonic()
    ends = begun + plan.seconds
    verbs = await _choose_verbs(Client(url, keys[0]))
    clients = [
        asyncio.create_task(
            _keep_asking(Client(url, keys[number % len(keys)]), number, tally, ends, verbs)
        )
        for number in range(plan.clients)
    ]
    told = begun
    while time.monotonic() < ends:
        await asyncio.sleep(min(1.0, plan.seconds / 20))
        memory.append(_memory_mb(process_id))
        if time.monotonic() - told > 10:
            told = time.monotonic()
            asked = sum(each.total() for each in tally.statuses.values())
            _say(f"{told - begun:5.0f} s  {asked:,} answers, {memory[-1]:.0f} MB")
    await asyncio.gather(*clients)
    return tally, memory


async def _choose_verbs(client: Client) -> tuple[Verb, ...]:
    """Return what clients choose from by chance; turns, where the server keeps them."""
    answer = await client.post("/v1/turns", {"question": "What does it cost?"})
    await client.close()
    usual = (search_words, search_meaning, verify, verify)
    return (*usual, keep_turn) if answer.status < 300 else usual


async def _keep_asking(
    client: Client, number: int, tally: Tally, ends: float, verbs: Sequence[Verb]
) -> None:
    """Ask one request after the other, mixed by chance; wait where the server says so."""
    chance = random.Random(number)  # noqa: S311 -- a mix that can be repeated
    try:
        while time.monotonic() < ends:
            answer = await chance.choice(verbs)(client, chance, tally)
            if answer is None or answer.status in {429, 503}:
                wait_s = 0.5 if answer is None else max(answer.retry_after_s, 0.5)
                await asyncio.sleep(min(wait_s, 2.0) * (0.5 + chance.random()))
    finally:
        await client.close()


async def _hold_steady(
    plan: Plan, url: str, keys: list[str], owner_dsn: str
) -> tuple[Tally, list[float]]:
    """Verify and select at the same steady rate, each at its time whether or not others have ended."""
    tally, bare = Tally(), list[float]()
    chance = random.Random(1)  # noqa: S311 -- a mix that can be repeated
    idle = [Client(url, key) for key in keys]

    async def ask() -> None:
        client = idle.pop() if idle else Client(url, chance.choice(keys))
        await tally.note("verify", client.post("/v1/verify", make_turn(chance)))
        idle.append(client)

    async with asyncpg.create_pool(owner_dsn, min_size=4, max_size=4) as pool:
        await pool.execute(MAKE_ACCOUNTS)

        async def select() -> None:
            async with pool.acquire() as connection:
                begun = time.perf_counter()
                await connection.fetchval(GET_BALANCE, chance.randrange(1, 100_001))
                bare.append(time.perf_counter() - begun)

        await asyncio.gather(_pace(plan, ask), _pace(plan, select))
    for client in idle:
        await client.close()
    return tally, bare


async def _pace(plan: Plan, ask: Callable[[], Awaitable[None]]) -> None:
    begun, running = time.monotonic(), set[asyncio.Task[None]]()
    for number in range(plan.rate * plan.steady_s):
        await asyncio.sleep(max(0.0, begun + number / plan.rate - time.monotonic()))
        task = asyncio.ensure_future(ask())
        running.add(task)
        task.add_done_callback(running.discard)
    await asyncio.gather(*running)


def _memory_mb(process_id: int) -> float:
    """Return the resident memory of a process."""
    status = Path(f"/proc/{process_id}/status").read_text(encoding="ascii", errors="replace")
    line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


def _processor_ms(process_id: int) -> float:
    """Return what a process has cost the processor: its neighbours do not count, as they do on the wall."""
    told = Path(f"/proc/{process_id}/stat").read_text(encoding="ascii", errors="replace")
    user, system = told.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK") * 1000


def _by_fifths(memory: list[float]) -> tuple[float, ...]:
    size = max(1, len(memory) // 5)
    return tuple(
        statistics.fmean(memory[at : at + size]) for at in range(0, size * 5, size) if memory[at:]
    )
