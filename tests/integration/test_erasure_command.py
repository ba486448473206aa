"""`verifier erase` as people and programs run it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.integration.erasing import OF_ANNA, rows_with
from tests.integration.policy_pages import REPOSITORY
from tests.integration.store_reading import TENANT, dump, ingest_one, opened, states

if TYPE_CHECKING:
    from tests.integration.conftest import Database

TOLD = ("--by", "ada", "--reason", "a request of 3 May")


def line(database: Database, *arguments: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "verifier",
        "--dsn",
        database.app_dsn,
        "--tenant",
        TENANT,
        *arguments,
    ]


def run(database: Database, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        line(database, *arguments),
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=120,
    )


def run_at_terminal(database: Database, answer: str, *arguments: str) -> tuple[int, str]:
    """Run the command with a terminal as its input and error, and answer what it asks."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        line(database, *arguments),
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    )
    os.close(theirs)
    os.write(ours, f"{answer}\n".encode())
    shown = (process.communicate(timeout=120)[0] or b"").decode()
    asked = os.read(ours, 65_536).decode()
    os.close(ours)
    return process.returncode, asked + shown


async def test_it_asks_and_needs_yes_without_a_terminal(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", OF_ANNA)
        before = await dump(fresh_database, physical=True)
        for more in ((), ("--json",)):
            refused = run(fresh_database, "erase", "d", *TOLD, *more)
            assert (refused.returncode, refused.stdout) == (2, "")
            assert "--yes" in refused.stderr
            assert "version 1 will be erased for good: 94 characters in 1 chunk" in refused.stderr
        code, shown = run_at_terminal(fresh_database, "n", "erase", "d", *TOLD)
        assert code == 130
        assert "Erase it?" in shown
        assert await dump(fresh_database, physical=True) == before
        code, shown = run_at_terminal(fresh_database, "y", "erase", "d", *TOLD)
        assert code == 0, shown
        assert await states(pool, "d") == {1: "erased"}
        assert await rows_with(fresh_database, OF_ANNA) == {}


async def test_it_prints_the_proof(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", f"{OF_ANNA} of this year.")
        await ingest_one(pool, "d", f"{OF_ANNA} of the last year.")
        done = run(fresh_database, "erase", "d", "--version", "1", *TOLD, "--yes")
        assert done.returncode == 0, done.stderr
        assert "✓ by id: 0 of 1 chunk id resolve" in done.stdout
        assert "✓ by trying again: 1 of 1 text refused" in done.stdout
        assert "also stands in d@2, and stays there" in done.stdout
        told = json.loads(run(fresh_database, "erase", "d", *TOLD, "--yes", "--json").stdout)
        assert told["proven"] is True
        assert told["erasure"]["tombstones"][0]["seq"] == 2
        assert {scan["rows_with_text"] for scan in told["proof"]["scans"]} == {0}
        again = run(fresh_database, "erase", "d", *TOLD, "--yes")
        assert again.returncode == 2
        assert "nothing left to erase" in again.stderr
        for wrong in (
            ("erase", "d", "--by", "ada", "--yes"),
            ("erase", "d", "--reason", "x", "--yes"),
        ):
            assert run(fresh_database, *wrong).returncode == 2
