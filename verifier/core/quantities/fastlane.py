"""The short way for ordinary amounts: `30 days`, `12 students`, `$799`, `4.5 kg` between plain neighbours.

Most amounts in a text are of this form. What each neighbouring word can mean is worked out once a word;
wherever a neighbour leaves a choice, the readers that look at everything decide.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from verifier.core.quantities.calendars import month_names
from verifier.core.quantities.magnitudes import scale_words
from verifier.core.quantities.money import settle_currency, tender_words
from verifier.core.quantities.nouns import can_be_noun, is_plural, singular
from verifier.core.quantities.numerals import read_numeral
from verifier.core.quantities.readings import Reading
from verifier.core.quantities.tokens import BREAK, DIGITS, END, SYMBOL, WORD
from verifier.core.quantities.triggers import date_followers, label_cues
from verifier.core.quantities.unitwords import is_ambiguous_unit, phrase_starts
from verifier.core.tables import read_table
from verifier.core.units import DURATION_DIMENSIONS, unit_of
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.quantities.context import Context
    from verifier.core.quantities.tokens import Stream

_CONTINUES: Final = frozenset(
    {
        "/",
        "per",
        "a",
        "an",
        "·",
        "*",
        "^",
        "²",
        "³",
        "-",
        "–",
        "±",
        "+",
        "each",
        "every",
        "−",
        "⁻",
        "¹",
        "⁴",
        "⋅",
        "∕",
        "squared",
        "cubed",
        "and",
        "'",
        "’",
        "of",
        "by",
        "past",
        "to",
        "x",
        "×",
    }
)
_MINUTES: Final = frozenset({"minutes", "min"})
_CLOSERS: Final = frozenset('.,;:!?)"”|')
_LONGEST_WORD: Final = 40
_OPEN, _STOP, _UNIT, _NOUN = range(4)
_SIGNS: Final = frozenset("$€£¥₹")


class Following(NamedTuple):
    """What a word after a number means for it: left open, nothing, a unit, or a plural noun."""

    sense: int
    kind: Kind = Kind.NUMBER
    unit: str | None = None


_LEFT_OPEN: Final = Following(_OPEN)


@lru_cache(maxsize=16_384)
def _following(word: str) -> Following:
    fold = word.lower()
    if (
        (fold in date_followers() and fold not in _MINUTES)
        or fold in phrase_starts()
        or fold in scale_words()
        or fold in tender_words()
        or fold in _CONTINUES
    ):
        return _LEFT_OPEN
    if fold in read_table("quantity_words")["after_numbers"].split() or not word.isascii():
        return _LEFT_OPEN
    unit = unit_of(word)
    if unit is not None:
        if is_ambiguous_unit(word):
            return _LEFT_OPEN
        kind = Kind.DURATION if unit.dimension in DURATION_DIMENSIONS else Kind.QUANTITY
        return Following(_UNIT, kind, unit.name)
    if not can_be_noun(fold):
        return Following(_STOP)
    return (
        Following(_NOUN, Kind.QUANTITY, singular(fold))
        if is_plural(fold) and word.islower()
        else _LEFT_OPEN
    )


@lru_cache(maxsize=16_384)
def _is_plain_before(word: str) -> bool:
    fold = word.lower()
    return (
        not word[:1].isupper()
        and fold not in label_cues()
        and fold not in {"age", "aged", "'", "’", '"'}
    )


def read_plain_figure(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return the amount at the digits at `index` where nothing around leaves a choice, else None."""
    word, starts, ends = stream.words[index], stream.starts, stream.ends
    if len(word) > 3 and (word.isdecimal() or len(word) > 12):
        return None
    before = stream.words[index - 1] if index else ""
    touched = index and starts[index] == ends[index - 1]
    if touched or len(before) > _LONGEST_WORD or not _is_plain_before(before):
        return None
    follows = index + 1
    kind = stream.kinds[follows]
    glued = starts[follows] == ends[index]
    if kind == WORD:
        return _before_word(stream, index, context, glued=glued)
    if kind != END and (
        kind != SYMBOL or stream.words[follows] not in _CLOSERS or not index or not glued
    ):
        return None
    if kind == SYMBOL and (stream.kinds[index + 2] == DIGITS or starts[index + 2] == ends[follows]):
        return None
    if kind == SYMBOL and stream.folds[index + 2] in month_names():
        return None
    return _made(stream, index, context, Following(_STOP), index + 1)


def _before_word(stream: Stream, index: int, context: Context, *, glued: bool) -> Reading | None:
    if len(stream.words[index + 1]) > _LONGEST_WORD:
        return None
    following = _following(stream.words[index + 1])
    if following.sense == _OPEN or (glued and following.sense != _UNIT):
        return None
    if following.sense == _STOP:
        return _made(stream, index, context, following, index + 1)
    after = index + 2
    if stream.folds[after] in _CONTINUES or (
        stream.starts[after] == stream.ends[index + 1] and stream.kinds[after] in {DIGITS, WORD}
    ):
        return None
    if following.sense == _NOUN and (
        stream.words[index] == "1" or not stream.words[index].isdecimal()
    ):
        return None
    return _made(stream, index, context, following, after)


def _made(
    stream: Stream, index: int, context: Context, following: Following, end: int
) -> Reading | None:
    numeral = read_numeral(stream.words[index], context.mark)
    if numeral is None or numeral.others:
        return None
    value = numeral.value
    plain = not numeral.grouped and numeral.places == 0
    return Reading(
        following.kind, index, end, stream.starts[index], stream.ends[end - 1], value, value,
        places=numeral.places, unit=following.unit, plain=plain,
    )  # fmt: skip


def read_plain_price(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return `$799` or `€4.50` where nothing around leaves a choice, else None."""
    sign, figure, after = stream.words[index], index + 1, index + 2
    if (
        sign not in _SIGNS
        or stream.kinds[figure] != DIGITS
        or stream.starts[figure] != stream.ends[index]
    ):
        return None
    if (index and stream.starts[index] == stream.ends[index - 1]) or not _price_ends(stream, after):
        return None
    numeral = read_numeral(stream.words[figure], context.mark)
    if numeral is None or numeral.others:
        return None
    code, mark = settle_currency(_code_of(sign), context.default_currency)
    return Reading(
        Kind.MONEY, index, after, stream.starts[index], stream.ends[figure], numeral.value, numeral.value,
        places=numeral.places, unit=mark, currency=code,
    )  # fmt: skip


def _price_ends(stream: Stream, index: int) -> bool:
    kind = stream.kinds[index]
    if kind in {END, BREAK}:
        return True
    glued = stream.starts[index] == stream.ends[index - 1]
    if kind == SYMBOL:
        loose = stream.kinds[index + 1] != DIGITS and stream.starts[index + 1] != stream.ends[index]
        return glued and loose and stream.words[index] in _CLOSERS and stream.words[index] != ","
    short = kind == WORD and not glued and len(stream.words[index]) <= _LONGEST_WORD
    return short and _following(stream.words[index]).sense in {_STOP, _NOUN}


@lru_cache(maxsize=16)
def _code_of(sign: str) -> str:
    code: str = read_table("currencies")["symbols"][sign]
    return code
