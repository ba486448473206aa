"""What differs between two versions, on a terminal."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from rich.text import Text

from verifier.interfaces.cli.output import plain
from verifier.interfaces.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verifier.core.diff import ChunkChange, Hunk, NumberChange, NumberPlace, VersionDiff

_STYLES: Final[Mapping[str, str]] = MappingProxyType({"+": "green", "-": "red", " ": ""})
_SIGNS: Final[Mapping[str, str]] = MappingProxyType(
    {"changed": "~", "added": "+", "removed": "-", "moved": ">"}
)


def render_diff(diff: VersionDiff) -> Iterator[Text]:
    """Yield numbers, chunks and lines that differ, a line each, then the sums."""
    head = f"{diff.key}: version {diff.old} ({diff.old_state}) → {diff.new} ({diff.new_state})"
    yield Text(plain(head), style="bold")
    if not (diff.hunks or diff.chunks or diff.numbers):
        yield Text("the last line feed alone differs" if diff.ends_differ else "nothing differs")
        return
    for number in diff.numbers:
        yield _render_number(number)
    yield Text(_sum_up("number", [one.change for one in diff.numbers], diff.unchanged_numbers))
    for chunk in diff.chunks:
        yield _render_chunk(chunk)
    yield Text(_sum_up("chunk", [one.change for one in diff.chunks], diff.unchanged_chunks))
    for hunk in diff.hunks:
        yield from _render_hunk(hunk)


def _sum_up(name: str, changes: list[str], unchanged: int) -> str:
    told = [f"{changes.count(change)} {change}" for change in _SIGNS if change in changes]
    return (
        f"{count(len(changes) + unchanged, name)}: {', '.join([*told, f'{unchanged} unchanged'])}"
    )


def _render_number(number: NumberChange) -> Text:
    place = number.new or number.old
    path = "" if place is None else " › ".join(place.heading_path)
    told = (
        f"{_write(number.old)} → {_write(number.new)}"
        if number.old and number.new
        else _write(number.old or number.new)
    )
    kind = "" if place is None else f" ({place.kind})"
    where = f"  {path}" if path else ""
    return Text.assemble(
        (f"{_SIGNS[number.change]} {told}", "yellow"), (plain(f"{kind}{where}"), "bright_black")
    )


def _write(place: NumberPlace | None) -> str:
    return "" if place is None else plain(" ".join(place.text.split()))


def _render_chunk(chunk: ChunkChange) -> Text:
    ordinals = [f"#{side.ordinal}" for side in (chunk.old, chunk.new) if side is not None]
    place = chunk.new or chunk.old
    path = "" if place is None else " › ".join(place.heading_path)
    where = f"  {path}" if path else ""
    return Text(plain(f"{_SIGNS[chunk.change]} chunk {' → '.join(ordinals)} {chunk.change}{where}"))


def _render_hunk(hunk: Hunk) -> Iterator[Text]:
    places = f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@"
    yield Text(places, style="cyan")
    for line in hunk.lines:
        yield Text(f"{line.mark}{plain(line.text)}", style=_STYLES[line.mark])
