"""One amount: a number with its sign, currency, percent sign, unit or counted noun."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.cents import read_trailing_cents
from verifier.core.quantities.currencies import currency_family
from verifier.core.quantities.money import Tender, settle_currency, tender_after, tender_before
from verifier.core.quantities.nouns import find_noun
from verifier.core.quantities.numbers import read_number
from verifier.core.quantities.rates import per_unit
from verifier.core.quantities.readings import Reading, from_number
from verifier.core.quantities.tokens import DIGITS, WORD
from verifier.core.quantities.unitwords import find_unit
from verifier.core.quantities.versions import in_name
from verifier.core.tables import word_set
from verifier.core.units import DURATION_DIMENSIONS, TEMPERATURE
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.quantities.context import Context
    from verifier.core.quantities.powers import Number
    from verifier.core.quantities.tokens import Stream
    from verifier.core.quantities.unitwords import UnitMatch

_MINUS: Final = frozenset("-−–")
_PERCENT_SIGNS: Final = frozenset("%٪％")
PERCENT_WORDS: Final = frozenset(
    {"percent", "percents", "pct", "percentage", "prozent", "procent", "percento"}
)
PERCENT_PAIRS: Final = frozenset(
    {"per cent", "per cents", "pour cent", "por ciento", "per cento", "por cento"}
)
_POINT_PHRASES: Final = {
    "percentage points": 1,
    "percentage point": 1,
    "percent points": 1,
    "% points": 1,
    "% point": 1,
    "basis points": 100,
    "basis point": 100,
}
_POINT_WORDS: Final = {
    "pp": 1,
    "ppt": 1,
    "ppts": 1,
    "bps": 100,
    "bp": 100,
    "prozentpunkte": 1,
    "prozentpunkten": 1,
}
_MONEY_CONTEXT: Final = 12
_CHANGE_REACH: Final = 4


def read_amount(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return the amount that starts at token `index`, its sign included, or None."""
    start, negative = index, False
    if stream.words[index] in _MINUS or stream.folds[index] in {"minus", "negative"}:
        start, negative = index + 1, True
    elif stream.words[index] == "+":
        start = index + 1
    before = tender_before(stream, start) if stream.kinds[start] != DIGITS else None
    if before is not None:
        reading = _money_after_mark(stream, start, before, context)
    else:
        reading = _amount_at(stream, start, context)
    if reading is None:
        return None
    reading = reading._replace(start=index, begins=stream.starts[index])
    return _negated(reading) if negative else reading


def _negated(reading: Reading) -> Reading:
    low, high = reading.low, reading.high
    return reading._replace(
        low=None if high is None else -high,
        high=None if low is None else -low,
        others=tuple((-value, places) for value, places in reading.others),
        plain=False,
    )


def _money_after_mark(
    stream: Stream, index: int, tender: Tender, context: Context
) -> Reading | None:
    position = tender.end
    minus = stream.words[position] in _MINUS and stream.glued(position + 1)
    number = read_number(stream, position + minus, context, money=True)
    if number is None or stream.starts[position] - stream.ends[tender.end - 1] > 2:
        return None
    reading = _money(stream, index, number, tender, context)
    if number.places == 0 and number.scale == 1 and not number.spelled:
        after = tender_after(stream, number.end)
        if (
            after is not None
            and after.parts == 1
            and stream.kinds[number.end] == WORD
            and len(stream.words[number.end]) == 3
            and stream.kinds[number.end + 1] != DIGITS
        ):
            code, mark = settle_currency(after.code, context.default_currency)
            reading = reading._replace(currency=code, unit=mark, end=after.end, stops=after.stops)
    reading = _named_in_brackets(stream, _with_cents(stream, reading, context))
    return _negated(reading) if minus else reading


def _money(stream: Stream, index: int, number: Number, tender: Tender, context: Context) -> Reading:
    code, mark = settle_currency(tender.code, context.default_currency)
    end = max(number.end, tender.end)
    stops = tender.stops if tender.end > number.end else stream.ends[number.end - 1]
    reading = from_number(Kind.MONEY, index, stream.starts[index], stops, number)
    factor = Fraction(tender.scale, tender.parts)
    places = number.places + (len(str(tender.parts)) - 1) - (len(str(tender.scale)) - 1)
    return reading._replace(
        end=end,
        low=number.value * factor,
        high=number.value * factor,
        others=tuple((value * factor, written) for value, written in number.others),
        places=places,
        currency=code,
        unit=mark,
        scale=number.scale * tender.scale,
    )


def _named_in_brackets(stream: Stream, reading: Reading) -> Reading:
    """Return `¥48 (JPY)` in the currency that the brackets name."""
    code, end = stream.words[reading.end + 1], reading.end + 3
    if stream.words[reading.end] != "(" or stream.words[end - 1] != ")" or reading.unit is None:
        return reading
    if code not in currency_family(reading.unit):
        return reading
    return reading._replace(currency=code, unit=None, end=end, stops=stream.ends[end - 1])


def _with_cents(stream: Stream, reading: Reading, context: Context) -> Reading:
    if (
        reading.places > 0
        or reading.scale > 1
        or reading.low is None
        or reading.low.denominator != 1
    ):
        return reading
    cents = read_trailing_cents(stream, reading.end, context)
    if cents is None:
        return reading
    value = reading.low + cents[0]
    return reading._replace(
        low=value, high=value, places=2, end=cents[1], stops=stream.ends[cents[1] - 1], others=()
    )


def _amount_at(stream: Stream, index: int, context: Context) -> Reading | None:
    number = read_number(stream, index, context)
    if number is None:
        return None
    tender = tender_after(stream, number.end)
    if tender is None and stream.words[number.end] in {"m", "M", "B", "b", "T", "L", "G"}:
        tender = tender_after(stream, number.end + 1)
        if tender is not None:
            number = read_number(stream, index, context, money=True) or number
            tender = tender_after(stream, number.end)
    if tender is not None:
        return _money_before_mark(stream, index, number, tender, context)
    english = context.language == "en" or (not context.language and stream.english)
    if number.others and english and not number.stays_open:
        number = number._replace(others=())
    return _measured(stream, index, number, context)


def _money_before_mark(
    stream: Stream, index: int, number: Number, tender: Tender, context: Context
) -> Reading:
    reading = _money(stream, index, number, tender, context)
    reading = reading._replace(stops=tender.stops)
    return _with_cents(stream, reading, context) if tender.parts == 1 else reading


def _measured(stream: Stream, index: int, number: Number, context: Context) -> Reading:
    reading = from_number(
        Kind.NUMBER, index, stream.starts[index], stream.ends[number.end - 1], number
    )
    percent = _percent(stream, reading)
    if percent is not None:
        return percent
    found = find_unit(stream, number.end)
    if found is not None:
        return _with_unit(stream, reading, found, context)
    if stream.folds[index - 1] in {"age", "aged"} and index and number.value < 130:
        return reading._replace(kind=Kind.DURATION, unit="yr")
    noun = find_noun(stream, number.end, single=number.value == 1)
    named = noun is not None and in_name(stream, index, number.end)
    if named and stream.folds[number.end] in word_set("quantity_words", "noun_verbs"):
        noun = None
    if noun is not None and (number.value.denominator == 1 or number.scale > 1):
        return reading._replace(
            kind=Kind.QUANTITY,
            unit=noun[0],
            end=noun[1],
            stops=stream.ends[noun[1] - 1],
            others=number.others,
        )
    return reading


def _percent(stream: Stream, reading: Reading) -> Reading | None:
    """Return the reading as percent, percentage points or basis points, or None where neither is written."""
    index = reading.end
    if stream.words[index] == "-" and stream.glued(index) and stream.glued(index + 1):
        index += 1
    word, pair = stream.folds[index], stream.phrase(index, 2)
    parts = _POINT_PHRASES.get(pair) or _POINT_WORDS.get(word)
    if parts:
        end = index + (2 if pair in _POINT_PHRASES else 1)
        kind, places = Kind.PERCENTAGE_POINT, reading.places + (2 if parts == 100 else 0)
    elif word in _PERCENT_SIGNS or word in PERCENT_WORDS or pair in PERCENT_PAIRS:
        end = index + (2 if pair in PERCENT_PAIRS else 1)
        kind, parts, places = Kind.PERCENT, 1, reading.places
    else:
        return None
    value = None if reading.low is None else reading.low / parts
    return reading._replace(
        kind=kind,
        low=value,
        high=value,
        places=places,
        end=end,
        stops=stream.ends[end - 1],
        others=(),
    )


def _with_unit(stream: Stream, reading: Reading, found: UnitMatch, context: Context) -> Reading:
    if (
        found.unit.name == "lb"
        and found.letters.lower() in {"pound", "pounds"}
        and _speaks_of_money(stream, reading)
    ):
        code, mark = settle_currency("pound", context.default_currency)
        return reading._replace(
            kind=Kind.MONEY, currency=code, unit=mark, end=found.end, stops=found.stops
        )
    kind = Kind.DURATION if found.unit.dimension in DURATION_DIMENSIONS else Kind.QUANTITY
    reading = reading._replace(kind=kind, unit=found.unit.name, end=found.end, stops=found.stops)
    if found.unit.dimension == TEMPERATURE and _is_difference(stream, reading):
        reading = reading._replace(unit=f"Δ{found.unit.name}")
    if found.letters == "m" and stream.glued(found.end - 1):
        minutes = reading._replace(kind=Kind.DURATION, unit="min")
        reading = reading._replace(rivals=(minutes,))
    return _rate(stream, reading)


def _is_difference(stream: Stream, reading: Reading) -> bool:
    """Return whether a temperature is told as a change (`warmed by`, `a rise of`, `10 °C warmer`)."""
    before = stream.folds[max(0, reading.start - _CHANGE_REACH) : reading.start]
    if (
        before
        and before[-1] in {"by", "of"}
        and not word_set("quantity_words", "changes").isdisjoint(before)
    ):
        return True
    return stream.folds[reading.end] in word_set("quantity_words", "compared")


def _rate(stream: Stream, reading: Reading) -> Reading:
    """Return the reading with `per hour` taken into its unit."""
    per = per_unit(stream, reading.end)
    if (
        per is None
        or reading.kind is Kind.DURATION
        or reading.unit is None
        or not per[0][:1].isalpha()
    ):
        return reading
    return reading._replace(
        unit=f"{reading.unit}/{per[0]}", end=per[1], stops=stream.ends[per[1] - 1]
    )


def _speaks_of_money(stream: Stream, reading: Reading) -> bool:
    if reading.scale >= 10**6:
        return True
    near = stream.folds[max(0, reading.start - _MONEY_CONTEXT) : reading.start]
    return not word_set("quantity_words", "money_cues").isdisjoint(
        near
    ) and "weigh" not in " ".join(near)
