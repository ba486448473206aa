"""Whether a quotation stands in a text, and exactly where."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.quotations.cutting import (
    judge_edges,
    judge_gap,
    leaves_out_whole,
    same_sentence,
)
from verifier.core.quotations.forms import (
    OPTIONAL,
    compared_form,
    without_numbers,
    without_references,
)
from verifier.core.quotations.pieces import cut_pieces, leaves_out, without_brackets
from verifier.core.quotations.senses import Cut
from verifier.core.quotations.signs import makes_other_power, makes_other_word
from verifier.core.quotations.standing import find_doubt
from verifier.core.quotations.unit_case import makes_other_unit
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.quotations.forms import ComparedText

_MOST_PLACES: Final = 200
_MOST_PIECES: Final = 20
_LONGEST_GAP: Final = 1_000
_EDGES: Final = " \t\r\n.,;:!?'\"“”„«»‹›‘’*_#>"
_BEHIND_MARK: Final = " \t\r\n'\"”’»*_)"
_JOINING: Final = frozenset(".,'-/^")
_SIGNS_OF_VALUES: Final = frozenset("%‰°$€£¥")


class Fate(IntEnum):
    """How a quotation stands to a text, from the worst up."""

    ABSENT = 0
    ALTERED = 1
    OPEN = 2
    FOUND = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """How a quotation stands to a text. `spans` are the places of its pieces in the original."""

    fate: Fate
    detail: str
    spans: tuple[Span, ...] = ()


def locate_quotation(quotation: str, text: str) -> Location:
    """Return whether the words of `quotation` stand in `text`, with the exact spans of the original.

    Only typography may differ: marks, dashes, spaces, letter case, accents composed or not, ligatures,
    hyphens at a line's end, markup, and the text's own marks of reference. `ALTERED` is what stands there
    and was cut or joined so that its sense changes, `OPEN` what a person must weigh: a statement cut before
    what may limit it, part of a question, words that a lead, a heading, marks of quotation or the sentence
    behind date, give to others or take back. What stands further away in the text is not seen.
    """
    source = compared_form(text)
    found = max(
        _locate_as_it_is(quotation, text), _locate_edited(source, quotation, text), key=_fate
    )
    if found.fate is not Fate.ABSENT or not source.numbers:
        return _hold_to_signs(found, quotation, text)
    unnumbered = _locate_edited(without_numbers(source), quotation, text)
    unnumbered = _at_most_open(unnumbered, "numbers of list items are left out")
    return _hold_to_signs(unnumbered, quotation, text)


def _hold_to_signs(location: Location, quotation: str, text: str) -> Location:
    """Return the location, or a worse one where signs that compare alike say something else."""
    there = " ".join(span.of(text) for span in location.spans)
    if location.fate < Fate.OPEN:
        return location
    if makes_other_unit(quotation, there):
        detail = "its letter case makes it another unit"
        return Location(fate=Fate.ALTERED, detail=detail, spans=location.spans)
    if makes_other_power(quotation, there):
        return _at_most_open(location, "a raised sign and a plain one are not the same")
    if makes_other_word(quotation, there):
        return _at_most_open(location, "ß and ss may make another word")
    return location


def _locate_edited(source: ComparedText, quotation: str, text: str) -> Location:
    """Return the place of a quotation as it is, without its editor's brackets, or in pieces."""
    bare = without_references(source)
    sources = [source] if bare is source else [source, bare]
    best = _locate_in(sources, (quotation,), text)
    if best.fate is Fate.FOUND or not leaves_out(quotation):
        return best
    unmarked = _locate_in(sources, (without_brackets(quotation),), text)
    if unmarked.fate is Fate.FOUND:
        return unmarked
    pieces = cut_pieces(quotation)
    if not pieces.texts or len(pieces.texts) > _MOST_PIECES:
        return best
    found = _locate_in(sources, pieces.texts, text)
    if pieces.replaced:
        found = _at_most_open(found, "words in brackets stand for others")
    return max(best, found, key=_fate)


def _at_most_open(location: Location, detail: str) -> Location:
    if location.fate is not Fate.FOUND:
        return location
    return Location(fate=Fate.OPEN, detail=detail, spans=location.spans)


def _fate(location: Location) -> Fate:
    return location.fate


def _locate_as_it_is(quotation: str, text: str) -> Location:
    """Return the place of the very characters, whatever the markup that they cut through."""
    wanted = quotation.strip(_EDGES)
    at = text.find(wanted) if wanted else -1
    if at < 0 or not _is_apart(text, at, at + len(wanted)):
        return Location(fate=Fate.ABSENT, detail="these words do not stand there")
    return _judge(text, (Span(at, at + len(wanted)),), asks=_asks(quotation))


def _locate_in(sources: Sequence[ComparedText], pieces: Sequence[str], text: str) -> Location:
    """Return the best place of the pieces in any form of the text."""
    forms = [compared_form(piece.strip(_EDGES)) for piece in pieces]
    best = Location(fate=Fate.ABSENT, detail="these words do not stand there")
    if not all(form.text for form in forms):
        return Location(fate=Fate.ABSENT, detail="it holds no words")
    for source in sources:
        for spans in _find_rows(source, forms):
            judged = _judge(text, spans, asks=_asks(pieces[-1]))
            if judged.fate > best.fate:
                best = judged
            if best.fate is Fate.FOUND:
                return best
    return best


def _find_rows(source: ComparedText, forms: Sequence[ComparedText]) -> Iterator[tuple[Span, ...]]:
    """Yield places of all pieces in order, each next one as near as it can be."""
    for first in _find_places(source, forms[0], 0):
        row = [first]
        for form in forms[1:]:
            after = next(_find_places(source, form, row[-1][1]), None)
            if after is None or after[0] - row[-1][1] > _LONGEST_GAP:
                break
            row.append(after)
        if len(row) == len(forms):
            yield tuple(source.locate(*place) for place in row)


def _find_places(source: ComparedText, form: ComparedText, start: int) -> Iterator[tuple[int, int]]:
    wanted = form.text
    at = source.text.find(wanted, start)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        end = at + len(wanted)
        if _is_apart(source.text, at, end) and _has_same_hyphens(source, form, at, end):
            yield at, end
        at = source.text.find(wanted, at + 1)


def _is_apart(text: str, start: int, end: int) -> bool:
    """Return whether the place begins and ends with whole words and whole numbers."""
    before, first = text[start - 1 : start] if start else "", text[start]
    after, last = text[end : end + 1], text[end - 1]
    if _joins(before, first) or _joins(last, after):
        return False
    if first.isdigit() and before in _JOINING and before and start > 1:
        return not (text[start - 2].isdigit() or before in "-^")
    if last.isdigit() and after in _JOINING and after:
        return not text[end + 1 : end + 2].isdigit()
    return not (first.isdigit() and before in _SIGNS_OF_VALUES and before)


def _joins(before: str, after: str) -> bool:
    """Return whether two characters belong to one word; scripts without spaces have no such edge."""
    if not before or not after:
        return False
    if before.isdigit() and after in _SIGNS_OF_VALUES:
        return True
    return (
        before.isalnum() and after.isalnum() and not (_is_unspaced(before) or _is_unspaced(after))
    )


def _is_unspaced(sign: str) -> bool:
    return (
        "\u0e00" <= sign <= "\u0eff" or "\u1000" <= sign <= "\u109f" or "\u2e80" <= sign <= "\u9fff"
    )


def _has_same_hyphens(source: ComparedText, form: ComparedText, start: int, end: int) -> bool:
    """Return whether hyphens between letters are the same, but for those that may stand at a line's end."""
    there, wanted = source.hyphens_within(start, end), form.hyphens_within(0, end - start)
    return all(
        (at in there and at in wanted) or OPTIONAL in {there.get(at), wanted.get(at)}
        for at in there.keys() | wanted.keys()
    )


def _asks(quotation: str) -> bool:
    return quotation.rstrip(_BEHIND_MARK).endswith("?")


def _judge(text: str, spans: tuple[Span, ...], *, asks: bool) -> Location:
    """Judge a place by what is left away around the pieces and between them."""
    told: list[tuple[Cut, str]] = [judge_edges(text, Span(spans[0].start, spans[-1].end))]
    for one, other in pairwise(spans):
        gap = Span(one.end, other.start)
        if not same_sentence(text, one.end - 1, other.start) and not leaves_out_whole(text, gap):
            return Location(fate=Fate.ABSENT, detail="its pieces stand far apart")
        told.append(judge_gap(text, gap))
    cut, detail = max(told)
    if cut < Cut.OPEN:
        doubt = find_doubt(text, Span(spans[0].start, spans[-1].end), asks=asks)
        cut, detail = (cut, detail) if doubt is None else (Cut.OPEN, doubt)
    fate = {Cut.HARMLESS: Fate.FOUND, Cut.OPEN: Fate.OPEN, Cut.ALTERS: Fate.ALTERED}[cut]
    return Location(fate=fate, detail=detail or "it stands there word for word", spans=spans)
