"""Values behind a catalog's labels: "the city of order 5 is Rome", a cell below the head "City".

In prose these are texts alone, which nothing else tells from the words around them; a cell, or what a
list gives behind a colon, is a value whatever its kind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.blocks import BlockKind
from verifier.core.catalog.declarations import AttributeKind
from verifier.core.catalog.reading import read_value
from verifier.core.spans import Span
from verifier.core.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.catalog import Attribute, Catalog, EntityType
    from verifier.core.sentences import Sentence
    from verifier.core.values import Value

_KINDS: Final = frozenset(
    {AttributeKind.TEXT, AttributeKind.NAME, AttributeKind.IDENTIFIER, AttributeKind.STATE}
)
_COPULA: Final = re.compile(r"\s(?:is|are|was|were)\s|:\s")
_HAVING: Final = re.compile(r"\b(?:has|have|with)\s(?:the\s|an?\s)?\Z", re.IGNORECASE)
_LEAD: Final = re.compile(r"[.!?]?\s*:\s*\Z")
_CELL: Final = re.compile(r"\|([^|\n]*)")
_DENIALS: Final = frozenset({"not", "no", "never", "n't", "neither", "none"})
_NUMBER: Final = re.compile(r"[+(]?[0-9][0-9+() ./-]{3,30}")  # (503) 555-9831: several words
_CODES: Final = re.compile(r"(?=[^0-9]*[0-9])[A-Z0-9]{1,10}(?:[ -][A-Z0-9]{1,10}){1,4}")  # EC1 4SD
_MARK: Final = re.compile(r"[0-9@]")
_AMOUNT: Final = re.compile(r"[$€£¥₹]\s?[0-9]")
_LONGEST: Final = 120
_TRAILING: Final = " \t\r\n.!;*_\"'”’"


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A value, where it stands, and the attribute that its label names.

    `whole` tells that it is a cell, or all that a list gives behind a colon: a value whoever it is of.
    """

    span: Span
    value: Value
    attribute: tuple[str, str]
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Lead:
    """What stands before a sentence and tells what it is of: a table's heads, the line before a list."""

    heads: tuple[str, ...] = ()
    line: str = ""

    def after(self, sentence: Sentence) -> Lead:
        """Return the lead for the sentence behind this one."""
        if sentence.block is BlockKind.TABLE_ROW:
            return (
                self if self.heads else Lead(heads=tuple(text for text, _ in _cells(sentence.text)))
            )
        if sentence.block is BlockKind.LIST_ITEM:
            return self
        return Lead(line=sentence.text if _LEAD.search(sentence.text) else "")


def is_head(sentence: Sentence, catalog: Catalog) -> bool:
    """Return whether a sentence is a table's row of heads that are all labels or types of the catalog."""
    if sentence.block is not BlockKind.TABLE_ROW or "\n" not in sentence.text:
        return False
    heads = {fold(cell) for cell, _ in _cells(sentence.text)}
    titles = {title.replace("_", " ") for one in catalog.entity_types for title in one.titles}
    return bool(heads) and heads <= titles | {label for _, _, label in _labels(catalog)}


def find_labelled(sentence: Sentence, lead: Lead, catalog: Catalog) -> Iterator[LabelledText]:
    """Yield the texts of a sentence that a label of the catalog leads to."""
    if sentence.block is BlockKind.TABLE_ROW:
        yield from _in_row(sentence.text, lead.heads, catalog)
        return
    text = sentence.text
    folded = fold(text)
    if len(folded) != len(text):
        return
    line = fold(lead.line) if sentence.block is BlockKind.LIST_ITEM else ""
    longer: dict[str, list[str]] = {}
    for entity, attribute, label in _labels(catalog):
        span, whole = _place(text, folded, line, (attribute, label))
        if span is None or any(label in one for one in longer.setdefault(entity.name, [])):
            continue
        longer[entity.name].append(label)
        found = _read(text, span, (entity, attribute), whole=whole)
        if found is not None:
            yield found


def _place(
    text: str, folded: str, line: str, told: tuple[Attribute, str]
) -> tuple[Span | None, bool]:
    """Return where the value of a label stands, and whether below a line that has it, behind a colon."""
    attribute, label = told
    span = _behind(text, folded, label) if attribute.kind in _KINDS else None
    whole = span is None and _find(line, label) >= 0
    return (_after_colon(text) if whole else span), whole


def _in_row(text: str, heads: Sequence[str], catalog: Catalog) -> Iterator[LabelledText]:
    folded = [fold(head.strip()) for head in heads]
    cells = list(_cells(text))
    for entity, attribute, label in _labels(catalog):
        if folded.count(label) != 1:
            continue
        at = folded.index(label)
        told = (entity, attribute)
        found = _read(text, cells[at][1], told, whole=True) if at < len(cells) else None
        if found is not None:
            yield found


def _cells(text: str) -> Iterator[tuple[str, Span]]:
    line = text.partition("\n")[0].rstrip()
    for match in _CELL.finditer(line):
        cell = match.group(1)
        if match.end() < len(line) or cell.strip():
            start = match.start(1) + len(cell) - len(cell.lstrip())
            yield cell.strip(), Span(start, start + len(cell.strip()))


@lru_cache(maxsize=32)
def _labels(catalog: Catalog) -> tuple[tuple[EntityType, Attribute, str], ...]:
    """Return the labels, the longest first: a title of courtesy is no title."""
    labels = (
        (entity, attribute, fold(label))
        for entity in catalog.entity_types
        for attribute in entity.attributes
        for label in attribute.labels
    )
    return tuple(sorted(labels, key=lambda one: -len(one[2])))


def _find(folded: str, label: str) -> int:
    found = re.search(rf"(?<!\w){re.escape(label)}(?!\w)", folded) if label in folded else None
    return -1 if found is None else found.start()


def _behind(text: str, folded: str, label: str) -> Span | None:
    """Return what a label is said to be: behind the first copula after it, or behind "has the" and it."""
    at = _find(folded, label)
    if at < 0:
        return None
    end = at + len(label)
    if _HAVING.search(text[max(0, at - 20) : at]):
        return Span(end, len(text))
    copula = _COPULA.search(text, end)
    if copula is None or _DENIALS.intersection(folded[copula.end() :].split()[:2]):
        return None
    return Span(copula.end(), len(text))


def _after_colon(text: str) -> Span | None:
    at = text.find(": ")
    return None if at < 0 else Span(at + 2, len(text))


def _read(
    text: str, span: Span, told: tuple[EntityType, Attribute], *, whole: bool
) -> LabelledText | None:
    entity, attribute = told
    written = span.of(text)
    kept = written.strip().rstrip(_TRAILING).lstrip("*_\"'“‘")
    if not kept or len(kept) > _LONGEST or not _may_be(attribute, kept, whole=whole):
        return None
    start = span.start + written.index(kept)
    value = read_value(attribute, kept)
    if value is None:
        return None
    place = Span(start, start + len(kept))
    return LabelledText(place, value, (entity.name, attribute.name), whole=whole)


def _may_be(attribute: Attribute, written: str, *, whole: bool) -> bool:
    """Return whether a text is of the form that an attribute of its kind is written in."""
    if attribute.kind is AttributeKind.IDENTIFIER:
        single = whole and _MARK.search(written) is not None and not written.strip().count(" ")
        return single or any(form.fullmatch(written) for form in (_NUMBER, _CODES))
    if whole and attribute.kind is AttributeKind.STATE:
        return not any(map(str.isdigit, written))
    return not (whole and attribute.kind in _KINDS and _AMOUNT.search(written))
