"""Comparing the times of growing inputs, so that a busy machine can't fail what grows as it should."""

from __future__ import annotations

import gc
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TRIES = 5
SMALL_TIMES = 3


def assert_grows(
    prepare: Callable[[int], Callable[[], object]],
    small: int,
    large: int,
    *,
    at_most: float,
) -> None:
    """Fail unless the large work takes at most so many times what the small takes, in processor time.

    `prepare` makes the work of a size, untimed. Noise only adds to a time, so the small one is the least
    of a few, and the large one may be tried again: what truly grows too fast is over its bound each time.
    Each try takes both anew, for a machine may become slower and stay so. Work whose result is kept for an
    input that comes again needs another input each time it is prepared.
    """
    tried = []
    with _collector_off():
        prepare(small)()  # fills the caches, compiles the patterns
        for _ in range(TRIES):
            least_s = min(_take_seconds(prepare(small)) for _ in range(SMALL_TIMES))
            took_s = _take_seconds(prepare(large))
            if took_s <= at_most * least_s:
                return
            tried.append(f"{took_s:.6f} s against {least_s:.6f} s")
    raise AssertionError(
        f"{large:,} instead of {small:,} takes more than {at_most:g} times as long"
        f" at each of {TRIES} tries: " + "; ".join(tried)
    )


def _take_seconds(work: Callable[[], object]) -> float:
    gc.collect()
    begun = time.process_time()
    work()
    return time.process_time() - begun


@contextmanager
def _collector_off() -> Iterator[None]:
    """Keep the collector out of the times; it comes back as it was."""
    was_on = gc.isenabled()
    gc.disable()
    gc.collect()
    gc.freeze()  # what stands before isn't walked again before each measurement
    try:
        yield
    finally:
        gc.unfreeze()
        if was_on:
            gc.enable()
