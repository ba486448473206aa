"""The life of a source through the command: versions, permission, withdrawal, coming back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Command

TEXTS = ("# Bells\n\nThe bell rings at 8.\n", "# Bells\n\nThe bell rings at 9.\n")


def ingest(command: Command, text: str, *options: str) -> dict[str, Any]:
    (command.folder / "bells.md").write_text(text, encoding="utf-8")
    ended = command("ingest", "bells.md", *options, "--json")
    [report] = ended.values
    [outcome] = report["outcomes"]
    assert isinstance(outcome, dict)
    return outcome


def versions(command: Command) -> list[str]:
    [listed] = command("versions", "bells.md", "--json").values
    return [each["version"]["state"] for each in listed]


def answers(command: Command) -> list[str]:
    [found] = command("search", "when does the bell ring", "--json").values
    return [hit["chunk_id"] for hit in found["hits"]]


def test_a_source_lives_through_all_its_states(on_database: Command) -> None:
    ingest(
        on_database,
        TEXTS[0],
        *("--verified-by", "ada", "--authority", "-2", "--valid-from", "2020-01-01T00:00Z"),
        *("--metadata", 'region="EU"', "--metadata", "year=2020", "--metadata", "note=a=b"),
    )
    [[listed]] = on_database("sources", "--json").values
    assert listed["source"]["metadata"] == {"region": "EU", "year": 2020, "note": "a=b"}
    assert (listed["source"]["authority"], listed["verified_by"]) == (-2, "ada")

    late = ingest(on_database, TEXTS[1], "--expect-version", "3")
    assert (late["outcome"], late["error"].split(";")[0]) == (
        "failed",
        "version 1 of bells.md is current, not 3 as expected",
    )
    assert ingest(on_database, TEXTS[1], "--expect-version", "1")["outcome"] == "new"

    refused = on_database("withdraw", "bells.md", "--by", "ada", "--json")
    assert (refused.code, refused.error["type"]) == (2, "InputError")
    assert "bells.md@2 answers now, with 1 chunk; 0 logged answers" in refused.error["message"]
    assert "--yes" in refused.error["message"]
    assert versions(on_database) == ["superseded", "current"]
    withdrawn = on_database("withdraw", "bells.md", "--by", "ada", "--reason", "wrong", "--yes")
    assert (withdrawn.code, withdrawn.out.strip()) == (0, "bells.md@2 is withdrawn, by ada")
    assert versions(on_database) == ["superseded", "withdrawn"]

    assert on_database("restore", "bells.md", "--json").values == [{"key": "bells.md", "seq": 2}]
    reverted = on_database("revert", "bells.md", "1", "--by", "ada", "--json")
    assert reverted.values == [{"key": "bells.md", "seq": 3}]
    assert versions(on_database) == ["superseded", "superseded", "current"]

    assert on_database("deny", "bells.md", "--by", "ada", "--reason", "not ours").code == 0
    assert answers(on_database) == []
    assert len(on_database("sources", "--permission", "denied", "--json").values[0]) == 1
    assert on_database("sources", "--permission", "pending", "--json").values == [[]]
    assert on_database("approve", "bells.md", "--by", "ada").code == 0

    assert (
        on_database("reviewed", "bells.md", "--by", "eve", "--until", "2021-01-01T00:00Z").code == 0
    )
    assert len(on_database("sources", "--stale", "--json").values[0]) == 1
    assert on_database("authority", "bells.md", "--by", "eve", "--", "-5").code == 0
    changed = on_database(
        *(
            "validity",
            "bells.md",
            "3",
            "--from",
            "2019-01-01T00:00Z",
            "--to",
            "2019-02-01T00:00Z",
            "--json",
        )
    )
    assert changed.values == [{"key": "bells.md", "changed": True}]
    assert answers(on_database) == ["bells.md@2#0"]

    shown = on_database("versions", "bells.md")
    assert shown.code == 0
    assert "2019-02-01" in shown.out
    done = on_database("versions", "bells.md", "--changes")
    assert [line.split()[0] for line in done.out.splitlines()[2:]] == [
        str(number) for number in range(1, 12)
    ]
    assert "not ours" in done.out


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("ingest bells.md --metadata region", "KEY=JSON"),
        ("ingest --manifest bells.csv --authority 0", "manifest"),
        ("withdraw nowhere.md --yes", "nowhere.md"),
        ("ingest bells.md --review-until 2030-01-31", "no time zone"),
        ("ingest bells.md --valid-from 2020-01-31T09:00", "no time zone"),
        ("ingest --rows bells --key b --review-until 2030-01-31T00:00", "no time zone"),
        ("reviewed bells.md --by ada --until 2030-01-31", "no time zone"),
        ("validity bells.md 1 --from 2020-01-01", "no time zone"),
        ("validity bells.md 1 --from 2020-01-01T00:00Z --to 2020-02-01", "no time zone"),
    ],
)
def test_bad_input_is_named(on_database: Command, line: str, named: str) -> None:
    (on_database.folder / "bells.md").write_text(TEXTS[0], encoding="utf-8")
    ended = on_database(*line.split())
    assert ended.code == 2
    assert named in ended.out + ended.err
