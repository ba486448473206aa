"""A PgBouncer in transaction mode between a test and the embedded server."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict
from urllib.parse import parse_qs, urlsplit

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATHS = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
_START_TIMEOUT_S = 20.0


class Identity(TypedDict, total=False):
    """Who runs a program, where that is not this process's user."""

    user: int
    group: int
    extra_groups: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooler:
    """A running PgBouncer; `dsn` goes through it, `log` holds what it noted."""

    dsn: str
    log: Path


def find_pgbouncer() -> str:
    """The program, installed by the system's packages where it is missing; without it the test fails."""
    found = shutil.which("pgbouncer", path=_PATHS)
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        for command in (("apt-get", "update"), ("apt-get", "install", "-y", "pgbouncer")):
            subprocess.run(command, check=False, capture_output=True)
        found = shutil.which("pgbouncer", path=_PATHS)
    if found is None:
        pytest.fail("pgbouncer is needed to test poolers; install it: apt-get install pgbouncer")
    return found


@contextmanager
def run_pgbouncer(folder: Path, dsn: str, *, ignoring: str = "") -> Iterator[Pooler]:
    """Run a PgBouncer before the server and database of `dsn`, with two connections to it.

    `ignoring` are settings of a connecting client that it drops instead of refusing.
    """
    program = find_pgbouncer()
    parts, port = urlsplit(dsn), _free_port()
    host, name = parse_qs(parts.query)["host"][0], parts.path.lstrip("/")
    user = parts.username
    log = folder / "pgbouncer.log"
    (folder / "pgbouncer.ini").write_text(
        f"""[databases]
{name} = host={host} port=5432 user={user} dbname={name}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
ignore_startup_parameters = extra_float_digits{"," if ignoring else ""}{ignoring}
logfile = {log}
"""
    )
    identity = hand_over(folder, Path(host))
    with subprocess.Popen(
        (program, "-q", str(folder / "pgbouncer.ini")),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **identity,
    ) as running:
        try:
            _wait(port, running, log)
            yield Pooler(dsn=f"postgresql://{user}@127.0.0.1:{port}/{name}", log=log)
        finally:
            running.terminate()
            running.wait(10)


def hand_over(folder: Path, socket_folder: Path) -> Identity:
    """Give a folder to who runs the server, since neither a PgBouncer nor a Postgres wants to be root."""
    if os.geteuid() != 0:
        return {}
    owner = pwd.getpwuid(socket_folder.stat().st_uid)
    for path in (folder, *folder.iterdir()):
        os.chown(path, owner.pw_uid, owner.pw_gid)
    for above in folder.parents:
        above.chmod(above.stat().st_mode | 0o001)
    return {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": ()}


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


def _wait(port: int, running: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline and running.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail(f"pgbouncer did not start: {log.read_text() if log.exists() else 'it left no log'}")
