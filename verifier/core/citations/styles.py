"""A style of marks that the application declares: "<N>", "(ref. N)", where N stands for the labels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.citations.model import make_citations
from verifier.core.spans import Span
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.citations.labels import KnownLabels
    from verifier.core.citations.model import Citation

_LONGEST: Final = 300
_ALONE: Final = re.compile(r"(?<![^\W\d_])N(?![^\W\d_])")  # of "[Note N]" the last one
_ANY: Final = re.compile("N")


def compile_style(style: str) -> re.Pattern[str]:
    """Return the pattern of the marks of `style`; where a sign stands on one side alone, a label is one word.

    Raises InputError for a style that does not say where the label stands.
    """
    hint = f"mark_style is {style!r}; "
    places = [*_ALONE.finditer(style)] or [*_ANY.finditer(style)]
    if not places:
        raise InputError(f"{hint}it has no N; write N where the label stands, such as <N>")
    if len(places) > 1:
        raise InputError(f"{hint}N stands in it twice; write it once, where the label stands")
    before, after = style[: places[0].start()], style[places[0].end() :]
    if not before.strip() and not after.strip():
        raise InputError(f"{hint}nothing stands beside N; write the signs around it, such as <N>")
    open_ended = not before.strip() or not after.strip()
    inside = rf"[\w#@/-]{{1,{_LONGEST}}}" if open_ended else rf"[^\n]{{1,{_LONGEST}}}?"
    return re.compile(rf"{re.escape(before)}(?P<inside>{inside}){re.escape(after)}")


def find_styled(text: str, labels: KnownLabels, style: re.Pattern[str]) -> Iterator[list[Citation]]:
    """Yield the citations of each mark of the declared style."""
    for match in style.finditer(text):
        inside = labels.read(match["inside"])
        if inside is not None:
            yield make_citations(inside, match.start("inside"), Span(*match.span()))
