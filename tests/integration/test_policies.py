"""Two hundred and more versions of public policy pages, ingested in the order of their dates."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from tests.integration.conftest import drop_database, make_database
from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.policy_pages import REPOSITORY, find_manifest, read_pages
from tests.integration.store_reading import (
    current_texts,
    dump,
    fetch,
    fetch_value,
    history,
    ingest,
    opened,
    search,
)
from verifier.inference.embedder import SentenceTransformerEmbedder
from verifier.ingest.requests import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.integration.conftest import Database
    from verifier.core.ports import Embedder
    from verifier.embedded import EmbeddedPostgres
    from verifier.ingest.requests import IngestRequest
    from verifier.store.pool import Pool

pytestmark = pytest.mark.shared_data

KILLED_PAGES = ("sla", "refund", "cancellation")
KILLED_AFTER = (1, 3, 20, 47)
"""Lines of progress: in the middle of embedding, between embedding and publishing, of publishing."""


@pytest.fixture
def other_database(embedded: EmbeddedPostgres, migrated_template: str) -> Iterator[Database]:
    """A second migrated database without rows."""
    database = make_database(embedded, template=migrated_template)
    yield database
    drop_database(embedded, database)


@dataclass(slots=True, kw_only=True)
class ModelSizedEmbedder(HashingEmbedder):
    """Lets texts be cut as the default model needs them; its own vectors would take minutes."""

    sized_by: SentenceTransformerEmbedder = field(default_factory=SentenceTransformerEmbedder)

    def count_tokens(self, text: str) -> int:
        return self.sized_by.count_tokens(text)


async def test_the_whole_history_is_written_once(
    fresh_database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    requests = read_pages(find_manifest())
    async with opened(fresh_database) as pool:
        embedder = ModelSizedEmbedder()
        assert embedder.token_limit == embedder.sized_by.token_limit
        summary = await ingest(pool, *requests, embedder=embedder)
        with capsys.disabled():
            share = f"{summary.reused_share:.1%}"
            total = summary.embedded + summary.reused
            sys.stdout.write(
                f"\n{share} of {total} chunks needed no new embedding, {summary.embedded} did\n"
            )
        assert summary.counts[Outcome.NEW] == 271
        assert await fetch_value(pool, "SELECT count(*) FROM source") == 7
        assert await fetch_value(pool, "SELECT count(*) FROM document_version") == 271
        assert len({request.document.key for request in requests}) == 7
        texts = await fetch_value(pool, "SELECT count(DISTINCT input_hash) FROM chunk")
        assert texts == summary.embedded
        assert summary.reused_share is not None
        assert summary.reused_share > 0.7
        await assert_nothing_changes(fresh_database, pool, requests, embedder)
        await assert_only_current_passages_are_found(pool, requests, embedder)


async def test_the_last_versions_answer_questions(fresh_database: Database) -> None:
    by_key: dict[str, list[IngestRequest]] = {}
    for request in read_pages(find_manifest()):
        by_key.setdefault(request.document.key, []).append(request)
    requests = [request for versions in by_key.values() for request in versions[-2:]]
    async with opened(fresh_database) as pool:
        embedder = SentenceTransformerEmbedder()
        summary = await ingest(pool, *requests, embedder=embedder)
        assert summary.counts[Outcome.NEW] == len(requests) == 14
        assert summary.reused > 0
        await assert_nothing_changes(fresh_database, pool, requests, embedder)
        await assert_only_current_passages_are_found(pool, requests, embedder)
        best, _ = (await search(pool, "can I get my money back", k=1, embedder=embedder))[0]
        assert best.startswith("refund@")


async def assert_nothing_changes(
    database: Database, pool: Pool, requests: Sequence[IngestRequest], embedder: Embedder
) -> None:
    """Ingesting the same once more writes not a row."""
    before = await dump(database, physical=True)
    again = await ingest(pool, *requests, embedder=embedder)
    assert again.counts[Outcome.UNCHANGED] == len(requests)
    assert again.embedded == 0
    assert await dump(database, physical=True) == before


async def assert_only_current_passages_are_found(
    pool: Pool, requests: Sequence[IngestRequest], embedder: Embedder
) -> None:
    """Each key has one current version, its last, and a search finds passages of those alone."""
    current = await fetch(
        pool,
        """SELECT s.key, v.seq FROM document_version v JOIN source s USING (tenant_id, source_id)
            WHERE v.state = 'current'""",
    )
    last = {request.document.key: request.document.text for request in requests}
    assert len(current) == len(last)
    for query in ("how do I get a refund", "when is my data deleted", "uptime credits"):
        found = await search(pool, query, k=20, embedder=embedder)
        assert found
        for chunk_id, text in found:
            key, _, place = chunk_id.rpartition("@")
            assert {"key": key, "seq": int(place.split("#")[0])} in [dict(c) for c in current]
            assert text in last[key]  # type: ignore[index]


async def test_killed_again_and_again_it_ends_as_if_undisturbed(
    fresh_database: Database, other_database: Database
) -> None:
    manifest = find_manifest()
    requests = read_pages(manifest, KILLED_PAGES)
    final = {request.document.key: request.document.text for request in requests}
    async with opened(other_database) as pool:
        await ingest(pool, *requests)
        undisturbed = await history(pool)
    async with opened(fresh_database) as pool:
        published = 0
        for lines in KILLED_AFTER:
            kill_after(lines, fresh_database, manifest)
            published = await assert_each_source_is_whole(pool, at_least=published)
        assert 0 < published < len(requests)
        embedder = HashingEmbedder()
        await ingest(pool, *requests, embedder=embedder)
        assert await history(pool) == undisturbed
        assert len(embedder.embedded) < len(undisturbed["passages"])
        for key, text in final.items():
            assert all(chunk in text for chunk in await current_texts(pool, key))
        before = await dump(fresh_database, physical=True)
        assert (await ingest(pool, *requests)).counts[Outcome.UNCHANGED] == len(requests)
        assert await dump(fresh_database, physical=True) == before


def kill_after(lines: int, database: Database, manifest: Path) -> None:
    """Ingest in a process of its own and kill it, without warning, at its n-th line of progress."""
    program = [sys.executable, "-m", "tests.integration.policy_pages"]
    with subprocess.Popen(
        [*program, database.app_dsn, str(manifest), *KILLED_PAGES],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for _ in range(lines):
            assert process.stdout.readline(), "it ended before it could be killed"
        process.kill()
    assert process.returncode < 0


async def assert_each_source_is_whole(pool: Pool, *, at_least: int) -> int:
    """Every source offers all chunks of its one current version and no other; return how many published."""
    rows = await fetch(
        pool,
        """SELECT v.source_id, v.version_id,
                  (SELECT count(*) FROM chunk c WHERE c.version_id = v.version_id) AS chunks,
                  (SELECT count(*) FROM current_chunk n WHERE n.version_id = v.version_id) AS offered,
                  (SELECT count(*) FROM current_chunk n WHERE n.source_id = v.source_id) AS all_offered
             FROM document_version v
            WHERE v.state = 'current'""",
    )
    assert len({row["source_id"] for row in rows}) == len(rows)
    assert all(row["chunks"] == row["offered"] == row["all_offered"] for row in rows)
    published = await fetch_value(
        pool, "SELECT count(*) FROM document_version WHERE state IN ('current', 'superseded')"
    )
    assert isinstance(published, int)
    assert published >= at_least
    return published
