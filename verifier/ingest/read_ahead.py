"""Several files read at once, handed on in their order."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

T = TypeVar("T")
R = TypeVar("R")


def read_ahead(
    things: Iterable[T], read: Callable[[T], R], *, jobs: int
) -> Iterator[tuple[T, Callable[[], R]]]:
    """Yield each thing with what returns its reading, or raises what reading it raised.

    Up to `jobs` are read at once, and no more than these are held. Where the iteration is given up, the
    rest is not begun.
    """
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="read")
    begun: deque[tuple[T, Future[R]]] = deque()
    left = iter(things)
    try:
        while True:
            while len(begun) < jobs and (more := next(((one,) for one in left), None)):
                begun.append((more[0], pool.submit(read, more[0])))
            if not begun:
                return
            thing, reading = begun.popleft()
            yield thing, reading.result
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
