"""Which numbers differ between two texts: changed in their place, added, removed.

Sentences are paired first, then the words of each pair aligned; a number is held against the one that
stands between the same words. One that moved with its sentence, or was written in another way (14 days,
two weeks), is not changed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.diff_alignment import align
from verifier.core.diff_pairing import Piece, pair_pieces
from verifier.core.quantities import extract_quantities, unit_of
from verifier.core.sentences import split_sentences
from verifier.core.values import Quantity

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from typing import TypeAlias

    from verifier.core.quantities import ValueMention
    from verifier.core.spans import Span
    from verifier.core.values import Value

    Member: TypeAlias = str | tuple[str, Hashable]

_WORD: Final = re.compile(r"&\#?\w{1,8};|\w+")  # "&rsquo;", "refund"
_NEAR: Final = 2
"""How many words on each side tell where a number stands, when it moved to another sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A value as a text writes it, with the sentence it stands in; both spans are of the whole text."""

    value: Value
    span: Span
    sentence: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberPair:
    """A number that changed, or that only one of the texts has."""

    old: Number | None
    new: Number | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberDiff:
    """What became of the numbers; `unchanged` counts those that both texts have."""

    pairs: tuple[NumberPair, ...]
    unchanged: int


def compare_numbers(old: str, new: str) -> NumberDiff:
    """Return the numbers that differ, in the order of the new text. Near linear in the lengths.

    What is no quantity (an id of a picture, a list number, a URL) is no number here either.
    """
    before, after = _read(old), _read(new)
    pairing = pair_pieces([one.piece for one in before], [one.piece for one in after])
    unchanged = sum(len(before[i].numbers) for i, _ in (*pairing.same, *pairing.moved))
    pairs: list[NumberPair] = []
    removed = [number for i in pairing.removed for number in before[i].found()]
    added = [number for j in pairing.added for number in after[j].found()]
    for i, j in pairing.changed:
        judged = _compare_sentences(before[i], after[j])
        unchanged += judged.unchanged
        pairs += judged.pairs
        removed += judged.removed
        added += judged.added
    kept = _cancel_moved(removed, added)
    unchanged += len(kept)
    gone, come = {id(one) for one, _ in kept}, {id(one) for _, one in kept}
    pairs += [NumberPair(old=one.number, new=None) for one in removed if id(one) not in gone]
    pairs += [NumberPair(old=None, new=one.number) for one in added if id(one) not in come]
    return NumberDiff(pairs=tuple(sorted(pairs, key=_Order(old, new))), unchanged=unchanged)


class _Order:
    """Puts what was removed where it would stand in the new text, by its share of the old one."""

    def __init__(self, old: str, new: str) -> None:
        self._scale = len(new) / max(len(old), 1)

    def __call__(self, pair: NumberPair) -> tuple[float, int]:
        if pair.new is not None:
            return float(pair.new.span.start), 0
        assert pair.old is not None  # noqa: S101 - one of the two stands
        return pair.old.span.start * self._scale, 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Found:
    """A number with the key that equal values share, and the words around it."""

    number: Number
    key: Hashable
    around: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """Words and values of a sentence in order; `numbers` by their place among the tokens."""

    tokens: tuple[Member, ...]
    numbers: dict[int, Number]

    @property
    def piece(self) -> Piece:
        words = frozenset(token for token in self.tokens if isinstance(token, str))
        values = frozenset(self.tokens[place] for place in self.numbers)
        masked = tuple(token if isinstance(token, str) else (token[0],) for token in self.tokens)
        return Piece(exact=self.tokens, masked=masked, words=words, values=values)

    def found(self, places: Iterable[int] | None = None) -> list[_Found]:
        chosen = self.numbers if places is None else places
        return [self._find(place) for place in chosen]

    def _find(self, place: int) -> _Found:
        near = self.tokens[max(place - _NEAR, 0) : place + _NEAR + 1]
        return _Found(
            number=self.numbers[place],
            key=self.tokens[place],
            around=frozenset(token for token in near if isinstance(token, str)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    pairs: list[NumberPair]
    removed: list[_Found]
    added: list[_Found]
    unchanged: int


def _compare_sentences(old: _Sentence, new: _Sentence) -> _Judged:
    matched = align(old.tokens, new.tokens)
    unchanged = sum(i in old.numbers for i, _ in matched)
    pairs: list[NumberPair] = []
    old_left: list[int] = []
    new_left: list[int] = []
    starts = [(-1, -1), *matched]
    ends = [*matched, (len(old.tokens), len(new.tokens))]
    for (i, j), (k, m) in zip(starts, ends, strict=True):
        olds = [place for place in range(i + 1, k) if place in old.numbers]
        news = [place for place in range(j + 1, m) if place in new.numbers]
        for one, other in _pair_in_gap(old, new, olds, news):
            pairs.append(NumberPair(old=old.numbers[one], new=new.numbers[other]))
            olds.remove(one)
            news.remove(other)
        old_left += olds
        new_left += news
    removed, added = old.found(old_left), new.found(new_left)
    kept = _cancel(removed, added, needs_words=False)
    gone, come = {id(one) for one, _ in kept}, {id(one) for _, one in kept}
    return _Judged(
        pairs=pairs,
        removed=[one for one in removed if id(one) not in gone],
        added=[one for one in added if id(one) not in come],
        unchanged=unchanged + len(kept),
    )


def _pair_in_gap(
    old: _Sentence, new: _Sentence, olds: Sequence[int], news: Sequence[int]
) -> list[tuple[int, int]]:
    """Pair the numbers between the same words: those of one kind in order, a single one with a single."""
    if len(olds) == len(news) == 1:
        return [(olds[0], news[0])]
    kinds_old = [old.numbers[place].value.kind for place in olds]
    kinds_new = [new.numbers[place].value.kind for place in news]
    return [(olds[i], news[j]) for i, j in align(kinds_old, kinds_new)]


def _cancel_moved(removed: list[_Found], added: list[_Found]) -> list[tuple[_Found, _Found]]:
    return _cancel(removed, added, needs_words=True)


def _cancel(
    removed: list[_Found], added: list[_Found], *, needs_words: bool
) -> list[tuple[_Found, _Found]]:
    """Return the equal values that went here and came there: beside a word of before, where needed."""
    waiting: defaultdict[Hashable, list[_Found]] = defaultdict(list)
    for one in added:
        waiting[one.key].append(one)
    kept: list[tuple[_Found, _Found]] = []
    for one in removed:
        for place, other in enumerate(waiting[one.key][:64]):
            if not needs_words or one.around & other.around or one.around == other.around:
                kept.append((one, other))
                del waiting[one.key][place]
                break
    return kept


def _read(text: str) -> list[_Sentence]:
    sentences = [one.span for one in split_sentences(text)]
    starts = [span.start for span in sentences]
    mentions: defaultdict[int, list[ValueMention]] = defaultdict(list)
    for mention in extract_quantities(_unwrap(text, sentences)):
        mentions[bisect_right(starts, mention.span.start) - 1].append(mention)
    return [_tokenise(text, span, mentions[at]) for at, span in enumerate(sentences)]


def _unwrap(text: str, sentences: Sequence[Span]) -> str:
    """Return the text with the line breaks inside sentences as spaces: `14` and `days` are one value."""
    parts: list[str] = []
    place = 0
    for span in sentences:
        parts += (text[place : span.start], span.of(text).replace("\n", " "))
        place = span.end
    return "".join((*parts, text[place:]))


def _tokenise(text: str, span: Span, mentions: list[ValueMention]) -> _Sentence:
    tokens: list[Member] = []
    numbers: dict[int, Number] = {}
    place = span.start
    for mention in mentions:
        tokens += _words(text, place, mention.span.start)
        numbers[len(tokens)] = Number(value=mention.value, span=mention.span, sentence=span)
        tokens.append((mention.value.kind.value, _canonical(mention.value)))
        place = mention.span.end
    tokens += _words(text, place, span.end)
    return _Sentence(tokens=tuple(tokens), numbers=numbers)


def _words(text: str, start: int, end: int) -> list[str]:
    found = _WORD.findall(text, start, max(start, end))
    return [word.casefold() for word in found if not word.startswith("&")]


def _canonical(value: Value) -> Hashable:
    """Return what two values share iff they say the same: an interval in base units with its currency."""
    if not isinstance(value, Quantity):
        return value.folded
    unit = None if value.unit is None or value.currency else unit_of(value.unit)
    interval = value.interval
    measure: Hashable = value.unit
    if unit is not None and not unit.has_offset:
        interval, measure = interval.scaled(unit.factor), unit.dimension
    ends = (interval.low, interval.high, interval.low_open, interval.high_open)
    return (*ends, measure, value.currency, value.per, value.fault and value.text)
