"""The sentences of an answer with what they mention, and whose subjects each of them inherits.

A list item inherits from the items that it is indented below and from the line that leads into the list,
everything from its heading, a cell from its row and column head, a sentence from the two before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from verifier.core.binding.references import find_endings
from verifier.core.binding.stated_values import StatedValue, find_stated_values
from verifier.core.clause_cuts import FINITE_VERB
from verifier.core.facts.model import NamedBy, ThingMention
from verifier.core.sentences import BlockKind, Sentence, split_sentences
from verifier.core.spans import Span
from verifier.core.text import content_stems, fold
from verifier.core.values import Kind, TextValue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.facts.model import Thing

_NO_PROSE: Final = frozenset({BlockKind.CODE, BlockKind.CARD, BlockKind.RULE})
_CUT: Final = re.compile(
    r"[;:,—–()|\n]|\s-\s|\b(?:and|but|which|while|whereas|with|plus|instead\s+of|rather\s+than|(?:down|up)\s+from)\b",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(r"[\"“](?P<text>[^\"“”\n]{1,80})[\"”]")  # “no longer needed.”
_LEADING: Final = frozenset(":|(-–—")
_MARKS: Final = " *_"
_SENTENCES_BACK: Final = 2
_DEEPEST: Final = 6
_CELL: Final = "|"
_CALENDAR: Final = frozenset({Kind.DATE, Kind.TIME, Kind.QUARTER})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Passage:
    """A sentence of an answer; spans are those of the answer.

    `parents` are the passages that lead down to it, the nearest first, `recent` the ones before it in its
    block or the block before. `clauses` cover the sentence, each with at least one value where it has any.
    `heads` are the column heads of a table's row, `known` all things of the evidence. `quoted` are words in
    quotation marks that the evidence or the user has as well: they are shown, not said.
    """

    sentence: Sentence
    mentions: tuple[ThingMention, ...]
    values: tuple[StatedValue, ...]
    clauses: tuple[Span, ...]
    stems: frozenset[str]
    parents: tuple[Passage, ...] = ()
    recent: tuple[Passage, ...] = ()
    heads: tuple[str, ...] = ()
    known: tuple[Thing, ...] = ()
    quoted: tuple[Span, ...] = ()

    def clause_of(self, span: Span) -> Span:
        """Return the clause that holds `span`."""
        return next((one for one in self.clauses if one.contains(span)), self.sentence.span)

    def text_of(self, span: Span) -> str:
        """Return the text of the sentence at a span of the answer."""
        return span.shift(-self.sentence.span.start).of(self.sentence.text)

    def text_without_dates(self, span: Span) -> str:
        """Return the text of `span` without its dates and times: May is a month there, 5 is a day."""
        offset, kept, at = self.sentence.span.start, [], span.start
        for one in self.values:
            if one.value.kind in _CALENDAR and span.contains(one.span):
                kept.append(self.sentence.text[at - offset : one.span.start - offset])
                at = one.span.end
        kept.append(self.sentence.text[at - offset : span.end - offset])
        return " ".join(kept)

    def head_of(self, span: Span) -> str:
        """Return the column head above a value in a table, or nothing."""
        if not self.heads:
            return ""
        before = self.sentence.text[: span.start - self.sentence.span.start]
        column = before.count(_CELL) - 1
        return self.heads[column] if 0 <= column < len(self.heads) else ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spot:
    """A value in its passage and clause."""

    passage: Passage
    stated: StatedValue
    clause: Span

    @property
    def text(self) -> str:
        """The text of the clause."""
        return self.passage.text_of(self.clause)


def read_passages(answer: str, view: EvidenceView) -> tuple[Passage, ...]:
    """Return the passages of `answer` in order; code and cards are none."""
    reader = _Reader(answer, view)
    return tuple(
        reader.read(sentence)
        for sentence in split_sentences(answer)
        if sentence.block not in _NO_PROSE
    )


class _Reader:
    """Reads the sentences of one answer in order and knows what stands above the next."""

    def __init__(self, answer: str, view: EvidenceView) -> None:
        self._answer = answer
        self._view = view
        self._items: list[tuple[int, Passage]] = []
        self._heading: Passage | None = None
        self._lead: Passage | None = None
        self._before: list[Passage] = []
        self._heads: tuple[str, ...] = ()

    def read(self, sentence: Sentence) -> Passage:
        passage = self._plain(sentence)
        match sentence.block:
            case BlockKind.HEADING:
                passage = replace(passage, recent=())
                self._heading, self._lead, self._items = passage, None, []
            case BlockKind.LIST_ITEM:
                passage = self._item(passage)
            case BlockKind.TABLE_ROW:
                passage = self._row(passage)
            case _:
                self._items, self._heads = [], ()
                passage = replace(passage, parents=self._above(()))
                self._lead = passage
        self._before = [*self._before[-_SENTENCES_BACK + 1 :], passage]
        return passage

    def _plain(self, sentence: Sentence) -> Passage:
        offset = sentence.span.start
        evidence = self._view.evidence
        found = evidence.find_things(sentence.text)
        mentions = tuple(
            replace(one, span=one.span.shift(offset))
            for one in (*found, *find_endings(sentence.text, evidence, found))
        )
        values = find_stated_values(
            sentence.text,
            offset,
            self._view.turn,
            mentions,
            flags=self._view.flags,
            labels=self._view.labels,
        )
        mentions = tuple(sorted((*mentions, *self._described(values)), key=lambda one: one.span))
        return Passage(
            sentence=sentence,
            mentions=mentions,
            values=values,
            clauses=cut_clauses(sentence, mentions, values),
            stems=frozenset(content_stems(sentence.text)),
            recent=tuple(reversed(self._before)),
            known=evidence.things,
            quoted=tuple(self._quoted(sentence, values)),
        )

    def _quoted(self, sentence: Sentence, values: Sequence[StatedValue]) -> Iterator[Span]:
        """Yield what stands in quotation marks, without a value, and in the evidence or a question too."""
        for match in _QUOTED.finditer(sentence.text):
            span = Span(*match.span()).shift(sentence.span.start)
            told = fold(match["text"]).strip(" .,;!?")
            valued = any(span.overlaps(one.span) for one in values if one.key is None)
            if not valued and told and self._is_known(told):
                yield span

    def _is_known(self, told: str) -> bool:
        return bool(self._view.evidence.holds_text(told)) or self._view.was_asked(told)

    def _described(self, values: Sequence[StatedValue]) -> Iterator[ThingMention]:
        """Yield the states that tell which things are meant: the overdue one of "an overdue bill"."""
        for stated in values:
            if stated.value.kind is Kind.STATE and isinstance(stated.value, TextValue):
                things = self._view.in_state(stated.value.folded)
                if things:
                    yield ThingMention(span=stated.span, things=things, by=NamedBy.DESCRIPTOR)

    def _item(self, passage: Passage) -> Passage:
        indent = self._indent(passage.sentence.span.start)
        if indent is None:
            owner = tuple(one for _, one in self._items[-1:])
            return replace(passage, parents=self._above((*owner, *self._owners())))
        while self._items and self._items[-1][0] >= indent:
            self._items.pop()
        passage = replace(passage, parents=self._above(self._owners()), recent=())
        self._items.append((indent, passage))
        return passage

    def _owners(self) -> tuple[Passage, ...]:
        return tuple(one for _, one in reversed(self._items[-_DEEPEST:]))

    def _row(self, passage: Passage) -> Passage:
        heads = tuple(part.strip() for part in passage.sentence.text.split("\n")[0].split(_CELL))
        if "\n" in passage.sentence.text or not self._heads:
            self._heads = heads[1:]
        return replace(passage, heads=self._heads, parents=self._above(()), recent=())

    def _above(self, owners: Sequence[Passage]) -> tuple[Passage, ...]:
        above = (*owners, self._lead, self._heading)
        return tuple(dict.fromkeys(one for one in above if one is not None))

    def _indent(self, start: int) -> int | None:
        """Return the indentation of an item; None where the sentence is not the first of its item."""
        line = self._answer.rfind("\n", 0, start) + 1
        before = self._answer[line:start]
        return len(before.expandtabs(4)) if not before.strip(" \t>") else None


def cut_clauses(
    sentence: Sentence, mentions: Sequence[ThingMention], values: Sequence[StatedValue]
) -> tuple[Span, ...]:
    """Return the clauses of a sentence: parts between separators, those without a value joined.

    A part that names a thing or ends in a colon leads to the next value; another belongs to the one before.
    """
    text, offset = sentence.text, sentence.span.start
    whole = bytearray(len(text) + 1)
    for span in (*(one.span for one in mentions), *(one.span for one in values)):
        start, end = span.start - offset, span.end - offset
        whole[start:end] = b"\1" * (end - start)
    cuts = [match for match in _CUT.finditer(text) if not any(whole[match.start() : match.end()])]
    edges = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(text)]
    parts = [Span(start, max(start, end)) for start, end in zip(edges, ends, strict=True)]
    starts = {one.span.start - offset for one in values if one.key is None}
    heads = _find_heads(text, parts, cuts, starts)
    stated = [one for one in values if one.key is None and not _describes(one, heads, text, offset)]
    valued = _holders([one.span.start - offset for one in stated], parts)
    named = _holders([one.span.start - offset for one in mentions], parts)
    labels = frozenset(at for at, cut in enumerate(cuts) if cut.group() == ":")
    return tuple(span.shift(offset) for span in _join(parts, valued, named | labels))


def _find_heads(
    text: str, parts: Sequence[Span], cuts: Sequence[re.Match[str]], starts: AbstractSet[int]
) -> list[Span]:
    """Return the parts without a verb that a value follows at once: the "Lamp" of "Lamp: $9"."""
    return [
        part
        for part, cut in zip(parts, cuts, strict=False)
        if cut.group().strip() in _LEADING
        and len(text) - len(text[cut.end() :].lstrip(_MARKS)) in starts
        and not FINITE_VERB.search(part.of(text))
    ]


def _describes(one: StatedValue, heads: Sequence[Span], text: str, offset: int) -> bool:
    """Return whether a state stands before a noun in what leads to a value: "Blue Lipstick: $9"."""
    if one.value.kind is not Kind.STATE:
        return False
    span = one.span.shift(-offset)
    holding = next((part for part in heads if part.contains(span)), None)
    return holding is not None and any(map(str.isalpha, text[span.end : holding.end]))


def _holders(starts: Sequence[int], parts: Sequence[Span]) -> frozenset[int]:
    found: set[int] = set()
    at = 0
    for start in starts:
        while at < len(parts) - 1 and parts[at].end <= start:
            at += 1
        found.add(at)
    return frozenset(found)


def _join(parts: Sequence[Span], valued: frozenset[int], named: frozenset[int]) -> list[Span]:
    joined: list[Span] = []
    leading: int | None = None
    for at, part in enumerate(parts):
        start = part.start if leading is None else leading
        if at in valued:
            joined.append(Span(start, part.end))
            leading = None
        elif at in named or leading is not None or not joined:
            leading = start
        else:
            joined[-1] = Span(joined[-1].start, part.end)
    if leading is not None:
        end = parts[-1].end
        joined = [*joined[:-1], Span(joined[-1].start, end)] if joined else [Span(leading, end)]
    return joined
