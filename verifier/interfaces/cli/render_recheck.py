"""Rechecks on a terminal: what flipped, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.text import Text

from verifier.core.rechecks import Standing
from verifier.interfaces.cli.output import plain
from verifier.interfaces.wording import count, describe_moment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from verifier.audit.recheck_run import RecheckRun
    from verifier.core.rechecks import Change, Recheck, RecheckedClaim

_SHOWN: Final = 200
_CUT: Final = 160
_STYLES: Final = {
    Standing.WRONG: "red",
    Standing.DOUBTFUL: "yellow",
    Standing.OPEN: "yellow",
    Standing.RIGHTED: "green",
}


def render_run(run: RecheckRun) -> Iterator[RenderableType]:
    """Yield the answers that do not stand as they did, the gravest first, and the counts."""
    for one in run.rechecks[:_SHOWN]:
        yield render_recheck(one)
    if len(run.rechecks) > _SHOWN:
        yield Text(f"… and {len(run.rechecks) - _SHOWN:,} more; --json tells all")
    told = ", ".join(f"{number:,} {name}" for name, number in run.counts.items())
    yield Text(
        f"{count(run.reports, 'answer')} looked at, {run.verified:,} verified again at basis"
        f" {run.basis} as of {describe_moment(run.moment)}: {told or 'none'}"
    )


def render_recheck(recheck: Recheck) -> RenderableType:
    """Return one answer with the claims that flipped."""
    head = Text(
        f"{recheck.standing.value}: answer {recheck.report_id[:12]} of"
        f" {describe_moment(recheck.created_at)}, held to {describe_moment(recheck.moment)}",
        style=_STYLES.get(recheck.standing, ""),
    )
    lines = [Text(f"    {plain(recheck.reason)}")] if recheck.reason else []
    return Group(head, *lines, *(_render_claim(one) for one in recheck.flips))


def _render_claim(claim: RecheckedClaim) -> RenderableType:
    now = "unknown" if claim.now is None else claim.now.value
    said = _one_line(claim.text)
    return Group(
        Text(f"    {claim.claim_id} {claim.before.value} → {now}: {said}"),
        *(Text(f"      {_describe(one)}") for one in claim.changes),
        Text(f"      {_one_line(claim.detail)}", style="bright_black"),
    )


def _describe(change: Change) -> str:
    place = f" {plain(change.place)}" if change.place else ""
    column = f" {plain(change.column)}" if change.column else ""
    told = f"{change.cause.value.replace('_', ' ')}:{place}{column}" if place else ""
    told = told or change.cause.value.replace("_", " ")
    if change.old is None and change.new is None:
        return told
    return f"{told}, {_shown(change.old)} → {_shown(change.new)}"


def _shown(text: str | None) -> str:
    return "nothing" if text is None else f"“{_one_line(text)}”"


def _one_line(text: str) -> str:
    line = " ".join(plain(text).split())
    return line if len(line) <= _CUT else line[: _CUT - 1] + "…"
