"""How a process that only verifies sets Python's cyclic garbage collector."""

from __future__ import annotations

import gc
from typing import Final

_YOUNG: Final = 20_000


def spare_collector() -> None:
    """Take what is loaded so far out of the garbage collector's walks, and let it walk less often.

    A full walk over modules and word lists takes longer than verifying an answer, and frees nothing: a
    report's objects hold no cycles. For the start of a process of one's own, not for a library's import.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, *gc.get_threshold()[1:])
