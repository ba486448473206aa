"""Bad input: each a clear error that names the thing, with its exit code, and never half a version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Command
    from tests.integration.conftest import Database

GOOD = "# Good\n\nThe bell rings at 9:00.\n"
HUGE_BYTES = 200_000_000
LINKS = {"unreadable": "/proc/self/mem", "dangling": "nowhere.md"}
CONTENTS = {
    "empty": b"",
    "blank": b" \n\t\n",
    "binary": bytes(range(256)) * 40,
    "nul": b"A text with a \x00 in it.\n",
    "invalid-utf-8": b"Good \xff\xfe\x80\x81 \xc3( text\x98\n" * 20,
}


def write_bad(folder: Path, fault: str) -> Path:
    """Write a file with `fault` and return its path; `missing` writes none."""
    path = folder / f"{fault}.md"
    if fault in LINKS:
        path.symlink_to(LINKS[fault])
    elif fault in CONTENTS:
        path.write_bytes(CONTENTS[fault])
    elif fault == "huge":
        with path.open("wb") as file:
            file.truncate(HUGE_BYTES)
    return path


FAULTS = [
    "missing",
    "unreadable",
    "dangling",
    "empty",
    "blank",
    "binary",
    "nul",
    "invalid-utf-8",
    "huge",
]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_file_is_named_and_nothing_is_written(on_database: Command, fault: str) -> None:
    path = write_bad(on_database.folder, fault)
    ended = on_database("ingest", str(path))
    assert ended.code == 2
    assert path.name in ended.out + ended.err
    assert on_database("sources", "--json").values == [[]]


def test_the_rest_of_a_folder_is_ingested_and_bad_files_are_listed(on_database: Command) -> None:
    folder = on_database.folder / "docs"
    (folder / "north").mkdir(parents=True)
    (folder / "south").mkdir()
    (folder / "north" / "readme.md").write_text(GOOD, encoding="utf-8")
    (folder / "south" / "readme.md").write_text(GOOD.replace("9", "8"), encoding="utf-8")
    for name in ("photo.png", "north/table.xlsx"):
        (folder / name).write_bytes(b"\x00")
    for fault in FAULTS[3:]:
        write_bad(folder, fault)
    ended = on_database("ingest", str(folder), "--json")
    assert ended.code == 2
    [report] = ended.values
    outcomes = {each["key"]: each for each in report["outcomes"]}
    assert {key for key, each in outcomes.items() if each["outcome"] == "new"} == {
        "north/readme.md",
        "south/readme.md",
    }
    failed = {key for key, each in outcomes.items() if each["outcome"] == "failed"}
    assert failed == {f"{fault}.md" for fault in FAULTS[3:]}
    assert all(outcomes[key]["error"] for key in failed)
    assert report["passed_over"] == 2
    assert report["first_passed_over"] == ["north/table.xlsx", "photo.png"]
    again = on_database("ingest", str(folder))
    assert again.code == 2
    assert "2 unchanged" in again.out
    assert "2 files passed over: north/table.xlsx, photo.png (read are .txt," in again.out
    assert all(f"{fault}.md" in again.out + again.err for fault in FAULTS[3:])


def test_a_path_that_is_not_there_does_not_stop_the_others(on_database: Command) -> None:
    good = on_database.folder / "good.md"
    good.write_text(GOOD, encoding="utf-8")
    ended = on_database("ingest", "nowhere.md", str(good))
    assert ended.code == 2
    assert "nowhere.md" in ended.out + ended.err
    [listed] = on_database("sources", "--json").values
    assert [each["source"]["key"] for each in listed] == ["good.md"]


def test_standard_input_is_read_and_refused_like_a_file(on_database: Command) -> None:
    assert on_database("ingest", "-", "--key", "typed", stdin=GOOD.encode()).code == 0
    for bad in (b"", b"\x00\x01\x02", b" \n"):
        ended = on_database("ingest", "-", "--key", "typed", stdin=bad)
        assert ended.code == 2
        assert "typed" in ended.out + ended.err
    [listed] = on_database("sources", "--json").values
    assert [(each["source"]["key"], each["versions"]) for each in listed] == [("typed", 1)]


NO_DATABASE = [
    ("nobody listens", "postgresql://verifier:s3cret@127.0.0.1:9/shop", "127.0.0.1"),
    (
        "no such host",
        "postgresql://verifier:s3cret@no-such-host.invalid/shop",
        "no-such-host.invalid",
    ),
]


@pytest.mark.parametrize(
    "line", ["search q", "sources", "db upgrade", "audit stale", "ingest good.md"]
)
@pytest.mark.parametrize(
    ("dsn", "named"), [case[1:] for case in NO_DATABASE], ids=["closed", "host"]
)
def test_no_such_server_is_exit_code_3(command: Command, line: str, dsn: str, named: str) -> None:
    (command.folder / "good.md").write_text(GOOD, encoding="utf-8")
    ended = command("--dsn", dsn, *line.split(), "--json")
    assert ended.code == 3
    assert ended.error["type"] == "DatabaseUnavailable"
    assert named in ended.error["message"]
    assert "s3cret" not in ended.out + ended.err


def test_no_such_database_is_named(command: Command, fresh_database: Database) -> None:
    dsn = fresh_database.owner_dsn.replace(fresh_database.name, "no_such_database")
    ended = command("--dsn", dsn, "sources")
    assert ended.code == 3
    assert "no_such_database" in ended.err


def test_a_database_without_schema_says_what_to_run(
    command: Command, empty_database: Database
) -> None:
    on_empty = command.with_options("--dsn", empty_database.owner_dsn)
    ended = on_empty("sources")
    assert ended.code == 3
    assert "verifier db upgrade" in ended.err
    assert on_empty("db", "upgrade").code == 0
    assert on_empty("sources").code == 0
    assert on_empty("db", "upgrade").code == 0


async def test_a_read_only_database_is_told(on_database: Command, fresh_database: Database) -> None:
    await fresh_database.execute(
        f"ALTER DATABASE {fresh_database.name} SET default_transaction_read_only = on"
    )
    (on_database.folder / "good.md").write_text(GOOD, encoding="utf-8")
    assert on_database("sources").code == 0
    ended = on_database("ingest", "good.md", "--json")
    assert ended.code == 3
    assert "read" in ended.err


@pytest.mark.parametrize("model", ["/no/such/folder", "no-such-owner/no-such-model"])
def test_a_missing_model_is_named(on_database: Command, model: str) -> None:
    (on_database.folder / "verifier.toml").write_text(f'model = "{model}"\n', encoding="utf-8")
    (on_database.folder / "good.md").write_text(GOOD, encoding="utf-8")
    for line in ("search bell", "ingest good.md"):
        ended = on_database(*line.split(), timeout_s=60)
        assert ended.code == 3
        assert model in ended.out + ended.err
    [listed] = on_database("sources", "--json").values
    assert all(each["current_seq"] is None for each in listed)


def test_a_source_that_is_not_there_is_named(on_database: Command) -> None:
    ended = on_database("approve", "no-such-source", "--json")
    assert ended.code == 2
    assert ended.error["type"] == "UnknownThing"
    assert "no-such-source" in ended.error["message"]


MANIFESTS = [
    ("missing column", "file,name\na.md,a\n", "key"),
    ("missing file", "file,key,valid_from\nnowhere.md,a,2026-01-01T00:00:00+00:00\n", "nowhere.md"),
    ("bad date", "file,key,valid_from\na.md,a,soon\n", "soon"),
    ("empty", "", "manifest.csv"),
]


@pytest.mark.parametrize(
    ("csv", "named"), [case[1:] for case in MANIFESTS], ids=[c[0] for c in MANIFESTS]
)
def test_a_bad_manifest_is_named(on_database: Command, csv: str, named: str) -> None:
    (on_database.folder / "manifest.csv").write_text(csv, encoding="utf-8")
    (on_database.folder / "a.md").write_text(GOOD, encoding="utf-8")
    ended = on_database("ingest", "--manifest", "manifest.csv")
    assert ended.code == 2
    assert named in ended.out + ended.err


TURNS = [
    ("not JSON", "{", "turns.json"),
    ("unknown field", '{"answer": "a", "anser": "b"}', "anser"),
    ("no object", "[1, 2]", "turns.json"),
    ("empty", "", "turns.json"),
    ("clock without zone", '{"answer": "a", "now": "2026-01-01T00:00:00"}', "now"),
]


@pytest.mark.parametrize(
    ("text", "named"), [case[1:] for case in TURNS], ids=[case[0] for case in TURNS]
)
def test_a_bad_turn_file_is_named(command: Command, text: str, named: str) -> None:
    (command.folder / "turns.json").write_text(text, encoding="utf-8")
    ended = command("verify", "turns.json")
    assert ended.code == 2
    assert named in ended.err
