"""Embedding spaces on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from verifier.interfaces.cli.output import plain
from verifier.interfaces.cli.render import make_table
from verifier.interfaces.wording import describe_moment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from verifier.ingest.space_building import BuildProgress, SpaceBuild
    from verifier.spaces import SpaceListing, SpaceSwitch


def render_spaces(listed: Sequence[SpaceListing]) -> RenderableType:
    """Return a line for each space: what it holds, and of how many passages it lacks the vectors."""
    if not listed:
        return Text("no embedding spaces yet; the first `verifier ingest` makes one")
    table = make_table(
        "space#", "state", "model", "vectors#", "lacks current#", "lacks past#", "since"
    )
    for each in listed:
        table.add_row(
            str(each.space.space_id),
            each.space.state.value,
            plain(str(each.space.space)),
            f"{each.counts.vectors:,}",
            f"{each.counts.missing_current:,}",
            f"{each.counts.missing_past:,}",
            describe_moment(each.space.created_at),
        )
    return table


def describe_build_progress(progress: BuildProgress) -> str:
    """Return how far a build is, in words."""
    if progress.phase == "index":
        return "making the index"
    done = f"{progress.embedded:,} of {progress.to_embed:,} {progress.phase.value} passages"
    if progress.seconds_left is None:
        return done
    minutes, seconds = divmod(int(progress.seconds_left), 60)
    return f"{done}, about {minutes} min {seconds:02} s left"


def render_build(built: SpaceBuild) -> RenderableType:
    """Return what was embedded, what is missing, and what to do next."""
    number, counts = built.space.space_id, built.counts
    lines = [
        f"space {number} ({plain(str(built.space.space))}): {built.embedded:,} passages embedded, "
        f"{counts.vectors:,} vectors in all"
    ]
    if counts.missing_current or counts.missing_past:
        lines.append(
            f"missing: {counts.missing_current:,} of drafts and current versions, "
            f"{counts.missing_past:,} of past ones"
        )
    if built.refused is not None:
        lines.append(f"the model gave no vector for some, first: {plain(built.refused)}")
    if built.space.state == "building" and built.is_complete:
        lines.append(f"next: verifier spaces switch {number}")
    return Text("\n".join(lines))


def render_switch(switched: SpaceSwitch) -> RenderableType:
    """Return what answers now, and what becomes of the space before it."""
    active = switched.active
    name = plain(str(active.space))
    if not switched.changed:
        return Text(f"space {active.space_id} ({name}) answers already")
    lines = [
        f"space {active.space_id} ({name}) answers now",
        f"next: set `model` of the settings to {plain(active.space.model)}",
    ]
    if switched.previous is not None:
        number = switched.previous.space_id
        lines.append(
            f"space {number} ({plain(str(switched.previous.space))}) is kept: "
            f"`verifier spaces switch {number}` goes back, `verifier spaces drop {number}` removes it"
        )
    return Text("\n".join(lines))
