"""Words and signs around a reading that bound it or make it approximate."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.build import tolerance_of
from verifier.core.quantities.nouns import find_noun
from verifier.core.quantities.unitwords import find_unit, per_unit
from verifier.core.tables import read_table, word_set
from verifier.core.units import DURATION_DIMENSIONS
from verifier.core.values import TEXT_KINDS, Kind, Writing

if TYPE_CHECKING:
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream

_LONGEST: Final = 6
_STOPS: Final = frozenset(".,;:()|\n")
_CHANGES: Final = 4
_DATED: Final = frozenset({Kind.DATE, Kind.TIME, Kind.QUARTER})
_MODIFIERS: Final = frozenset({"a", "an", "the", "only", "just", "another"})


def add_comparators(stream: Stream, readings: list[Reading]) -> list[Reading]:
    """Return the readings with the comparators, hedges and tolerances around them taken in."""
    found: list[Reading] = []
    for reading in readings:
        floor = found[-1].end if found else 0
        found.append(
            _compared(stream, reading, floor) if reading.kind not in TEXT_KINDS else reading
        )
    return [reading for reading in found if reading.end >= 0]


@cache
def _phrases(table: str) -> dict[str, tuple[str, int]]:
    """Return the phrases of a table with their comparator and how many tokens each has."""
    entries = {}
    for sign, phrases in read_table("comparators")[table].items():
        for phrase in phrases:
            spaced = phrase.replace(".", " .").replace("'", "'").strip()
            entries[" ".join(spaced.split())] = sign
            for split in (
                (" ".join(phrase),)
                if not phrase.isalpha() and " " not in phrase and len(phrase) <= 2
                else ()
            ):
                entries[split] = sign
    return {phrase: (sign, len(phrase.split())) for phrase, sign in entries.items()}


def _compared(stream: Stream, reading: Reading, floor: int) -> Reading:
    if reading.uncertainty is not None:
        return with_tolerance(reading)
    dated = reading.kind in _DATED
    before = _before(stream, reading, floor, "dates_before" if dated else "before")
    after = _after(stream, reading, "dates_after" if dated else "after")
    if before is None and after is None:
        return reading
    sign, start = before or ("", reading.start)
    if stream.phrase(reading.end, 2) == "or equal" and sign in {"<", ">"}:
        sign, reading = (
            f"{sign}=",
            reading._replace(end=reading.end + 2, stops=stream.ends[reading.end + 1]),
        )
    if after is not None and (before is None or sign in {"=", "~"}):
        sign, end, stops = after
        reading = _with_noun(stream, reading._replace(end=end, stops=max(stops, reading.stops)))
    if start < reading.start:
        reading = reading._replace(start=start, begins=stream.starts[start])
    return _bounded(reading, sign)


def _before(stream: Stream, reading: Reading, floor: int, table: str) -> tuple[str, int] | None:
    """Return the comparator that ends right before the reading, and where it starts."""
    last = reading.start
    phrases = _phrases(table)
    if (
        last > floor
        and stream.folds[last - 1] in _MODIFIERS
        and stream.phrase(max(0, last - 2), 2) not in phrases
    ):
        last -= 1
    for length in range(min(_LONGEST, last - floor), 0, -1):
        entry = phrases.get(stream.phrase(last - length, length))
        if entry is not None:
            sign = entry[0]
            return (
                (sign, last - length) if _is_meant(stream, reading, last - length, length) else None
            )
    return _starting_price(stream, reading, last, floor)


def _starting_price(
    stream: Stream, reading: Reading, last: int, floor: int
) -> tuple[str, int] | None:
    if (
        reading.kind is not Kind.MONEY
        or last <= floor
        or stream.folds[last - 1] not in {"from", "à partir de", "ab", "desde", "da", "vanaf"}
    ):
        return None
    near = stream.folds[max(0, last - 1 - _CHANGES) : last - 1]
    blocked = (
        not word_set("comparators", "change_verbs").isdisjoint(near)
        or reading.writing is Writing.RANGE
    )
    return None if blocked else (">=", last - 1)


def _is_meant(stream: Stream, reading: Reading, start: int, length: int) -> bool:
    word = stream.folds[start]
    if length > 1:
        return True
    if (
        word in {"some", "about", "around", "over", "under", "fast"}
        and reading.kind is Kind.ORDINAL
    ):
        return False
    if (
        word in {"by", "from", "after", "starting", "effective", "voor", "na"}
        and reading.kind is Kind.TIME
    ):
        return word in {"by", "after", "from"} and reading.writing is not Writing.RANGE
    if word == "from" and reading.kind is Kind.DATE:
        return reading.writing is not Writing.RANGE and stream.folds[start - 1] not in {
            "away",
            "days",
            "weeks",
        }
    if word in {"min", "max", "minimum", "maximum"} and stream.glued(start):
        return False
    return not (word == "fast" and stream.folds[start - 1] in {"as", "is", "very", "too", "how"})


def _after(stream: Stream, reading: Reading, table: str) -> tuple[str, int, int] | None:
    """Return the comparator right after the reading, the index and the place after it."""
    phrases = _phrases(table)
    for length in (4, 3, 2, 1):
        phrase = stream.phrase(reading.end, length)
        entry = phrases.get(phrase)
        if entry is None or (length == 1 and not _closes(stream, reading, phrase)):
            continue
        end = reading.end + length
        if stream.folds[end] in {"than", "then"} or (
            table == "dates_after" and stream.kinds[end] == "w"
        ):
            continue
        return entry[0], end, stream.ends[end - 1]
    return None


def _closes(stream: Stream, reading: Reading, word: str) -> bool:
    index = reading.end
    if word == "+":
        return stream.glued(index) and not (
            stream.glued(index + 1) and stream.words[index + 1][:1].isalnum()
        )
    if word == "ish":
        return stream.glued(index)
    if word == "plus":
        return stream.words[index + 1] in {"", ".", ",", ")"} and reading.kind is Kind.NUMBER
    if word in {"min", "minimum", "max", "maximum"}:
        return stream.kinds[index + 1] != "w" or stream.folds[index + 1] in {
            "per",
            "for",
            "in",
            "and",
            "or",
            "at",
        }
    return True


def _with_noun(stream: Stream, reading: Reading) -> Reading:
    """Return `30 or more seats` with what is counted."""
    if reading.kind is not Kind.NUMBER:
        return reading
    found = find_unit(stream, reading.end)
    if found is not None and len(found.letters) > 1:
        kind = Kind.DURATION if found.unit.dimension in DURATION_DIMENSIONS else Kind.QUANTITY
        return reading._replace(kind=kind, unit=found.unit.name, end=found.end, stops=found.stops)
    noun = find_noun(stream, reading.end, single=False)
    if noun is None:
        return reading
    return reading._replace(
        kind=Kind.QUANTITY, unit=noun[0], end=noun[1], stops=stream.ends[noun[1] - 1]
    )


def _bounded(reading: Reading, sign: str) -> Reading:
    low, high = reading.low, reading.high
    if sign == "=" or low is None or high is None:
        return reading
    if sign in {"~", "<~", ">~"}:
        return _approximated(reading, sign)
    if sign in {">", ">="}:
        end = high if sign == ">" and reading.kind is Kind.DATE else low
        strict = sign == ">" and reading.kind is not Kind.DATE
        return _one_sided(reading, low=end, low_open=strict, nominal=low)
    end = low if sign == "<" and reading.kind is Kind.DATE else high
    strict = sign == "<" or reading.kind is Kind.DATE
    return _one_sided(reading, high=end, high_open=strict, nominal=high)


def _one_sided(
    reading: Reading,
    *,
    nominal: Fraction,
    low: Fraction | None = None,
    high: Fraction | None = None,
    low_open: bool = False,
    high_open: bool = False,
) -> Reading:
    rivals = tuple(rival for rival in reading.rivals if rival.kind is not reading.kind)
    return reading._replace(
        low=low,
        high=high,
        low_open=low_open,
        high_open=high_open,
        nominal=nominal,
        writing=Writing.BOUND,
        others=(),
        rivals=rivals,
    )


def _approximated(reading: Reading, sign: str) -> Reading:
    if reading.writing is Writing.RANGE or reading.low is None or reading.high is None:
        return reading
    if reading.kind in _DATED:
        return reading._replace(writing=Writing.APPROXIMATE)
    value = reading.low
    spread = tolerance_of(value, reading.places)
    low = value if sign == ">~" else value - spread
    high = value if sign == "<~" else value + spread
    return reading._replace(
        low=low, high=high, nominal=value, writing=Writing.APPROXIMATE, others=()
    )


def with_tolerance(reading: Reading) -> Reading:
    """Return the reading as its number plus and minus its uncertainty."""
    spread = reading.uncertainty or Fraction(0)
    if reading.low is None or reading.low != reading.high:
        return reading
    return reading._replace(
        low=reading.low - spread,
        high=reading.low + spread,
        nominal=reading.low,
        writing=Writing.TOLERANCE,
    )


def add_rates(stream: Stream, readings: list[Reading]) -> list[Reading]:
    """Return the readings with what an amount of money or a count is per."""
    rated = []
    for reading in readings:
        countable = reading.kind is Kind.MONEY or (reading.kind is Kind.QUANTITY and reading.unit)
        per = per_unit(stream, reading.end) if countable and reading.per is None else None
        if per is not None:
            reading = reading._replace(
                per=per[0], end=per[1], stops=max(reading.stops, stream.ends[per[1] - 1])
            )  # noqa: PLW2901
        rated.append(reading)
    return rated


def join_bounds(stream: Stream, readings: list[Reading]) -> list[Reading]:
    """Return the readings with a lower and an upper bound that `and` joins as one range: `over 20 and up to 35`."""
    joined: list[Reading] = []
    for reading in readings:
        left = joined[-1] if joined else None
        one = _both_bounds(stream, left, reading) if left is not None else None
        if one is None:
            joined.append(reading)
        else:
            joined[-1] = one
    return joined


def _both_bounds(stream: Stream, left: Reading, right: Reading) -> Reading | None:
    if (
        left.writing is not Writing.BOUND
        or right.writing is not Writing.BOUND
        or left.kind is not right.kind
    ):
        return None
    if (
        stream.phrase(left.end, right.start - left.end) not in {"and", "but", ", but", "and also"}
        or right.start - left.end > 2
    ):
        return None
    lower, upper = (left, right) if left.high is None else (right, left)
    if lower.low is None or upper.high is None or lower.low >= upper.high or lower.high is not None:
        return None
    if left.unit != right.unit and left.unit is not None:
        return None
    return right._replace(
        start=left.start, begins=left.begins, low=lower.low, high=upper.high, low_open=lower.low_open, high_open=upper.high_open,
        nominal=None, writing=Writing.RANGE,
    )  # fmt: skip
