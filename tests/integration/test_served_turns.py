"""Turns kept in the store: what is recorded comes back as it was, to whoever may have it and no one else."""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import asyncpg
import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from verifier.core.keys import Caller, Scope
from verifier.core.report_json import report_to_json
from verifier.core.turns import Origin, RetrievedChunk, ToolCall, Turn
from verifier.core.verdicts import VerdictCode
from verifier.errors import InputError, UnknownThing
from verifier.served_turns import MOST_BYTES_OF_ONE, MOST_EVENTS
from verifier.service import Verifier, open_verifier

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database

ORDER = {"order_id": "ORD-1", "total": Decimal("1299.00"), "currency": "USD", "lines": [1, 2.5]}
ADD_KEYS = """
    INSERT INTO verifier.api_key (tenant_id, name, key_hash, scopes)
    SELECT $1, name, sha256(convert_to($1 || name, 'UTF8')), '{}' FROM unnest('{one,two}'::text[]) AS name
"""
NAIVE = datetime.fromisoformat("2026-01-01T00:00")
ANSWER = "Order ORD-1 comes to $1,299.00."


@asynccontextmanager
async def opened(database: Database, tenant: str = "a") -> AsyncIterator[Verifier]:
    async with open_verifier(
        database.app_dsn, tenant=tenant, embedder=HashingEmbedder()
    ) as verifier:
        yield verifier


async def fetch(database: Database, query: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(database.owner_dsn)
    try:
        return list(await connection.fetch(query))
    finally:
        await connection.close()


async def make_keys(database: Database, *tenants: str) -> dict[str, int]:
    """Two keys of each tenant, by `tenant/name`."""
    connection = await asyncpg.connect(database.owner_dsn)
    for tenant in tenants:
        await connection.execute("INSERT INTO verifier.tenant (tenant_id) VALUES ($1)", tenant)
        await connection.execute(ADD_KEYS, tenant)
    await connection.close()
    rows = await fetch(database, "SELECT tenant_id, name, key_id FROM verifier.api_key")
    return {f"{row['tenant_id']}/{row['name']}": row["key_id"] for row in rows}


def caller(
    key_id: int, tenant: str = "a", *scopes: Scope, may_supply_calls: bool = False
) -> Caller:
    return Caller(
        tenant=tenant,
        key_id=key_id,
        name="key",
        scopes=frozenset(scopes or {Scope.VERIFY}),
        may_supply_calls=may_supply_calls,
    )


def call(result: object, *, call_id: str = "", **arguments: object) -> ToolCall:
    return ToolCall(call_id=call_id, tool="get_order", arguments=arguments, result=result)


async def test_a_turn_gives_the_report_of_one_that_was_never_stored(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as verifier:
        await verifier.ingest_text("refunds", "# Refunds\n\nRefunds take 5 days.")
        answer = (
            f"{ANSWER} Refunds take 5 days [refunds@1#0]. They never take 9 days [refunds@1#0]."
        )
        now = datetime(2026, 11, 30, 12, tzinfo=UTC)
        fields: dict[str, Any] = {
            "turn_id": "t1",
            "question": "How much?",
            "now": now,
            "locale": "en-US",
        }
        near = verifier.turn(**fields)
        near.record("get_order", {"id": "ORD-1"}, ORDER, call_id="c1")
        hits = await verifier.semantic_search("refunds", k=1)
        near.retrieved(hits)

        turn_id = await verifier.turns.begin(**fields)
        order = call(ORDER, call_id="c1", id="ORD-1")
        assert await verifier.turns.record(turn_id, order) == "c1"
        await verifier.turns.retrieved(turn_id, hits)
        far = await verifier.turns.get(turn_id)
        reports = [report_to_json(await verifier.verify(answer, turn)) for turn in (near, far)]
    for report in reports:
        del report["provenance"]["created_at"], report["report_id"]
        for chunk in report["turn"]["retrieved"]:
            assert chunk.pop("text") == "# Refunds\n\nRefunds take 5 days."
    assert reports[0] == reports[1]
    codes = [one["code"] for one in reports[1]["verdicts"]]
    assert codes[:2] == ["verified", "supported"]
    assert reports[1]["provenance"]["basis"] == hits.basis


@pytest.mark.parametrize(
    "result",
    [
        Decimal("1299.00"),
        Decimal("1E+3"),
        0.1,
        -0.0,
        10**99,
        True,
        None,
        'NUL \x00 lone \ud800 pair \U0001f600 quote " slash \\',
        {"": {"a\x00b": [[], {}, ""]}},
        {"1": [Decimal("0.10"), 3]},
        "'; DROP TABLE served_turn; --",
        "</script><script>alert(1)</script>",
    ],
)
async def test_a_result_comes_back_as_it_was_told(fresh_database: Database, result: object) -> None:
    async with opened(fresh_database) as verifier:
        turn_id = await verifier.turns.begin()
        await verifier.turns.record(turn_id, call(result))
        (kept,) = (await verifier.turns.get(turn_id)).freeze().calls
    assert kept.result == (Decimal("0.1") if result == 0.1 else result)
    assert kept.call_id == "call-1"
    if isinstance(result, Decimal):
        assert str(kept.result) == str(result)


async def test_numbers_and_values_without_a_json_form_become_text(fresh_database: Database) -> None:
    odd = {"long": 10**200, "inf": float("inf"), "nan": Decimal("NaN"), "at": date(2026, 1, 2)}
    async with opened(fresh_database) as verifier:
        turn_id = await verifier.turns.begin()
        await verifier.turns.record(turn_id, call(odd))
        (kept,) = (await verifier.turns.get(turn_id)).freeze().calls
    assert kept.result == {
        "long": str(10**200),
        "inf": "inf",
        "nan": "NaN",
        "at": "2026-01-02",
    }


async def test_calls_that_a_turn_begins_with_count_first(fresh_database: Database) -> None:
    begun = Turn(calls=(call(1), call(2, call_id="x")), question="?")
    async with opened(fresh_database) as verifier:
        turn_id = await verifier.turns.begin(begun)
        assert await verifier.turns.record(turn_id, call(3)) == "call-3"
        turn = (await verifier.turns.get(turn_id)).freeze()
        told = await verifier.turns.describe(turn_id)
    assert [(one.call_id, one.result) for one in turn.calls] == [
        ("call-1", 1),
        ("x", 2),
        ("call-3", 3),
    ]
    assert (turn.question, turn.tenant, turn.turn_id) == ("?", "a", turn_id)
    assert (told.calls, told.searches, told.origin) == (3, 0, Origin.APPLICATION)
    assert told.expires_at - told.begun_at == timedelta(hours=24)


async def test_ids_can_not_be_guessed(fresh_database: Database) -> None:
    async with opened(fresh_database) as verifier:
        ids = {await verifier.turns.begin() for _ in range(20)}
    assert len(ids) == 20
    assert {len(one) for one in ids} == {len("turn_") + 32}
    assert len({one[:9] for one in ids}) == 20


async def test_a_foreign_turn_answers_as_a_missing_one(fresh_database: Database) -> None:
    keys = await make_keys(fresh_database, "a", "b")
    one, two = caller(keys["a/one"]), caller(keys["a/two"])
    admin = caller(keys["a/two"], "a", Scope.ADMIN)
    async with opened(fresh_database) as verifier, opened(fresh_database, "b") as other:
        turn_id = await verifier.turns.begin(by=one)
        own = await verifier.turns.begin()
        missing = turn_id[:-1] + ("a" if turn_id[-1] != "a" else "b")

        async def refusal(turns: Verifier, asked: str, by: Caller | None) -> set[str]:
            said = set()
            for ask in (
                turns.turns.get(asked, by=by),
                turns.turns.describe(asked, by=by),
                turns.turns.record(asked, call(1), by=by),
                turns.turns.retrieved(asked, [], by=by),
            ):
                with pytest.raises(UnknownThing) as refused:
                    await ask
                said.add(str(refused.value).replace(asked, "ID"))
            return said

        expected = {"there is no turn 'ID', or it has expired; begin one"}
        assert await refusal(verifier, missing, one) == expected
        assert await refusal(verifier, turn_id, two) == expected
        assert await refusal(verifier, own, one) == expected
        foreign = caller(keys["b/one"], "b", Scope.ADMIN)
        assert await refusal(other, turn_id, foreign) == expected
        assert await refusal(other, turn_id, None) == expected
        for by in (one, admin, None):
            await verifier.turns.record(turn_id, call(1), by=by)
        assert (await verifier.turns.describe(turn_id, by=one)).calls == 3


@pytest.mark.parametrize(
    "turn_id", ["", "x" * 100_000, "a\x00b", "\ud800", "é", "' OR true --", "a\nb"]
)
async def test_what_is_no_id_names_no_turn(fresh_database: Database, turn_id: str) -> None:
    async with opened(fresh_database) as verifier:
        with pytest.raises(UnknownThing, match="there is no turn") as refused:
            await verifier.turns.get(turn_id)
        with pytest.raises(UnknownThing):
            await verifier.turns.record(turn_id, call(1))
    assert len(str(refused.value)) < 200


async def test_an_expired_turn_is_gone_and_swept(fresh_database: Database) -> None:
    async with opened(fresh_database) as verifier, opened(fresh_database, "b") as other:
        turn_id = await verifier.turns.begin(calls=(call(1),))
        foreign = await other.turns.begin()
        await fresh_database.execute(
            "UPDATE verifier.served_turn"
            " SET begun_at = now() - '2 days'::interval, expires_at = now() - '1 day'::interval"
        )
        with pytest.raises(UnknownThing, match="expired"):
            await verifier.turns.get(turn_id)
        with pytest.raises(UnknownThing, match="expired"):
            await verifier.turns.record(turn_id, call(2))
        newer = await verifier.turns.begin()
    left = await fetch(fresh_database, "SELECT turn_id FROM verifier.served_turn")
    assert {row["turn_id"] for row in left} == {newer, foreign}
    assert await fetch(fresh_database, "SELECT FROM verifier.served_turn_event") == []


async def test_what_is_too_large_is_refused_and_leaves_the_turn_as_it_was(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as verifier:
        with pytest.raises(InputError, match=r"the turn is .* bytes"):
            await verifier.turns.begin(question="x" * MOST_BYTES_OF_ONE)
        with pytest.raises(InputError, match=r"the call is .* complete: false"):
            await verifier.turns.begin(calls=(call("x" * MOST_BYTES_OF_ONE),))
        assert await fetch(fresh_database, "SELECT FROM verifier.served_turn") == []
        turn_id = await verifier.turns.begin()
        with pytest.raises(InputError, match="the call is"):
            await verifier.turns.record(turn_id, call("x" * MOST_BYTES_OF_ONE))
        for _ in range(5):
            await verifier.turns.record(turn_id, call("x" * (MOST_BYTES_OF_ONE - 1_000)))
        with pytest.raises(InputError, match="at most 500 and 5,000,000 bytes; begin another"):
            await verifier.turns.record(turn_id, call("x" * 10_000))
        assert (await verifier.turns.describe(turn_id)).calls == 5


async def test_a_turn_takes_so_many_calls(fresh_database: Database) -> None:
    async with opened(fresh_database) as verifier:
        turn_id = await verifier.turns.begin(calls=tuple(call(n) for n in range(MOST_EVENTS)))
        with pytest.raises(InputError, match="holds 500 calls and searches"):
            await verifier.turns.record(turn_id, call(1))
        with pytest.raises(InputError, match="holds 500 calls and searches"):
            await verifier.turns.retrieved(turn_id, [])
        assert len((await verifier.turns.get(turn_id)).freeze().calls) == MOST_EVENTS


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"nonsense": 1}, "a turn has no 'nonsense'"),
        ({"tenant": "b"}, "of another tenant"),
        ({"lasts": timedelta(0)}, "lasts more than nothing"),
        ({"lasts": timedelta(days=8)}, "at most 7 days"),
        ({"now": NAIVE}, "no time zone"),
    ],
)
async def test_a_wrong_turn_is_refused(
    fresh_database: Database, fields: dict[str, Any], told: str
) -> None:
    async with opened(fresh_database) as verifier:
        with pytest.raises(InputError, match=told):
            await verifier.turns.begin(**fields)
        assert await fetch(fresh_database, "SELECT FROM verifier.served_turn") == []


async def test_calls_of_a_key_that_may_not_supply_them_never_verify(
    fresh_database: Database,
) -> None:
    keys = await make_keys(fresh_database, "a")
    plain = caller(keys["a/one"])
    supplier = caller(keys["a/one"], may_supply_calls=True)
    plain_admin = caller(keys["a/two"], "a", Scope.ADMIN)
    async with opened(fresh_database) as verifier:

        async def code(begun_by: Caller | None, told_by: Caller | None) -> VerdictCode:
            turn_id = await verifier.turns.begin(by=begun_by)
            await verifier.turns.record(turn_id, call(ORDER), by=told_by)
            report = await verifier.verify(ANSWER, await verifier.turns.get(turn_id))
            (judged,) = report.judged
            return judged.verdict.code

        assert await code(None, None) is VerdictCode.VERIFIED
        assert await code(supplier, supplier) is VerdictCode.VERIFIED
        assert await code(plain, plain) is VerdictCode.UNVERIFIABLE
        assert await code(plain, None) is VerdictCode.UNVERIFIABLE
        assert await code(supplier, plain_admin) is VerdictCode.UNVERIFIABLE
        assert await code(None, plain_admin) is VerdictCode.UNVERIFIABLE
        begun = await verifier.turns.begin(Turn(origin=Origin.CALLER, calls=(call(ORDER),)))
        assert (await verifier.turns.describe(begun)).origin is Origin.CALLER


async def test_a_search_by_any_key_takes_no_trust_away(fresh_database: Database) -> None:
    keys = await make_keys(fresh_database, "a")
    admin = caller(keys["a/two"], "a", Scope.ADMIN)
    async with opened(fresh_database) as verifier:
        turn_id = await verifier.turns.begin(calls=(call(ORDER),))
        await verifier.turns.retrieved(turn_id, [], by=admin)
        assert (await verifier.turns.describe(turn_id)).origin is Origin.APPLICATION


async def test_no_text_of_the_store_is_kept_with_a_turn(fresh_database: Database) -> None:
    hidden = "the crimson heron nests at dawn"
    async with opened(fresh_database) as verifier:
        await verifier.ingest_text("birds", f"# Birds\n\nWe hold that {hidden}.")
        hits = await verifier.semantic_search("heron", neighbours=1)
        bare = RetrievedChunk(label="birds@1#0", source="birds", text=hidden, seq=1, ordinal=0)
        turn_id = await verifier.turns.begin(retrieved=(bare,))
        await verifier.turns.retrieved(turn_id, hits)
        chunks = (await verifier.turns.get(turn_id)).freeze().retrieved
    kept = await fetch(
        fresh_database,
        "SELECT turn, event FROM verifier.served_turn JOIN verifier.served_turn_event USING (turn_id)",
    )
    assert len(kept) == 1
    assert "heron" not in "".join(kept[0])
    assert [(one.label, one.text) for one in chunks] == [("birds@1#0", "")]


APPENDING = """
import asyncio, sys
from verifier import open_verifier
from verifier.core.turns import ToolCall

async def main(dsn, turn_id, name):
    async with open_verifier(dsn, tenant="a") as verifier:
        async def append(worker):
            for number in range(15):
                told = {"worker": f"{name}{worker}", "number": number}
                one = ToolCall(call_id="", tool="t", arguments={}, result=told)
                await verifier.turns.record(turn_id, one)
        await asyncio.gather(*(append(worker) for worker in range(4)))

asyncio.run(main(*sys.argv[1:]))
"""


async def test_two_processes_append_at_once_and_nothing_is_lost(fresh_database: Database) -> None:
    async with opened(fresh_database) as verifier:
        turn_id = await verifier.turns.begin()
        processes = [
            await asyncio.create_subprocess_exec(
                sys.executable, "-c", APPENDING, fresh_database.app_dsn, turn_id, name
            )
            for name in ("p", "q")
        ]
        codes = await asyncio.gather(*(one.wait() for one in processes))
        assert codes == [0, 0]
        turn = (await verifier.turns.get(turn_id)).freeze()
    results = [one.result for one in turn.calls]
    assert len(results) == 2 * 4 * 15
    assert [one.call_id for one in turn.calls] == [f"call-{at}" for at in range(1, 121)]
    by_worker: dict[object, list[object]] = {}
    for result in results:
        assert isinstance(result, dict)
        by_worker.setdefault(result["worker"], []).append(result["number"])
    assert set(by_worker) == {f"{name}{worker}" for name in "pq" for worker in range(4)}
    assert all(numbers == list(range(15)) for numbers in by_worker.values())
