"""From files to a verified answer and to an audit, through the command alone."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import TYPE_CHECKING, Any

import asyncpg

from tests.integration.conftest import Database, make_database, run

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from tests.acceptance.conftest import Command
    from verifier.embedded import EmbeddedPostgres

RULES = (
    "# Rules\n\n## Keys\n\nThe front door key costs $12.00 to replace.\n\n"
    "## Quiet\n\nQuiet hours begin at 22:00.\n"
)
DOCUMENTS = 12
STATE = """
    SELECT s.key, v.seq, v.state, v.content_hash, count(c.ordinal) AS chunks,
           count(cc.ordinal) AS current_chunks
      FROM verifier.source s
      JOIN verifier.document_version v USING (tenant_id, source_id)
      LEFT JOIN verifier.chunk c USING (tenant_id, version_id)
      LEFT JOIN verifier.current_chunk cc
             ON (cc.tenant_id, cc.version_id, cc.ordinal) = (c.tenant_id, c.version_id, c.ordinal)
     GROUP BY s.key, v.seq, v.state, v.content_hash
     ORDER BY s.key, v.seq
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_ingest_search_verify_audit(on_database: Command) -> None:
    path = write(on_database.folder, "rules.md", RULES)
    first = on_database("ingest", str(path), "--review-until", "2020-01-01T00:00Z", "--json")
    assert first.code == 0, first.err
    [report] = first.values
    assert [each["outcome"] for each in report["outcomes"]] == ["new"]
    assert (
        on_database("ingest", str(path), "--json").values[0]["outcomes"][0]["outcome"]
        == "unchanged"
    )

    [found] = on_database("search", "what does a new key cost", "-k", "1", "--json").values
    [hit] = found["hits"]
    assert "$12.00" in hit["text"]
    assert RULES[slice(*hit["span"])] == hit["text"]
    assert found["plan"] in {"exact", "ann"}
    words = ("search", "front door key $12.00", "--mode", "hybrid", "-k", "1")
    [both] = on_database(*words, "--json").values
    assert (both["hits"][0]["words_rank"], both["hits"][0]["vector_rank"]) == (1, 1)
    assert "1. by meaning, 1. by words" in on_database(*words).out

    turn = {
        "id": "t1",
        "answer": f"The front door key costs $15.00 to replace [{hit['chunk_id']}].",
        "retrieved": [hit["chunk_id"]],
    }
    write(on_database.folder, "turns.jsonl", json.dumps(turn) + "\n")
    ended = on_database("verify", "turns.jsonl", "--json")
    assert ended.code == 1, ended.err
    right = "The front door key costs $12.00 to replace"
    again = on_database(
        "verify", "turns.jsonl", "--answer", f"{right} [{hit['chunk_id']}].", "--json"
    )
    assert again.code == 0, again.err

    overdue = on_database("audit", "stale", "--json")
    assert overdue.code == 1, overdue.err
    assert on_database("audit", "stale", "--json", "--exit-zero").code == 0
    [audit] = overdue.values
    [stale] = audit["sources"]
    assert stale["version"]["key"] == "rules.md"
    assert stale["version"]["answers"] >= 1
    assert on_database("audit", "stale", "--now", "2019-01-01", "--json").values[0]["sources"] == []


def test_a_new_version_takes_the_place_of_the_old(on_database: Command) -> None:
    path = write(on_database.folder, "rules.md", RULES)
    on_database("ingest", str(path))
    write(on_database.folder, "rules.md", RULES.replace("22:00", "23:00"))
    [report] = on_database("ingest", str(path), "--json").values
    [outcome] = report["outcomes"]
    assert (outcome["outcome"], outcome["seq"], outcome["reused"]) == (
        "new",
        2,
        outcome["chunks"] - 1,
    )
    [found] = on_database("search", "when do quiet hours begin", "--json").values
    texts = " ".join(hit["text"] for hit in found["hits"])
    assert "23:00" in texts
    assert "22:00" not in texts


def test_tenants_do_not_see_each_other(on_database: Command) -> None:
    path = write(on_database.folder, "rules.md", RULES)
    assert on_database("ingest", str(path), "--tenant", "a").code == 0
    assert on_database("sources", "--tenant", "b", "--json").values == [[]]
    assert on_database("search", "key", "--tenant", "b", "--json").values[0]["hits"] == []


def test_the_doctor_is_content_with_a_fresh_database(on_database: Command) -> None:
    ended = on_database("doctor", "--json")
    assert ended.code == 0, ended.out
    assert {check["name"] for check in ended.values[0]}
    assert on_database("db", "status").code == 0


def read_state(database: Database) -> list[tuple[Any, ...]]:
    async def read() -> list[tuple[Any, ...]]:
        connection = await asyncpg.connect(database.owner_dsn)
        try:
            return [tuple(row) for row in await connection.fetch(STATE)]
        finally:
            await connection.close()

    return run(read())


def write_houses(folder: Path) -> None:
    for number in range(DOCUMENTS):
        sections = "".join(
            f"## Part {part}\n\nRoom {number} opens its door {part} for {number + part} guests a day.\n\n"
            for part in range(4)
        )
        write(folder, f"{number:02}.md", f"# House {number}\n\n{sections}")


def start_and_wait_for_drafts(command: Command, database: Database) -> subprocess.Popen[bytes]:
    running = command.start("ingest", "docs")
    deadline = time.monotonic() + 120
    while not read_state(database):
        assert running.poll() is None, running.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return running


def test_an_interrupted_ingest_ends_at_once(on_database: Command, fresh_database: Database) -> None:
    write_houses(on_database.folder / "docs")
    running = start_and_wait_for_drafts(on_database, fresh_database)
    os.killpg(running.pid, signal.SIGINT)
    _, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert b"Traceback" not in err


def test_a_killed_ingest_shows_no_half_version_and_goes_on(
    command: Command, embedded: EmbeddedPostgres, migrated_template: str
) -> None:
    write_houses(command.folder / "docs")
    disturbed = make_database(embedded, template=migrated_template)
    undisturbed = make_database(embedded, template=migrated_template)
    on_disturbed = command.with_options("--dsn", disturbed.owner_dsn)

    running = start_and_wait_for_drafts(on_disturbed, disturbed)
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate()
    for _, _, state, _, chunks, current_chunks in read_state(disturbed):
        assert current_chunks == (chunks if state == "current" else 0)

    again = on_disturbed("ingest", "docs")
    assert again.code == 0, again.err
    assert command.with_options("--dsn", undisturbed.owner_dsn)("ingest", "docs").code == 0
    state = read_state(disturbed)
    assert state == read_state(undisturbed)
    assert [row[2] for row in state] == ["current"] * DOCUMENTS
    third = on_disturbed("ingest", "docs", "--json").values[0]
    assert {each["outcome"] for each in third["outcomes"]} == {"unchanged"}
