"""The versions of a source on a terminal, what was done to it, and what falls silent with one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from verifier.interfaces.cli.output import plain
from verifier.interfaces.cli.render import make_table
from verifier.interfaces.wording import count, describe_moment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from verifier.store.basis import BasisChange
    from verifier.store.history import Reach, VersionRecord


def render_versions(listed: Sequence[VersionRecord]) -> RenderableType:
    """Return a line for each version, with the period in which it holds as far as is known now."""
    if not listed:
        return Text("no versions yet")
    table = make_table(
        "version#",
        "state",
        "holds from",
        "to",
        "chunks#",
        "review until",
        "verified by",
        "by",
        "why",
    )
    for each in listed:
        version = each.version
        periods = [period for period in each.periods if period.basis_to is None]
        table.add_row(
            str(version.seq),
            "scheduled" if version.scheduled else version.state.value,
            "\n".join(describe_moment(period.valid_from) for period in periods),
            "\n".join(describe_moment(period.valid_to) for period in periods),
            str(each.chunks),
            describe_moment(version.review_until),
            plain(version.verified_by or ""),
            plain(version.ingested_by or ""),
            plain(version.reason or ""),
        )
    return table


def render_changes(done: Sequence[BasisChange]) -> RenderableType:
    """Return a line for each change of a source, the first change first."""
    if not done:
        return Text("nothing was published or decided yet")
    table = make_table("basis#", "when", "what", "version#", "by", "why")
    for each in done:
        table.add_row(
            str(each.basis),
            describe_moment(each.recorded_at),
            each.action.value.replace("_", " "),
            "" if each.seq is None else str(each.seq),
            plain(each.by or ""),
            plain(each.reason or ""),
        )
    return table


def describe_reach(key: str, reach: Reach) -> str:
    """Return the question whether a version is to be withdrawn, with what falls silent."""
    when = "is to answer later" if reach.scheduled else "answers now"
    return plain(
        f"{key}@{reach.seq} {when}, with {count(reach.chunks, 'chunk')}; "
        f"{count(reach.answers, 'logged answer')} {'rests' if reach.answers == 1 else 'rest'} on it."
        " Withdraw it?"
    )
