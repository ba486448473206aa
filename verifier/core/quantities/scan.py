"""The pass over the tokens that hands each to the readers it may start, and joins what they find."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.amounts import read_amount
from verifier.core.quantities.calendars import month_names, weekday_names
from verifier.core.quantities.clock import add_iso_time, read_spoken_time, read_time
from verifier.core.quantities.comparators import add_comparators, add_rates, join_bounds
from verifier.core.quantities.compounds import join_compounds, minutes_after_hours
from verifier.core.quantities.dates import read_date, read_slashed, read_year
from verifier.core.quantities.marks import (
    find_masks,
    in_name,
    is_label,
    numbered_thing,
    opens_item,
    read_code,
    read_phone,
    read_version,
    skip_marker,
)
from verifier.core.quantities.periods import PERIOD_WORDS, read_period, read_year_and_quarter
from verifier.core.quantities.ranges import join_ranges
from verifier.core.quantities.relative import read_last_n, read_part_number, resolve_relative
from verifier.core.quantities.tokens import DIGITS, SYMBOL, WORD
from verifier.core.quantities.wordamounts import (
    read_absolute_zero,
    read_article_unit,
    read_ordinal,
    read_vague,
)
from verifier.core.quantities.wordsums import ordinal_values, word_values
from verifier.core.tables import read_table
from verifier.core.units import unit_of
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.quantities.context import Context
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream

_MINUS: Final = frozenset("-−–+")
_BEFORE_SIGN: Final = frozenset("([{=<>~:,|€$£¥±≤≥;\"'“")
_CODE_JOINTS: Final = frozenset(
    {"e", "x", "k", "h", "m", "d", "min", "ft", "s", "uhr", "kg", "lb", "′", "'"}
)
_ARTICLES: Final = frozenset({"a", "an"})
Step = "Reading | int | None"
"""What a reader at a token says: a reading, an index to go on from, or that it is not for it."""


def scan(stream: Stream, context: Context) -> list[Reading]:
    """Return what the readers find, in order and without overlaps."""
    found: list[Reading] = []
    masks = find_masks(stream.text)
    index = mask = 0
    while index < stream.count:
        while mask < len(masks) and masks[mask][1] <= stream.starts[index]:
            mask += 1
        if mask < len(masks) and masks[mask][0] <= stream.starts[index]:
            index += 1
            continue
        step = _read_at(stream, index, context)
        if step is None:
            index += 1
        elif isinstance(step, int):
            index = max(step, index + 1)
        else:
            found.append(step)
            index = max(step.end, index + 1)
    return _joined(stream, found, context) if found else found


def _joined(stream: Stream, found: list[Reading], context: Context) -> list[Reading]:
    readings = join_compounds(stream, minutes_after_hours(stream, found), context)
    readings = resolve_relative(stream, readings, context)
    readings = add_rates(stream, join_ranges(stream, readings))
    readings = join_bounds(stream, add_comparators(stream, readings))
    return [reading for reading in readings if not _is_no_quantity(stream, reading)]


def _read_at(stream: Stream, index: int, context: Context) -> Reading | int | None:
    kind = stream.kinds[index]
    if kind == WORD:
        readers = _word_readers().get(stream.folds[index])
        if stream.glued(index + 1) and (
            stream.kinds[index + 1] == DIGITS or stream.words[index + 1] in "-‐‑_/#."
        ):
            step = _glued_word(stream, index, context, readers or "")
            if step is not None:
                return step
        return _read_word(stream, index, context, readers) if readers else None
    if kind == DIGITS:
        return _read_digits(stream, index, context)
    if kind == SYMBOL and stream.words[index] in _symbols():
        return _read_symbol(stream, index, context)
    return None


@cache
def _word_readers() -> dict[str, str]:
    """Return which readers a word may start: v(ersion), t(ime), d(ate), p(eriod), o(rdinal), u(nit), n(umber)."""
    currencies = read_table("currencies")
    marks = [
        word.lower().rstrip(".") for word in [*currencies["marks"], *currencies["prefixed_dollars"]]
    ]
    codes = [code.lower() for codes in currencies["minor_units"].values() for code in codes.split()]
    letters = {
        "v": ["v", "version", "versions", "ver", "release"],
        "t": ["noon", "midday", "midnight"],
        "d": [*month_names(), *weekday_names(), *ordinal_values(), *word_values()],
        "s": [*word_values(), "half", "quarter", "a"],
        "p": list(PERIOD_WORDS),
        "o": [*ordinal_values(), *word_values(), "a"],
        "u": [
            "a",
            "an",
            "another",
            "all",
            "whole",
            "full",
            "entire",
            "absolute",
            *read_table("number_words")["vague"],
        ],
        "n": [
            *word_values(),
            *marks,
            *codes,
            "a",
            "an",
            "half",
            "quarter",
            "minus",
            "negative",
            "rmb",
            "btc",
        ],
    }
    readers: dict[str, str] = {}
    for letter, words in letters.items():
        for word in words:
            if letter not in readers.get(word, ""):
                readers[word] = readers.get(word, "") + letter
    return readers


@cache
def _symbols() -> frozenset[str]:
    return frozenset([*read_table("currencies")["symbols"], *"-−–+.½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞([#"])


def _read_word(stream: Stream, index: int, context: Context, readers: str) -> Reading | None:
    for letter in readers:
        found = _one_reader(stream, index, context, letter)
        if found is not None:
            return found
    return None


def _one_reader(stream: Stream, index: int, context: Context, letter: str) -> Reading | None:
    match letter:
        case "v":
            return read_version(stream, index)
        case "t":
            return read_time(stream, index, context)
        case "s":
            return read_spoken_time(stream, index, context)
        case "d":
            return read_date(stream, index, context)
        case "p":
            return (
                read_last_n(stream, index, context)
                or read_part_number(stream, index, context)
                or read_period(stream, index, context)
            )
        case "o":
            return _ordinal_or_more(stream, index, context)
        case "u":
            return _article_unit(stream, index, context)
        case _:
            return read_amount(stream, index, context)


def _ordinal_or_more(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return an ordinal unless a cardinal or fraction reads as many words: `one fifth`."""
    ordinal = read_ordinal(stream, index)
    if ordinal is None or ordinal.end == index + 1:
        return ordinal
    amount = read_amount(stream, index, context)
    return ordinal if amount is None or amount.end < ordinal.end else amount


def _article_unit(stream: Stream, index: int, context: Context) -> Reading | None:
    if stream.folds[index] == "absolute":
        return read_absolute_zero(stream, index)
    vague = read_vague(stream, index)
    amount = (
        read_amount(stream, index, context)
        if vague is None and stream.folds[index] in _ARTICLES
        else None
    )
    return vague or amount or read_article_unit(stream, index, context)


def _glued_word(stream: Stream, index: int, context: Context, readers: str) -> Reading | int | None:
    """Return what a word with digits glued to it is: `v2.0`, `Q1`, `EUR27.5`, `mar4`, else a code."""
    for letter in readers:
        if letter in "vdpn":
            found = _one_reader(stream, index, context, letter)
            if found is not None and found.end > index + 1:
                return found
    if stream.kinds[index + 1] == DIGITS or (
        stream.kinds[index + 2] == DIGITS and stream.glued(index + 2)
    ):
        if stream.words[index + 1] in {"-", "/", "."} and stream.folds[index] in _prefixes():
            return None
        if stream.words[index + 1] in {"/", "."}:
            return None
        return read_code(stream, index)
    return _long_code(stream, index)


def _long_code(stream: Stream, index: int) -> Reading | int | None:
    """Return a code such as `ABC-DEF-123` whose digits come late."""
    if (
        stream.words[index + 1] not in {"-", "_", "‑"}
        or not stream.words[index].isupper()
        or len(stream.words[index]) < 2
    ):
        return None
    return read_code(stream, index)


@cache
def _prefixes() -> frozenset[str]:
    return frozenset(
        {
            *month_names(),
            "mid",
            "pre",
            "post",
            "sub",
            "over",
            "under",
            "early",
            "late",
            "non",
            "and",
            "or",
            "to",
            "ca",
            "approx",
            "no",
            "p",
            "pp",
        }
    )


def _read_digits(stream: Stream, index: int, context: Context) -> Reading | int | None:
    item = opens_item(stream, index)
    if item is not None:
        return item
    if stream.glued(index) and stream.kinds[index - 1] == WORD:
        return index + 1
    word = stream.words[index]
    marked = not word.isdigit() or stream.glued(index + 1) or len(word) == 4
    special = _dated(stream, index, context) or _named(stream, index) if marked or index else None
    if special is not None:
        return special
    if stream.kinds[index + 1] == WORD and stream.glued(index + 1) and _is_code(stream, index):
        return read_code(stream, index)
    amount = read_ordinal(stream, index) or read_amount(stream, index, context)
    if amount is None or amount.kind is not Kind.NUMBER:
        return amount
    return _bare(stream, index, amount)


def _dated(stream: Stream, index: int, context: Context) -> Reading | None:
    found = read_date(stream, index, context)
    if found is not None:
        return (
            add_iso_time(stream, found, context)
            if stream.text[found.stops : found.stops + 1] in {"T", "t", " "}
            else found
        )
    return (
        read_time(stream, index, context)
        or read_spoken_time(stream, index, context)
        or read_year_and_quarter(stream, index, context)
        or read_slashed(stream, index, context)
        or _numbered_part(stream, index, context)
        or read_year(stream, index)
    )


def _numbered_part(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return `1st quarter of 2013`, `2nd week of 2021`, or None."""
    if stream.folds[index + 1] not in {"st", "nd", "rd", "th"}:
        return None
    return read_period(stream, index, context) or read_part_number(stream, index, context)


def _named(stream: Stream, index: int) -> Reading | int | None:
    """Return a phone number, version, identifier or label number; an index where it is none of all."""
    found = (
        read_phone(stream, index) or read_version(stream, index) or numbered_thing(stream, index)
    )
    if found is not None:
        return found
    if is_label(stream, index):
        return _after_label(stream, index)
    return _code_of_digits(stream, index)


def _after_label(stream: Stream, index: int) -> int:
    end = index + 1
    while stream.glued(end) and stream.kinds[end] in {WORD, DIGITS}:
        end += 1
    listed = (
        stream.folds[end] in {"and", "or", "to", "-", "–", ",", "&"}
        and stream.kinds[end + 1] == DIGITS
    )
    plain = listed and not stream.words[end + 2 : end + 3] == ["%"]
    if plain and (stream.kinds[end + 2] != WORD or stream.glued(end + 2)):
        return _after_label(stream, end + 1)
    return end


def _code_of_digits(stream: Stream, index: int) -> int | None:
    """Return the index after `27-003`, `123-12-1234`, `24/7`, `4:3`, which are no quantities, or None."""
    first, mark, second = stream.words[index], stream.words[index + 1], stream.words[index + 2]
    if not (
        stream.glued(index + 1) and stream.glued(index + 2) and stream.kinds[index + 2] == DIGITS
    ):
        return None
    if mark in {"-", "‐", "‑"} and first.isdigit() and second.isdigit():
        third = (
            stream.words[index + 3] in {"-", "‐", "‑"}
            and stream.kinds[index + 4] == DIGITS
            and stream.glued(index + 4)
        )
        season = len(first) == 4 and len(second) == 2 and first[:2] in {"19", "20"}
        if (
            third
            or season
            or (second.startswith("0") and len(second) > 1)
            or (len(first) == 3 and len(second) == 4)
        ):
            return index + (5 if third else 3)
    if mark == "/" and (first, second) in {
        ("24", "7"),
        ("9", "11"),
        ("50", "50"),
        ("7", "24"),
        ("365", "24"),
    }:
        return index + 3
    zero = mark == "/" and second.strip("0") == ""
    return index + 3 if mark == ":" or zero else None


def _is_code(stream: Stream, index: int) -> bool:
    """Return whether digits, letters and digits stand together as in `7F3A`, and are no `2h30`."""
    word = stream.folds[index + 1]
    if stream.kinds[index + 2] != DIGITS or not stream.glued(index + 2):
        return (
            len(word) > 1
            and stream.words[index + 1].isupper()
            and len(stream.words[index]) > 3
            and unit_of(stream.words[index + 1]) is None
            and len(word) != 3
        )
    if (
        word in _CODE_JOINTS
        or unit_of(stream.words[index + 1] + stream.words[index + 2]) is not None
    ):
        return stream.kinds[index + 3] == DIGITS and stream.glued(index + 3)
    return True


def _bare(stream: Stream, index: int, amount: Reading) -> Reading | int | None:
    """Return a bare number unless it belongs to a name, a label of letters or a list mark."""
    if (
        in_name(stream, index, amount.end)
        or amount.end < stream.count
        and _has_tail(stream, amount)
    ):
        return amount.end + (1 if _has_tail(stream, amount) else 0)
    return amount


def _has_tail(stream: Stream, amount: Reading) -> bool:
    """Return whether letters that are no unit are glued to the number: `15c`, `3D`."""
    end = amount.end
    if not stream.glued(end) or stream.kinds[end] != WORD:
        return False
    return ord(stream.words[end][0]) < 0x3000 and stream.folds[end] not in {"x", "s", "ish", "er"}


def _read_symbol(stream: Stream, index: int, context: Context) -> Reading | int | None:
    word = stream.words[index]
    if word in {"(", "["}:
        return (
            _accounting(stream, index, context)
            or (skip_marker(stream, index) if word == "[" or stream.gap(index) != "" else None)
            or _phone_in_brackets(stream, index)
        )
    if word == "#":
        return _hash(stream, index)
    if word in _MINUS:
        if word == "+" and stream.kinds[index + 1] == DIGITS:
            phone = read_phone(stream, index)
            if phone is not None:
                return phone
        if not stream.glued(index + 1) or (
            stream.glued(index) and stream.words[index - 1] not in _BEFORE_SIGN
        ):
            return None
        if word == "–" and index and stream.kinds[index - 1] == DIGITS:
            return None
    return read_amount(stream, index, context)


def _phone_in_brackets(stream: Stream, index: int) -> Reading | None:
    return read_phone(stream, index) if stream.words[index] == "(" else None


def _hash(stream: Stream, index: int) -> Reading | int | None:
    if (
        stream.kinds[index + 1] == DIGITS
        and stream.glued(index + 1)
        and stream.words[index + 1].isdigit()
    ):
        code = read_code(stream, index + 1)
        return (
            code
            if isinstance(code, int) or code is None or len(stream.words[index + 1]) > 3
            else index + 2
        )
    return None


def _accounting(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return `(1,250)` and `($99.99)` in a table cell or after `is` as negative, or None."""
    before = stream.folds[index - 1] if index else ""
    alone = (
        index == 0
        or before in {"|", "\n", "is", "was", "of", ":", "at", "to", "\t", "were"}
        or "\t" in stream.gap(index)
    )
    if stream.words[index] != "(" or not alone:
        return None
    inner = read_amount(stream, index + 1, context)
    if inner is None or stream.words[inner.end] != ")" or inner.low is None or inner.low < 0:
        return None
    telling = inner.kind is Kind.MONEY or (
        inner.kind is Kind.NUMBER and not (inner.plain and inner.low < 1000) and not inner.spelled
    )
    if not telling and not (inner.kind is Kind.NUMBER and before == "|"):
        return None
    low, high = inner.low, inner.high or inner.low
    return inner._replace(
        start=index,
        begins=stream.starts[index],
        end=inner.end + 1,
        stops=stream.ends[inner.end],
        low=-high,
        high=-low,
        plain=False,
    )


def _is_no_quantity(stream: Stream, reading: Reading) -> bool:
    """Return whether a finished reading is only the pronoun `one` or an article's word."""
    if reading.kind is Kind.NUMBER and reading.spelled and reading.end == reading.start + 1:
        return stream.folds[reading.start] in {
            "one",
            "half",
            "thousands",
            "millions",
            "billions",
            "dozens",
            "hundreds",
            "nil",
            "gross",
        } and not (stream.folds[reading.start] == "half")
    return reading.kind is Kind.TIME and False
