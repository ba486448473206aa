"""The façade: what it opens and when, what it logs, and that its verbs block where they are asked to."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import asyncpg
import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from verifier import StoreError, Turn, open_blocking_verifier, open_verifier, verify_claims
from verifier.core.catalog import parse_catalog
from verifier.core.checks import CheckState
from verifier.core.verdicts import Disposition, Tier, VerdictCode
from verifier.errors import InputError, SchemaMismatch, SettingsError
from verifier.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.integration.conftest import Database

THROW = "0fd372fa-ecb2-4db0-bb71-8628a784ced9"
CATALOG = {
    "product": {
        "table": "sample.product",
        "names": ["name"],
        "key": {"column": "id", "type": "uuid"},
        "attributes": {"price": {"kind": "money", "currency_column": "currency"}},
    }
}
CARD = f'```product\n{{"id": "{THROW}", "price": 49.9}}\n```'
FACT = {"id": THROW, "name": "Wool throw", "price": 49.9}


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def count_reports(database: Database) -> int:
    connection = await asyncpg.connect(database.owner_dsn)
    try:
        return int(await connection.fetchval("SELECT count(*) FROM verifier.report"))
    finally:
        await connection.close()


def test_a_card_from_the_ledger_asks_no_database_and_loads_no_model() -> None:
    program = f"""
import asyncio, sys, socket
opened = []
sys.addaudithook(lambda event, args: opened.append(event) if event == "socket.connect" else None)
from verifier import open_verifier
from verifier.settings import load_settings
async def main():
    async with open_verifier(settings=load_settings(answer_log="off", catalog={CATALOG!r})) as verifier:
        turn = verifier.turn()
        turn.record("get_product", {{}}, {FACT!r})
        report = await verifier.verify({CARD!r}, turn)
    return report.judged[0].verdict
verdict = asyncio.run(main())
heavy = [m for m in ("asyncpg", "torch", "sentence_transformers", "numpy") if m in sys.modules]
print(verdict.code, verdict.tier, opened, heavy)
"""
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == "verified ledger [] []"


async def test_the_stand_alone_call_needs_neither_pool_nor_ledger() -> None:
    report = await verify_claims(CARD, None, None, catalog=parse_catalog(CATALOG))
    assert [judged.verdict.disposition for judged in report.judged] == [Disposition.UNCHECKED]


async def test_a_verification_is_logged_once_and_its_id_is_its_content(
    fresh_database: Database,
) -> None:
    now = datetime(2026, 5, 1, tzinfo=UTC)
    async with open_verifier(fresh_database.app_dsn, embedder=HashingEmbedder()) as verifier:
        turn = verifier.turn(now=now)
        turn.record("get_product", {}, FACT)
        first = await verifier.verify(CARD, turn)
        again = await verifier.verify(CARD, turn)
        other = await verifier.verify(CARD, evidence={"id": THROW, "price": 39.9})
    assert first.report_id == again.report_id != other.report_id
    assert await count_reports(fresh_database) == 2


async def test_a_store_that_is_down_loses_no_report() -> None:
    dsn = f"postgresql://nobody@127.0.0.1:{closed_port()}/none"
    async with open_verifier(settings=load_settings(dsn=dsn, catalog=CATALOG)) as verifier:
        report = await verifier.verify(CARD, evidence=FACT)
        assert [judged.verdict.code for judged in report.judged] == [VerdictCode.VERIFIED]
        with pytest.raises(StoreError):
            await verifier.sources.list()


async def test_a_database_that_is_down_leaves_the_claim_unchecked() -> None:
    dsn = f"postgresql://nobody@127.0.0.1:{closed_port()}/none"
    settings = load_settings(dsn=dsn, catalog=CATALOG, answer_log="off")
    async with open_verifier(settings=settings) as verifier:
        report = await verifier.verify(CARD)
    verdict = report.judged[0].verdict
    assert (verdict.code, verdict.reason) == (VerdictCode.UNVERIFIABLE, "database_unavailable")


async def test_search_verify_and_audit_work_together(fresh_database: Database) -> None:
    past = datetime.now(UTC) - timedelta(days=1)
    async with open_verifier(fresh_database.app_dsn, embedder=HashingEmbedder()) as verifier:
        await verifier.ingest_text(
            "terms", "Goods may be returned within 30 days.", review_until=past
        )
        found = await verifier.semantic_search("returned goods")
        turn = verifier.turn(question="How long?")
        turn.retrieved(found)
        label = found.hits[0].chunk_id
        report = await verifier.verify(f"Goods may be returned within 30 days [{label}].", turn)
        audit = await verifier.audits.stale()
    verdict = report.judged[0].verdict
    assert (verdict.code, verdict.tier) == (VerdictCode.STALE_REVIEW, Tier.DOCUMENT)
    assert report.provenance.basis == found.basis > 0
    assert [answer.report_id for answer in audit.sources[0].answers] == [report.report_id]


def test_the_blocking_verbs_are_the_same(fresh_database: Database, tmp_path: Path) -> None:
    (tmp_path / "hours.md").write_text("# Hours\n\nWe open at nine.", "utf-8")
    embedder = HashingEmbedder()
    with open_blocking_verifier(fresh_database.app_dsn, embedder=embedder) as verifier:
        assert [outcome.outcome for outcome in verifier.ingest(tmp_path).outcomes] == ["new"]
        assert verifier.semantic_search("open", k=1).hits[0].source == "hours.md"
        assert [listed.source.key for listed in verifier.sources.list()] == ["hours.md"]
        rows = verifier.ingest_rows("SELECT 1 AS id, 'Oak' AS name", key="rows", key_column="id")
        assert [outcome.key for outcome in rows.outcomes] == ["rows/1"]
        with pytest.raises(InputError, match="nothing is fetched"):
            verifier.ingest_url("https://example.org/")
        assert verifier.audits.stale().sources == ()
        assert verifier.verify("Hello!").grounded_share is None


def test_every_blocking_verb_may_be_asked_for_by_several_threads(fresh_database: Database) -> None:
    """The docstring promises it of all verbs: those of the objects beside the verifier's own too."""
    embedder = HashingEmbedder()
    with open_blocking_verifier(fresh_database.app_dsn, embedder=embedder) as verifier:
        verifier.ingest_text("terms", "Goods may be returned within 30 days.")
        verbs: list[Callable[[], object]] = [
            verifier.sources.list,
            verifier.spaces.list,
            verifier.audits.stale,
            verifier.reviews.list,
            verifier.conflicts.list,
            verifier.upkeep.check_server,
            lambda: verifier.answers.recheck_all(source="terms"),
            lambda: verifier.semantic_search("goods"),
        ]
        with ThreadPoolExecutor(8) as threads:
            asked = [threads.submit(verb) for verb in verbs * 5]
            assert all(each.result() is not None for each in asked)


async def test_a_key_names_one_source(tmp_path: Path) -> None:
    async with open_verifier(data_dir=tmp_path / "unused") as verifier:
        with pytest.raises(InputError, match="key names one source"):
            await verifier.ingest(tmp_path, key="k")
    assert not (tmp_path / "unused").exists()


async def test_what_contradicts_itself_is_refused() -> None:
    with pytest.raises(SettingsError, match="either settings or"):
        async with open_verifier("postgresql://a@b/c", settings=load_settings()):
            pass
    async with open_verifier("postgresql://a@b/c") as verifier:
        with pytest.raises(InputError, match="either a turn or evidence"):
            await verifier.verify("Hi.", Turn(), evidence={"a": 1})


async def test_every_check_of_a_sound_database_is_ok(fresh_database: Database) -> None:
    settings = load_settings(
        dsn=fresh_database.app_dsn,
        catalog=CATALOG,
        databases={"default": {"dsn": fresh_database.reader_dsn}},
    )
    async with open_verifier(settings=settings) as verifier:
        checks = await verifier.doctor()
    assert {check.name: check.detail for check in checks if check.state != "ok"} == {}
    assert json.dumps([check.name for check in checks]).count("catalog") == 1


@pytest.mark.parametrize(
    ("broken", "failed", "remedy"),
    [
        ("UPDATE verifier.alembic_version SET version_num = '0001'", "schema", "db upgrade"),
        ("UPDATE verifier.alembic_version SET version_num = '9999'", "schema", "pip install"),
        ("DROP SCHEMA verifier CASCADE", "schema", "db upgrade"),
        ("DROP EXTENSION vector CASCADE", "pgvector", "install pgvector"),
    ],
)
async def test_the_doctor_looks_at_all_parts_and_names_the_broken_one(
    fresh_database: Database, broken: str, failed: str, remedy: str
) -> None:
    await fresh_database.execute(broken)
    async with open_verifier(fresh_database.owner_dsn, embedder=HashingEmbedder()) as verifier:
        checks = {check.name: check for check in await verifier.doctor()}
        assert checks["server"].state is CheckState.OK
        assert [name for name, check in checks.items() if check.state is CheckState.FAILED] == [
            failed
        ]
        assert remedy in (checks[failed].remedy or "")
        if failed == "schema":
            with pytest.raises(SchemaMismatch):
                await verifier.sources.list()
