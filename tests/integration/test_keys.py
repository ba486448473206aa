"""Keys of tenants: given out once, found by their secret, expired, revoked; sessions that end with them."""

from __future__ import annotations

import asyncio
import json
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import asyncpg
import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import ingest_one, opened
from verifier.core.keys import Scope
from verifier.errors import InputError, TenantRequired, UnknownThing
from verifier.interfaces.cli.app import run
from verifier.keys import REVOKED_WITHIN_S, KnownCallers
from verifier.service import open_verifier

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database
    from verifier.service import Verifier


@pytest.fixture
async def acme(fresh_database: Database) -> AsyncIterator[Verifier]:
    async with open_verifier(
        fresh_database.app_dsn, tenant="acme", embedder=HashingEmbedder()
    ) as verifier:
        yield verifier


async def rows(database: Database, query: str) -> list[Any]:
    connection = await asyncpg.connect(database.owner_dsn)
    try:
        return list(await connection.fetch(query))
    finally:
        await connection.close()


async def test_the_holder_of_a_secret_is_who_it_was_given_to(
    acme: Verifier, fresh_database: Database
) -> None:
    made = await acme.keys.add("shop", ["search", Scope.VERIFY], may_supply_calls=True)
    other = await acme.for_tenant("other").keys.add("shop", [Scope.ADMIN])
    caller = await acme.keys.authenticate(made.secret)
    assert caller is not None
    assert (caller.tenant, caller.name, caller.key_id) == ("acme", "shop", made.key.key_id)
    assert caller.may(Scope.SEARCH)
    assert not caller.may(Scope.ADMIN)
    assert caller.may_supply_calls
    assert not caller.may_act_for_principals
    foreign = await acme.keys.authenticate(other.secret)
    assert foreign is not None
    assert foreign.tenant == "other"
    assert all(foreign.may(scope) for scope in Scope)
    kept = await rows(fresh_database, "SELECT api_key::text FROM verifier.api_key")
    assert not any(made.secret in row[0] or made.secret[3:] in row[0] for row in kept)
    assert [key.name for key in await acme.keys.list()] == ["shop"]


@pytest.mark.parametrize(
    "secret",
    [
        "",
        "vk_",
        "vk_" + "A" * 43,
        "vk_" + "A" * 44,
        "vk_" + "A" * 42 + "\n",
        "VK_" + "A" * 43,
        "vk_" + "é" * 43,
        "vk_" + "A" * 42 + "\x00",
        "vk_" + "\ud800" * 43,
        "x" * 1_000_000,
        "vk_' OR true --",
    ],
)
async def test_what_is_no_secret_is_nobodys(acme: Verifier, secret: str) -> None:
    await acme.keys.add("shop", [Scope.SEARCH])
    assert await acme.keys.authenticate(secret) is None
    assert await acme.keys.find_session(secret) is None


@pytest.mark.parametrize(
    ("name", "scopes", "terms", "told"),
    [
        ("  ", ["search"], {}, "name"),
        ("a" * 201, ["search"], {}, "name"),
        ("a\x00", ["search"], {}, "name"),
        ("a\ud800", ["search"], {}, "name"),
        ("a\u202eb", ["search"], {}, "name"),
        ("a\nb", ["search"], {}, "name"),
        ("a", [], {}, "needs a scope"),
        ("a", ["search", "root"], {}, "'root' is no scope"),
        ("a", "admin ", {}, "'admin ' is no scope"),
        ("a", ["search"], {"expires_in": timedelta(0)}, "validity"),
        ("a", ["search"], {"expires_in": timedelta(days=-1)}, "validity"),
        ("a", ["search"], {"expires_in": timedelta.max}, "validity"),
    ],
)
async def test_a_key_that_can_not_be_is_refused(
    acme: Verifier, name: str, scopes: list[str], terms: dict[str, timedelta], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        await acme.keys.add(name, scopes, **terms)  # type: ignore[arg-type]
    assert await acme.keys.list() == ()


async def test_a_name_is_given_once_in_a_tenant_even_to_many_at_once(acme: Verifier) -> None:
    tries = [acme.keys.add("shop", [Scope.SEARCH]) for _ in range(8)]
    ended = await asyncio.gather(*tries, return_exceptions=True)
    refused = [one for one in ended if isinstance(one, BaseException)]
    assert len(refused) == 7
    assert all(isinstance(one, InputError) for one in refused)
    await acme.keys.revoke("shop")
    with pytest.raises(InputError, match="choose another name"):
        await acme.keys.add("shop", [Scope.SEARCH])
    await acme.for_tenant("other").keys.add("shop", [Scope.SEARCH])


async def test_an_expired_key_and_a_revoked_one_are_as_unknown(acme: Verifier) -> None:
    short = await acme.keys.add("short", [Scope.SEARCH], expires_in=timedelta(seconds=0.2))
    gone = await acme.keys.add("gone", [Scope.SEARCH])
    assert await acme.keys.authenticate(short.secret) is not None
    assert await acme.keys.authenticate(gone.secret) is not None
    revoked = await acme.keys.revoke("gone")
    assert await acme.keys.authenticate(gone.secret) is None
    await asyncio.sleep(0.25)
    assert await acme.keys.authenticate(short.secret) is None
    assert await acme.keys.revoke("gone") == revoked
    with pytest.raises(UnknownThing):
        await acme.keys.revoke("nobody")
    with pytest.raises(UnknownThing):
        await acme.keys.revoke("a\x00")
    with pytest.raises(UnknownThing):
        await acme.for_tenant("other").keys.revoke("gone")


async def test_another_process_notices_a_revocation_in_time(
    acme: Verifier, fresh_database: Database
) -> None:
    made = await acme.keys.add("shop", [Scope.SEARCH])
    async with open_verifier(fresh_database.app_dsn, tenant="else") as server:
        assert await server.keys.authenticate(made.secret) is not None
        await acme.keys.revoke("shop")
        await asyncio.sleep(REVOKED_WITHIN_S)
        assert await server.keys.authenticate(made.secret) is None


async def test_use_is_noted_once_a_minute(acme: Verifier, fresh_database: Database) -> None:
    made = await acme.keys.add("shop", [Scope.SEARCH])
    assert (await acme.keys.list())[0].last_used_at is None
    await acme.keys.authenticate(made.secret)
    first = (await acme.keys.list())[0].last_used_at
    assert first is not None
    async with open_verifier(fresh_database.app_dsn) as server:
        await server.keys.authenticate(made.secret)
    assert (await acme.keys.list())[0].last_used_at == first
    await fresh_database.execute(
        "UPDATE verifier.api_key SET last_used_at = last_used_at - interval '2 minutes'"
    )
    async with open_verifier(fresh_database.app_dsn) as server:
        await server.keys.authenticate(made.secret)
    second = (await acme.keys.list())[0].last_used_at
    assert second is not None
    assert second >= first


async def test_a_database_that_only_reads_keeps_nobody_out(
    acme: Verifier, fresh_database: Database
) -> None:
    made = await acme.keys.add("shop", [Scope.SEARCH])
    await fresh_database.execute(
        f"ALTER DATABASE {fresh_database.name} SET default_transaction_read_only = on"
    )
    async with open_verifier(fresh_database.app_dsn) as server:
        assert await server.keys.authenticate(made.secret) is not None


async def test_unknown_secrets_scan_no_table_and_are_not_kept(
    acme: Verifier, fresh_database: Database
) -> None:
    await acme.keys.add("shop", [Scope.SEARCH])
    await fresh_database.execute(
        """INSERT INTO verifier.api_key (tenant_id, name, key_hash, scopes)
           SELECT 'acme', i::text, sha256(i::text::bytea), '{search}' FROM generate_series(1, 20000) i""",
        "ANALYZE verifier.api_key",
    )
    seen = "SELECT seq_scan, idx_scan FROM pg_stat_user_tables WHERE relname = 'api_key'"
    (before,) = await rows(fresh_database, seen)
    async with open_verifier(fresh_database.app_dsn) as server:
        tried = [f"vk_{secrets.token_urlsafe(32)}" for _ in range(10_000)]
        for start in range(0, len(tried), 500):
            found = await asyncio.gather(
                *(server.keys.authenticate(one) for one in tried[start : start + 500])
            )
            assert found == [None] * 500
        assert len(server.keys._known._until) == 0
    for _ in range(50):
        (after,) = await rows(fresh_database, seen)
        if after["idx_scan"] >= before["idx_scan"] + 10_000:
            break
        await asyncio.sleep(0.1)
    assert after["seq_scan"] == before["seq_scan"]
    assert after["idx_scan"] >= before["idx_scan"] + 10_000


def test_known_callers_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    from verifier.core.keys import Caller
    from verifier.store.api_keys import FoundCaller

    known = KnownCallers()
    caller = Caller(tenant="a", key_id=1, name="k", scopes=frozenset())
    for number in range(5_000):
        known.keep(
            number.to_bytes(32), FoundCaller(caller=caller, expires_in_s=None, used_lately=True)
        )
    assert len(known._until) == 4_096
    known.forget("a", 1)
    assert len(known._until) == 0


async def test_a_session_ends_by_itself_by_signing_out_and_with_its_key(
    acme: Verifier, fresh_database: Database
) -> None:
    made = await acme.keys.add("anna", [Scope.REVIEW])
    caller = await acme.keys.authenticate(made.secret)
    assert caller is not None
    first, second, third = [await acme.keys.open_session(caller) for _ in range(3)]
    found = await acme.for_tenant("other").keys.find_session(first.token)
    assert found is not None
    assert found.caller == caller
    assert found.csrf == first.csrf
    assert first.csrf not in {second.csrf, first.token}
    kept = await rows(fresh_database, "SELECT web_session::text FROM verifier.web_session")
    assert len(kept) == 3
    assert not any(first.token in row[0] or first.csrf in row[0] for row in kept)
    await acme.for_tenant("other").keys.close_session(first.token)
    await acme.keys.close_session(first.token)
    assert await acme.keys.find_session(first.token) is None
    connection = await asyncpg.connect(fresh_database.owner_dsn)
    await connection.execute(
        "UPDATE verifier.web_session SET expires_at = now() WHERE token_hash = sha256($1::text::bytea)",
        second.token,
    )
    await connection.close()
    assert await acme.keys.find_session(second.token) is None
    assert await acme.keys.find_session(third.token) is not None
    await acme.keys.revoke("anna")
    assert await acme.keys.find_session(third.token) is None
    with pytest.raises(InputError, match="serves no more"):
        await acme.keys.open_session(caller)


async def test_a_session_lasts_no_longer_than_its_key(acme: Verifier) -> None:
    made = await acme.keys.add("anna", [Scope.REVIEW], expires_in=timedelta(minutes=5))
    caller = await acme.keys.authenticate(made.secret)
    assert caller is not None
    opened_session = await acme.keys.open_session(caller)
    assert opened_session.expires_at == made.key.expires_at


async def test_a_view_of_another_tenant_shares_the_connections_and_nothing_else(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "terms", "Opened goods are taken back for 30 days.")
    async with open_verifier(fresh_database.app_dsn, embedder=HashingEmbedder()) as verifier:
        acme, other = verifier.for_tenant("acme"), verifier.for_tenant("other")
        assert (verifier.tenant, acme.tenant, other.tenant) == ("default", "acme", "other")
        assert len((await acme.semantic_search("opened goods")).hits) == 1
        assert len(await acme.sources.list()) == 1
        assert (await other.sources.list(), await verifier.sources.list()) == ((), ())
        assert acme.turn(question="How long?").freeze().tenant == "acme"
        assert acme._connections is other._connections
        assert acme._verification.backing().names is other._verification.backing().names
        await acme.close()
        assert len(await acme.for_tenant("acme").sources.list()) == 1
        for blank in ("", "  "):
            with pytest.raises(TenantRequired):
                verifier.for_tenant(blank)
        with pytest.raises(InputError):
            await verifier.for_tenant("a\x00").sources.list()


def test_keys_on_the_command_line(
    fresh_database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(["keys", *arguments, "--dsn", fresh_database.app_dsn, "--tenant", "acme"])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    assert "no keys yet" in call("list")[1]
    made = json.loads(call("add", "shop", "--scope", "search", "--expires-in", "90d", "--json")[1])
    assert made["secret"].startswith("vk_")
    assert made["key"]["scopes"] == ["search"]
    code, out, _ = call("add", "anna", "--scope", "admin", "--may-supply-calls")
    assert (code, "vk_" in out, "not shown again" in out) == (0, True, True)
    code, out, _ = call("list")
    assert "vk_" not in out
    assert "admin, supplying calls" in out
    listed = json.loads(call("list", "--json")[1])
    assert [key["name"] for key in listed] == ["shop", "anna"]
    assert not any("secret" in key or "hash" in key for key in listed)
    assert call("revoke", "shop")[0] == 2
    assert "give --yes" in call("revoke", "shop", "--json")[2]
    assert call("revoke", "shop", "--yes")[0] == 0
    assert call("revoke", "nobody", "--yes")[0] == 2
    assert "revoked" in call("list")[1]
    for wrong in (
        ("x",),
        ("x", "--scope", "root"),
        ("x", "--scope", "search", "--expires-in", "0d"),
    ):
        assert call("add", *wrong)[0] == 2
    assert call("add", "x", "--scope", "search", "--expires-in", "soon")[0] == 2
