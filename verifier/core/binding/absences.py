"""Amounts that are said without a figure: none of a thing, and free of charge."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.nouns import singular
from verifier.core.spans import Span
from verifier.core.values import Interval, Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

_NONE_OF: Final = re.compile(  # "there are no open tickets", "you don't have any invoices"
    r"""\b(?: (?: there\ (?:are|is)
               | (?:you|we|they|he|she|i)\ (?:currently\ )?(?:have|had|found|see)
               | has|found|shows?|with )
              \ (?P<no>no|zero)
            | (?:do|does|did)(?:\ not|n['’]t)\ (?:currently\ )?have\ (?P<any>any) )
        \ (?P<words>(?:[a-z-]{2,20}\ ){0,2}?[a-z]{3,20})
        (?=\s*(?:[.,;!)]|\Z|\b(?:on|for|in|at|under|with|right|yet|and|to)\b))""",
    re.VERBOSE | re.IGNORECASE,
)
_FREE: Final = re.compile(  # "shipping is free", "free of charge"
    r"""\b(?:is|are|comes?)\ (?:completely\ |entirely\ )?(?P<free>free(?:\ of\ charge)?)
        (?=\s*(?:[.,;!)]|\Z|\bfor\b))""",
    re.VERBOSE | re.IGNORECASE,
)
_ZERO: Final = Interval.point(Fraction(0))


def find_absences(text: str) -> Iterator[tuple[Span, Quantity]]:
    """Yield the places where `text` says none of a thing, or free, with the value zero."""
    for match in _NONE_OF.finditer(text):
        start = match.start("no") if match["no"] else match.start("any")
        span = Span(start, match.end("words"))
        noun = singular(match["words"].split()[-1].casefold())
        yield (
            span,
            Quantity(
                kind=Kind.QUANTITY,
                interval=_ZERO,
                text=span.of(text),
                unit=noun,
                nominal=Fraction(0),
            ),
        )
    for match in _FREE.finditer(text):
        span = Span(*match.span("free"))
        yield (
            span,
            Quantity(kind=Kind.MONEY, interval=_ZERO, text=span.of(text), nominal=Fraction(0)),
        )
