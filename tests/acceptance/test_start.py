"""How fast the command answers, and how it ends when it is cut off."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.acceptance.conftest import COMMAND, Command, processor_seconds

HELP_BUDGET_S = 0.3
HEAVY = (
    "numpy",
    "asyncpg",
    "alembic",
    "sqlalchemy",
    "torch",
    "sentence_transformers",
    "rich",
    "pydantic",
)


def seconds_of_help(command: Command) -> float:
    before = processor_seconds()
    assert command("--help").code == 0
    return processor_seconds() - before


def test_help_is_there_in_an_instant(command: Command) -> None:
    assert min(seconds_of_help(command) for _ in range(5)) < HELP_BUDGET_S


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys; from verifier.interfaces.cli.app import run; run(['--help']); "
        f"print(*sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ended.stderr.split() == []


@pytest.mark.parametrize(
    "words",
    [[], ["db"], ["audit"], ["search"], ["ingest"], ["verify"], ["demo"], ["doctor"], ["init"]],
)
def test_every_command_has_help(command: Command, words: list[str]) -> None:
    ended = command(*words, "--help")
    assert ended.code == 0
    assert "Usage: verifier" in ended.out


def test_a_closed_pipe_is_no_error(command: Command) -> None:
    line = f"{COMMAND} --help | true; echo ${{PIPESTATUS[0]}}"
    ended = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, env=command.environment, check=True
    )
    assert ended.stderr == ""
    assert ended.stdout.strip() in {"0", "141"}


@pytest.mark.parametrize("after_s", [0.15, 0.5, 3.0])
def test_an_interrupt_ends_quietly(command: Command, after_s: float) -> None:
    running = command.start("ingest", "-", "--key", "never-ending")
    time.sleep(after_s)
    os.killpg(running.pid, signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert b"Traceback" not in err


CLOSED = ["<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"]


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize(
    ("line", "code"),
    [("--help", 0), ("init --force", 0), ("bogus --json", 2), ("verify - --json", 2)],
)
def test_a_closed_stream_is_no_fault(command: Command, line: str, code: int, closed: str) -> None:
    ended = subprocess.run(
        ["bash", "-c", f"{COMMAND} {line} {closed}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=command.folder,
        env=command.environment,
        check=False,
    )
    assert ended.returncode == code
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_encoding_of_the_streams_will_do(command: Command, encoding: str) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [str(COMMAND), *arguments],
            capture_output=True,
            cwd=command.folder,
            env=command.environment | {"PYTHONIOENCODING": encoding},
            check=False,
        )

    asked = ("doctor", "--dsn", "postgresql://127.0.0.1:1/d")
    assert run(*asked).returncode == 3
    assert b"connection refused" in run(*asked).stdout
    failed = run("verify", "文é.json", "--json")
    assert failed.returncode == 2
    message = json.loads(failed.stderr.decode(encoding))["error"]["message"]
    assert message.startswith("文é.json: ")
