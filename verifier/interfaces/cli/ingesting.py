"""What `verifier ingest` was asked to ingest, and doing it: one bad file never stops the rest."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from verifier.errors import InputError
from verifier.interfaces.cli.progress import ProgressLine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from verifier.ingest.pipeline import IngestOutcome, IngestSummary
    from verifier.service import Verifier

STANDARD_INPUT: Final = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestOrder:
    """Paths (`-` is standard input) or a manifest, and what holds for all of them."""

    paths: tuple[str, ...]
    key: str | None
    by: str | None
    valid_from: datetime | None
    review_until: datetime | None
    manifest: Path | None
    key_column: str
    valid_from_column: str

    def __post_init__(self) -> None:
        if self.manifest is not None and self.paths:
            raise InputError("give either paths or --manifest, not both")
        if self.manifest is None and not self.paths:
            raise InputError(
                "nothing to ingest; name files or folders, - for standard input, or --manifest"
            )
        if self.key is not None and len(self.paths) != 1:
            raise InputError("--key names one source; give it with exactly one file or -")
        if STANDARD_INPUT in self.paths and self.key is None:
            raise InputError("standard input has no name; say which source it is with --key")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A path that could not be read at all, and why."""

    path: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What became of every document, and of the paths that gave none."""

    outcomes: tuple[IngestOutcome, ...]
    refusals: tuple[Refusal, ...]
    chunks: int
    embedded: int
    reused: int
    failed: int


async def carry_out(verifier: Verifier, order: IngestOrder) -> IngestReport:
    """Ingest what `order` names, telling progress on standard error."""
    summaries: list[IngestSummary] = []
    refusals: list[Refusal] = []
    with ProgressLine("ingesting") as progress:
        if order.manifest is not None:
            summaries.append(
                await verifier.ingest_manifest(
                    order.manifest,
                    key_column=order.key_column,
                    valid_from_column=order.valid_from_column,
                    on_progress=progress.tell,
                )
            )
        for path in order.paths:
            try:
                summaries.append(await _ingest_path(verifier, path, order, progress))
            except InputError as error:
                refusals.append(Refusal(path=path, error=str(error)))
    return summarise(summaries, refusals)
