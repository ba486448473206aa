"""Words and signs around a reading that bound it or make it approximate."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.bounds import DATED, bounded, with_tolerance
from verifier.core.quantities.nouns import find_noun
from verifier.core.quantities.rates import per_unit
from verifier.core.quantities.tokens import WORD
from verifier.core.quantities.unitwords import find_unit
from verifier.core.tables import read_table, word_set
from verifier.core.units import DURATION_DIMENSIONS
from verifier.core.values import TEXT_KINDS, Kind, Writing

if TYPE_CHECKING:
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream

_CHANGES: Final = 4
_MODIFIERS: Final = frozenset({"a", "an", "the", "only", "just", "another"})
_STARTING: Final = frozenset({"from", "ab", "desde", "da", "vanaf"})
_LIMITS: Final = frozenset({"min", "max", "minimum", "maximum"})
_AFTER_LIMIT: Final = frozenset({"per", "for", "in", "and", "or", "at"})

Phrases = dict[str, list[tuple[list[str], str]]]


def add_comparators(stream: Stream, readings: list[Reading]) -> list[Reading]:
    """Return the readings with the comparators, hedges and tolerances around them taken in."""
    found: list[Reading] = []
    floor = 0
    for reading in readings:
        compared = reading if reading.kind in TEXT_KINDS else _compared(stream, reading, floor)
        floor = compared.end
        found.append(compared)
    return found


@cache
def _phrases(table: str, end: int) -> Phrases:
    """Return the phrases of a table under their first (`end` 0) or last (-1) token, longest first."""
    entries: Phrases = {}
    for sign, phrases in read_table("comparators")[table].items():
        for phrase in phrases:
            for tokens in _token_forms(phrase):
                entries.setdefault(tokens[end], []).append((tokens, sign))
    for listed in entries.values():
        listed.sort(key=lambda entry: -len(entry[0]))
    return entries


def _token_forms(phrase: str) -> list[list[str]]:
    forms = [phrase.replace(".", " .").split()]
    if " " not in phrase and not phrase[0].isalpha() and len(phrase) > 1:
        forms.append(list(phrase))
    return forms


def _compared(stream: Stream, reading: Reading, floor: int) -> Reading:
    if reading.uncertainty is not None:
        return with_tolerance(reading)
    dated = reading.kind in DATED
    before = _before(stream, reading, floor, "dates_before" if dated else "before")
    after = _after(stream, reading, "dates_after" if dated else "after")
    if before is None and after is None:
        return reading
    sign, start = before or ("", reading.start)
    if (
        sign in {"<", ">"}
        and stream.phrase(reading.end, 2) == "or equal"
        and stream.folds[reading.end + 2] != "to"
    ):
        sign += "="
        reading = reading._replace(end=reading.end + 2, stops=stream.ends[reading.end + 1])
    if after is not None and (before is None or sign in {"=", "~"}):
        sign, end = after
        reading = _with_noun(
            stream, reading._replace(end=end, stops=max(stream.ends[end - 1], reading.stops))
        )
    if start < reading.start:
        reading = reading._replace(start=start, begins=stream.starts[start])
    return bounded(reading, sign)


def _before(stream: Stream, reading: Reading, floor: int, table: str) -> tuple[str, int] | None:
    """Return the comparator that ends right before the reading, and where it starts."""
    last = reading.start
    phrases = _phrases(table, -1)
    entries = phrases.get(stream.folds[last - 1]) if last > floor else None
    if entries is None and last > floor + 1 and stream.folds[last - 1] in _MODIFIERS:
        last -= 1
        entries = phrases.get(stream.folds[last - 1])
    for tokens, sign in entries or ():
        start = last - len(tokens)
        if start >= floor and stream.folds[start:last] == tokens:
            return (sign, start) if _is_meant(stream, reading, start, len(tokens)) else None
    return _starting_price(stream, reading, last, floor)


def _starting_price(
    stream: Stream, reading: Reading, last: int, floor: int
) -> tuple[str, int] | None:
    """Return `from $9` as a lower bound, unless the price rises or falls from there."""
    if reading.kind is not Kind.MONEY or last <= floor or stream.folds[last - 1] not in _STARTING:
        return None
    near = stream.folds[max(0, last - 1 - _CHANGES) : last - 1]
    changes = not word_set("comparators", "change_verbs").isdisjoint(near)
    return None if changes or reading.writing is Writing.RANGE else (">=", last - 1)


def _is_meant(stream: Stream, reading: Reading, start: int, length: int) -> bool:
    word, before = stream.folds[start], stream.folds[start - 1] if start else ""
    if length > 1:
        return True
    if reading.kind is Kind.ORDINAL and word in {
        "some",
        "about",
        "around",
        "over",
        "under",
        "fast",
    }:
        return False
    if reading.kind is Kind.TIME and word in {
        "by",
        "from",
        "after",
        "starting",
        "effective",
        "voor",
        "na",
    }:
        return word in {"by", "after", "from"} and reading.writing is not Writing.RANGE
    if word == "from" and reading.kind is Kind.DATE:
        return reading.writing is not Writing.RANGE and before not in {"away", "days", "weeks"}
    if word in _LIMITS and stream.glued(start):
        return False
    return not (word == "fast" and before in {"as", "is", "very", "too", "how"})


def _after(stream: Stream, reading: Reading, table: str) -> tuple[str, int] | None:
    """Return the comparator right after the reading, and the index after it."""
    index = reading.end
    for tokens, sign in _phrases(table, 0).get(stream.folds[index], ()):
        end = index + len(tokens)
        if stream.folds[index:end] != tokens or (
            len(tokens) == 1 and not _closes(stream, reading, tokens[0])
        ):
            continue
        than = stream.folds[end] in {"than", "then"}
        if not than and not (table == "dates_after" and stream.kinds[end] == WORD):
            return sign, end
    return None


def _closes(stream: Stream, reading: Reading, word: str) -> bool:
    index, following = reading.end, stream.words[reading.end + 1]
    if word == "+":
        return stream.glued(index) and not (stream.glued(index + 1) and following[:1].isalnum())
    if word == "ish":
        return stream.glued(index)
    if word == "plus":
        return following in {"", ".", ",", ")"} and reading.kind is Kind.NUMBER
    if word in _LIMITS:
        return stream.kinds[index + 1] != WORD or following.lower() in _AFTER_LIMIT
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


def add_rates(stream: Stream, readings: list[Reading]) -> list[Reading]:
    """Return the readings with what an amount of money or a count is per."""
    return [
        _rated(stream, reading) if reading.kind in {Kind.MONEY, Kind.QUANTITY} else reading
        for reading in readings
    ]


def _rated(stream: Stream, reading: Reading) -> Reading:
    per = per_unit(stream, reading.end) if reading.per is None else None
    if per is None or (reading.kind is Kind.QUANTITY and reading.unit is None):
        return reading
    return reading._replace(
        per=per[0], end=per[1], stops=max(reading.stops, stream.ends[per[1] - 1])
    )
