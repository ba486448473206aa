"""The embedded Postgres: a server in the user's own data directory, shared by all processes that use it."""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import sys
import time
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from verifier.cluster import DATABASE, SOCKET, SUPERUSER, Cluster, find_programs
from verifier.errors import DatabaseUnavailable, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import IO, Self

# The size of sun_path in sockaddr_un, less its closing NUL.
_SOCKET_PATH_LIMIT: Final = 107 if sys.platform == "linux" else 103
_LOCK_TIMEOUT_S: Final = 90.0


class EmbeddedPostgres:
    """A running server, in use by this process until `stop` or the process's end.

    The last process that leaves stops it. `owner_dsn` is for migrations alone (a superuser), `app_dsn`
    is subject to row-level security, `reader_dsn` can read the sample tables and write nothing.
    """

    def __init__(self, cluster: Cluster, share: IO[bytes]) -> None:
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
        return self._dsn(SUPERUSER)

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
        return f"postgresql://{role}@/{DATABASE}?host={folder}&port=5432"


def start_embedded(data_dir: Path) -> EmbeddedPostgres:
    """Return the server of `data_dir`, made and started where needed; blocks for a second or two.

    As root, the server runs as the user `pgserver`, who is let through (not into) the directories above.
    Raises SettingsError where the extra is missing or the directory can't serve, DatabaseUnavailable
    where the server does not start.
    """
    bin_dir = find_programs()
    data_dir = _prepare_folder(data_dir)
    cluster = Cluster(data_dir=data_dir, bin_dir=bin_dir)
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


def _prepare_folder(data_dir: Path) -> Path:
    data_dir = _resolve(data_dir)
    socket = os.fsencode(data_dir / "pgdata" / SOCKET)
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


def _resolve(data_dir: Path) -> Path:
    try:
        resolved = data_dir.expanduser().resolve()
        text = str(resolved).encode("utf-8")
    except (OSError, RuntimeError, ValueError) as error:
        raise SettingsError(f"{str(data_dir)!r}: no usable path ({error})") from None
    if b"," in text:  # separates hosts in a connection string
        raise SettingsError(f"{resolved}: a data directory's path can't hold a comma")
    return resolved


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
