"""Raw contents of cells, records and cards, read as values of a catalog attribute."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from verifier.core.catalog.declarations import Attribute, AttributeKind
from verifier.core.quantities import extract_quantities, minor_units, read_exact, unit_of
from verifier.core.text import fold
from verifier.core.values import Interval, Kind, Quantity, TextValue, Value

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import tzinfo

_LONGEST_VALUE: Final = 10_000
_SECONDS_A_DAY: Final = 86_400
_PERCENT: Final = frozenset({"%", "percent"})
_TEXT_KINDS: Final = {
    AttributeKind.STATE: Kind.STATE,
    AttributeKind.NAME: Kind.NAME,
    AttributeKind.TEXT: Kind.TEXT,
    AttributeKind.IDENTIFIER: Kind.IDENTIFIER,
}
_TRUTH: Final = {"true": "yes", "yes": "yes", "t": "yes", "false": "no", "no": "no", "f": "no"}


def read_value(
    attribute: Attribute,
    raw: object,
    *,
    currency: str | None = None,
    timezone_name: str | None = None,
    scaled: bool = False,
) -> Value | None:
    """Return what `raw` says of the attribute, or None where it can't be such a value.

    `raw` is a JSON value or a cell's text. `scaled` tells that a number counts the attribute's minor
    units, as its column does. Money without a currency stays without one.
    """
    if raw is None or isinstance(raw, (dict, list, tuple)):
        return None
    if isinstance(raw, str) and (len(raw) > _LONGEST_VALUE or not raw.strip()):
        return None
    if attribute.kind is AttributeKind.BOOLEAN:
        return _read_boolean(raw)
    if isinstance(raw, bool) and attribute.kind is not AttributeKind.STATE:
        return None
    if attribute.kind is AttributeKind.MONEY:
        return _read_money(attribute, raw, currency=currency, scaled=scaled)
    if attribute.kind is AttributeKind.QUANTITY:
        return _read_quantity(attribute, raw)
    if attribute.kind is AttributeKind.DATE:
        return _read_date(raw, timezone_name)
    return _read_text(attribute, raw)


def read_cell(
    attribute: Attribute, cells: Mapping[str, str | None], *, timezone_name: str | None = None
) -> Value | None:
    """Return what a row's cells, by column, say of the attribute; None where they say nothing readable.

    A currency column that is empty leaves money without a value.
    """
    currency = attribute.currency
    if attribute.currency_column is not None:
        told = cells.get(attribute.currency_column)
        if told is None or not told.strip():
            return None
        currency = told.strip().upper()
    value = read_value(
        attribute,
        cells.get(attribute.column),
        currency=currency,
        timezone_name=timezone_name,
        scaled=attribute.minor_units,
    )
    if attribute.round is None or not isinstance(value, Quantity):
        return value
    return _rounded(value, attribute.round)


def _rounded(value: Quantity, places: int) -> Quantity:
    """Return a value to as many places, a half away from zero, as prices are rounded."""
    number = value.interval.low
    if number is None or not value.interval.is_point:
        return value
    scaled = abs(number) * 10**places + Fraction(1, 2)
    shown = Fraction(scaled.numerator // scaled.denominator, 10**places)
    return replace(value, interval=Interval.point(shown if number >= 0 else -shown))


def read_state(attribute: Attribute, written: str) -> TextValue:
    """Return the state that `written` names: as stored where the catalog knows it, else as written."""
    folded = _fold_words(written)
    for state, synonyms in attribute.states:
        if folded in {_fold_words(state), *map(_fold_words, synonyms)}:
            return TextValue(kind=Kind.STATE, text=written, folded=_fold_words(state))
    return TextValue(kind=Kind.STATE, text=written, folded=folded)


def place_moment(moment: datetime, timezone_name: str | None) -> Interval:
    """Return a moment as a point of days, in a zone where it has an offset."""
    local = moment if moment.tzinfo is None else moment.astimezone(find_zone(timezone_name))
    seconds = Fraction(local.hour * 3600 + local.minute * 60 + local.second) + Fraction(
        local.microsecond, 1_000_000
    )
    return Interval.point(Fraction(local.toordinal()) + seconds / _SECONDS_A_DAY)


def find_zone(name: str | None) -> tzinfo:
    """Return the zone of an IANA name; UTC where none is given or it is unknown."""
    if name is None:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def write_corrected(value: Value, cell: str) -> str:
    """Return the right value as people write it: money with its currency's places, else the cell."""
    if not isinstance(value, Quantity) or value.kind is not Kind.MONEY:
        return cell
    amount = value.interval.low
    if amount is None or not value.interval.is_point:
        return cell
    places = minor_units(value.currency or "") if value.currency else None
    return write_decimal(amount, 2 if places is None else places)


def write_decimal(number: Fraction, places: int) -> str:
    """Return `number` with at least `places` decimals, exactly; a fraction that has no end as p/q."""
    denominator, longer = number.denominator, 0
    while denominator % 10 == 0:
        denominator, longer = denominator // 10, longer + 1
    twos = fives = 0
    while denominator % 2 == 0:
        denominator, twos = denominator // 2, twos + 1
    while denominator % 5 == 0:
        denominator, fives = denominator // 5, fives + 1
    if denominator != 1:
        return str(number)
    shown = max(places, longer + max(twos, fives))
    scaled = int(number * 10**shown)
    digits = str(abs(scaled)).zfill(shown + 1)
    whole, decimals = (digits[:-shown], f".{digits[-shown:]}") if shown else (digits, "")
    return f"{'-' if scaled < 0 else ''}{whole}{decimals}"


def _read_boolean(raw: object) -> TextValue | None:
    truth = _TRUTH.get(str(raw).strip().casefold())
    return None if truth is None else TextValue(kind=Kind.BOOLEAN, text=str(raw), folded=truth)


def _read_money(
    attribute: Attribute, raw: object, *, currency: str | None, scaled: bool
) -> Quantity | None:
    known = currency or attribute.currency
    amount = read_exact(raw)
    if amount is None:
        return _read_whole(raw, Kind.MONEY)
    if scaled:
        places = minor_units(known) if known else None
        if places is None:
            return None
        amount /= 10**places
    return Quantity(kind=Kind.MONEY, interval=Interval.point(amount), text=str(raw), currency=known)


def _read_quantity(attribute: Attribute, raw: object) -> Quantity | None:
    number = read_exact(raw)
    if number is None:
        read = _read_whole(raw, None)
        counts = read is None or read.unit is None or attribute.unit is not None
        return read if counts else None
    known = attribute.unit in _PERCENT or unit_of(attribute.unit or "") is not None
    if attribute.unit and not known:
        return Quantity(
            kind=Kind.QUANTITY, interval=Interval.point(number), text=str(raw), unit=attribute.unit
        )
    if attribute.unit:
        return _read_whole(f"{raw} {attribute.unit}", None)
    return Quantity(kind=Kind.NUMBER, interval=Interval.point(number), text=str(raw))


def _read_whole(raw: object, kind: Kind | None) -> Quantity | None:
    """Read a text that is one quantity from end to end, such as `$49.90`."""
    if not isinstance(raw, str):
        return None
    text = raw.strip()
    mentions = extract_quantities(text)
    if len(mentions) != 1 or mentions[0].span.of(text) != text:
        return None
    value = mentions[0].value
    if not isinstance(value, Quantity) or value.fault is not None:
        return None
    return value if kind is None or value.kind is kind else None


def _read_date(raw: object, timezone_name: str | None) -> Quantity | None:
    if not isinstance(raw, str):
        return None
    text = raw.strip()
    try:
        if len(text) == len("2026-01-31"):
            return _day(date.fromisoformat(text).toordinal(), text)
        moment = datetime.fromisoformat(text)
    except ValueError:
        read = _read_whole(text, Kind.DATE)
        return None if read is None else replace(read, text=text)
    return Quantity(kind=Kind.DATE, interval=place_moment(moment, timezone_name), text=text)


def _day(ordinal: int, text: str) -> Quantity:
    return Quantity(
        kind=Kind.DATE,
        interval=Interval(low=Fraction(ordinal), high=Fraction(ordinal + 1), high_open=True),
        text=text,
    )


def _read_text(attribute: Attribute, raw: object) -> TextValue | None:
    if attribute.kind is AttributeKind.STATE:
        if isinstance(raw, bool):
            raw = "true" if raw else "false"
        return read_state(attribute, raw) if isinstance(raw, str) else None
    text = raw if isinstance(raw, str) else str(raw)
    if not isinstance(raw, (str, int)):
        return None
    folded = fold(text.strip())
    if attribute.kind is AttributeKind.TEXT:  # "Dr." at the end of a sentence loses its stop
        folded = folded.rstrip(".") or folded
    return TextValue(kind=_TEXT_KINDS[attribute.kind], text=text, folded=folded)


def _fold_words(text: str) -> str:
    return " ".join(fold(text).replace("_", " ").replace("-", " ").split())
