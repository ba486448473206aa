"""Which readers a word may start, and which neighbours a number must have to be more than an amount."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from verifier.core.quantities.calendars import month_names, weekday_names
from verifier.core.quantities.periods import PERIOD_WORDS
from verifier.core.quantities.tokens import DIGITS
from verifier.core.quantities.wordsums import denominators, ordinal_values, word_values
from verifier.core.tables import read_table, word_set
from verifier.core.units import first_unit_words

if TYPE_CHECKING:
    from verifier.core.quantities.tokens import Stream

_FIGURES: Final = "#"
_WHICH: Final = (
    "this",
    "current",
    "next",
    "coming",
    "following",
    "upcoming",
    "last",
    "previous",
    "past",
)
_SPANS: Final = (
    "week",
    "month",
    "quarter",
    "year",
    "weeks",
    "months",
    "quarters",
    "years",
    "days",
    "day",
)
_WHOLE: Final = ("another", "all", "whole", "full", "entire")
_AMOUNT_SIGNS: Final = frozenset("-−–+.½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞([#")


class Trigger(NamedTuple):
    """The readers that a word may start, by letter, and the words that must follow it, if any."""

    readers: str
    followers: frozenset[str] | None


@cache
def word_triggers() -> dict[str, Trigger]:
    """Return the words that may start a reading.

    Readers: v(ersion), t(ime), s(poken time), d(ate), p(eriod), o(rdinal), u(nit), n(umber).
    """
    readers: dict[str, str] = {}
    for letter, words in _readers().items():
        for word in words:
            if letter not in readers.get(word, ""):
                readers[word] = readers.get(word, "") + letter
    followers = _followers()
    return {word: Trigger(letters, followers.get(word)) for word, letters in readers.items()}


def _currency_words() -> list[str]:
    currencies = read_table("currencies")
    marks = [
        word.lower().rstrip(".") for word in [*currencies["marks"], *currencies["prefixed_dollars"]]
    ]
    codes = [code.lower() for codes in currencies["minor_units"].values() for code in codes.split()]
    return [*marks, *codes, "rmb", "btc", "jp", "cn"]


def _readers() -> dict[str, list[str]]:
    cardinals, ordinals = list(word_values()), list(ordinal_values())
    return {
        "v": ["v", "version", "versions", "ver", "release"],
        "t": ["noon", "midday", "midnight"],
        "d": [*month_names(), *weekday_names(), *ordinals, *cardinals],
        "s": [*cardinals, "half", "quarter", "a"],
        "p": list(PERIOD_WORDS),
        "o": [*ordinals, *cardinals, "a"],
        "u": ["a", "an", "absolute", *_WHOLE, *read_table("number_words")["vague"]],
        "n": [*cardinals, *_currency_words(), "a", "an", "half", "quarter", "minus", "negative"],
    }


def _followers() -> dict[str, frozenset[str]]:
    units = first_unit_words()
    numbers = frozenset({*word_values(), *ordinal_values(), *denominators(), "half", "quarter"})
    money = frozenset(
        {*read_table("currencies")["names"], *read_table("currencies")["minor_names"]}
    )
    calendar = frozenset({*weekday_names(), *month_names()})
    article = units | numbers | money | {*read_table("number_words")["vague"], "-", "$"}
    which = frozenset({*_SPANS, *calendar, *word_values(), _FIGURES, *_WHICH})
    vague = units | {"of", "dozen", "hundred", "thousand", "million", "billion"}
    gates = dict.fromkeys(("a", "an"), article)
    gates |= dict.fromkeys(_WHICH, which)
    gates |= {word: units | {"-"} for word in _WHOLE}
    gates |= dict.fromkeys(read_table("number_words")["vague"], vague)
    signs = frozenset({_FIGURES, "$", "¥", "£", "＄", ".", "-", "−", "+", "half"})
    gates |= {
        word: signs for word in _currency_words() if word not in gates and word not in word_values()
    }
    gates["the"] = frozenset(
        {*_WHICH, *ordinal_values(), *_SPANS, _FIGURES, *read_table("calendar")["quarter_words"]}
    )
    gates |= {
        word: frozenset({_FIGURES, ".", ":", "v", "number"})
        for word in ("v", "version", "versions", "ver", "release")
    }
    gates |= {
        word: frozenset({_FIGURES, "'", "’", "year"})
        for word in ("q", "h", "fy", "cy", "fiscal", "calendar")
    }
    gates["day"] = frozenset({"after", "before"})
    gates["year"] = frozenset({_FIGURES})
    gates["absolute"] = frozenset({"zero"})
    for word in ("may", "set", "out", "can", "all"):
        gates.pop(word, None) if word == "may" else None
    return gates


def may_start(stream: Stream, index: int, trigger: Trigger) -> bool:
    """Return whether what follows the word at `index` lets it start a reading."""
    followers = trigger.followers
    if followers is None:
        return True
    if stream.kinds[index + 1] == DIGITS:
        return _FIGURES in followers
    return stream.folds[index + 1] in followers


@cache
def symbol_triggers() -> frozenset[str]:
    """Return the signs that may start a reading."""
    return frozenset([*read_table("currencies")["symbols"], *_AMOUNT_SIGNS])


def date_followers() -> frozenset[str]:
    """Return the words after a number that may make it a date or a time."""
    return frozenset(
        {*month_names(), *word_set("calendar", "after_day_or_hour"), ",", "o'clock", "o’clock"}
    )


@cache
def label_cues() -> frozenset[str]:
    """Return the words and signs before a number that may make it a label, an identifier or a version."""
    names = ("labels", "id_labels", "versioned")
    cues: set[str] = set()
    for name in names:
        cues |= word_set("quantity_words", name)
    return frozenset(
        {
            *cues,
            "version",
            "versions",
            "ver",
            "release",
            "#",
            "§",
            "№",
            "(",
            ".",
            ":",
            "+",
            "number",
            "id",
            "is",
            "at",
            "phone",
            "tel",
            "call",
            "fax",
            "mobile",
            "hotline",
            "sms",
            "whatsapp",
            "telephone",
            "-",
            "–",
            "or",
            "on",
        }
    )
