"""Letting go of old answers, as the command asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.interfaces.cli.invocation import call_service
from verifier.interfaces.cli.progress import ProgressLine
from verifier.interfaces.wording import count, describe_moment

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.interfaces.cli.invocation import Invocation
    from verifier.service import Verifier


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Answers given before `than`: how many there were, and how many were removed."""

    than: datetime
    found: int
    removed: int


def sweep_answers(invocation: Invocation, days: int | None, *, removes: bool) -> Sweep:
    """Return how many answers are old, and remove them where that is asked for."""
    progress = ProgressLine("removing old answers", as_json=invocation.as_json)

    async def work(verifier: Verifier) -> Sweep:
        than = verifier.answers.retention_ends(days)
        found = await verifier.answers.count_older(than)
        removed = 0
        if removes:
            removed = await verifier.answers.sweep(
                than, on_progress=lambda gone: progress.tell(f"{gone:,} of {found:,}")
            )
        return Sweep(than=than, found=found, removed=removed)

    return call_service(invocation.load_settings(), work, progress)


def describe_sweep(sweep: Sweep) -> str:
    """Return in words what was removed, or what would be."""
    before = f"given before {describe_moment(sweep.than)}"
    if sweep.removed or not sweep.found:
        return f"{count(sweep.removed, 'answer')} {before} removed"
    return f"{count(sweep.found, 'answer')} {before}; --yes removes them"
