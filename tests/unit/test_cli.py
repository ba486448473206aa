"""The command line without a database: options, endings, what is printed where."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from verifier.errors import (
    DatabaseUnavailable,
    InputError,
    ModelError,
    SettingsError,
    StoreError,
    UnknownThing,
)
from verifier.interfaces.cli.app import app, run, split_global_options
from verifier.interfaces.cli.ending import report_error
from verifier.interfaces.cli.moments import read_moment
from verifier.interfaces.cli.output import plain
from verifier.interfaces.cli.turns import read_turn_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typer._click.core import Command


@pytest.mark.parametrize(
    ("line", "options", "rest"),
    [
        ("search q", [], ["search", "q"]),
        ("search q --json", ["--json"], ["search", "q"]),
        ("search --tenant t q -k 3", ["--tenant", "t"], ["search", "q", "-k", "3"]),
        ("search --tenant=t q", ["--tenant=t"], ["search", "q"]),
        ("--dsn d db upgrade", ["--dsn", "d"], ["db", "upgrade"]),
        ("search -- --json", [], ["search", "--", "--json"]),
        ("--json search -- --json q", ["--json"], ["search", "--", "--json", "q"]),
        ("search --jso q", [], ["search", "--jso", "q"]),
        ("search q --dsn", ["--dsn"], ["search", "q"]),
        ("", [], []),
    ],
)
def test_global_options_may_stand_anywhere(line: str, options: list[str], rest: list[str]) -> None:
    assert split_global_options(line.split()) == (options, rest)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "nothing",
        "search",
        "search a b",
        "search q -k many",
        "search q --mode hybird",
        "search q -k 0",
        "audit stale --now yesterday",
        "audit superseded --since yesterday",
        "audit unapproved --limit 0",
        "audit report",
        "audit impact",
        "--tenant",
        "--no-such-option search q",
        "ingest",
        "ingest a --manifest b",
        "ingest a b --key k",
        "ingest -",
        "verify",
        "verify nowhere.json",
        "db",
        "audit",
        "demo --dsn postgresql://h/d",
        "--config nowhere.toml sources",
        "--dsn mysql://h/d sources",
        "--tenant= sources",
    ],
)
def test_misuse_is_exit_code_2_with_a_message(
    line: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(line.split()) == 2
    printed = capsys.readouterr()
    assert printed.err.strip() or "Usage:" in printed.out
    assert "Traceback" not in printed.err
    assert "Value error" not in printed.err


@pytest.mark.parametrize(
    "line", [["--data-dir", ""], ["--data-dir=  "], ["--data-dir", "~nobody.here"]]
)
def test_a_folder_that_is_none_is_refused(
    line: list[str],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["sources", "--json", *line]) == 2
    assert "data-dir" in json.loads(capsys.readouterr().err)["error"]["message"]
    assert not list(tmp_path.iterdir())


def test_misuse_is_json_where_json_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["search", "--json"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    error = json.loads(printed.err)["error"]
    assert error["type"] == "UsageError"
    assert error["exit_code"] == 2


def test_a_near_miss_is_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sarch", "q"]) == 2
    assert "search" in capsys.readouterr().err


@pytest.mark.parametrize("line", ["--help", "-h", "search --help", "db --help", "--version"])
def test_help_and_version_are_exit_code_0(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(line.split()) == 0
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("x"), 2),
        (SettingsError("x"), 2),
        (UnknownThing("x"), 2),
        (StoreError("x"), 3),
        (DatabaseUnavailable("x"), 3),
        (ModelError("x"), 3),
        (OSError(28, "No space left on device"), 3),
        (RuntimeError("x"), 70),
    ],
)
def test_every_error_has_its_exit_code(
    error: Exception, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report_error(error, as_json=True) == code
    described = json.loads(capsys.readouterr().err)["error"]
    assert described["type"] == type(error).__name__
    assert report_error(error, as_json=False) == code
    printed = capsys.readouterr().err
    assert ("Traceback" in printed or "RuntimeError" in printed) == (code == 70)


def test_init_writes_once_and_replaces_on_demand(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["init"]) == 0
    written = Path("verifier.toml").read_text(encoding="utf-8")
    Path("verifier.toml").write_text("# mine", encoding="utf-8")
    assert run(["init"]) == 2
    assert "--force" in capsys.readouterr().err
    assert Path("verifier.toml").read_text(encoding="utf-8") == "# mine"
    assert run(["init", "--force", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"written": "verifier.toml"}
    assert Path("verifier.toml").read_text(encoding="utf-8") == written
    assert run(["init", "nowhere/verifier.toml"]) == 2


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-30", "2026-11-30T00:00:00+00:00"),
        ("2026-11-30T09:00", "2026-11-30T09:00:00+00:00"),
        ("2026-11-30 09:00:00+01:00", "2026-11-30T09:00:00+01:00"),
        ("2026-11-30T09:00Z", "2026-11-30T09:00:00+00:00"),
    ],
)
def test_moments_have_a_zone(text: str, moment: str) -> None:
    assert read_moment(text).isoformat() == moment


def test_stored_text_can_not_drive_the_terminal() -> None:
    assert plain("a\x1b]0;title\x07b\x9bc\u202ed\nz") == "a]0;titlebcd\nz"


def test_a_turn_without_an_answer_is_refused_unless_one_is_passed(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    path.write_text('{"id": "t1", "answer": ""}\n{"id": "t2", "question": "Why?"}\n', "utf-8")
    with pytest.raises(InputError, match="turn t2 has no answer"):
        read_turn_files([str(path)])
    assert [case.answer for case in read_turn_files([str(path)], answer="So.")] == ["So.", "So."]


def walk(command: Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Command]]:
    """Each command that does something, by its name as it is typed."""
    if not isinstance(command, TyperGroup):
        yield " ".join(path), command
        return
    for name, inner in command.commands.items():
        yield from walk(inner, (*path, name))


COMMANDS = dict(walk(get_command(app)))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_ends_with_examples_that_it_understands(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*name.split(), "--help"]) == 0
    _, _, shown = capsys.readouterr().out.partition("Example")
    lines = [line.strip() for line in shown.splitlines()[1:]]
    own = [line for line in lines if line.startswith(f"verifier {name}")]

    assert own
    for line in own:
        words = shlex.split(line.partition(" > ")[0])
        _, rest = split_global_options(words[1 + len(name.split()) :])
        COMMANDS[name].make_context(name, rest)  # raises for what is no option of it
