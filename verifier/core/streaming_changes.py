"""What became of what a stream told: its verdicts and corrections beside those on the whole answer."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from verifier.core.streaming_events import Amended
from verifier.core.verdicts import VerdictCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from verifier.core.policy import Edit
    from verifier.core.report import GroundingReport, JudgedClaim
    from verifier.core.spans import Span


class Told:
    """What a stream has told so far: verdicts, corrections, and what went out without a verdict."""

    def __init__(self) -> None:
        self.judged: list[JudgedClaim] = []
        self.edits: list[Edit] = []
        self.late: list[Span] = []

    def was_late(self, span: Span) -> bool:
        """Return whether something of a span went out as unverifiable."""
        return any(span.overlaps(one) for one in self.late)

    def find_late(self, judged: Iterable[JudgedClaim]) -> Iterator[Amended]:
        """Yield the verdicts on what went out without one."""
        for one in judged:
            if self.late and self.was_late(one.claim.span):
                yield Amended(
                    span=one.claim.span,
                    text=one.claim.text,
                    was=(VerdictCode.UNVERIFIABLE,),
                    now=(one,),
                )

    def find_changes(self, report: GroundingReport, shown: int) -> Iterator[Amended]:
        """Yield what is told otherwise of the first `shown` characters by the report of the whole."""
        now = [one for one in report.judged if one.claim.span.start < shown]
        yield from self._compare_verdicts(report.answer, now)
        if report.release is not None and report.release.edits != tuple(self.edits):
            edits = [one for one in report.release.edits if one.span.start < shown]
            yield from _compare_edits(report.answer, self.edits, edits)

    def _compare_verdicts(self, answer: str, now: Iterable[JudgedClaim]) -> Iterator[Amended]:
        before: defaultdict[Span, list[VerdictCode]] = defaultdict(list)
        after: defaultdict[Span, list[JudgedClaim]] = defaultdict(list)
        for one in self.judged:
            before[one.claim.span].append(one.verdict.code)
        for one in now:
            after[one.claim.span].append(one)
        for span in sorted({*before, *after}):
            was, held = before.get(span, []), after.get(span, [])
            if not was and self.was_late(span):
                was = [VerdictCode.UNVERIFIABLE]
            if sorted(was) != sorted(one.verdict.code for one in held):
                yield Amended(span=span, text=span.of(answer), was=tuple(was), now=tuple(held))


def _compare_edits(answer: str, made: Sequence[Edit], right: Sequence[Edit]) -> Iterator[Amended]:
    """Yield each place whose correction went out and does not stand, or stands and did not go out."""
    shown = {edit.span: edit.new for edit in made}
    wanted = {edit.span: edit.new for edit in right}
    for span in sorted({*shown, *wanted}):
        written = span.of(answer)
        was, now = shown.get(span, written), wanted.get(span, written)
        if was != now:
            yield Amended(span=span, text=written, shown=was, right=now)
