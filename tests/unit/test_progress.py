"""The line of progress: what it writes on a real terminal, and that it is written nowhere else."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import time
from typing import Final

import pytest

from verifier.ingest.requests import Progress
from verifier.interfaces.cli.progress import ProgressLine, describe_progress

RUN: Final = """
import sys, time
from verifier.interfaces.cli import progress as module
from verifier.interfaces.cli.progress import ProgressLine
module._QUIET_S, module._PAUSE_S = {quiet_s}, 0.05
with ProgressLine("checking", as_json={as_json}) as progress:
    {body}
"""
SLOW: Final = 'progress.tell("3 of 9 claims"); time.sleep(0.8)'


def on_terminal(
    body: str,
    *,
    as_json: bool = False,
    with_output: bool = False,
    code: int = 0,
    quiet_s: float = 0.1,
) -> tuple[str, str]:
    """What a run writes to a terminal, and to a pipe where standard output is no terminal."""
    reading, writing = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", RUN.format(as_json=as_json, body=body, quiet_s=quiet_s)],
        stdout=writing if with_output else subprocess.PIPE,
        stderr=writing,
    )
    os.close(writing)
    written = b""
    while True:
        try:
            piece = os.read(reading, 4_096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        written += piece
    os.close(reading)
    out = process.stdout.read().decode() if process.stdout is not None else ""
    if process.stdout is not None:
        process.stdout.close()
    assert process.wait() == code, written
    return written.decode(), out


def shown(written: str) -> str:
    """What a reader sees in the end: each erased line is gone."""
    return re.sub(r"[^\n]*\x1b\[K", "", written)


def test_a_slow_run_tells_how_far_it_is_and_leaves_nothing() -> None:
    written, _ = on_terminal(SLOW)

    assert "checking · 3 of 9 claims · 0 s" in written
    assert shown(written) == ""


def test_a_run_that_ends_at_once_writes_nothing() -> None:
    assert on_terminal('progress.tell("1 of 1 claims")', quiet_s=1) == ("", "")


def test_a_run_that_tells_nothing_shows_that_it_goes_on() -> None:
    assert "checking · 0 s" in on_terminal("time.sleep(0.8)")[0]


def test_nothing_is_written_where_a_program_reads() -> None:
    assert on_terminal(SLOW, as_json=True) == ("", "")


def test_results_stand_on_lines_of_their_own() -> None:
    body = f'{SLOW}\n    with progress.aside(): print("a result"); time.sleep(0.3)\n    {SLOW}'
    written, _ = on_terminal(body, with_output=True)

    assert written.count("checking") >= 2
    assert shown(written).split() == ["a", "result"]


def test_the_line_stays_while_results_go_elsewhere() -> None:
    body = 'with progress.aside(): print("a result"); time.sleep(0.8)'
    written, out = on_terminal(body)

    assert "checking · 0 s" in written
    assert out == "a result\n"


def test_a_failure_takes_the_line_away() -> None:
    written, _ = on_terminal(f'{SLOW}; raise SystemExit("failed")', code=1)

    assert "checking" in written
    assert shown(written).strip() == "failed"


def test_nothing_is_written_where_there_is_no_terminal(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifier.interfaces.cli.progress._QUIET_S", 0.05)
    with ProgressLine("checking", as_json=False) as progress:
        progress.tell("3 of 9 claims")
        time.sleep(0.3)

    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("progress", "told"),
    [
        (Progress(documents=1, total=None, embedded=0, to_embed=0), "1 documents"),
        (Progress(documents=2, total=9_000, embedded=0, to_embed=0), "2 of 9,000 documents"),
        (
            Progress(documents=1, total=2, embedded=3, to_embed=1_200),
            "1 of 2 documents, 3 of 1,200 passages embedded",
        ),
    ],
)
def test_how_far_an_ingest_is(progress: Progress, told: str) -> None:
    assert describe_progress(progress) == told
