"""Carrying out `verifier ingest`: one bad file never stops the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.connections import STORE_DATABASE
from verifier.errors import InputError
from verifier.interfaces.cli.ingest_order import STANDARD_INPUT, URLS, read_standard_input

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.ingest.requests import IngestOutcome, IngestSummary
    from verifier.interfaces.cli.ingest_order import IngestOrder
    from verifier.interfaces.cli.progress import ProgressLine
    from verifier.service import Verifier

SHOWN_PASSED_OVER: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A path that could not be read at all, and why."""

    path: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What became of every document, and of the paths that gave none.

    `reused_share` is the share of written chunks that needed no new embedding, None where none were.
    `passed_over` counts the files of folders whose suffix tells no format; the first are named.
    """

    outcomes: tuple[IngestOutcome, ...]
    refusals: tuple[Refusal, ...]
    embedded: int
    reused: int
    reused_share: float | None
    failed: int
    passed_over: int = 0
    first_passed_over: tuple[str, ...] = ()


async def carry_out(verifier: Verifier, order: IngestOrder, progress: ProgressLine) -> IngestReport:
    """Ingest what `order` names, telling progress."""
    summaries: list[IngestSummary] = []
    refusals: list[Refusal] = []
    if order.manifest is not None:
        summaries.append(
            await verifier.ingest_manifest(
                order.manifest,
                key_column=order.key_column or "key",
                valid_from_column=order.valid_from_column,
                on_progress=progress.tell_ingest,
            )
        )
    elif order.rows is not None:
        summaries.append(await _ingest_rows(verifier, order, order.rows, progress))
    for path in order.paths:
        try:
            summaries.append(await _ingest_path(verifier, order, path, progress))
        except InputError as error:
            refusals.append(Refusal(path=path, error=str(error)))
    return summarise(summaries, refusals)


async def _ingest_rows(
    verifier: Verifier, order: IngestOrder, rows: str, progress: ProgressLine
) -> IngestSummary:
    return await verifier.ingest_rows(
        rows,
        key=order.key or "",
        database=order.database or STORE_DATABASE,
        key_column=order.key_column,
        on_progress=progress.tell_ingest,
        **order.terms,
    )


async def _ingest_path(
    verifier: Verifier, order: IngestOrder, path: str, progress: ProgressLine
) -> IngestSummary:
    """Ingest a file, a folder, a URL, or what standard input holds."""
    if path == STANDARD_INPUT:
        return await verifier.ingest_bytes(
            read_standard_input(),
            key=order.key or "",
            form=order.form,
            key_column=order.key_column,
            on_progress=progress.tell_ingest,
            **order.terms,
        )
    ingest = verifier.ingest_url if path.lower().startswith(URLS) else verifier.ingest
    return await ingest(
        path,
        key=order.key,
        form=order.form,
        key_column=order.key_column,
        on_progress=progress.tell_ingest,
        **order.terms,
    )


def summarise(summaries: Sequence[IngestSummary], refusals: Sequence[Refusal]) -> IngestReport:
    """Return the outcomes of several runs as one report."""
    embedded = sum(summary.embedded for summary in summaries)
    reused = sum(summary.reused for summary in summaries)
    passed_over = [name for summary in summaries for name in summary.passed_over]
    return IngestReport(
        outcomes=tuple(outcome for summary in summaries for outcome in summary.outcomes),
        refusals=tuple(refusals),
        embedded=embedded,
        reused=reused,
        reused_share=reused / (embedded + reused) if embedded + reused else None,
        failed=len(refusals) + sum(len(summary.failed) for summary in summaries),
        passed_over=len(passed_over),
        first_passed_over=tuple(passed_over[:SHOWN_PASSED_OVER]),
    )
