"""Conflicts on a terminal: both sides, one below the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from verifier.core.conflicts import ConflictState
from verifier.interfaces.cli.output import plain
from verifier.interfaces.cli.render_report import indent
from verifier.interfaces.wording import count, describe_moment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from verifier.audit.conflicts import FindingSummary
    from verifier.conflicts import ConflictList
    from verifier.store.conflicts import Conflict, ConflictSide


def render_conflicts(found: ConflictList, *, every: bool = True) -> Iterator[RenderableType]:
    """Yield each conflict, and whether there are more; where none is, how to ask for `every` state."""
    if not found.conflicts:
        rest = "" if every else "; --all lists those of every state"
        yield Text(f"no {'' if every else 'such '}conflict is on record here{rest}")
    for one in found.conflicts:
        yield render_conflict(one)
    if found.more:
        yield Text("there are more; --limit shows them", style="bright_black")


def render_finding(found: FindingSummary) -> Iterator[RenderableType]:
    """Yield what is new, both sides of it, and the counts."""
    for one in found.added:
        yield render_conflict(one)
    read = count(found.texts, "chunk")
    told = f"{read} read: {len(found.added)} new, {found.known} known, {found.closed} obsolete now"
    yield Text(told, style="bright_black")
    if not found.tables_complete:
        yield Text("a canonical database did not answer; not all rows were read", style="yellow")


def render_conflict(one: Conflict) -> RenderableType:
    """Return a conflict: what it is about, both sides with their words, and who did what."""
    topic = one.topic
    head = f"! conflict {one.conflict_id}, {one.origin.value}, {_state(one)}"
    lines: list[RenderableType] = [
        Text(head, style="bold"),
        Text(f"    {plain(topic.subject)}: {plain(topic.attribute)}"),
        *_side(one.side, topic.value),
    ]
    if one.other is not None:
        lines.extend(_side(one.other, topic.other_value))
    else:
        lines.append(Text(f"    {plain(one.other_row or '')}: {plain(topic.other_value)}"))
    if one.declared_by is not None:
        when = describe_moment(one.created_at)
        lines.append(Text(f"    by {plain(one.declared_by)} on {when}", style="bright_black"))
    return Group(*lines)


def _state(one: Conflict) -> str:
    if one.state is ConflictState.ASSIGNED:
        return f"assigned to {plain(one.assigned_to or '')}"
    if one.state is ConflictState.RESOLVED:
        return f"resolved by {plain(one.resolved_by or '')}: {plain(one.reason or '')}"
    if one.state is ConflictState.OBSOLETE:
        return f"obsolete: {plain(one.reason or '')}"
    return one.state.value


def _side(side: ConflictSide, value: str) -> Iterator[RenderableType]:
    whole = side.every_version and side.span is None
    place = side.source if whole else f"{side.source}, version {side.seq}"
    yield Text(f"    {plain(place)}: {plain(value)}")
    if side.words is not None:
        yield indent(Text(f"»{plain(side.words)}«"), 6)
