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


def draw_queues(counts: Mapping[VerdictCode, int], *, title: str) -> bytes:
    """Return a PNG picture: a bar for each code, those of one queue together, the worst queue on top.

    Needs no display. Raises InputError where matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.patches import Patch
        from matplotlib.ticker import MaxNLocator
    except ImportError:
        raise InputError(
            "a chart needs matplotlib; pip install 'grounding-verifier[charts]'"
        ) from None
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
    axes.bar_label(drawn, padding=3)
    axes.invert_yaxis()
    axes.set_title(title, parse_math=False)
    axes.set_xlabel("claims")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.spines[["top", "right"]].set_visible(False)
    shown = dict.fromkeys(queue for *_, queue in bars)
    handles = [
        Patch(facecolor=_COLOURS[one], hatch=_HATCHES[one], edgecolor="white", label=QUEUES[one])
        for one in shown
    ]
    if handles:
        figure.legend(handles=handles, title="work queue", loc="outside right upper")
    target = BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a title in a script that the font does not have
        figure.savefig(target, format="png")
    return target.getvalue()
