"""What `verifier ingest` was asked to ingest, and doing it: one bad file never stops the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.errors import InputError
from verifier.ingest.formats import Format
from verifier.ingest.requests import IngestRequest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from verifier.core.documents import Document
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
    """Paths, the text of standard input, or a manifest."""

    paths: tuple[str, ...]
    typed: Document | None
    key: str | None
    form: Format | None
    terms: IngestTerms
    manifest: Manifest | None


def order_ingest(
    paths: Sequence[str],
    terms: IngestTerms,
    *,
    key: str | None,
    form: Format | None = None,
    manifest: Path | None,
    columns: tuple[str, str],
) -> IngestOrder:
    """Return what is to be ingested, with the text of standard input if that is wanted.

    Raises InputError where the wishes contradict each other, or where what was typed is no text.
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
        listed = Manifest(path=manifest, key_column=columns[0], valid_from_column=columns[1])
    typed = read_standard_input(key, form) if key and STANDARD_INPUT in paths else None
    read = () if typed is not None else tuple(paths)
    return IngestOrder(paths=read, typed=typed, key=key, form=form, terms=terms, manifest=listed)


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
            request = IngestRequest(document=order.typed, **order.terms)
            summaries.append(await verifier.ingest_requests([request]))
        for path in order.paths:
            try:
                summaries.append(
                    await verifier.ingest(
                        path,
                        key=order.key,
                        form=order.form,
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


def read_standard_input(key: str, form: Format | None) -> Document:
    """Return the document on standard input, Markdown if `form` is None. Raises UnreadableDocument."""
    import sys

    from verifier.ingest.readers import read_stream

    return read_stream(sys.stdin.buffer.read(), key=key, form=form or Format.MARKDOWN)
