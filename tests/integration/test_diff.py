"""Two stored versions held against each other, through the service and the command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.policy_pages import REPOSITORY, find_manifest, read_pages
from tests.integration.store_reading import TENANT, ingest, ingest_one, opened
from verifier.errors import InputError, UnknownThing
from verifier.service import open_verifier

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.integration.conftest import Database
    from verifier.core.diff import VersionDiff

# Read by eye in both files. The newest refund page says the same five durations as the first one, in other
# words around them; of the cancellation page those that follow differ.
READ_BY_EYE: Mapping[str, tuple[list[tuple[str | None, str | None]], int]] = {
    "refund": ([], 5),
    "cancellation": (
        [
            ("September 17, 2019", "July 18, 2022"),
            ("3", "4"),
            ("within 30 days", None),
            (None, "30 days"),
            (None, "60 days"),
        ],
        8,
    ),
}


async def diff(
    database: Database, key: str, old: str | int | None = None, new: str | int | None = None
) -> VersionDiff:
    async with open_verifier(
        database.app_dsn, tenant=TENANT, embedder=HashingEmbedder()
    ) as verifier:
        return await verifier.sources.diff(key, old, new)


@pytest.mark.parametrize("page", READ_BY_EYE)
async def test_the_newest_policy_page_against_its_first(
    fresh_database: Database, page: str
) -> None:
    expected, unchanged = READ_BY_EYE[page]
    pages = [one for one in read_pages(find_manifest()) if one.document.key == page]
    async with opened(fresh_database) as pool:
        await ingest(pool, *pages)
    found = await diff(fresh_database, page, "first", "current")
    told = [(one.old and one.old.text, one.new and one.new.text) for one in found.numbers]
    assert sorted(told, key=str) == sorted(expected, key=str)
    assert found.unchanged_numbers == unchanged
    assert (found.old, found.new) == (1, len(pages))
    texts = pages[0].document.text, pages[-1].document.text
    for number in found.numbers:
        for side, text in zip((number.old, number.new), texts, strict=True):
            assert side is None or side.span.of(text) == side.text
    assert found.hunks


async def test_without_names_it_is_the_version_before_and_the_current_one(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        for days in (14, 30, 60):
            await ingest_one(pool, "d", f"Refunds within {days} days.")
    last = await diff(fresh_database, "d")
    assert (last.old, last.new) == (2, 3)
    assert [(one.old and one.old.text, one.new and one.new.text) for one in last.numbers] == [
        ("within 30 days", "within 60 days")
    ]
    assert (await diff(fresh_database, "d", None, 2)).old == 1
    back = await diff(fresh_database, "d", "current", "first")
    assert (back.old, back.new, back.numbers[0].change) == (3, 1, "changed")
    same = await diff(fresh_database, "d", 2, 2)
    assert (same.numbers, same.chunks, same.hunks) == ((), (), ())


async def test_what_does_not_exist_is_named(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Refunds within 14 days.")
    with pytest.raises(UnknownThing, match="'nowhere'"):
        await diff(fresh_database, "nowhere")
    with pytest.raises(UnknownThing, match="no version 9; its versions are 1 to 1"):
        await diff(fresh_database, "d", 9)
    with pytest.raises(InputError, match="no version before it"):
        await diff(fresh_database, "d")
    for name in ("newest", "", "-1", "1.0", "²", "9" * 40):
        with pytest.raises(InputError, match="names no version"):
            await diff(fresh_database, "d", name, 1)


async def test_another_tenant_has_no_such_source(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Refunds within 14 days.")
        await ingest_one(pool, "d", "Refunds within 30 days.")
    dsn = fresh_database.app_dsn
    async with open_verifier(dsn, tenant="other", embedder=HashingEmbedder()) as verifier:
        with pytest.raises(UnknownThing):
            await verifier.sources.diff("d")


def command(database: Database, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    line = [
        sys.executable,
        "-m",
        "verifier",
        "--dsn",
        database.app_dsn,
        "--tenant",
        TENANT,
        *arguments,
    ]
    return subprocess.run(
        line, capture_output=True, text=True, env=environment, check=False, timeout=120
    )


async def test_the_command_shows_numbers_chunks_and_lines(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(
            pool, "d", "# Terms\n\nRefunds within 14 days.\n", media_type="text/markdown"
        )
        await ingest_one(
            pool, "d", "# Terms\n\nRefunds within 30 days.\u202e\n", media_type="text/markdown"
        )
    shown = command(fresh_database, "diff", "d")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines() == [
        "d: version 1 (superseded) → 2 (current)",
        "~ within 14 days → within 30 days (duration)  Terms",
        "1 number: 1 changed, 0 unchanged",
        "~ chunk #0 → #0 changed  Terms",
        "1 chunk: 1 changed, 0 unchanged",
        "@@ -1,3 +1,3 @@",
        " # Terms",
        " ",
        "-Refunds within 14 days.",
        "+Refunds within 30 days.",
    ]
    told = json.loads(command(fresh_database, "diff", "d", "1", "2", "--json").stdout)
    assert told["numbers"][0]["old"]["span"] == [17, 31]
    assert told["hunks"][0]["lines"][2] == {"mark": "-", "text": "Refunds within 14 days."}
    refused = command(fresh_database, "diff", "d", "7")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "no version 7" in refused.stderr
