"""Requests of two tenants at once over HTTP, each answer held against what its tenant alone has."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import asyncpg
import httpx
import uvicorn

from casework.crossing_kinds import FOREIGN_KINDS, OWN_KINDS
from casework.crossing_store import LEFT, RIGHT, SHARED, fill
from tests.integration.hashing_embedder import HashingEmbedder
from verifier.interfaces.web.app import create_app
from verifier.service import open_verifier
from verifier.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from casework.crossing_kinds import Asked
    from casework.crossing_store import Tenant

AT_ONCE: Final = 16
_UNEQUAL_HEADERS: Final = frozenset({"date", "x-request-id", "content-length"})


@dataclass(slots=True)
class Crossing:
    """What came of all requests: how many of each kind, what crossed, and what each tenant wrote."""

    kinds: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    verified: Counter[str] = field(default_factory=Counter)
    decided: Counter[str] = field(default_factory=Counter)

    @property
    def requests(self) -> int:
        """How many requests were answered."""
        return sum(self.statuses.values())


async def cross(
    app_dsn: str,
    owner_dsn: str,
    *,
    requests: int,
    seed: int,
    tell: Callable[[Crossing], None] = lambda _: None,
) -> Crossing:
    """Fill an empty store for two tenants, ask it so often at random, and look through its tables."""
    settings = load_settings(
        dsn=app_dsn, pool_max_size=AT_ONCE, server={"key_rate": 100_000, "key_burst": 100_000}
    )
    found = Crossing()
    async with open_verifier(settings=settings, embedder=HashingEmbedder()) as verifier:
        left, right = [await fill(verifier, app_dsn, tenant) for tenant in (LEFT, RIGHT)]
        app = create_app(settings, verifier=verifier)
        async with _serving(app) as url, httpx.AsyncClient(base_url=url, timeout=120) as client:
            order = random.Random(seed)  # noqa: S311 -- to be repeated
            turns = iter(order.choices((True, False), k=requests))

            async def work() -> None:
                for is_left in turns:
                    pair = (left, right) if is_left else (right, left)
                    await _ask_once(client, order, found, pair)
                    tell(found)

            await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    found.faults.extend(await _look_through(owner_dsn, found, (left, right)))
    return found


@asynccontextmanager
async def _serving(app: Any) -> AsyncIterator[str]:  # noqa: ANN401 -- any ASGI application
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical"))
    running = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 -- uvicorn tells it by this flag alone
        await asyncio.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        await running


async def _ask_once(
    client: httpx.AsyncClient, order: random.Random, found: Crossing, pair: tuple[Tenant, Tenant]
) -> None:
    own, other = pair
    kind = order.choice((*OWN_KINDS, *FOREIGN_KINDS))
    found.kinds[kind] += 1
    if kind in OWN_KINDS:
        asked = OWN_KINDS[kind](own, other, order)
        answer = await _send(client, order, found, own, asked)
        fault = asked.check(answer) or _find_mark(answer, other)
    else:
        fault = await _ask_foreign(client, order, found, pair, kind)
    if fault is not None:
        found.faults.append(f"{own.name}, {kind}: {fault[:600]}")
    elif kind in {"verify own", "verify the other's number"}:
        found.verified[own.name] += 1
    elif kind == "decide":
        found.decided[own.name] += 1


async def _ask_foreign(
    client: httpx.AsyncClient,
    order: random.Random,
    found: Crossing,
    pair: tuple[Tenant, Tenant],
    kind: str,
) -> str | None:
    """Ask for what the other tenant has and for what nobody has; return how the answers differ."""
    own, other = pair
    make, foreign, missing = FOREIGN_KINDS[kind](other, order)
    answers = []
    for named in (foreign, missing):
        answer = await _send(client, order, found, own, make(named))
        fault = make(named).check(answer) or _find_mark(answer, other)
        if fault is not None:
            return fault
        answers.append((answer.status_code, _plain(answer, named), _headers(answer)))
    return None if answers[0] == answers[1] else f"{answers[0]} is not {answers[1]}"


async def _send(
    client: httpx.AsyncClient, order: random.Random, found: Crossing, own: Tenant, asked: Asked
) -> httpx.Response:
    key = {"Authorization": f"Bearer {order.choice(own.secrets)}"}
    answer = await client.request(
        asked.method, asked.path, params=asked.params, json=asked.body, headers=key
    )
    found.statuses[answer.status_code] += 1
    return answer


def _find_mark(answer: httpx.Response, other: Tenant) -> str | None:
    return f"tells {other.mark}" if other.mark in answer.text else None


def _plain(answer: httpx.Response, named: object) -> str:
    """Return the body without the name that was asked for, and without what is new in each report."""
    text = re.sub(r'"(report_id": "[0-9a-f]{64}|created_at": "[^"]*)"', "", answer.text)
    return re.sub(rf"(?<![\w-]){re.escape(str(named))}(?![\w-])", "NAMED", text)


def _headers(answer: httpx.Response) -> dict[str, str]:
    return {name: told for name, told in answer.headers.items() if name not in _UNEQUAL_HEADERS}


LIST_TABLES: Final = """
    SELECT a.attrelid::regclass::text
      FROM pg_attribute a
           JOIN pg_class c ON c.oid = a.attrelid
     WHERE c.relnamespace = 'verifier'::regnamespace AND c.relkind = 'r' AND a.attname = 'tenant_id'
     ORDER BY 1
"""


async def _look_through(
    owner_dsn: str, found: Crossing, tenants: tuple[Tenant, Tenant]
) -> list[str]:
    """Return where a row of one tenant holds the mark of the other, and what was done and is not kept."""
    connection = await asyncpg.connect(owner_dsn)
    faults = []
    try:
        for own, other in (tenants, tenants[::-1]):
            for (table,) in await connection.fetch(LIST_TABLES):
                crossed = await connection.fetchval(
                    f"SELECT count(*) FROM {table} t"  # noqa: S608 -- a name from the catalog
                    " WHERE t.tenant_id = $1 AND t::text LIKE '%' || $2 || '%'",
                    own.name,
                    other.mark,
                )
                if crossed:
                    faults.append(f"{table}: {crossed} rows of {own.name} hold {other.mark}")
            for table, done in (
                ("report", 2 * SHARED + found.verified[own.name]),
                ("review_decision", found.decided[own.name]),
            ):
                mine = await connection.fetchval(
                    f"SELECT count(*) FROM verifier.{table} t"  # noqa: S608 -- one of two names
                    " WHERE t.tenant_id = $1 AND (t::text LIKE '%' || $2 || '%')",
                    own.name,
                    own.mark,
                )
                if mine != done:
                    faults.append(f"{table}: {mine} rows of {own.name}, {done} expected")
    finally:
        await connection.close()
    return faults
