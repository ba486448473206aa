"""The words of derived values: what a value may be derived by, from what, and how it is shown."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from verifier.core.values import Quantity


class Operation(StrEnum):
    """How a value follows from others.

    BALANCE is a sum of which something is taken (the new total after an exchange). UNIT_PRICE divides by
    a count or a measure, RATIO by a like amount, SHARE says that in percent. DISCOUNT and MARKUP are an
    amount less or plus a percentage, PERCENT_OF is the percentage alone. CHANGE_PERCENT and BASIS_POINTS
    are relative to the earlier value, CHANGE_POINTS is the difference of two percentages. AS_PERCENT
    writes a fraction as a percentage. WINDOW says whether a date lies within a stretch of time: it is
    judged by `in_window`, never by `derive`.
    """

    SUM = "sum"
    DIFFERENCE = "difference"
    BALANCE = "balance"
    PRODUCT = "product"
    COUNT = "count"
    SHARE = "share"
    PERCENT_OF = "percent_of"
    AS_PERCENT = "as_percent"
    CHANGE_PERCENT = "change_percent"
    CHANGE_POINTS = "change_points"
    BASIS_POINTS = "basis_points"
    DISCOUNT = "discount"
    MARKUP = "markup"
    RATIO = "ratio"
    AVERAGE = "average"
    UNIT_PRICE = "unit_price"
    DATE_DIFFERENCE = "date_difference"
    DATE_SHIFT = "date_shift"
    EXTREME = "extreme"
    WINDOW = "window"


class Direction(StrEnum):
    """Which way the words around a value say that it goes: rose, more, highest; or fell, less, lowest."""

    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues(Collection[Operation]):
    """The operations that the words around one value license, and the direction that they tell.

    `extreme` is the end of a group that they name: UP its highest or latest value, DOWN its lowest.
    """

    operations: frozenset[Operation] = frozenset()
    direction: Direction | None = None
    extreme: Direction | None = None

    def __contains__(self, operation: object) -> bool:
        return operation in self.operations

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.operations)

    def __len__(self) -> int:
        return len(self.operations)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Operand:
    """One value that a derivation may use.

    `key` is the caller's own and given back untouched. `group` is the same for the values of one list or
    attribute (every `price` of one order's items), all of which must be given. `period` is what tells
    earlier from later: a year, a date, a quarter, or a field's words ("rate_before", "deposited"), see
    `is_earlier`. `is_subject` marks the value of the thing that the claim speaks of: "the mug costs $5
    less than the cup" is then derived only where the mug's is the smaller. A value with an open currency
    stays open: the caller gives it the currency that the evidence proves.
    """

    value: Quantity
    key: object = None
    group: Hashable | None = None
    period: str | None = None
    from_user: bool = False
    is_subject: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Derivation:
    """One value computed from others.

    `operands` are in the order of the calculation: what is taken away and what is divided by come last.
    `result` is exact, or rounded to the claim's places where the claim could not write it exactly.
    `wording` shows the calculation ("54.85 + 46.66 = 101.51"). `direction_open` says that the claim tells
    a direction ("rose", "cheaper") and nothing given shows which operand comes first.
    """

    operation: Operation
    operands: tuple[Operand, ...]
    result: Quantity
    wording: str
    direction_open: bool = False
