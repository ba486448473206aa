"""Marks that are tags: <cite>1</cite>, <source id="2"/>, <cite index="0-1">what is cited</cite>."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.citations.labels import Labelled
from verifier.core.citations.model import Citation, make_citations
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.citations.labels import KnownLabels

_NAME: Final = (
    r"(?:\w{1,20}:(?=[a-z]))?"
    r"(?:cite|citation|cit|co|ref|reference|source|src|doc|document|chunk|passage|quote)s?"
)
_TAG: Final = re.compile(
    rf"""<(?P<close>/)?(?P<name>{_NAME})(?P<told>(?:[\s:=][^<>\n]{{0,300}}?)?)\s?(?P<empty>/)?>
       | <(?P<anchor>a)\s[^<>\n]{{0,200}}?href\s?=\s?["']?\#[^<>\n]{{0,200}}>
       | <(?P<anchor_close>/)a>""",
    re.VERBOSE | re.IGNORECASE,
)
_VALUE: Final = re.compile(  # id="1", index=0-1
    r"""(?<![\w-])(?P<name>[a-z_-]{1,20})\s?=\s?(?:"(?P<double>[^"]{0,200})"|'(?P<single>[^']{0,200})'|(?P<bare>[^\s"'/]{1,100}))""",
    re.IGNORECASE,
)
_TOLD_BY: Final = re.compile(
    r"(?:id|idx|index|indexe?s|indices|num|number|n|key|name|label|target|(?:doc|document|source|src|chunk|cite|citation"
    r"|ref|reference|passage)s?(?:[_-]?(?:id|index|name|number))?)s?",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(r"\s*(?P<label>[^\s:-].*?)[-:][0-9:]{1,20}\s*")  # 0-1, of sentence 1
_DEEPEST: Final = 8
_LONGEST_LABEL: Final = 300


def find_tagged(text: str, labels: KnownLabels) -> Iterator[list[Citation]]:
    """Yield the citations of each tag that cites; of a tag around what it cites for, those of both ends."""
    open_tags: list[re.Match[str]] = []
    for match in _TAG.finditer(text):
        if match["empty"] or not (match["close"] or match["anchor_close"]):
            if len(open_tags) < _DEEPEST and not match["empty"]:
                open_tags.append(match)
            else:
                yield from _cite_opening(match, labels)
            continue
        while open_tags and _name_of(open_tags[-1]) != _name_of(match):
            yield from _cite_opening(open_tags.pop(), labels)
        if open_tags:
            yield from _cite_pair(text, open_tags.pop(), match, labels)
    for match in open_tags:
        yield from _cite_opening(match, labels)


def _name_of(match: re.Match[str]) -> str:
    return (match["name"] or "a").casefold()


def _cite_opening(match: re.Match[str], labels: KnownLabels) -> Iterator[list[Citation]]:
    """Yield the citations of a tag that stands alone."""
    read = _read_told(match["told"] or "", labels)
    if read:
        yield make_citations(read, match.start("told"), Span(*match.span()))


def _cite_pair(
    text: str, opening: re.Match[str], closing: re.Match[str], labels: KnownLabels
) -> Iterator[list[Citation]]:
    """Yield the citations of a tag and its end: the label is within, or it covers the text within."""
    inside = text[opening.end() : closing.start()]
    read = labels.read(inside) if 0 < len(inside) <= _LONGEST_LABEL else None
    if read and (opening["anchor"] or "\n" not in inside):
        yield make_citations(read, opening.end(), Span(opening.start(), closing.end()))
        return
    if opening["anchor"]:
        return
    told, at = _read_told(opening["told"], labels), opening.start("told")
    if not told:
        told, at = _read_told(closing["told"] or "", labels), closing.start("told")
    if not told:
        return
    cited = make_citations(told, at, Span(opening.start(), closing.end()))
    covers = Span(opening.end(), closing.start())
    for end in (opening, closing):
        mark = Span(*end.span())
        yield [
            replace(
                one, span=one.span if mark.contains(one.span) else mark, mark=mark, covers=covers
            )
            for one in cited
        ]


def _read_told(told: str, labels: KnownLabels) -> list[Labelled]:
    """Return the labels that a tag tells: <source 1>, <cite:1>, <doc id=1>, <cite index="0-1,2-4">."""
    values = [match for match in _VALUE.finditer(told) if _TOLD_BY.fullmatch(match["name"])]
    if not values:
        bare = told.lstrip(" :=")
        read = labels.read(bare) if bare and "=" not in bare else None
        return [_shift(one, len(told) - len(bare)) for one in read or ()]
    found: list[Labelled] = []
    for match in values[:1]:
        group = next(one for one in ("double", "single", "bare") if match[one] is not None)
        at = match.start(group)
        for part in re.finditer(r"[^,;\s][^,;]*", match[group]):
            found.extend(
                _shift(one, at + part.start()) for one in _read_value(part.group(), labels)
            )
    return found


def _read_value(written: str, labels: KnownLabels) -> list[Labelled]:
    """Return the label of a value; of "0-1" it is the document 0, where no label is "0-1"."""
    whole = labels.names.find_all(written)
    if whole:
        return [Labelled(whole[0], 0, len(written), whole if len(whole) > 1 else ())]
    placed = _PLACE.fullmatch(written)
    label = placed["label"] if placed is not None else written.strip()
    return [Labelled(labels.find(label) or label, 0, len(written))]


def _shift(labelled: Labelled, offset: int) -> Labelled:
    return labelled._replace(start=labelled.start + offset, end=labelled.end + offset)
