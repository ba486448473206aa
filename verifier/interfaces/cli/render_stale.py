"""What is stale, on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.text import Text

from verifier.interfaces.cli.output import plain
from verifier.interfaces.wording import count, describe_moment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from verifier.audit.staleness import StaleAudit, StaleSource

_SHOWN_ANSWERS: Final = 5


def render_stale(audit: StaleAudit) -> Iterator[RenderableType]:
    """Yield the sources past their review, with the chunks and newest answers that rest on them."""
    if not audit.sources:
        yield Text(f"nothing is past its review on {describe_moment(audit.now)}")
        return
    for stale in audit.sources:
        yield _render_source(stale)
    if audit.found > len(audit.sources):
        yield Text(
            f"… and {audit.found - len(audit.sources)} more; --limit shows them",
            style="bright_black",
        )


def _render_source(stale: StaleSource) -> RenderableType:
    version = stale.version
    who = f", last read by {plain(version.verified_by)}" if version.verified_by else ""
    lines = [
        Text(f"! {plain(version.key)}, version {version.seq}", style="yellow"),
        Text(f"    reviewed until {describe_moment(version.review_until)}{who}"),
        Text(
            f"    {count(version.chunks, 'chunk')}; logged answers that rest on it: {version.answers}"
        ),
    ]
    lines += [
        Text(
            f"    answer {answer.report_id[:12]} of {describe_moment(answer.created_at)},"
            f" {count(len(answer.claim_ids), 'claim')}",
            style="bright_black",
        )
        for answer in stale.answers[:_SHOWN_ANSWERS]
    ]
    return Group(*lines)
