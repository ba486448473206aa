"""The doctor's checks on a terminal."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from rich.text import Text

from verifier.core.checks import CheckState
from verifier.interfaces.cli.output import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import RenderableType

    from verifier.core.checks import Check
    from verifier.upkeep import Mending

_SIGNS: Final[Mapping[CheckState, tuple[str, str]]] = MappingProxyType(
    {
        CheckState.OK: ("✓", "green"),
        CheckState.WARNING: ("!", "yellow"),
        CheckState.FAILED: ("✗", "red"),
    }
)


def render_checks(checks: Sequence[Check]) -> RenderableType:
    """Return a line for each check, and below it what to do where something is to be done."""
    return Text("\n").join(list(_lines(checks)))


def describe_mending(mended: Mending) -> str:
    """Return what was mended, in words."""
    return (
        f"mended: {mended.live_marks:,} marks of vectors, {mended.search_columns:,} text-search columns, "
        f"{len(mended.sources):,} sources with their current chunks and periods"
    )


def _lines(checks: Sequence[Check]) -> Iterator[Text]:
    width = max((len(check.name) for check in checks), default=0)
    for check in checks:
        sign, style = _SIGNS[check.state]
        yield Text.assemble((f"{sign} {check.name:<{width}}  ", style), plain(check.detail))
        if check.remedy:
            yield Text(f"    do: {plain(check.remedy)}", style="bold")
