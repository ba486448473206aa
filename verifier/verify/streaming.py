"""Verifying an answer while it is being written: nothing that can be checked goes out before its verdict.

A part is judged as soon as nothing can change it any more, with what leads to it; what waits too long
goes out as unverifiable, or is told to be withheld. At the end the whole answer is verified as any other,
and what that changes of what was told is told too.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

from verifier.core.annotation import write_notes
from verifier.core.policy import Mode
from verifier.core.spans import Span
from verifier.core.streaming_buffer import MOST_HELD, StreamBuffer
from verifier.core.streaming_changes import Told
from verifier.core.streaming_cuts import has_open_notes
from verifier.core.streaming_events import Ended, Released, Withheld
from verifier.core.streaming_marks import LateMarks, renew_notes
from verifier.core.verdicts import Disposition, Reason
from verifier.errors import InputError
from verifier.verify.answer_reading import LONGEST_ANSWER
from verifier.verify.streaming_reading import PieceReader

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterator

    from verifier.core.policy import Annotation, Policy
    from verifier.core.report import GroundingReport
    from verifier.core.streaming_events import StreamEvent
    from verifier.verify.streaming_parts import JudgedPart, PartJudge

MAX_DELAY_S: Final = 10.0
"""How long a character is held back where nothing else is said."""

_GROUPS: Final = 0.5  # of the delay: how long a table's end, or an open quotation's, is waited for


async def stream_answer(
    pieces: AsyncIterable[str],
    judge: PartJudge,
    policy: Policy,
    verify: Callable[[str], Awaitable[GroundingReport]],
    *,
    max_delay_s: float = MAX_DELAY_S,
) -> AsyncGenerator[StreamEvent, None]:
    """Yield what may be shown of an answer as its pieces come, with verdicts; last, `Ended`.

    `verify` gives the report of the whole. Closed early, the producer is closed too. Where the producer
    raises, what had come is judged and told, and the error goes on. Raises InputError for pieces that are
    no text, and for a delay that is not above 0.
    """
    if not max_delay_s > 0:
        raise InputError("max_delay_s is a number of seconds above 0")
    stream = _Stream(judge, policy, max_delay_s)
    async with aclosing(PieceReader(pieces)) as reader:
        while stream.goes_on:
            await stream.read(reader)
            while events := await stream.advance():
                for event in events:
                    yield event
    for event in await stream.finish():
        yield event
    for event in await stream.report(verify):
        yield event
    if stream.failure is not None:
        raise stream.failure


class _Stream:
    """One answer on its way out."""

    def __init__(self, judge: PartJudge, policy: Policy, max_delay_s: float) -> None:
        self.stopped = False
        self.failure: Exception | None = None
        self._ended = False
        self._judge = judge
        self._policy = policy
        self._max_delay_s = max_delay_s
        self._holds = policy.mode is Mode.HOLD
        self._buffer = StreamBuffer()
        self._told = Told()
        self._marks: list[Annotation] = []
        self._late = LateMarks(judge.label)
        self._withheld = 0
        self._slow = -1

    @property
    def goes_on(self) -> bool:
        """Whether more may come, and go out."""
        return not (self._ended or self.stopped or self.failure)

    async def read(self, reader: PieceReader) -> None:
        """Wait for pieces as long as what is held may wait; a producer that fails ends what comes."""
        try:
            came = await reader.read(self._find_wait())
        except Exception as error:
            self.failure = error
            return
        now = asyncio.get_running_loop().time()
        for piece in came:
            if piece is None:
                self._ended = True
            else:
                self._buffer.add(piece, now)

    async def advance(self) -> list[StreamEvent]:
        """Return what can be told now; nothing where more has to come."""
        if self.stopped:
            return []
        length = self._find_ready()
        if length:
            return await self._judge_part(length)
        self.stopped = self._buffer.length > LONGEST_ANSWER
        overdue = self._is_over(1.0) or len(self._buffer.held) > MOST_HELD or self.stopped
        return list(self._give_up()) if overdue else []

    async def finish(self) -> list[StreamEvent]:
        """Return the rest, which nothing follows."""
        if self.stopped or not self._buffer.tail:
            return []
        return await self._judge_part(len(self._buffer.tail), ended=True)

    async def report(
        self, verify: Callable[[str], Awaitable[GroundingReport]]
    ) -> list[StreamEvent]:
        """Return what the report of the whole changes, the footnotes, and the end."""
        report = await verify(self._buffer.read_all())
        events: list[StreamEvent] = [*self._told.find_changes(report, self._buffer.shown)]
        if self._marks or self._late.marks:
            notes = [*renew_notes(self._marks, report.judged), *self._late.marks]
            end = Span(self._buffer.shown, self._buffer.shown)
            events.append(Released(text=write_notes(report.answer, notes), span=end))
        return [*events, Ended(report=report, complete=self._ended)]

    def _find_wait(self) -> float | None:
        """Return how long the next piece may be waited for; None is for as long as it takes."""
        since = self._buffer.held_since()
        if since is None or self._buffer.shown < self._withheld:
            return None
        passed = asyncio.get_running_loop().time() - since
        left = self._max_delay_s * _GROUPS - passed
        return left if left > 0 else max(0.0, self._max_delay_s - passed)

    def _find_ready(self) -> int:
        """Return how much of the tail can be judged now; what took too long waits for what follows."""
        if self._slow == self._buffer.length:
            return 0
        length = self._buffer.find_certain(waits=not self._is_over(_GROUPS))
        part = self._buffer.tail[:length]
        return 0 if self._holds and has_open_notes(part, part) else length

    def _is_over(self, share: float) -> bool:
        """Return whether a share of the delay has passed for the first character that is held."""
        since = self._buffer.held_since()
        now = asyncio.get_running_loop().time()
        return since is not None and now - since >= self._max_delay_s * share

    async def _judge_part(self, length: int, *, ended: bool = False) -> list[StreamEvent]:
        """Judge so much of the tail, and return what comes of it; nothing where it took too long."""
        buffer, start = self._buffer, self._buffer.judged
        loop = asyncio.get_running_loop()
        since = buffer.held_since()
        until = (loop.time() if since is None else since) + self._max_delay_s
        part, shown = buffer.tail[:length], min(length, buffer.shown - start)
        try:
            async with asyncio.timeout_at(until):
                found = await self._judge.judge(part, start, shown, ended=ended)
        except TimeoutError:
            self._slow = buffer.length
            return list(self._give_up(stops=ended))
        span = Span(start + shown, start + length)
        held = self._find_held(found, span) if self._holds else None
        if held is not None:
            return list(self._stop(found, Span(span.start, held), span.end))
        events = [*self._told.find_late(found.judged)]
        buffer.take(length, self._judge.line)
        return [*self._release(found, span), *events]

    def _release(self, found: JudgedPart, span: Span) -> Iterator[StreamEvent]:
        self._told.judged += found.judged
        self._told.edits += found.edits
        self._marks += found.annotations
        yield Released(
            text=found.text,
            span=span,
            judged=found.judged,
            unchecked=found.unchecked,
            edits=found.edits,
        )

    def _find_held(self, found: JudgedPart, span: Span) -> int | None:
        """Return where the first sentence begins that the policy holds."""
        hold = self._policy.hold
        starts = [
            min(one.claim.sentence.start, one.claim.span.start)
            for one in found.judged
            if one.verdict.disposition in hold
        ]
        if Disposition.UNCHECKED in hold:
            starts += [one.span.start for one in found.unchecked]
        return max(span.start, min(starts)) if starts else None

    def _stop(self, found: JudgedPart, free: Span, end: int) -> Iterator[StreamEvent]:
        """Yield what stands before a held sentence, and the end of what goes out."""
        self.stopped = True
        judged = [one for one in found.judged if one.claim.span.end <= free.end]
        unchecked = [one for one in found.unchecked if one.span.end <= free.end]
        text = found.text[: free.end - free.start]
        self._told.judged += judged
        if text or judged:
            yield Released(text=text, span=free, judged=tuple(judged), unchecked=tuple(unchecked))
        self._buffer.show(free.end)
        yield Withheld(
            span=Span(free.end, end),
            judged=tuple(one for one in found.judged if one not in judged),
            unchecked=tuple(one for one in found.unchecked if one not in unchecked),
            stops=True,
        )

    def _give_up(self, *, stops: bool = False) -> Iterator[StreamEvent]:
        """Yield what is held as unverifiable, or that it is withheld, once."""
        buffer, text = self._buffer, self._buffer.held
        span = Span(buffer.shown, buffer.length)
        crowded = len(text) > MOST_HELD
        reason = Reason.TOO_LARGE if crowded else Reason.TIMEOUT
        if self._holds:
            self.stopped = stops or crowded
            if self.stopped or self._withheld <= buffer.shown:
                yield Withheld(span=span, reason=reason, stops=self.stopped)
            self._withheld = buffer.length
            return
        if not text:
            return
        buffer.show_all()
        if not text.strip():
            yield Released(text=text, span=span)
            return
        self._told.late.append(span)
        if self._policy.mode is Mode.ANNOTATE:
            text = self._late.mark(text, span, buffer.tail, reason)
        yield Released(text=text, span=span, late=reason)
