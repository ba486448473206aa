"""What a failing canonical database does to a report: a reason in each verdict, never a lost answer."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg
import pytest

from tests.integration.canonical_shop import (
    ANSWER,
    CATALOG,
    DECLARED,
    PRODUCT,
    RIGHT,
    TABLES,
    details,
    outcomes,
    verify,
)
from tests.integration.conftest import execute, name_database
from tests.integration.pooler import hand_over
from verifier.cluster import find_programs
from verifier.core.turns import Turn
from verifier.embedded import start_embedded
from verifier.errors import SettingsError
from verifier.service import open_verifier
from verifier.settings import load_settings
from verifier.store.canonical_pool import borrow_connection, open_canonical_pool
from verifier.verify.known_names import CanonicalNames
from verifier.verify.verifier import Backing, verify_answer, verify_claims

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
    from types import ModuleType
    from typing import TypeAlias

    from tests.integration.conftest import Database
    from verifier.core.report import GroundingReport
    from verifier.embedded import EmbeddedPostgres
    from verifier.store.canonical_pool import CanonicalPool

    Answering: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

KILLS = 10
UNAVAILABLE = {"database_unavailable"}


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedPostgres]:
    """A server of these tests alone, which they stop and restart."""
    with start_embedded(tmp_path_factory.mktemp("own") / "s") as server:
        yield server


@pytest.fixture
async def own_shop(own_server: EmbeddedPostgres) -> str:
    """The connection string of that server, with the shop's tables in it."""
    await execute(own_server.owner_dsn, "DROP SCHEMA IF EXISTS counted CASCADE", *TABLES)
    return own_server.owner_dsn


def load_killing() -> ModuleType:
    scripts = str(Path(__file__).parents[2] / "scripts")
    sys.path.insert(0, scripts)
    try:
        return importlib.import_module("casework.killing")
    finally:
        sys.path.remove(scripts)


async def test_killed_in_the_middle_each_report_is_right_or_says_so(tmp_path: Path) -> None:
    killing = load_killing()
    kills = [one async for one in killing.kill_often(tmp_path / "s", KILLS, seed=2)]
    assert [one for one in kills if not (one.is_right and one.next_is_right)] == []
    assert len(kills) == KILLS
    assert "unavailable" in {one.sort for one in kills}


async def test_b501_restarted_between_two_checks(
    own_server: EmbeddedPostgres, own_shop: str
) -> None:
    async with await open_canonical_pool(own_shop) as pool:
        assert outcomes(await verify(pool)) == RIGHT
        load_killing().kill_server(own_server.data_dir)
        down = await verify(pool)
        (await asyncio.to_thread(start_embedded, own_server.data_dir)).stop()
        reports = await asyncio.gather(*(verify(pool) for _ in range(8)))
    assert set(outcomes(down)) == UNAVAILABLE
    assert {outcomes(one) for one in reports} == {RIGHT}


def postmaster_of(server: EmbeddedPostgres) -> int:
    return int((server.data_dir / "pgdata" / "postmaster.pid").read_text().split("\n", 1)[0])


@contextmanager
def halted(server: EmbeddedPostgres) -> Iterator[None]:
    """Halt all processes of a server: it takes connections, and says nothing."""
    master = postmaster_of(server)
    children = Path(f"/proc/{master}/task/{master}/children").read_text().split()
    processes = [master, *map(int, children)]
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in reversed(processes):
            os.kill(process, signal.SIGCONT)


@pytest.mark.parametrize("used_before", ["a used connection", "a new connection"])
async def test_a_server_that_hangs_is_a_timeout(
    own_server: EmbeddedPostgres, own_shop: str, used_before: str
) -> None:
    async with await open_canonical_pool(own_shop, timeout_s=1) as pool:

        async def lend(_database: str) -> CanonicalPool:
            return pool

        names = CanonicalNames(CATALOG, lend, timeouts_s={"default": 1})
        backing = Backing(catalog=CATALOG, lend_pool=lend, timeout_s=1, names=names)
        turn = Turn(principal="u1")
        if used_before == "a used connection":
            assert outcomes(await verify_answer(ANSWER, turn, backing=backing)) == RIGHT
        begun = time.monotonic()
        with halted(own_server):
            reports = await asyncio.gather(
                *(verify_answer(ANSWER, turn, backing=backing) for _ in range(10))
            )
            took_s = time.monotonic() - begun
        again = await verify_answer(ANSWER, turn, backing=backing)
    assert {one for report in reports for one in outcomes(report)} <= {"timeout", *UNAVAILABLE}
    assert "timeout" in outcomes(reports[0])
    assert took_s < 10
    assert outcomes(again) == RIGHT


async def speak_nonsense(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(1)
    writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    await writer.drain()
    writer.close()


async def close_at_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    del reader
    writer.close()


async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while await reader.read(1_000):
        pass
    writer.close()


async def break_off(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(1_000)
    writer.write(b"R\x00\x00\x00\x08\x00\x00")  # half of what says that a login is accepted
    await writer.drain()
    writer.close()


async def send_rubbish(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(1_000)
    writer.write(b"N" + b"\xff" * 4_000)
    await writer.drain()
    writer.close()


@pytest.mark.parametrize(
    "answering", [speak_nonsense, close_at_once, say_nothing, break_off, send_rubbish]
)
async def test_what_is_no_postgres_is_a_verdict(answering: Answering) -> None:
    server = await asyncio.start_server(answering, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        dsn = f"postgresql://reader@127.0.0.1:{port}/shop"
        async with await open_canonical_pool(dsn, timeout_s=0.5, connect_timeout_s=0.5) as pool:

            async def lend(_database: str) -> CanonicalPool:
                return pool

            backing = Backing(catalog=CATALOG, lend_pool=lend, timeout_s=0.5)
            begun = time.monotonic()
            report = await verify_answer(ANSWER, Turn(principal="u1"), backing=backing)
            assert time.monotonic() - begun < 5
    assert set(outcomes(report)) <= {"timeout", "no_evidence", "unbound", *UNAVAILABLE}
    assert {"timeout", *UNAVAILABLE} & set(outcomes(report))


@pytest.mark.parametrize(
    "dsn",
    [
        "postgresql://reader@no-such-host.invalid/shop",
        "postgresql://reader@127.0.0.1:1/shop",
        "postgresql://reader@/shop?host=/no/such/folder",
        "postgresql://reader@%00/shop",
    ],
)
async def test_an_address_without_a_server_is_a_verdict(dsn: str) -> None:
    async with await open_canonical_pool(dsn, connect_timeout_s=2) as pool:
        report = await verify(pool)
    assert set(outcomes(report)) == UNAVAILABLE


@pytest.mark.parametrize(
    "dsn",
    [
        "postgresql://reader@127.0.0.1:notaport/shop",
        "postgresql://reader@127.0.0.1:99999999/shop",
        "postgresql://reader@[::1/shop",
        "postgresql://reader@127.0.0.1/shop?sslmode=nonsense",
    ],
)
async def test_a_wrong_connection_string_is_told_and_loses_no_answer(
    fresh_database: Database, dsn: str
) -> None:
    async with await open_canonical_pool(dsn) as pool:
        with pytest.raises(SettingsError, match="connection string"):
            async with borrow_connection(pool):
                pass
    order = {**DECLARED["order"], "database": "shop"}  # type: ignore[dict-item]  # a table of the above
    product = {**DECLARED["product"], "database": "shop"}  # type: ignore[dict-item]
    settings = load_settings(
        dsn=fresh_database.owner_dsn,
        databases={"shop": {"dsn": dsn}},
        catalog={"order": order, "product": product},
    )
    async with open_verifier(settings=settings) as verifier:
        report = await verifier.verify(ANSWER, verifier.turn(principal="u1"))
        catalog = await verifier.doctor()
    assert outcomes(report)[:2] == ("database_unavailable", "database_unavailable")
    assert "connection string" in details(report)
    assert any("connection string" in check.detail for check in catalog)


async def test_a_database_that_nobody_declared_loses_no_answer(fresh_database: Database) -> None:
    product = {**DECLARED["product"], "database": "nowhere"}  # type: ignore[dict-item]
    settings = load_settings(dsn=fresh_database.owner_dsn, catalog={"product": product})
    async with open_verifier(settings=settings) as verifier:
        report = await verifier.verify("The walnut shelf costs 49.90 EUR.")
    assert outcomes(report) == ("database_unavailable",)


@asynccontextmanager
async def shop(database: Database, *, timeout_s: float = 5.0) -> AsyncIterator[CanonicalPool]:
    await database.execute(*TABLES)
    async with await open_canonical_pool(database.owner_dsn, timeout_s=timeout_s) as pool:
        yield pool


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("DROP TABLE counted.orders", 'relation "counted.orders" does not exist'),
        ("ALTER TABLE counted.orders RENAME TO order_list", 'relation "counted.orders"'),
        ("ALTER TABLE counted.orders RENAME status TO state", "column t.status does not exist"),
        ("ALTER TABLE counted.orders DROP COLUMN customer", "column t.customer does not exist"),
        ("ALTER TABLE counted.product RENAME price TO amount", "column t.price does not exist"),
        ("ALTER TABLE counted.product RENAME name TO title", "column t.name does not exist"),
        ("ALTER TABLE counted.invoice ALTER id TYPE text", "operator does not exist"),
        ("ALTER SCHEMA counted RENAME TO uncounted", 'relation "counted.product"'),
        (
            "DROP TABLE counted.orders; CREATE VIEW counted.orders AS"
            " SELECT 'W-' || id AS id, 'u1' AS customer, (1 / (total - total))::text AS status"
            " FROM counted.invoice",
            "division by zero",
        ),
    ],
)
async def test_a_damaged_table_is_named_and_the_next_call_works(
    fresh_database: Database, damage: str, told: str
) -> None:
    async with shop(fresh_database) as pool:
        for _ in range(3):
            assert outcomes(await verify(pool)) == RIGHT
        await fresh_database.execute(damage)
        damaged = await verify(pool)
        await fresh_database.execute("DROP SCHEMA IF EXISTS counted CASCADE", *TABLES)
        mended = await verify(pool)
    assert set(outcomes(damaged)) == UNAVAILABLE
    assert told in details(damaged)
    assert outcomes(mended) == RIGHT


async def test_a_role_without_rights_and_a_full_server_are_verdicts(
    embedded: EmbeddedPostgres, fresh_database: Database
) -> None:
    await fresh_database.execute(*TABLES)
    async with await open_canonical_pool(fresh_database.reader_dsn) as pool:
        forbidden = await verify(pool)
    no_database = name_database(embedded.owner_dsn, "no_such_database")
    async with await open_canonical_pool(no_database) as pool:
        missing = await verify(pool)
    await fresh_database.execute(
        f"ALTER DATABASE {fresh_database.name} CONNECTION LIMIT 0",
        "GRANT USAGE ON SCHEMA counted TO verifier_reader",
        "GRANT SELECT ON ALL TABLES IN SCHEMA counted TO verifier_reader",
    )
    async with await open_canonical_pool(fresh_database.reader_dsn) as pool:
        full = await verify(pool)
        await fresh_database.execute(f"ALTER DATABASE {fresh_database.name} CONNECTION LIMIT -1")
        mended = await verify(pool)
    for report, told in (
        (forbidden, "permission denied"),
        (missing, '"no_such_database" does not exist'),
        (full, "too many connections"),
    ):
        assert set(outcomes(report)) == UNAVAILABLE
        assert told in details(report)
    assert outcomes(mended) == RIGHT


@pytest.mark.parametrize("locked", ["orders", "product", "invoice"])
async def test_a_locked_table_is_a_timeout_with_its_limit(
    fresh_database: Database, locked: str
) -> None:
    async with shop(fresh_database, timeout_s=0.5) as pool:

        async def lend(_database: str) -> CanonicalPool:
            return pool

        names = CanonicalNames(CATALOG, lend, timeouts_s={"default": 0.5})
        backing = Backing(catalog=CATALOG, lend_pool=lend, timeouts_s={"default": 0.5}, names=names)
        turn, locker = Turn(principal="u1"), await asyncpg.connect(fresh_database.owner_dsn)
        async with locker.transaction():
            await locker.execute(f"LOCK TABLE counted.{locked} IN ACCESS EXCLUSIVE MODE")
            begun = time.monotonic()
            reports = await asyncio.gather(
                *(verify_answer(ANSWER, turn, backing=backing) for _ in range(8))
            )
            took_s = time.monotonic() - begun
        await locker.close()
        again = await verify_answer(ANSWER, turn, backing=backing)
    for report in reports:
        assert set(outcomes(report)) == {"timeout"}
        assert "within 0.5 seconds" in details(report)
    assert took_s < 5
    assert outcomes(again) == RIGHT


async def test_a_closed_pool_is_a_verdict(fresh_database: Database) -> None:
    async with shop(fresh_database) as pool:
        pass
    report = await verify(pool)
    assert set(outcomes(report)) == UNAVAILABLE


def card(kind: str, key: object, **fields: object) -> str:
    return f"```{kind}\n{json.dumps({'id': key, **fields})}\n```\n"


PLAIN = PRODUCT.replace("-", "")
TRUE_KEYS = (
    *(("product", key) for key in (PRODUCT, PRODUCT.upper(), PLAIN, PLAIN.upper())),
    *(("product", key) for key in (f"urn:uuid:{PRODUCT}", f"URN:UUID:{PRODUCT.upper()}")),
    *(("product", key) for key in (f"{{{PRODUCT}}}", f"  {PRODUCT}\n", f"{{{PLAIN}}}")),
    *(("order", key) for key in ("W-1", " W-1", "W-1\t")),
    *(("invoice", key) for key in (1, "1", "#1", " 1 ", 2**63 - 1, str(2**63 - 1))),
)
FALSE_KEYS = (
    *(("product", key) for key in (PRODUCT[:-1], PRODUCT + "0", PRODUCT.replace("0", "O", 1))),
    *(("product", key) for key in (PRODUCT.replace("-", " "), PRODUCT.replace("-", "\u2011"))),
    *(("product", key) for key in (PRODUCT.replace("a", "\u0430"), PRODUCT.replace("f", "\uff46"))),
    *(("product", key) for key in (PRODUCT.replace("1", "\u0661"), f"{PRODUCT}' OR '1'='1")),
    *(("product", key) for key in ("", " ", "%", "null", "NaN", [PRODUCT], {"id": PRODUCT}, None)),
    *(("order", key) for key in ("W-01", "W-001", "w-1", "W_1", "W-%", "%", "_-1", "W-1--", "W1")),
    *(
        ("order", key)
        for key in ("\u0428-1", "\uff37-1", "W\u20111", "W\u22121", "W-\u0661", "W-1\u200b")
    ),
    *(("order", key) for key in ("W-1'; DROP TABLE counted.orders; --", "W-1\x00", "W-1\ud800")),
    *(("order", key) for key in ("W-1" * 100, "W-2", "W-3", "(SELECT 'W-1')", "$1", "W-1;W-2")),
    *(
        ("invoice", key)
        for key in (2**63, -(2**63) - 1, 2**64 + 1, str(2**63), "9" * 400, -1, "-1")
    ),
    *(
        ("invoice", key)
        for key in ("01", "001", "+1", "1.0", 1.0, 1.5, "1e0", "0x1", "1_0", "\u00b9")
    ),
    *(
        ("invoice", key)
        for key in ("\u0661", "\uff11", True, "1 OR 1=1", "1;--", "1 1", "1,000", "")
    ),
)
FIELDS: dict[str, dict[str, object]] = {
    "product": {"price": 49.9},
    "order": {"status": "shipped"},
    "invoice": {},
}


async def read_keys(database: Database, keys: tuple[tuple[str, object], ...]) -> GroundingReport:
    async with shop(database) as pool:
        report = await verify(pool, "".join(card(kind, key, **FIELDS[kind]) for kind, key in keys))
        assert report.database_round_trips == 1
        assert await pool.fetchval("SELECT count(*) FROM counted.orders") == 2
    return report


async def test_ids_in_every_form_of_theirs_are_found(fresh_database: Database) -> None:
    report = await read_keys(fresh_database, TRUE_KEYS)
    assert outcomes(report) == ("verified",) * len(TRUE_KEYS)


async def test_ids_that_only_look_like_one_are_never_verified(fresh_database: Database) -> None:
    report = await read_keys(fresh_database, FALSE_KEYS)
    assert report.claims == len(FALSE_KEYS)
    for judged, key in zip(report.judged, FALSE_KEYS, strict=True):
        assert judged.verdict.disposition != "accepted", key


@pytest.mark.parametrize(
    "principal",
    ["u1' OR '1'='1", "%", "_1", "U1", "u1 ", "u1\x00", "u1\ud800", "\uff551", "u" * 10**6],
)
async def test_a_strange_principal_sees_nothing(fresh_database: Database, principal: str) -> None:
    async with shop(fresh_database) as pool:
        answer = "Order W-1 has shipped. The walnut shelf costs 49.90 EUR."
        turn = Turn(principal=principal)
        report = await verify_claims(answer, None, pool, catalog=CATALOG, turn=turn)
    assert outcomes(report)[0] in {"not_found", *UNAVAILABLE}


@pytest.mark.parametrize(
    "name",
    [
        "Robert'); DROP TABLE counted.product;--",
        'O"Brien shelf',
        "50% shelf",
        "shelf $1",
        "shelf \\' x",
        "Regal \u2018Eiche\u2019",
        "\u0160kod\u00e1\u010dek",
        "x" * 600,
        "shelf " * 40,
        "{}",
        "a\nb",
    ],
)
async def test_sql_and_signs_in_names_are_text(fresh_database: Database, name: str) -> None:
    async with shop(fresh_database) as pool:
        await pool.execute("SELECT 1")
        connection = await asyncpg.connect(fresh_database.owner_dsn)
        await connection.execute(
            "INSERT INTO counted.product VALUES (gen_random_uuid(), $1, 5)", name
        )
        await connection.close()
        report = await verify(pool, f"The {name} costs 4.00 EUR. The walnut shelf costs 49.90 EUR.")
        assert await pool.fetchval("SELECT count(*) FROM counted.product") == 2
    assert outcomes(report)[-1] == "verified"
    assert "verified" not in outcomes(report)[:-1]


async def test_b406_the_primary_tells_what_its_replica_has_not_yet(
    own_server: EmbeddedPostgres, own_shop: str, tmp_path: Path
) -> None:
    with run_replica(own_server, tmp_path / "r") as replica:
        await execute(replica.owner_dsn, "SELECT pg_wal_replay_pause()")
        await execute(own_shop, "INSERT INTO counted.orders VALUES ('W-5512', 'u1', 'delivered')")
        answer = "Order W-5512 was delivered."
        async with await open_canonical_pool(own_shop) as pool:
            on_primary = await verify(pool, answer)
        async with await open_canonical_pool(replica.owner_dsn) as pool:
            on_replica = await verify(pool, answer)
            known = await verify(pool)
    assert outcomes(on_primary) == ("verified",)
    assert "verified" not in outcomes(on_replica)
    assert outcomes(known) == RIGHT


@contextmanager
def run_replica(primary: EmbeddedPostgres, folder: Path) -> Iterator[EmbeddedPostgres]:
    """Run a standby server that follows `primary`."""
    pgdata = primary.data_dir / "pgdata"
    with (pgdata / "pg_hba.conf").open("a") as rules:
        rules.write("local replication all trust\n")
    folder.mkdir()
    identity = hand_over(folder, pgdata)
    os.kill(postmaster_of(primary), signal.SIGHUP)
    subprocess.run(
        (
            *(
                str(find_programs() / "pg_basebackup"),
                "-h",
                str(pgdata),
                "-p",
                "5432",
                "-U",
                "postgres",
            ),
            *("-D", str(folder / "pgdata"), "-R", "-X", "stream", "-c", "fast"),
        ),
        check=True,
        capture_output=True,
        cwd=folder,
        **identity,
    )
    with start_embedded(folder) as replica:
        yield replica
