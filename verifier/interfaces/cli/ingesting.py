"""Carrying out `verifier ingest`: one bad file never stops the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.connections import STORE_DATABASE
from verifier.errors import InputError
from verifier.interfaces.cli.ingest_order import STANDARD_INPUT, URLS, read_standard_input
from verifier.interfaces.ingest_report import IngestReport, Refusal, summarise

if TYPE_CHECKING:
    from verifier.ingest.requests import IngestSummary
    from verifier.interfaces.cli.ingest_order import IngestOrder
    from verifier.interfaces.cli.progress import ProgressLine
    from verifier.service import Verifier


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
