"""How many claims wait in which queue, as a picture."""

from __future__ import annotations

import warnings
from io import BytesIO
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.verdicts import DISPOSITIONS, Disposition
from verifier.errors import InputError
from verifier.interfaces.wording import MARKS, QUEUES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from verifier.core.verdicts import VerdictCode

_COLOURS: Final[Mapping[Disposition, str]] = MappingProxyType(
    {
        Disposition.REJECTED: "#a4161f",
        Disposition.REVIEW: "#b07700",
        Disposition.UNCHECKED: "#6a757d",
        Disposition.ACCEPTED: "#17663a",
    }
)
_HATCHES: Final[Mapping[Disposition, str]] = MappingProxyType(
    {
        Disposition.REJECTED: "//",
        Disposition.REVIEW: "..",
        Disposition.UNCHECKED: "\\\\",
        Disposition.ACCEPTED: "",
    }
)
"""Colour never stands alone."""

_WIDTH_INCHES: Final = 9.0
_BAR_INCHES: Final = 0.42
_MARGIN_INCHES: Final = 1.5
_DOTS_PER_INCH: Final = 120
_MOST_INTERVALS: Final = 6
_TITLE_CHARS: Final = 60


def draw_queues(counts: Mapping[VerdictCode, int], *, title: str) -> bytes:
    """Return a PNG picture: a bar for each code, those of one queue together, the worst queue on top.

    Needs no display. Raises InputError where matplotlib is not installed.
    """
    try:
        figure = draw_figure(counts, title=title)
    except ImportError:
        raise InputError(
            "a chart needs matplotlib; pip install 'grounding-verifier[charts]'"
        ) from None
    target = BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a title in a script that the font does not have
        figure.savefig(target, format="png")
    return target.getvalue()


def draw_figure(counts: Mapping[VerdictCode, int], *, title: str) -> Figure:
    """Return the picture before it is written. Raises ImportError where matplotlib is not installed."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    bars = [
        (code, counts[code], queue)
        for queue in Disposition
        for code in counts
        if DISPOSITIONS[code] is queue
    ]
    height = _MARGIN_INCHES + _BAR_INCHES * max(1, len(bars))
    figure = Figure(figsize=(_WIDTH_INCHES, height), dpi=_DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)  # draws without a display
    axes = figure.add_subplot()
    drawn = axes.barh(
        [f"{MARKS[queue]} {code.value}" for code, _, queue in bars],
        [number for _, number, _ in bars],
        color=[_COLOURS[queue] for *_, queue in bars],
        hatch=[_HATCHES[queue] for *_, queue in bars],
        edgecolor="white",
    )
    axes.bar_label(drawn, fmt="{:,.0f}", padding=3)
    _set_axes(axes, len(bars), title)
    handles = [
        Patch(facecolor=_COLOURS[one], hatch=_HATCHES[one], edgecolor="white", label=QUEUES[one])
        for one in dict.fromkeys(queue for *_, queue in bars)
    ]
    if handles:
        figure.legend(handles=handles, title="work queue", loc="outside right upper")
    return figure


def _set_axes(axes: Axes, bars: int, title: str) -> None:
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    axes.set_ylim(max(1, bars) - 0.5, -0.5)
    axes.set_title(_shorten(title), parse_math=False)
    axes.set_xlabel("claims")
    axes.xaxis.set_major_locator(MaxNLocator(_MOST_INTERVALS, integer=True))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.spines[["top", "right"]].set_visible(False)
    if not bars:
        axes.set_xlim(0, 1)
        axes.set_yticks([0], ["nothing to check"])


def _shorten(title: str) -> str:
    """Return a title that leaves room for the legend: of a long one the beginning and the end."""
    half = _TITLE_CHARS // 2
    return title if len(title) <= _TITLE_CHARS else f"{title[: half - 1]}…{title[-half:]}"
