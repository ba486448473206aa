"""How long it takes to read the rows of many claims: in one SELECT, in one a type, in one a claim."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import asyncpg

from casework.latency import delaying
from verifier import verify_claims
from verifier.core.catalog import parse_catalog
from verifier.core.turns import Turn
from verifier.store.canonical import fetch_rows
from verifier.store.canonical_pool import open_canonical_pool

if TYPE_CHECKING:
    from collections.abc import (
        AsyncIterator,
        Awaitable,
        Callable,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from typing import TypeAlias

    from verifier.core.catalog import Catalog
    from verifier.embedded import EmbeddedPostgres
    from verifier.store.canonical_pool import CanonicalPool

    _Keys: TypeAlias = Mapping[str, Sequence[str]]
    _Lookup: TypeAlias = tuple[Catalog, _Keys]

SIZES: Final = (1, 10, 100, 1_000, 10_000)
LATENCIES_MS: Final = (0, 1, 5)
_MOST_REPEATED: Final = 1_000  # more are timed once
_ROWS: Final = 20_000
_TYPES: Final = ("product", "order", "invoice", "parcel")
_TABLES: Final = "".join(
    f"""
    CREATE TABLE {name}_row (id text PRIMARY KEY, customer text, amount numeric, note text);
    INSERT INTO {name}_row
    SELECT '{name[0].upper()}-' || i, 'u' || i % 7, i + 0.25, repeat('x', 100)
      FROM generate_series(1, {_ROWS}) i;
    """  # noqa: S608 -- our own constants
    for name in _TYPES
)
_DECLARED: Final[dict[str, object]] = {
    name: {
        "table": f"{name}_row",
        "key": {"column": "id", "type": "text", "pattern": f"{name[0].upper()}-[0-9]+"},
        "attributes": {"amount": {"kind": "money", "currency": "EUR"}},
    }
    for name in _TYPES
}
_CATALOG: Final = parse_catalog(_DECLARED)
_ALONE: Final = {name: parse_catalog({name: declared}) for name, declared in _DECLARED.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupTime:
    """The best times for one number of claims at one added latency, in milliseconds.

    `verify_ms` is all of verifying, of which `processor_ms` is this process's work; others only read rows.
    """

    claims: int
    latency_ms: float
    verify_ms: float
    processor_ms: float
    one_ms: float
    by_type_ms: float
    single_ms: float
    selects: int


async def time_lookups(
    server: EmbeddedPostgres, sizes: Sequence[int], latencies_ms: Sequence[float]
) -> AsyncIterator[LookupTime]:
    """Yield the times for each latency and size; each connection is used once before."""
    connection = await asyncpg.connect(server.owner_dsn)
    await connection.execute(_TABLES)
    await connection.execute("ANALYZE")
    await connection.close()
    socket = str(server.data_dir / "pgdata" / ".s.PGSQL.5432")
    for latency_ms in latencies_ms:
        with delaying(socket, latency_ms) as port:
            dsn = f"postgresql://postgres@127.0.0.1:{port}/verifier?sslmode=disable"
            async with await open_canonical_pool(dsn, timeout_s=60, max_size=1) as pool:
                for size in sizes:
                    yield await _time(pool, size, latency_ms)


async def _time(pool: CanonicalPool, size: int, latency_ms: float) -> LookupTime:
    keys = _keys(size)
    answer = "".join(
        f"```{name}\n{json.dumps({'id': key, 'amount': int(key[2:]) + 0.25})}\n```\n"
        for name, listed in keys.items()
        for key in listed
    )
    rounds = 3 if size <= _MOST_REPEATED else 1
    await verify_claims("```product\n" + '{"id": "P-1"}' + "\n```", None, pool, catalog=_CATALOG)
    processor: list[float] = []
    selects: list[int] = []

    async def verify() -> None:
        begun = time.process_time()
        report = await verify_claims(answer, None, pool, catalog=_CATALOG, turn=Turn())
        processor.append(1_000 * (time.process_time() - begun))
        selects.append(report.database_round_trips)
        if report.grounded_share != 1:
            raise RuntimeError("a true claim was not verified")

    async def read(lookups: Callable[[_Keys], Iterable[_Lookup]]) -> float:
        return await _best(lambda: _read(pool, lookups(keys)), rounds)

    return LookupTime(
        claims=size,
        latency_ms=latency_ms,
        verify_ms=await _best(verify, rounds),
        one_ms=await read(lambda keys: [(_CATALOG, keys)]),
        by_type_ms=await read(_by_type),
        single_ms=await read(_by_claim),
        processor_ms=min(processor),
        selects=max(selects),
    )


async def _best(work: Callable[[], Awaitable[None]], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        await work()
        times.append(1_000 * (time.perf_counter() - begun))
    return min(times)


async def _read(pool: CanonicalPool, lookups: Iterable[_Lookup]) -> None:
    for catalog, keys in lookups:
        await fetch_rows(pool, catalog, "default", keys, {}, timeout_s=60)


def _keys(size: int) -> _Keys:
    """Return so many keys, of all types in turn."""
    found: dict[str, list[str]] = {name: [] for name in _TYPES}
    for at in range(size):
        name = _TYPES[at % len(_TYPES)]
        found[name].append(f"{name[0].upper()}-{1 + at * 7 % _ROWS}")
    return found


def _by_type(keys: _Keys) -> Iterator[_Lookup]:
    return ((_ALONE[name], {name: listed}) for name, listed in keys.items() if listed)


def _by_claim(keys: _Keys) -> Iterator[_Lookup]:
    return ((_ALONE[name], {name: [key]}) for name, listed in keys.items() for key in listed)
