"""The installed command, run as a person runs it: a process, two streams and an exit code."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.conftest import (
    Database,
    embedded,
    empty_database,
    fresh_database,
    migrated_template,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["embedded", "empty_database", "fresh_database", "migrated_template"]

COMMAND = Path(sys.executable).with_name("verifier")


def processor_seconds() -> float:
    """Return what ended children cost the processor; the clock on the wall counts the neighbours too."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What a run of the command left."""

    code: int
    out: str
    err: str

    @property
    def values(self) -> list[Any]:
        """The JSON values on standard output, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def error(self) -> dict[str, Any]:
        """The JSON error on standard error."""
        found = json.loads(self.err.splitlines()[-1])["error"]
        assert isinstance(found, dict)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Runs the command in a folder, with options that go before every call."""

    folder: Path
    options: tuple[str, ...] = ()

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a run: no settings, and a home of its own."""
        kept = {name: text for name, text in os.environ.items() if not name.startswith("VERIFIER_")}
        return kept | {"HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder / "share")}

    def __call__(self, *arguments: str, stdin: bytes = b"", timeout_s: float = 300) -> Ended:
        """Run the command and return how it ended."""
        ended = subprocess.run(
            [str(COMMAND), *self.options, *arguments],
            input=stdin,
            capture_output=True,
            cwd=self.folder,
            env=self.environment,
            timeout=timeout_s,
            check=False,
        )
        out, err = ended.stdout.decode(), ended.stderr.decode()
        assert ended.returncode == 70 or "Traceback" not in err, err
        return Ended(code=ended.returncode, out=out, err=err)

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start the command in a process group of its own and return at once."""
        return subprocess.Popen(
            [str(COMMAND), *self.options, *arguments],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def with_options(self, *options: str) -> Command:
        """Return a command that puts `options` before every call."""
        return Command(folder=self.folder, options=(*self.options, *options))


@pytest.fixture
def command() -> Iterator[Command]:
    """The command in an empty folder, without options; an embedded server needs a short path to its data."""
    with tempfile.TemporaryDirectory(prefix="verifier-") as folder:
        yield Command(folder=Path(folder))


@pytest.fixture
def on_database(command: Command, fresh_database: Database) -> Command:
    """The command on a migrated, empty database."""
    return command.with_options("--dsn", fresh_database.owner_dsn)


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A folder for an embedded server; its path is short, as a socket's must be."""
    with tempfile.TemporaryDirectory(prefix="verifier-") as folder:
        yield Path(folder) / "d"
