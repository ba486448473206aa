"""Files of every format become versions whose passages tell where they stand; bad ones leave nothing."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import TENANT, fetch, fetch_value, ingest, opened
from tests.written_files import begin_docx, write_docx, write_pdf
from verifier.core.documents import SearchHit, TableRows
from verifier.errors import UnreadableDocument
from verifier.ingest import isolation
from verifier.ingest.content import read_safely
from verifier.ingest.files import ReadOptions, read_path
from verifier.ingest.formats import Format
from verifier.ingest.limits import ReadLimits
from verifier.ingest.requests import IngestRequest, Outcome
from verifier.store.chunks import locate_chunk
from verifier.store.pool import Pool, tenant_transaction
from verifier.store.search import semantic_search

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Database
    from verifier.ingest.requests import IngestOutcome

LIMITS = ReadLimits()


async def ingest_file(pool: Pool, path: Path) -> IngestOutcome:
    found = read_path(path, {})
    assert isinstance(found, tuple)
    summary = await ingest(pool, *found)
    return summary.outcomes[0]


async def search_hits(pool: Pool, query: str) -> tuple[SearchHit, ...]:
    result = await semantic_search(pool, query, tenant=TENANT, embedder=HashingEmbedder(), k=50)
    return result.hits


async def version_text(pool: Pool) -> str:
    return str(await fetch_value(pool, "SELECT text FROM document_version WHERE state = 'current'"))


PAGE = """<!doctype html><title>Shop</title><nav>Home</nav><main>
<h1>Refunds</h1><p>You may return goods within 30&nbsp;days.</p>
<h2>Fees</h2><table><tr><th>Item<th>Fee<tr><td>Lamp<td>$4.50<tr><td>Desk<td>$9.75</table>
</main><footer>Imprint</footer>"""


async def test_a_page_is_cited_by_heading_and_row(fresh_database: Database, tmp_path: Path) -> None:
    page = tmp_path / "refunds.html"
    page.write_text(PAGE, "utf-8")
    async with opened(fresh_database) as pool:
        outcome = await ingest_file(pool, page)
        assert (outcome.key, outcome.outcome, outcome.seq) == ("refunds.html", Outcome.NEW, 1)
        hits = {hit.heading_path: hit for hit in await search_hits(pool, "fee of a desk")}
        fees = hits["Refunds", "Fees"]
        assert fees.rows == TableRows(table=1, first=1, last=2)
        assert fees.page is None
        assert "| Desk | $9.75 |" in fees.text
        assert hits["Refunds",].rows is None
        text = await version_text(pool)
        assert all(hit.span.of(text) == hit.text for hit in hits.values())
        assert "Imprint" not in text
        async with tenant_transaction(pool, TENANT, read_only=True) as conn:
            assert (await locate_chunk(conn, fees.chunk_id)).rows == fees.rows
        assert (await ingest_file(pool, page)).outcome is Outcome.UNCHANGED
        titles = await fetch(pool, "SELECT s.title, v.media_type FROM source s, document_version v")
        assert [tuple(row) for row in titles] == [("Refunds", "text/html")]


def test_a_page_of_50_mb_is_read_apart() -> None:
    content = b"<main>" + b"<p>Some <b>bold</b> words, which cost $5.</p>\n" * 1_080_000
    reading = read_safely(content, Format.HTML, "large.html", limits=LIMITS)
    assert reading.text.count("Some bold words, which cost $5.") == 1_080_000


@pytest.mark.parametrize(
    ("tag", "limits", "hint"),
    [
        (b"<div>", ReadLimits(max_seconds=1), "1 s; split it, or raise max_document_seconds"),
        (b"<p>a</p>", ReadLimits(max_memory_mb=256), "256 MB"),
    ],
)
def test_what_takes_too_much_is_named_and_ended(tag: bytes, limits: ReadLimits, hint: str) -> None:
    with pytest.raises(UnreadableDocument, match=hint) as refused:
        read_safely(tag * 4_000_000, Format.HTML, "much.html", limits=limits)
    assert str(refused.value).startswith("much.html: ")


def test_a_reader_that_breaks_down_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "READER", "no.such.module")
    with pytest.raises(UnreadableDocument, match=r"large\.html: the reader failed on it: .*no"):
        read_safely(b"<p>a</p>" * 20_000, Format.HTML, "large.html", limits=LIMITS)


def test_a_reader_apart_knows_no_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, str]] = []
    started = subprocess.Popen

    def start(*args: object, env: dict[str, str], **kwargs: object) -> object:
        seen.append(env)
        return started(*args, env=env, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setenv("VERIFIER_DSN", "postgresql://u:secret@h/d")
    monkeypatch.setattr(subprocess, "Popen", start)
    read_safely(b"<p>a</p>" * 20_000, Format.HTML, "large.html", limits=LIMITS)
    assert [set(env) for env in seen] == [{"PYTHONPATH", "LC_ALL"}]


async def test_a_pdf_is_cited_by_heading_and_page(fresh_database: Database, tmp_path: Path) -> None:
    filler = "Nothing in this line is of any interest.\n" * 12
    path = tmp_path / "terms.pdf"
    path.write_bytes(
        write_pdf(
            [
                [(18, "Terms"), "You may return goods within 30 days.", filler],
                [],
                [(14, "Fees"), "Return shipping costs $4.50.", filler],
            ]
        )
    )
    async with opened(fresh_database) as pool:
        outcome = await ingest_file(pool, path)
        assert (outcome.outcome, outcome.key) == (Outcome.NEW, "terms.pdf")
        assert outcome.error == "page 2 held no text; if they are scanned, recognise it first"
        (fee,) = [hit for hit in await search_hits(pool, "shipping costs") if "$4.50" in hit.text]
        assert (fee.page, fee.heading_path, fee.title) == (3, ("Terms", "Fees"), "Terms")
        text = await version_text(pool)
        assert fee.span.of(text) == fee.text
        assert text[: fee.span.start].count("\f") == 2
        assert (await ingest_file(pool, path)).outcome is Outcome.UNCHANGED


async def test_a_word_document_is_cited_by_heading_and_row(
    fresh_database: Database, tmp_path: Path
) -> None:
    document = begin_docx()
    document.add_heading("Terms", 1)
    document.add_paragraph("You may return goods within 30 days.")
    document.add_heading("Fees", 2)
    table = document.add_table(61, 2)
    for at, row in enumerate(table.rows):
        words = (f"Lamp {at}", f"${at}.50") if at else ("Item", "Fee")
        for cell, word in zip(row.cells, words, strict=True):
            cell.text = word
    path = tmp_path / "terms.docx"
    path.write_bytes(write_docx(document))
    async with opened(fresh_database) as pool:
        assert (await ingest_file(pool, path)).outcome is Outcome.NEW
        hits = await search_hits(pool, "fee of lamp 40")
        rows = [hit for hit in hits if hit.rows is not None]
        assert len(rows) > 1
        assert sorted(
            n for hit in rows if hit.rows for n in range(hit.rows.first, hit.rows.last + 1)
        ) == [*range(1, 61)]
        (hit,) = [hit for hit in rows if "Lamp 40 " in hit.text]
        assert hit.rows is not None
        assert hit.rows.first <= 40 <= hit.rows.last
        assert hit.heading_path == ("Terms", "Fees")
        passages = await fetch(pool, "SELECT input FROM passage WHERE input LIKE '%Lamp 40 %'")
        assert [row["input"].count("| Item | Fee |") for row in passages] == [1]


def test_a_pdf_at_the_limit_is_read_apart() -> None:
    content = write_pdf([[f"This is page {at}."] for at in range(1_000)])
    reading = read_safely(content, Format.PDF, "long.pdf", limits=LIMITS)
    assert reading.text.count("\f") == 999


BAD = {
    "encrypted.pdf": write_pdf([["Text."]], encrypted=True),
    "scanned.pdf": write_pdf([[], []]),
    "long.pdf": write_pdf([["Text."]] * 2_000),
    "broken.pdf": write_pdf([["Text."]])[:300],
    "text.pdf": b"This is text.",
    "broken.docx": write_docx(begin_docx())[:-300],
    "blank.docx": write_docx(begin_docx()),
    "old.docx": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2_000),
    "empty.html": b"",
    "scripts.html": b"<script>render()</script>",
    "latin.html": "<p>Öl".encode("latin-1"),
}


@pytest.mark.parametrize("name", BAD)
async def test_a_bad_file_leaves_nothing(
    name: str, fresh_database: Database, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(BAD[name])
    (tmp_path / "good.md").write_text("# Good\n\nThe bell rings at 9:00.", "utf-8")
    async with opened(fresh_database) as pool:
        summary = await ingest(pool, *read_path(tmp_path, {}))
        kinds = {outcome.key: outcome for outcome in summary.outcomes}
        assert kinds[name].outcome is Outcome.FAILED
        assert name in (kinds[name].error or "")
        assert kinds["good.md"].outcome is Outcome.NEW
        assert await fetch_value(pool, "SELECT count(*) FROM source") == 1
    with pytest.raises(UnreadableDocument, match=name):
        read_path(tmp_path / name, {})


def test_a_format_is_told_by_name_or_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "page.aspx"
    path.write_text(PAGE, "utf-8")
    (as_text,) = read_path(path, {})
    (as_page,) = read_path(path, {}, options=ReadOptions(form=Format.HTML))
    assert isinstance(as_text, IngestRequest)
    assert isinstance(as_page, IngestRequest)
    assert as_text.document.text == PAGE
    assert as_page.document.text.startswith("# Refunds\n\nYou may return")
