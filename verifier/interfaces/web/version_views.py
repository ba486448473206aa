"""The text of a version as a page shows it, and two versions compared."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.documents import VersionState
from verifier.interfaces.web.page_links import source_path, text_path
from verifier.interfaces.web.source_views import state_kind
from verifier.interfaces.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.core.diff import Hunk, NumberChange, NumberPlace, VersionDiff, VersionText

PART: Final = 100_000
"""So many characters of a text stand on one page."""

_MOST_NUMBERS: Final = 500
_MOST_LINES: Final = 3_000
_CHANGE_KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {"changed": "review", "added": "accepted", "removed": "rejected"}
)
_LINE_KINDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {"+": ("add", "added: "), "-": ("del", "removed: "), " ": ("", "")}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextView:
    """A part of the text of a version, with the ways to the others."""

    key: str
    source_path: str
    seq: int
    state_kind: str
    state: str
    told: str
    text: str
    missed: str
    earlier: str
    later: str


def view_text(version: VersionText, start: int) -> TextView:
    """Return the part of a version's text that begins at a character."""
    length = len(version.text)
    begin = min(start, length)
    end = min(begin + PART, length)
    state = VersionState(version.state)
    part = "" if end - begin == length else f"; here are {begin:,} to {end:,}"
    told = f"{count(len(version.chunks), 'chunk')}, {length:,} characters{part}"
    return TextView(
        key=version.key,
        source_path=source_path(version.key),
        seq=version.seq,
        state_kind=state_kind(state),
        state=state.value,
        told=told,
        text=version.text[begin:end],
        missed=""
        if state is VersionState.CURRENT
        else "This version is not the one that answers now.",
        earlier=text_path(version.key, version.seq, max(0, begin - PART)) if begin else "",
        later=text_path(version.key, version.seq, end) if end < length else "",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberRow:
    """A number that differs."""

    kind: str
    change: str
    old: str
    new: str
    what: str
    under: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRow:
    """A line of a difference: its class, its sign, what a screen reader says, and the line."""

    kind: str
    mark: str
    told: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HunkView:
    """Lines that differ, and where they stand."""

    place: str
    lines: tuple[LineRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffView:
    """Two versions compared, what changed of numbers first."""

    key: str
    source_path: str
    old: int
    new: int
    told: str
    numbers: tuple[NumberRow, ...]
    left_numbers: str
    hunks: tuple[HunkView, ...]
    left_lines: str


def view_diff(diff: VersionDiff) -> DiffView:
    """Return a comparison as its page shows it: at most 500 numbers and 3,000 lines of it."""
    numbers = diff.numbers[:_MOST_NUMBERS]
    left = len(diff.numbers) - len(numbers)
    lines = sum(len(hunk.lines) for hunk in diff.hunks)
    told = (
        f"{count(len(diff.numbers), 'number')} and {count(len(diff.chunks), 'chunk')} differ;"
        f" {diff.unchanged_numbers:,} numbers and {diff.unchanged_chunks:,} chunks are as they were."
    )
    return DiffView(
        key=diff.key,
        source_path=source_path(diff.key),
        old=diff.old,
        new=diff.new,
        told=told,
        numbers=tuple(_view_number(one) for one in numbers),
        left_numbers=f"… and {left:,} more." if left else "",
        hunks=tuple(_view_hunks(diff.hunks)),
        left_lines=f"… and {lines - _MOST_LINES:,} more lines." if lines > _MOST_LINES else "",
    )


def _view_number(change: NumberChange) -> NumberRow:
    place = change.new or change.old
    return NumberRow(
        kind=_CHANGE_KINDS.get(change.change, "unchecked"),
        change=change.change,
        old=_write(change.old),
        new=_write(change.new),
        what="" if place is None else place.kind,
        under="" if place is None else " › ".join(place.heading_path),
    )


def _write(place: NumberPlace | None) -> str:
    return "–" if place is None else " ".join(place.text.split())


def _view_hunks(hunks: Sequence[Hunk]) -> Iterator[HunkView]:
    left = _MOST_LINES
    for hunk in hunks:
        if left <= 0:
            return
        lines = tuple(islice(hunk.lines, left))
        left -= len(lines)
        yield HunkView(
            place=f"line {hunk.old_start} → line {hunk.new_start}",
            lines=tuple(
                LineRow(
                    kind=_LINE_KINDS[one.mark][0],
                    mark=one.mark,
                    told=_LINE_KINDS[one.mark][1],
                    text=one.text,
                )
                for one in lines
            ),
        )
