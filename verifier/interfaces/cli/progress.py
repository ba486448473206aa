"""Progress of long runs for people at a terminal: one line on standard error, gone when the run ends."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Self

from verifier.interfaces.cli.output import plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from verifier.ingest.requests import Progress

_QUIET_S: Final = 1.0
_PAUSE_S: Final = 0.2
_ERASE: Final = "\r\x1b[K"
_NARROWEST: Final = 20
_WIDTH_IF_UNTOLD: Final = 80


class ProgressLine:
    """Tells what goes on, how far it is and for how long; silent in runs that end at once.

    A thread writes the line, so that it moves while a model is loaded or a server starts. Nothing is
    written where standard error is no terminal, or where results are read by a program (`as_json`).
    """

    def __init__(self, what: str, *, as_json: bool) -> None:
        self._what = what
        self._told = ""
        self._is_shown = sys.stderr.isatty() and not as_json
        self._is_drawn = False
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._started_at = time.monotonic()

    def __enter__(self) -> Self:
        if self._is_shown:
            self._thread = threading.Thread(target=self._keep_drawing, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        del kind, error, trace
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        self._erase()

    def tell(self, told: str) -> None:
        """Note how far the run is; costs nothing where the line is not shown."""
        self._told = told

    def tell_ingest(self, progress: Progress) -> None:
        """Note how far an ingest is."""
        self.tell(describe_progress(progress))

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Keep the line out of results that are written meanwhile, where they go to the terminal too."""
        if not sys.stdout.isatty():
            yield
            return
        with self._lock:
            self._erase()
            yield

    def _keep_drawing(self) -> None:
        wait_s = _QUIET_S
        while not self._ended.wait(wait_s):
            wait_s = _PAUSE_S
            self._draw()

    def _draw(self) -> None:
        seconds = int(time.monotonic() - self._started_at)
        line = plain(" · ".join(filter(None, (self._what, self._told, f"{seconds} s"))))
        with self._lock:
            sys.stderr.write(f"{_ERASE}{line[: _find_width() - 1]}")
            sys.stderr.flush()
            self._is_drawn = True

    def _erase(self) -> None:
        if self._is_drawn:
            sys.stderr.write(_ERASE)
            sys.stderr.flush()
            self._is_drawn = False


def describe_progress(progress: Progress) -> str:
    """Return how far an ingest is, in words."""
    total = "" if progress.total is None else f" of {progress.total:,}"
    done = f"{progress.documents:,}{total} documents"
    if not progress.to_embed:
        return done
    return f"{done}, {progress.embedded:,} of {progress.to_embed:,} passages embedded"


def _find_width() -> int:
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        return _WIDTH_IF_UNTOLD
    return max(columns, _NARROWEST) if columns else _WIDTH_IF_UNTOLD
