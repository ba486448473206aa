"""Files of rows become sources: streamed, cited by row, and what a file no longer has is withdrawn."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import TENANT, dump, fetch, opened
from verifier.core.documents import TableRows
from verifier.errors import InputError, UnreadableDocument
from verifier.ingest.files import ReadOptions, read_path
from verifier.ingest.pipeline import ingest_documents
from verifier.ingest.requests import Actor, Outcome
from verifier.store.search import semantic_search

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.integration.conftest import Database
    from verifier.ingest.requests import IngestSummary, IngestTerms, Progress
    from verifier.store.pool import Pool


async def ingest_rows(
    pool: Pool,
    path: Path,
    *,
    key_column: str | None = None,
    embedder: HashingEmbedder | None = None,
    terms: IngestTerms | None = None,
    told: list[Progress] | None = None,
) -> IngestSummary:
    found = read_path(path, terms or {}, options=ReadOptions(key_column=key_column))
    return await ingest_documents(
        pool,
        TENANT,
        embedder or HashingEmbedder(),
        found,
        on_progress=None if told is None else told.append,
    )


def write_rows(path: Path, numbers: Sequence[int]) -> Path:
    lines = [f"{n},Lamp {n},{n % 500}.90 EUR\n" for n in numbers]
    path.write_text("id,name,price\n" + "".join(lines), "utf-8")
    return path


async def states(pool: Pool) -> dict[str, str]:
    rows = await fetch(
        pool,
        "SELECT s.key, v.state FROM source s JOIN document_version v USING (tenant_id, source_id)",
    )
    return {row["key"]: row["state"] for row in rows}


async def test_rows_are_cited_by_their_number(fresh_database: Database, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "lamps.csv", range(1, 2_501))
    told: list[Progress] = []
    async with opened(fresh_database) as pool:
        summary = await ingest_rows(pool, path, told=told)
        assert [one.key for one in summary.outcomes] == [
            *("lamps.csv", "lamps.csv/rows-1001", "lamps.csv/rows-2001")
        ]
        assert {one.outcome for one in summary.outcomes} == {Outcome.NEW}
        assert told[-1].documents == told[-1].total == 3
        assert max(one.embedded for one in told) > 100
        places = await fetch(
            pool, "SELECT first_row, last_row, table_number, page FROM chunk ORDER BY first_row"
        )
        assert places[0]["first_row"] == 1
        assert places[-1]["last_row"] == 2_500
        assert {row["table_number"] for row in places} == {1}
        assert {row["page"] for row in places} == {None}
        hits = await semantic_search(
            pool, "price of lamp 1777", tenant=TENANT, embedder=HashingEmbedder(), k=1_000
        )
        (hit,) = [hit for hit in hits.hits if "name: Lamp 1777\n" in hit.text]
        assert "price: 277.90 EUR" in hit.text
        assert hit.source == "lamps.csv/rows-1001"
        assert isinstance(hit.rows, TableRows)
        assert hit.rows.first <= 1_777 <= hit.rows.last


async def test_only_what_changed_is_embedded_again(
    fresh_database: Database, tmp_path: Path
) -> None:
    path = tmp_path / "lamps.csv"
    async with opened(fresh_database) as pool:
        first = await ingest_rows(pool, write_rows(path, range(1, 1_501)))
        again = await ingest_rows(pool, path)
        assert {one.outcome for one in again.outcomes} == {Outcome.UNCHANGED}
        assert again.embedded == 0
        grown = await ingest_rows(pool, write_rows(path, [0, *range(1, 1_501)]))
        assert {one.outcome for one in grown.outcomes} == {Outcome.NEW}
        assert grown.embedded < first.embedded / 20


async def test_parts_that_a_file_no_longer_has_are_withdrawn(
    fresh_database: Database, tmp_path: Path
) -> None:
    path = tmp_path / "lamps.csv"
    async with opened(fresh_database) as pool:
        await ingest_rows(pool, write_rows(path, range(1, 3_001)))
        await ingest_rows(pool, write_rows(tmp_path / "lamps.csv.csv", range(1, 3_001)))
        write_rows(path, range(1, 1_001))
        agent = await ingest_rows(pool, path, terms={"actor": Actor.AGENT})
        assert Outcome.WITHDRAWN not in {one.outcome for one in agent.outcomes}
        summary = await ingest_rows(pool, path, terms={"by": "ada"})
        assert [(one.key, one.outcome) for one in summary.outcomes] == [
            ("lamps.csv", Outcome.UNCHANGED),
            ("lamps.csv/rows-1001", Outcome.WITHDRAWN),
            ("lamps.csv/rows-2001", Outcome.WITHDRAWN),
        ]
        kept = await states(pool)
        assert kept["lamps.csv"] == kept["lamps.csv.csv/rows-2001"] == "current"
        assert kept["lamps.csv/rows-1001"] == kept["lamps.csv/rows-2001"] == "withdrawn"
        assert [one.key for one in (await ingest_rows(pool, path)).outcomes] == ["lamps.csv"]
        await ingest_rows(pool, write_rows(path, range(1, 2_001)))
        assert (
            await fetch(
                pool,
                "SELECT FROM current_chunk n JOIN source s USING (tenant_id, source_id)"
                " WHERE s.key = 'lamps.csv/rows-1001'",
            )
        ) != []


async def test_each_row_can_be_a_source(fresh_database: Database, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "lamps.csv", range(1, 301))
    async with opened(fresh_database) as pool:
        summary = await ingest_rows(pool, path, key_column="id")
        assert len(summary.outcomes) == 300
        assert summary.outcomes[41].key == "lamps.csv/42"
        text = path.read_text("utf-8").replace("Lamp 42,", "Bulb 42,")
        path.write_text(text, "utf-8")
        changed = await ingest_rows(pool, path, key_column="id")
        assert [one.key for one in changed.outcomes if one.outcome is Outcome.NEW] == [
            "lamps.csv/42"
        ]
        assert changed.embedded == 1


FAULTS = {
    "twice.csv": ("id,name\n1,a\n1,b\n", "the key '1' stands twice"),
    "short.csv": ("id,name\n" + "1,a\n" * 1_500 + "2\n", "line 1502"),
    "late.jsonl": ('{"id": 1}\n' * 1_500 + "{\n", "line 1501"),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_a_fault_in_the_last_row_writes_nothing(
    name: str, fresh_database: Database, tmp_path: Path
) -> None:
    content, hint = FAULTS[name]
    (tmp_path / name).write_text(content, "utf-8")
    before = await dump(fresh_database, physical=True)
    async with opened(fresh_database) as pool:
        with pytest.raises(InputError, match=hint):
            await ingest_rows(
                pool, tmp_path / name, key_column="id" if name.startswith("twice") else None
            )
        summary = await ingest_rows(pool, tmp_path)
        if not name.startswith("twice"):
            (failed,) = summary.failed
            assert hint in (failed.error or "")
            assert await dump(fresh_database, physical=True) == before


async def test_a_file_that_changes_while_it_is_read_is_told(
    fresh_database: Database, tmp_path: Path
) -> None:
    path = write_rows(tmp_path / "lamps.csv", range(1, 1_501))
    found = read_path(path, {})
    path.write_text("id,name,price\n1\n", "utf-8")
    async with opened(fresh_database) as pool:
        with pytest.raises(UnreadableDocument, match="line 2"):
            await ingest_documents(pool, TENANT, HashingEmbedder(), found)


COUNT = """
import re, sys
from pathlib import Path
from verifier.ingest.files import read_path
found = read_path(Path(sys.argv[1]), {})
documents = sum(1 for _ in found)
most = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
print(len(found), documents, int(most[1]) // 1024)
"""


def test_a_million_rows_are_streamed(tmp_path: Path) -> None:
    path = tmp_path / "million.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("id,name,price\n")
        file.writelines(f"{n},Lamp of kind {n % 977},{n % 500}.90\n" for n in range(1_000_000))
    counted = subprocess.run(
        [sys.executable, "-c", COUNT, str(path)], capture_output=True, text=True, check=True
    )
    documents, read, megabytes = map(int, counted.stdout.split())
    assert (documents, read) == (1_000, 1_001)
    assert megabytes < 200
