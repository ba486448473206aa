"""Progress of long runs, on standard error: one line that is rewritten, or now and then a new one."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Final, Self

from verifier.interfaces.cli.output import write_json

if TYPE_CHECKING:
    from types import TracebackType

    from verifier.ingest.requests import Progress

_TERMINAL_PAUSE_S: Final = 0.1
_LOG_PAUSE_S: Final = 5.0


class ProgressLine:
    """Tells how far a run is; silent for runs that end before there was anything to tell.

    `as_json` makes each telling a line of JSON, as all else that a program reads from this command.
    """

    def __init__(self, what: str, *, as_json: bool) -> None:
        self._what = what
        self._as_json = as_json
        self._rewrites = sys.stderr.isatty() and not as_json
        self._told_at = time.monotonic()
        self._is_open = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        del kind, error, trace
        if self._is_open:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def tell(self, progress: Progress) -> None:
        """Show `progress`, unless something was shown a moment ago."""
        now = time.monotonic()
        if now - self._told_at < (_TERMINAL_PAUSE_S if self._rewrites else _LOG_PAUSE_S):
            return
        self._told_at = now
        if self._as_json:
            write_json(sys.stderr, {"progress": {"of": self._what, **asdict(progress)}})
            return
        line = f"{self._what}: {describe_progress(progress)}"
        if self._rewrites:
            sys.stderr.write(f"\r\x1b[K{line}")
            self._is_open = True
        else:
            sys.stderr.write(line + "\n")
        sys.stderr.flush()


def describe_progress(progress: Progress) -> str:
    """Return how far a run is, in words."""
    total = "" if progress.total is None else f" of {progress.total}"
    done = f"{progress.documents}{total} documents"
    if not progress.to_embed:
        return done
    return f"{done}, {progress.embedded} of {progress.to_embed} passages embedded"
