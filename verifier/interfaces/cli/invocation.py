"""What one call of the command was told globally, and how its commands reach the service."""

from __future__ import annotations

import os
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from verifier.interfaces.failures import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from pathlib import Path

    import typer

    from verifier.interfaces.cli.progress import ProgressLine
    from verifier.service import Verifier
    from verifier.settings import Settings

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """The global options of one call, and settings that a command's own chose; None: settings decide."""

    dsn: str | None = None
    data_dir: Path | None = None
    tenant: str | None = None
    config: Path | None = None
    as_json: bool = False
    chosen: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def of(cls, context: typer.Context) -> Invocation:
        """Return the invocation that the root command stored in `context`."""
        stored = context.find_root().obj
        return stored if isinstance(stored, cls) else cls()

    def load_settings(self, **overrides: object) -> Settings:
        """Return the settings of this call. Raises SettingsError."""
        from verifier.settings import load_settings

        given = {"dsn": self.dsn, "data_dir": self.data_dir, "tenant": self.tenant} | overrides
        return load_settings(self.config, **{**self.chosen, **given})

    def choosing(self, **settings: object) -> Invocation:
        """Return the invocation with settings that options of the command choose."""
        return replace(self, chosen=settings)


@asynccontextmanager
async def open_service(settings: Settings) -> AsyncIterator[Verifier]:
    """Open the service for the time of one command."""
    from verifier.service import open_verifier

    async with open_verifier(settings=settings) as verifier:
        yield verifier


def call_service(
    settings: Settings, ask: Callable[[Verifier], Awaitable[Result]], progress: ProgressLine
) -> Result:
    """Open the service, await what `ask` asks of it, and close it again, with `progress` in sight."""

    async def work() -> Result:
        with progress:
            async with open_service(settings) as verifier:
                return await ask(verifier)

    return run_to_end(work, log_level=settings.log_level)


def run_to_end(work: Callable[[], Awaitable[Result]], *, log_level: str) -> Result:
    """Run `work` in an event loop and return its result, telling of events from `log_level` up.

    An interrupt lets `work` clean up and then ends the process, without waiting for the thread of a model.
    """
    import asyncio
    import logging

    async def run() -> Result:
        try:
            return await work()
        except asyncio.CancelledError:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(INTERRUPTED)

    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("verifier").setLevel(log_level.upper())
    return asyncio.run(run())
