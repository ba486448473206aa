"""Shares with their intervals as a picture within a page: no script, colours of the page, light or dark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.interfaces.html_marks import text_to_html

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.audit.statistics import Share

_WIDTH: Final = 720
_LEFT: Final = 250
_RIGHT: Final = 130
_ROW: Final = 34
_TOP: Final = 26
_TICKS: Final = (0, 25, 50, 75, 100)


def draw_shares(title: str, shares: Sequence[tuple[str, Share]]) -> str:
    """Return an SVG element: a row a share, a dot at the share and a line over its 95% interval."""
    height = _TOP + _ROW * len(shares) + 8
    rows = "".join(_row(name, share, number) for number, (name, share) in enumerate(shares))
    ticks = "".join(_tick(percent, height) for percent in _TICKS)
    told = "; ".join(f"{name}: {describe_share(share)}" for name, share in shares)
    return (
        f'<figure class="chart"><svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
        f' role="img" aria-label="{text_to_html(f"{title}. {told}")}" font-size="13"'
        f' fill="var(--ink)">{ticks}{rows}</svg>'
        f'<figcaption class="soft">{text_to_html(title)}</figcaption></figure>'
    )


def describe_share(share: Share) -> str:
    """Return a share in words: what of what, and between what it lies."""
    if share.share is None or share.low is None or share.high is None:
        return "nothing to measure"
    return (
        f"{share.count} of {share.total}, {100 * share.share:.1f}%"
        f" ({100 * share.low:.1f} to {100 * share.high:.1f})"
    )


def _place(share: float) -> float:
    return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)


def _tick(percent: int, height: int) -> str:
    at = _place(percent / 100)
    return (
        f'<line x1="{at}" x2="{at}" y1="{_TOP - 6}" y2="{height}" stroke="var(--line)"/>'
        f'<text x="{at}" y="{_TOP - 12}" text-anchor="middle" fill="var(--soft)">{percent}%</text>'
    )


def _row(name: str, share: Share, number: int) -> str:
    middle = _TOP + _ROW * number + _ROW // 2
    label = f'<text x="0" y="{middle + 4}">{text_to_html(name)}</text>'
    if share.share is None or share.low is None or share.high is None:
        at = _place(0)
        return (
            f'{label}<text x="{at}" y="{middle + 4}" fill="var(--soft)">nothing to measure</text>'
        )
    low, at, high = _place(share.low), _place(share.share), _place(share.high)
    beyond = _WIDTH - _RIGHT + 12
    return (
        f'{label}<line x1="{low}" x2="{high}" y1="{middle}" y2="{middle}"'
        f' stroke="var(--soft)" stroke-width="4"/>'
        f'<circle cx="{at}" cy="{middle}" r="6"/>'
        f'<text x="{beyond}" y="{middle + 4}">{share.count} of {share.total}</text>'
    )
