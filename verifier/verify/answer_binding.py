"""Binding an answer part after part, and what rows of now can't tell of other times."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.binding.binder import AnswerBinder
from verifier.core.binding.judging import Fate, Judgement
from verifier.core.facts import read_evidence
from verifier.core.values import Kind, Quantity
from verifier.core.verdicts import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.binding.binder import BoundValue
    from verifier.core.binding.operands import StatedBefore
    from verifier.core.turns import Turn
    from verifier.verify.row_records import RowRecords

_OTHER_TIME: Final = Judgement(
    fate=Fate.OPEN,
    detail="rows that hold now were read, and it tells a time",
    reason=Reason.NO_EVIDENCE,
)


class Binding:
    """What binding keeps from part to part of an answer: the evidence as it was read, what was stated.

    Of a part, only the sentences that end behind `start` are claimed; those before lead to them.
    """

    def __init__(self) -> None:
        self.start = 0
        self._turn: Turn | None = None
        self._own: AnswerBinder | None = None
        self._by_rows: list[StatedBefore] = []

    def bind(self, part: str, turn: Turn, hidden: frozenset[str]) -> tuple[BoundValue, ...]:
        """Return the values of a part; the evidence of the turn that comes first is read once."""
        if self._own is None:
            self._turn = turn
            self._own = AnswerBinder(turn, read_evidence(turn), hidden=hidden)
        if turn is self._turn:
            return self._own.bind(part, self.start)
        by_rows = AnswerBinder(turn, read_evidence(turn), hidden=hidden, before=self._by_rows)
        return by_rows.bind(part, self.start)


def without_other_times(bound: Sequence[BoundValue], records: RowRecords) -> Iterator[BoundValue]:
    """Yield the values, open where their sentence tells a time and only rows of now were read.

    That rows which hold for a time lack a value now proves no absence.
    """
    dated = {
        one.passage.sentence.span
        for one in bound
        if isinstance(one.stated.value, Quantity) and one.stated.value.kind is Kind.DATE
    }
    for one in bound:
        deciding = [candidate.fact.fact.locator for candidate in one.judgement.deciding]
        of_now = any(map(records.is_timed, deciding)) and one.passage.sentence.span in dated
        if of_now or (records.timed and one.judgement.fate is Fate.ABSENT):
            yield replace(one, judgement=_OTHER_TIME)
        else:
            yield one
