"""The chart of a check: what it says for one code, for every code, for large numbers and for nothing."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from verifier.core.verdicts import VerdictCode
from verifier.interfaces.claim_chart import draw_figure, draw_queues

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure

EVERY = {code: number**4 + 1 for number, code in enumerate(VerdictCode)}
LONG = "Claims of a file whose name goes on " + "and on " * 30 + "to its end.csv"


def draw(counts: Mapping[VerdictCode, int], title: str = "Claims of a.csv") -> Figure:
    figure = draw_figure(counts, title=title)
    figure.draw_without_rendering()
    return figure


def labels(figure: Figure) -> list[str]:
    return [label.get_text() for label in figure.axes[0].get_yticklabels()]


def test_every_code_has_its_bar_the_worst_queue_first() -> None:
    told = labels(draw(EVERY))

    assert len(told) == len(VerdictCode)
    assert told[0].startswith("✗")
    assert told[-1].startswith("✓")


def test_no_label_lies_over_another_where_every_code_has_a_bar() -> None:
    figure = draw(EVERY)
    heights = [label.get_window_extent() for label in figure.axes[0].get_yticklabels()]

    assert all(one.y0 >= other.y1 for one, other in pairwise(heights))


@pytest.mark.parametrize("title", ["Claims of a.csv", LONG])
@pytest.mark.parametrize("counts", [EVERY, {VerdictCode.SUPPORTED: 1}])
def test_a_title_lies_over_nothing_and_stays_inside(
    title: str, counts: Mapping[VerdictCode, int]
) -> None:
    figure = draw(counts, title)
    (legend,) = figure.legends
    place = figure.axes[0].title.get_window_extent()

    assert place.x0 >= 0
    assert place.x1 <= figure.bbox.width
    assert not place.overlaps(legend.get_window_extent())


def test_numbers_are_written_in_full() -> None:
    figure = draw({VerdictCode.SUPPORTED: 1_234_567, VerdictCode.NOT_FOUND: 3})
    axes = figure.axes[0]

    assert {text.get_text() for text in axes.texts} == {"1,234,567", "3"}
    assert "1,000,000" in {label.get_text() for label in axes.get_xticklabels()}


def test_a_chart_of_nothing_says_so() -> None:
    figure = draw({})

    assert labels(figure) == ["nothing to check"]
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["0", "1"]


@pytest.mark.parametrize("title", ["Claims of $x^2$_{a}.csv", "Claims of 日本語 עברית 🙂.csv"])
def test_a_title_is_text_whatever_it_holds(title: str) -> None:
    assert draw_figure(EVERY, title=title).axes[0].get_title() == title
    assert draw_queues(EVERY, title=title).startswith(b"\x89PNG\r\n")
