"""What `verifier ingest` was asked to ingest, and doing it: one bad file never stops the rest."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.errors import InputError
from verifier.ingest.files import ReadOptions, read_stream

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from verifier.ingest.formats import Format
    from verifier.ingest.requests import IngestOutcome, IngestSummary, IngestTerms
    from verifier.interfaces.cli.progress import ProgressLine
    from verifier.service import Verifier

STANDARD_INPUT: Final = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A CSV of versions and the names of its columns."""

    path: Path
    key_column: str
    valid_from_column: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestOrder:
    """Paths, the bytes of standard input, or a manifest."""

    paths: tuple[str, ...]
    typed: bytes | None
    key: str | None
    form: Format | None
    key_column: str | None
    terms: IngestTerms
    manifest: Manifest | None


def order_ingest(
    paths: Sequence[str],
    terms: IngestTerms,
    *,
    key: str | None,
    form: Format | None = None,
    manifest: Path | None,
    key_column: str | None = None,
    valid_from_column: str = "valid_from",
) -> IngestOrder:
    """Return what is to be ingested, with what standard input holds if that is wanted.

    Raises InputError where the wishes contradict each other.
    """
    if manifest is not None and (paths or key or form or any(terms.values())):
        raise InputError(
            "a manifest says itself what to ingest; give no paths, key, format or dates with it"
        )
    if manifest is None and not paths:
        raise InputError(
            "nothing to ingest; name files or folders, - for standard input, or --manifest"
        )
    if key is not None and len(paths) != 1:
        raise InputError("--key names one source; give it with exactly one file or -")
    if STANDARD_INPUT in paths and key is None:
        raise InputError("standard input has no name; say which source it is with --key")
    listed = None
    if manifest is not None:
        listed = Manifest(
            path=manifest, key_column=key_column or "key", valid_from_column=valid_from_column
        )
    typed = sys.stdin.buffer.read() if key and STANDARD_INPUT in paths else None
    return IngestOrder(
        paths=() if typed is not None else tuple(paths),
        typed=typed,
        key=key,
        form=form,
        key_column=key_column,
        terms=terms,
        manifest=listed,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A path that could not be read at all, and why."""

    path: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What became of every document, and of the paths that gave none.

    `reused_share` is the share of written chunks that needed no new embedding, None where none were.
    """

    outcomes: tuple[IngestOutcome, ...]
    refusals: tuple[Refusal, ...]
    embedded: int
    reused: int
    reused_share: float | None
    failed: int


async def carry_out(verifier: Verifier, order: IngestOrder, progress: ProgressLine) -> IngestReport:
    """Ingest what `order` names, telling progress."""
    summaries: list[IngestSummary] = []
    refusals: list[Refusal] = []
    with progress:
        if order.manifest is not None:
            summaries.append(await _ingest_manifest(verifier, order.manifest, progress))
        if order.typed is not None:
            summaries.append(await _ingest_typed(verifier, order, order.typed, progress))
        for path in order.paths:
            try:
                summaries.append(
                    await verifier.ingest(
                        path,
                        key=order.key,
                        form=order.form,
                        key_column=order.key_column,
                        on_progress=progress.tell,
                        **order.terms,
                    )
                )
            except InputError as error:
                refusals.append(Refusal(path=path, error=str(error)))
    return summarise(summaries, refusals)


def summarise(summaries: Sequence[IngestSummary], refusals: Sequence[Refusal]) -> IngestReport:
    """Return the outcomes of several runs as one report."""
    embedded = sum(summary.embedded for summary in summaries)
    reused = sum(summary.reused for summary in summaries)
    return IngestReport(
        outcomes=tuple(outcome for summary in summaries for outcome in summary.outcomes),
        refusals=tuple(refusals),
        embedded=embedded,
        reused=reused,
        reused_share=reused / (embedded + reused) if embedded + reused else None,
        failed=len(refusals) + sum(len(summary.failed) for summary in summaries),
    )


async def _ingest_manifest(
    verifier: Verifier, manifest: Manifest, progress: ProgressLine
) -> IngestSummary:
    return await verifier.ingest_manifest(
        manifest.path,
        key_column=manifest.key_column,
        valid_from_column=manifest.valid_from_column,
        on_progress=progress.tell,
    )


async def _ingest_typed(
    verifier: Verifier, order: IngestOrder, typed: bytes, progress: ProgressLine
) -> IngestSummary:
    options = ReadOptions(form=order.form, key_column=order.key_column, limits=verifier.read_limits)
    requests = await asyncio.to_thread(
        read_stream, typed, order.terms, key=order.key or "", options=options
    )
    return await verifier.ingest_requests(requests, on_progress=progress.tell)
