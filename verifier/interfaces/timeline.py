"""What happened one after the other, as a list on a page: steps with their time, and what became what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.interfaces.html_marks import text_to_html
from verifier.interfaces.wording import MARKS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from verifier.core.verdicts import Disposition

CHANGED = "↻"
"""The sign of a step that changed something, where others have that of their disposition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap:
    """What a thing said before and says now; `name` tells which thing."""

    name: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineStep:
    """One step. `kind` is None where something changed, else how those stand that it speaks of."""

    at: datetime
    kind: Disposition | None
    heading: str
    lines: tuple[str, ...] = ()
    swaps: tuple[Swap, ...] = ()

    @property
    def sign(self) -> str:
        """The sign that stands for the kind, so that colour never stands alone."""
        return CHANGED if self.kind is None else MARKS[self.kind]


def render_timeline(heading: str, told: str, steps: Sequence[TimelineStep]) -> str:
    """Return a section with the steps in the order given, as a list; every text is escaped."""
    listed = "\n".join(map(_render_step, steps))
    return (
        f'<section aria-labelledby="timeline"><h2 id="timeline">{text_to_html(heading)}</h2>\n'
        f'<p>{text_to_html(told)}</p>\n<ol class="timeline">\n{listed}\n</ol></section>'
    )


def _render_step(step: TimelineStep) -> str:
    kind = "changed" if step.kind is None else step.kind.value
    moment = text_to_html(step.at.isoformat("T", "seconds"))
    clock = text_to_html(step.at.strftime("%Y-%m-%d %H:%M:%S"))
    lines = "".join(f'<p dir="auto">{text_to_html(line)}</p>' for line in step.lines)
    swaps = "".join(
        f'<p dir="auto">{text_to_html(one.name)}: <del>{text_to_html(one.old)}</del>'
        f' <span aria-hidden="true">→</span> <ins>{text_to_html(one.new)}</ins></p>'
        for one in step.swaps
    )
    return (
        f'<li class="{kind}"><time datetime="{moment}" class="soft">{clock}</time>\n'
        f'<h3><span class="code">{step.sign}</span> {text_to_html(step.heading)}</h3>\n'
        f"{lines}{swaps}</li>"
    )
