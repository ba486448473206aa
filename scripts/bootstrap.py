"""The environment that the scripts share: `.venv` with the package and its development extras.

Runs on a bare Python 3.11 or newer, so it imports the standard library alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
import sys
import time
import venv
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT: Final = Path(__file__).resolve().parent.parent
ENVIRONMENT: Final = ROOT / ".venv"
CONSTRAINTS: Final = ROOT / "constraints-dev.txt"
_STAMP: Final = ENVIRONMENT / "stamp"
_HEARTBEAT_S: Final = 15.0


def prepare_environment() -> Path:
    """Return the interpreter of `.venv`, after making the environment if it is missing or out of date."""
    python = ENVIRONMENT / "bin" / "python"
    with _only_one():
        wanted = _fingerprint()
        if python.exists() and _STAMP.exists() and _STAMP.read_text() == wanted:
            say(f"environment {ENVIRONMENT.name} is up to date")
            return python
        say(f"making the environment {ENVIRONMENT.name} (once; a few minutes)")
        _STAMP.unlink(missing_ok=True)
        venv.create(ENVIRONMENT, with_pip=True, clear=not python.exists())
        run_with_heartbeat(
            "installing grounding-verifier[dev]",
            [
                *(str(python), "-m", "pip", "install", "--quiet"),
                *("-c", str(CONSTRAINTS), "-e", f"{ROOT}[dev]"),
            ],
        )
        _STAMP.write_text(wanted)
    return python


def run_with_heartbeat(what: str, command: Sequence[str]) -> None:
    """Run `command`, telling now and then that it still does; leaves the script if it fails."""
    started = time.monotonic()
    told = started
    say(f"{what} …")
    with subprocess.Popen(command, cwd=ROOT) as running:
        while running.poll() is None:
            time.sleep(0.2)
            if time.monotonic() - told >= _HEARTBEAT_S:
                told = time.monotonic()
                say(f"{what} … {told - started:.0f} s")
    if running.returncode != 0:
        sys.exit(f"{what} failed (exit code {running.returncode})")
    say(f"{what}: done in {time.monotonic() - started:.0f} s")


def say(text: str) -> None:
    """Write a line of progress to standard error."""
    print(f"==> {text}", file=sys.stderr, flush=True)


def _fingerprint() -> str:
    told = hashlib.sha256(sys.version.encode())
    for path in (ROOT / "pyproject.toml", CONSTRAINTS):
        told.update(path.read_bytes())
    return told.hexdigest()


@contextmanager
def _only_one() -> Iterator[None]:
    with (ROOT / ".venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
