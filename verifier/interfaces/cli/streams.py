"""The three streams of the process, made usable before anything is read, written or connected."""

from __future__ import annotations

import contextlib
import os
import sys
from io import TextIOWrapper
from typing import Final

_STANDARD: Final = ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w"))
_FAILING: Final = frozenset({"strict", "surrogateescape"})  # the latter in the C locale


def repair_streams() -> None:
    """Put an empty device where a stream is closed, and `?` where a character can't be written.

    Else the next file or socket that is opened would become the standard output of the process and
    of the server that it starts.
    """
    closed = [standard for standard in _STANDARD if getattr(sys, standard[1]) is None]
    for number, name, mode in closed:
        _occupy(number)
        setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors in _FAILING:
            stream.reconfigure(errors="replace")


def _occupy(number: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
    if nowhere != number:
        os.dup2(nowhere, number)
        with contextlib.suppress(OSError):
            os.close(nowhere)
