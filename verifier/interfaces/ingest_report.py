"""What became of everything that one request to ingest named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.ingest.requests import IngestOutcome, IngestSummary

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
