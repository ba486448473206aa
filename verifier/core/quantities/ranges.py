"""Two readings that are one range, a tolerance, or a list that shares its unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.quantities.rangeends import SHARING, as_ends, in_kind_of
from verifier.core.quantities.tokens import END
from verifier.core.tables import word_set
from verifier.core.values import Kind, Writing

if TYPE_CHECKING:
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream

_DASHES: Final = frozenset({"-", "–", "—", "−", "~", "〜", "～", "‐", "‑", "..", "...", "…"})
_TO_WORDS: Final = frozenset(
    {
        "to",
        "through",
        "thru",
        "till",
        "until",
        "up to",
        "- to",
        "- or",
        "bis",
        "à",
        "au",
        "a",
        "al",
        "hasta",
        "tot",
        "até",
        "t/m",
        "至",
        "到",
        "から",
        "to the",
        "through the",
        "till the",
        "- the",
        "zu",
    }
)
_AND_WORDS: Final = frozenset({"and", "et", "und", "y", "e", "en", "or", "and the"})
_OPENERS: Final = frozenset({"between", "entre", "zwischen", "tra", "fra", "tussen", "compris"})
_FROM: Final = frozenset({"from", "von", "de", "desde", "da", "dal", "van", "du"})
_PLUS_MINUS: Final = frozenset(
    {"±", "+ / -", "+ -", "+/-", "+ / −", "plus or minus", "plus minus", "∓", "give or take"}
)
_LISTED: Final = frozenset(
    {
        "and",
        "or",
        ",",
        ", and",
        ", or",
        "&",
        "x",
        "×",
        "by",
        "/",
        "und",
        "et",
        "y",
        "en",
        "oder",
        "ou",
    }
)


def join_ranges(stream: Stream, readings: list[Reading]) -> list[Reading]:
    """Return the readings with tolerances, ranges and shared units settled."""
    joined: list[Reading] = []
    for reading in readings:
        left = joined[-1] if joined else None
        one = _pair(stream, left, reading) if left is not None else None
        if one is None:
            joined.append(reading)
        else:
            joined[-1] = one
    return _share_units(stream, joined)


def _pair(stream: Stream, left: Reading, right: Reading) -> Reading | None:
    length = right.start - left.end
    if not 1 <= length <= 3 or right.begins < left.stops:
        return None
    link = stream.phrase(left.end, length)
    if link in _PLUS_MINUS:
        return _tolerance(left, right)
    if not _is_range(stream, left, right, link):
        return None
    ends = as_ends(left, right)
    if ends is None:
        return None
    first, last = ends
    if link in _DASHES and not _dash_fits(stream, left, right, ends):
        return None
    return _range(stream, first, last)


def _is_range(stream: Stream, left: Reading, right: Reading, link: str) -> bool:
    before = stream.folds[left.start - 1] if left.start else ""
    opened = before in _OPENERS or (
        before == "the" and left.start > 1 and stream.folds[left.start - 2] in _OPENERS
    )
    if link in _DASHES:
        return True
    if link in _AND_WORDS:
        return opened
    if link not in _TO_WORDS:
        return False
    if (
        link in {"a", "au", "al", "à"}
        and before not in _FROM
        and left.kind is Kind.NUMBER
        and right.kind is Kind.NUMBER
    ):
        return False
    return not (before in _FROM and _changes(stream, left.start - 1))


def _changes(stream: Stream, index: int) -> bool:
    near = stream.folds[max(0, index - 6) : index]
    return not word_set("comparators", "change_verbs").isdisjoint(near)


def _dash_fits(
    stream: Stream, left: Reading, right: Reading, ends: tuple[Reading, Reading]
) -> bool:
    """Return whether a dash joins: spaces on both sides or on none, and rising ends without a unit."""
    open_left, open_right = (
        left.stops < stream.starts[left.end],
        stream.ends[right.start - 1] < right.begins,
    )
    if open_left != open_right:
        return False
    first, last = ends
    if (
        left.spelled
        and left.start
        and stream.glued(left.start)
        and stream.words[left.start - 1] in _DASHES
    ):
        return False
    if first.low is None or last.high is None:
        return True
    if first.kind is Kind.NUMBER and right.kind is Kind.NUMBER:
        zeros = (
            stream.words[right.start].startswith("0")
            and len(stream.words[right.start]) > 1
            and right.places == 0
        )
        local = (
            len(stream.words[left.start]) == 3
            and len(stream.words[right.start]) == 4
            and not open_left
            and not stream.words[right.start].endswith("00")
        )
        return first.low < last.high and not zeros and not local
    return True


def _range(stream: Stream, first: Reading, last: Reading) -> Reading:
    before = stream.folds[first.start - 1] if first.start else ""
    opened = before in _OPENERS or before in {"from", "von", "vom"}
    start = first.start - 1 if opened else first.start
    low, high = first.low, last.high
    if low is not None and high is not None and low > high and first.kind is not Kind.DATE:
        low, high = last.low, first.high
    if last.kind is Kind.TIME:
        high = last.low
    return last._replace(
        start=min(start, last.start),
        begins=min(stream.starts[start], first.begins, last.begins),
        end=max(first.end, last.end),
        stops=max(first.stops, last.stops),
        low=low,
        high=high,
        high_open=last.kind is Kind.DATE,
        writing=Writing.RANGE,
        others=(),
        rivals=(),
        plain=False,
        per=last.per or first.per,
    )


def _tolerance(left: Reading, right: Reading) -> Reading | None:
    if left.low is None or right.low is None or left.low != left.high or right.low != right.high:
        return None
    spread = abs(right.low)
    unit, kind, currency = right.unit, right.kind, right.currency
    if right.kind is Kind.PERCENT and left.kind is not Kind.PERCENT:
        spread, unit, kind, currency = (
            abs(left.low) * spread / 100,
            left.unit,
            left.kind,
            left.currency,
        )
    elif left.unit and left.unit != right.unit and right.kind is not Kind.NUMBER:
        return None
    elif right.kind is Kind.NUMBER:
        unit, kind, currency = left.unit, left.kind, left.currency
    return left._replace(
        end=right.end,
        stops=right.stops,
        unit=unit,
        kind=kind,
        currency=currency,
        uncertainty=spread,
        others=(),
        per=right.per,
    )


def _leads_to(stream: Stream, left: Reading, right: Reading) -> bool:
    """Return whether an amount rises or falls from one to the other: `fell from 40 to 30 EUR`."""
    linked = right.start - left.end == 1 and stream.folds[left.end] == "to"
    rising = linked and left.plain and left.start > 0 and stream.folds[left.start - 1] in _FROM
    return rising and right.scale == 1 and _changes(stream, left.start - 1)


def _share_units(stream: Stream, readings: list[Reading]) -> list[Reading]:
    """Return the readings with the unit of `4 and 9 mg`, `from 4 to 9 mg` given to the first number too."""
    for at in range(len(readings) - 2, -1, -1):
        left, right = readings[at], readings[at + 1]
        if (
            left.kind is not Kind.NUMBER
            or right.kind not in SHARING
            or left.writing is not Writing.EXACT
        ):
            continue
        if _leads_to(stream, left, right):
            readings[at] = (as_ends(left, right) or (left,))[0]
            continue
        if (
            stream.phrase(left.end, right.start - left.end) in _LISTED
            and left.plain
            and stream.kinds[left.end] != END
            and right.start - left.end <= 2
        ):
            if (
                right.kind is Kind.MONEY
                and right.begins < stream.starts[right.start + 1]
                and not stream.words[right.start][:1].isdecimal()
            ):
                continue
            readings[at] = in_kind_of(left, right)
    return readings
