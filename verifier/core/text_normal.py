"""The normal form of a text: what is left when only typography is taken away.

Characters are pushed one after the other; what they complete (an entity, a tag, the target of a link,
a run of emphasis) is taken away from the end again at once. So the form can't be reduced further, the
time is linear, and a second pass changes nothing. Digits are never joined by what is taken away.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from dataclasses import dataclass
from typing import Final

from verifier.core.spans import Span
from verifier.core.text_reducing import NormalBuilder

_CJK: Final = "\u2e80-\u30ff\u3400-\u9fff\uff00-\uffef"
_PLAIN: Final = r"""[A-Za-z0-9] (?: [A-Za-z0-9.,:?!'"/%$=+@|] | [ -](?=[A-Za-z0-9]) )*"""
_ALL_PLAIN: Final = re.compile(_PLAIN, re.VERBOSE)  # "the fee is 45 euros."
_TOKEN: Final = re.compile(
    rf"""
      (?P<plain> {_PLAIN} )
    | (?P<wrap> (?<=[^\W\d_]) [-\u2010\u00ad] [ \t]* (?: \r\n? | \n ) [ \t]* (?=[^\W\d_]) )  # deliv-⏎ery
    | (?P<unspaced> (?<=[{_CJK}]) [ \t]* (?: \r\n? | \n ) [ \t]* (?=[{_CJK}]) )
    | (?P<line> [ \t]* [\r\n\u2028\u2029] \s* (?: \#{{1,6}}[ \t]+ | >[ \t]? | [-*+\u2022][ \t]+ )* )
    | (?P<space> \s+ )
    | (?P<dashes> [\u2010-\u2015\u2212-]{{2,}} )
    | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalText:
    """A normal form and the way back: character `i` comes from `[starts[i], ends[i])` of the original."""

    text: str
    starts: array[int]
    ends: array[int]

    def locate(self, span: Span) -> Span:
        """Return the original span of a span of the normal form, from first to last character.

        An empty span lies where its next character begins, or behind the last one.
        """
        if span.end > len(self.text):
            raise ValueError(f"the normal form has {len(self.text)} characters, not {span.end}")
        if span.start < span.end:
            return Span(self.starts[span.start], self.ends[span.end - 1])
        if span.start < len(self.text):
            return Span(self.starts[span.start], self.starts[span.start])
        end = self.ends[-1] if self.text else 0
        return Span(end, end)


def normal_form(text: str) -> NormalText:
    """Return `text` without typography: one shape of quotation marks, dashes, spaces, case, accents.

    Soft hyphens, line-end hyphens before a small letter, entities, tags, emphasis, heading and list
    marks and the targets of links are gone. Applied to its own result it changes nothing.
    """
    if _ALL_PLAIN.fullmatch(text):
        places = range(len(text) + 1)
        return NormalText(
            text=text.lower(), starts=array("Q", places[:-1]), ends=array("Q", places[1:])
        )
    builder = NormalBuilder()
    for match in _TOKEN.finditer(text):
        _add(builder, match)
    builder.finish()
    if builder.composable:
        return _compose(builder)
    return NormalText(text="".join(builder.signs), starts=builder.starts, ends=builder.ends)


def _add(builder: NormalBuilder, match: re.Match[str]) -> None:
    start, end = match.span()
    match match.lastgroup:
        case "plain":
            builder.add_plain(match.group(), start)
        case "wrap":
            _add_wrap(builder, match)
        case "unspaced":
            builder.add_gap()
        case "dashes":
            for sign in " - ":
                builder.push((sign, start, end))
        case "other":
            builder.add(match.group(), start, end)
        case _:
            builder.push((" ", start, end))


def _add_wrap(builder: NormalBuilder, match: re.Match[str]) -> None:
    """Add the hyphen of a line's end, unless the word goes on behind it."""
    start, end = match.span()
    joins = match.string[end].islower() or match.group()[0] == "\u00ad"
    if not joins:
        builder.push(("-", start, end))


def _compose(builder: NormalBuilder) -> NormalText:
    """Join letters and the marks that follow them; each result maps to all that it was made of."""
    signs = builder.signs
    text: list[str] = []
    starts, ends = array("Q"), array("Q")
    at = 0
    while at < len(signs):
        end = at + 1
        while end < len(signs) and _joins(signs[end - 1], signs[end]):
            end += 1
        composed = (
            unicodedata.normalize("NFC", "".join(signs[at:end])) if end > at + 1 else signs[at]
        )
        text.append(composed)
        starts.extend([builder.starts[at]] * len(composed))
        ends.extend([builder.ends[end - 1]] * len(composed))
        at = end
    return NormalText(text="".join(text), starts=starts, ends=ends)


def _joins(before: str, sign: str) -> bool:
    """Return whether `sign` may become one character with what stands before it."""
    if sign < "\u0300":
        return False
    if "\u1160" <= sign <= "\u11a7":
        return "\u1100" <= before <= "\u115f"
    if "\u11a8" <= sign <= "\u11ff":
        return "\u1160" <= before <= "\u11a7"
    return unicodedata.category(sign).startswith("M")
