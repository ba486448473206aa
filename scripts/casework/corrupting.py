"""One seeded corruption of an answer: what was true of a thing by the evidence becomes false of it."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from casework.changes import Change, Corruption, make_corruption
from casework.places import Place, find_places, is_bound, read_day
from casework.records import number_of, read_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from casework.records import Leaf, Reading, Record
    from verifier.core.spans import Span
    from verifier.core.turns import Turn

_NUMERAL: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")
_STATES: Final = (
    frozenset({"pending", "shipped", "delivered", "cancelled", "refunded"}),
    frozenset({"active", "suspended", "closed"}),
    frozenset({"paid", "overdue", "disputed"}),
)
_ALIKE: Final = (
    frozenset({"shipped", "processed", "delivered", "in transit", "out for delivery"}),
    frozenset({"cancelled", "canceled", "cancel requested", "closed", "refunded", "processed"}),
    frozenset({"pending", "processing", "open", "awaiting payment", "draft", "issued"}),
    frozenset({"active", "open", "available", "paid", "on time", "delivered", "landed"}),
    frozenset({"overdue", "awaiting payment", "suspended", "issued"}),
)
_SYMBOLS: Final = {"$": "USD", "€": "EUR", "£": "GBP"}
_TRIES: Final = 12


@dataclass(frozen=True, slots=True)
class _Case:
    answer: str
    turn: Turn
    reading: Reading
    places: list[Place]
    rng: random.Random

    def shuffled(self, *sorts: str) -> list[Place]:
        found = [place for place in self.places if place.sort in sorts]
        self.rng.shuffle(found)
        return found


def corrupt(
    answer: str, turn: Turn, *, seed: str, kinds: Iterable[str] | None = None
) -> tuple[Corruption | None, list[str]]:
    """Return one corruption of a kind that the answer offers a place for, and the kinds that it does not.

    The kinds are tried in an order that the seed gives, up to the first with a place.
    """
    rng = random.Random(seed)  # noqa: S311 -- a measurement, repeated by its seed
    reading = read_records(turn)
    case = _Case(answer, turn, reading, find_places(answer, reading), rng)
    order = list(KINDS if kinds is None else kinds)
    rng.shuffle(order)
    missing: list[str] = []
    for kind in order:
        changes = next(KINDS[kind](case), None)
        if changes is not None:
            return make_corruption(kind, answer, changes), missing
        missing.append(kind)
    return None, missing


def _one(place: Place, new: str) -> tuple[Change, ...]:
    return (Change(place.span, place.text, new),)


def _digit_off(case: _Case) -> Iterator[tuple[Change, ...]]:
    for place in case.shuffled("money", "number", "written"):
        for _ in range(_TRIES):
            new = _other_digit(place.text, case.rng)
            if _is_absent(number_of(_numeral(new)), case.reading) and new not in case.reading.text:
                yield _one(place, new)
                break


def _numeral(text: str) -> str:
    found = _NUMERAL.search(text)
    return found.group() if found else "0"


def _other_digit(text: str, rng: random.Random) -> str:
    first = next(at for at, sign in enumerate(text) if sign.isdigit())
    at = rng.choice([at for at, sign in enumerate(text) if sign.isdigit()])
    digits = "123456789" if at == first else "0123456789"
    return text[:at] + rng.choice([digit for digit in digits if digit != text[at]]) + text[at + 1 :]


def _is_absent(number: Decimal, reading: Reading) -> bool:
    """Return whether no number of the turn is this one, nor the sum or difference of two of them."""
    known = reading.numbers
    if number in known:
        return False
    return not any(number - one in known or number + one in known for one in known)


def _other_row(case: _Case) -> Iterator[tuple[Change, ...]]:
    for place in case.shuffled("money", "number", "date"):
        rows = [
            leaf
            for leaf in case.reading.leaves
            if any(
                leaf.key == own.key and type(leaf.value) is type(own.value) for own in place.leaves
            )
        ]
        case.rng.shuffle(rows)
        for row in rows:
            if _is_false_there(case, place, row):
                yield _one(place, _written_like(place.text, row.value))
                break


def _is_false_there(case: _Case, place: Place, row: Leaf) -> bool:
    """Return whether the row's value is not true of any record that the place may speak of."""
    owners = [leaf.record for leaf in place.leaves]
    if row.record in owners or _is_true_of(row.value, owners, case.reading):
        return False
    above = place.sort != "date"
    return any(
        is_bound(case.answer, place.span, owner, row.record, above=above) for owner in owners
    )


def _is_true_of(value: object, owners: list[Record], reading: Reading) -> bool:
    """Return whether a record of these, or another of the same id, holds the value under any key."""
    ids = {name for owner in owners for name in owner.ids}
    same = [record for record in reading.records if record in owners or record.ids & ids]
    return any(
        _means(leaf.value) == _means(value)
        for record in same
        for leaf in (*record.leaves, *record.around)
    )


def _means(value: object) -> object:
    return value.replace("_", " ").casefold() if isinstance(value, str) else value


def _written_like(text: str, value: Decimal | str | date) -> str:
    if isinstance(value, date):
        return _day_like(text, value)
    numeral = _numeral(text)
    places = len(numeral.partition(".")[2])
    exponent = value.normalize().as_tuple().exponent if isinstance(value, Decimal) else 0
    places = max(places, -exponent if isinstance(exponent, int) else 0)
    comma = "," if "," in numeral else ""
    return text.replace(numeral, f"{value:{comma}.{places}f}", 1)


def _day_like(text: str, day: date) -> str:
    if text[:4].isdigit():
        return day.isoformat()
    month = day.strftime(
        "%B" if len(text.split(maxsplit=1)[0]) > 4 or text.startswith("May") else "%b"
    )
    return f"{month} {day.day}" + (f", {day.year}" if "," in text else "")


def _swapped(case: _Case) -> Iterator[tuple[Change, ...]]:
    found = case.shuffled("money", "number", "date")
    for at, first in enumerate(found):
        for second in found[at + 1 :]:
            if (
                first.text != second.text
                and first.sort == second.sort
                and _crosses(case, first, second)
            ):
                one, two = sorted((first, second), key=lambda place: place.span)
                yield (*_one(one, two.text), *_one(two, one.text))


def _crosses(case: _Case, first: Place, second: Place) -> bool:
    """Return whether each place speaks of a record of which the other's value is not true."""
    for ours in first.leaves:
        for theirs in second.leaves:
            if (
                ours.key == theirs.key
                and _is_false_there(case, first, theirs)
                and _is_false_there(case, second, ours)
            ):
                return True
    return False


def _wrong_currency(case: _Case) -> Iterator[tuple[Change, ...]]:
    told = {str(leaf.value).upper() for leaf in case.reading.leaves if "currency" in leaf.key}
    told |= {case.turn.default_currency} if case.turn.default_currency else set()
    for place in case.shuffled("money"):
        if _SYMBOLS[place.text[0]] in told:
            others = [symbol for symbol, code in _SYMBOLS.items() if code not in told]
            if others:
                yield _one(place, case.rng.choice(others) + place.text[1:])


def _wrong_status(case: _Case) -> Iterator[tuple[Change, ...]]:
    for place in case.shuffled("state"):
        owners = [leaf.record for leaf in place.leaves]
        keys = {leaf.key for leaf in place.leaves}
        seen = {
            _means(leaf.value) for leaf in case.reading.leaves if leaf.is_state and leaf.key in keys
        }
        usual = next((group for group in _STATES if place.text.casefold() in group), frozenset())
        choices = sorted({str(state) for state in seen} | usual)
        case.rng.shuffle(choices)
        others = [
            leaf.record
            for leaf in case.reading.leaves
            if leaf.is_state and leaf.record not in owners
        ]
        if not _is_bound_to_one(case.answer, place.span, owners, others):
            continue
        for state in choices:
            if not _alike(state, place.text.casefold()) and not _is_true_of(
                state, owners, case.reading
            ):
                yield _one(place, state.capitalize() if place.text[0].isupper() else state)
                break


def _is_bound_to_one(answer: str, span: Span, owners: list[Record], others: list[Record]) -> bool:
    """Return whether an owner is named, and nearer than every other record that has a state."""
    strangers = [other for other in others if not any(other.ids & owner.ids for owner in owners)]
    return any(
        is_bound(answer, span, owner)
        and all(is_bound(answer, span, owner, other) for other in strangers)
        for owner in owners
    )


def _alike(one: str, other: str) -> bool:
    return one == other or any(one in group and other in group for group in _ALIKE)


def _wrong_date(case: _Case) -> Iterator[tuple[Change, ...]]:
    known = {(day.month, day.day) for day in case.reading.days}
    for place in case.shuffled("date"):
        month_day, _ = read_day(place.text)
        true = next(leaf.value for leaf in place.leaves)
        if month_day is None or not isinstance(true, date):
            continue
        for _ in range(_TRIES):
            day = true + timedelta(days=case.rng.choice([-1, 1]) * case.rng.randint(1, 25))
            new = _day_like(place.text, day)
            if (day.month, day.day) not in known and not _stands_in(new, case.reading):
                yield _one(place, new)
                break


def _stands_in(text: str, reading: Reading) -> bool:
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", reading.text, re.I) is not None


def _wrong_id(case: _Case) -> Iterator[tuple[Change, ...]]:
    known = case.reading.text.casefold()
    for place in case.shuffled("id"):
        for _ in range(_TRIES):
            new = _other_digit(place.text, case.rng)
            if new.lstrip("#").casefold() not in known:
                yield _one(place, new)
                break


KINDS: Final[dict[str, Callable[[_Case], Iterator[tuple[Change, ...]]]]] = {
    "other-row": _other_row,
    "digit": _digit_off,
    "currency": _wrong_currency,
    "swapped": _swapped,
    "status": _wrong_status,
    "date": _wrong_date,
    "id": _wrong_id,
}
"""The kinds of corruption, by the name that `--kinds` takes."""
