"""The verifier as the cases call it: one event loop for a run, one database server where one is needed."""

from __future__ import annotations

import asyncio
import atexit
import functools
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from verifier import verify_claims
from verifier.core.catalog import parse_catalog

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from verifier.core.report import GroundingReport
    from verifier.core.turns import Turn
    from verifier.embedded import EmbeddedPostgres
    from verifier.store.canonical_pool import CanonicalPool

Result = TypeVar("Result")


def verify(
    answer: str,
    turn: Turn,
    *,
    catalog: dict[str, Any] | None = None,
    pool: CanonicalPool | None = None,
) -> GroundingReport:
    """Return the report on an answer, by ledger and documents, and by the tables of `pool` if any."""
    declared = parse_catalog(catalog) if catalog else None
    return run(verify_claims(answer, None, pool, catalog=declared, turn=turn))


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run `work` to its end in the loop of this run.

    Not by `asyncio.Runner`: it writes out the task with its whole result to set the signal's action back.
    """
    return _loop().run_until_complete(work)


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    atexit.register(loop.close)
    return loop


@functools.cache
def start_server() -> EmbeddedPostgres:
    """Return the one server of this run, in a folder that goes with it."""
    from verifier.embedded import start_embedded

    folder = tempfile.TemporaryDirectory(prefix="verifier-cases-")
    atexit.register(folder.cleanup)
    return start_embedded(Path(folder.name) / "server")
