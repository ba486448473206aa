"""Counts as bars, drawn as SVG that takes its colours from the page: light, dark and in print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.interfaces.html_marks import text_to_html

if TYPE_CHECKING:
    from collections.abc import Sequence

_WIDTH: Final = 920
_LEFT: Final = 300
_RIGHT: Final = 90
_ROW: Final = 28
_HEIGHT: Final = 260
_FOOT: Final = 44
_MOST_CHARACTERS: Final = 40
_MOST_LABELS: Final = 14
_STEPS: Final = 4

PATTERNS: Final = (
    '<svg class="patterns" width="0" height="0" aria-hidden="true"><defs>'
    '<pattern id="stripes" width="6" height="6" patternUnits="userSpaceOnUse"'
    ' patternTransform="rotate(45)"><rect width="3" height="6" fill="var(--paper)"'
    ' opacity=".45"/></pattern><pattern id="dots" width="6" height="6"'
    ' patternUnits="userSpaceOnUse"><circle cx="3" cy="3" r="1.4" fill="var(--paper)"'
    ' opacity=".7"/></pattern></defs></svg>'
)
"""What bars are filled with so that colour never stands alone; once a page, before the charts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """What one colour stands for: a variable of the page's style, as `--review`, and a pattern."""

    name: str
    colour: str
    pattern: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A label and a count for each series, in their order."""

    label: str
    counts: tuple[int, ...]


def draw_rows(title: str, series: Sequence[Series], bars: Sequence[Bar]) -> str:
    """Return an SVG figure: a row a bar, the counts of its series one behind the other."""
    longest = max((sum(bar.counts) for bar in bars), default=0) or 1
    height = _ROW * len(bars) + 6
    rows = "".join(_row(series, bar, at, longest) for at, bar in enumerate(bars))
    return _figure(title, series, bars, rows, height)


def draw_columns(title: str, series: Sequence[Series], bars: Sequence[Bar]) -> str:
    """Return an SVG figure: a group of columns a bar, one for each series, over a scale."""
    highest = _round_up(max((max(bar.counts) for bar in bars), default=0))
    left, width = 60, _WIDTH - 70
    parts = [_line(step * highest // _STEPS, highest, left) for step in range(_STEPS + 1)]
    every = -(-len(bars) // _MOST_LABELS) or 1
    for at, bar in enumerate(bars):
        start, room = left + at * width / len(bars), width / len(bars)
        each = min(26.0, room * 0.8 / len(series))
        for number, (one, counted) in enumerate(zip(series, bar.counts, strict=True)):
            tall = counted / highest * (_HEIGHT - _FOOT - 10)
            x = start + (room - each * len(series)) / 2 + number * each
            told = f"{bar.label}, {one.name}: {counted:,}"
            parts.append(
                _rectangle(one, told, x=x, y=_HEIGHT - _FOOT - tall, wide=each - 1, tall=tall)
            )
        if at % every == 0:
            parts.append(
                f'<text x="{start + room / 2:.1f}" y="{_HEIGHT - _FOOT + 20}" text-anchor="middle"'
                f' fill="var(--soft)">{text_to_html(bar.label)}</text>'
            )
    return _figure(title, series, bars, "".join(parts), _HEIGHT)


def _figure(
    title: str, series: Sequence[Series], bars: Sequence[Bar], drawn: str, height: int
) -> str:
    told = "; ".join(
        f"{bar.label}: "
        + ", ".join(
            f"{counted:,} {one.name}" for one, counted in zip(series, bar.counts, strict=True)
        )
        for bar in bars
    )
    return (
        f'<figure class="chart">{_legend(series)}'
        f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" role="img"'
        f' aria-label="{text_to_html(f"{title}. {told}")}" font-size="13"'
        f' fill="var(--ink)">{drawn}</svg>'
        f'<figcaption class="soft">{text_to_html(title)}</figcaption></figure>'
    )


def _legend(series: Sequence[Series]) -> str:
    if len(series) == 1:
        return ""
    return (
        '<p class="soft">'
        + " ".join(
            f'<svg class="key" width="14" height="14" aria-hidden="true">'
            f"{_rectangle(one, one.name, x=0, y=0, wide=14, tall=14)}</svg> {text_to_html(one.name)} &#160;"
            for one in series
        )
        + "</p>"
    )


def _row(series: Sequence[Series], bar: Bar, at: int, longest: int) -> str:
    top, x = at * _ROW + 4, float(_LEFT)
    parts = [
        f'<text x="{_LEFT - 10}" y="{top + 15}" text-anchor="end">'
        f"{text_to_html(_shorten(bar.label))}</text>"
    ]
    for one, counted in zip(series, bar.counts, strict=True):
        wide = counted / longest * (_WIDTH - _LEFT - _RIGHT)
        told = f"{bar.label}, {one.name}: {counted:,}"
        parts.append(_rectangle(one, told, x=x, y=top, wide=wide, tall=_ROW - 8))
        x += wide
    parts.append(f'<text x="{x + 8:.1f}" y="{top + 15}">{sum(bar.counts):,}</text>')
    return "".join(parts)


def _rectangle(one: Series, told: str, *, x: float, y: float, wide: float, tall: float) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" width="{max(wide, 0):.1f}" height="{max(tall, 0):.1f}"'
    filled = f'<rect {place} fill="var({one.colour})"/>'
    if one.pattern is not None:
        filled += f'<rect {place} fill="url(#{one.pattern})"/>'
    return f"<g><title>{text_to_html(told)}</title>{filled}</g>"


def _line(counted: int, highest: int, left: int) -> str:
    y = _HEIGHT - _FOOT - counted / highest * (_HEIGHT - _FOOT - 10)
    return (
        f'<line x1="{left}" x2="{_WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="var(--line)"/>'
        f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end" fill="var(--soft)">'
        f"{counted:,}</text>"
    )


def _round_up(highest: int) -> int:
    """Return the next number of one or two digits and noughts, a multiple of the steps."""
    scale = 4
    while scale < highest:
        for factor in (1, 2, 3, 4, 5, 6, 8, 10):
            if scale * factor >= highest:
                return scale * factor
        scale *= 10
    return scale


def _shorten(label: str) -> str:
    """Return a label that fits: of a long one the end, which tells keys of one folder apart."""
    return label if len(label) <= _MOST_CHARACTERS else f"…{label[1 - _MOST_CHARACTERS :]}"
