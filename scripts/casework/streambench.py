"""Streaming an answer: how long its sentences wait, what that costs, and what has to be amended."""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from casework.cases import read_cases
from casework.conversations import read_conversations
from casework.evidence import UnknownShape, turn_of
from casework.timing import make_sample
from casework.verifying import catalog_of
from verifier.core.catalog import parse_catalog
from verifier.core.policy import Policy
from verifier.core.sentences import split_sentences
from verifier.core.streaming_events import Amended, Ended, Released
from verifier.core.turn_file import read_turn
from verifier.errors import VerifierError
from verifier.verify.policy import verify_under
from verifier.verify.streaming import stream_answer
from verifier.verify.streaming_parts import PartJudge
from verifier.verify.verifier import Backing, begin_provenance

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from verifier.core.report import GroundingReport
    from verifier.core.streaming_events import StreamEvent
    from verifier.core.turns import Turn

_TOKEN: Final = 4
_PACE_S: Final = 0.004


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """What streaming one answer took, in milliseconds, beside verifying it at once.

    Times of work are the processor's: with all at hand, and with a sentence at a time. Delays are the
    clock's, of each sentence since its last character came, at a token in four milliseconds.
    """

    sentences: int
    verify_ms: float
    stream_ms: float
    single_ms: float
    delay_p50: float
    delay_p95: float


@dataclass(slots=True, kw_only=True)
class Amendments:
    """What had to be amended in many answers."""

    answers: int = 0
    claims: int = 0
    parts: int = 0
    amended: int = 0
    retracted: int = 0
    changes: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    unequal: list[str] = field(default_factory=list)


def make_answer(sentences: int) -> tuple[str, Turn]:
    """Return an answer of so many sentences about one turn's evidence."""
    texts = []
    count = 0
    for seed in range(10_000):
        texts.append(make_sample(seed).answer)
        count += len(split_sentences(texts[-1]))
        if count >= sentences:
            break
    text = "\n\n".join(texts)
    end = split_sentences(text)[sentences - 1].span.end
    return text[:end], make_sample(0).turn


def time_stream(answer: str, turn: Turn, repeats: int = 3) -> Waits:
    """Return what streaming an answer takes, the least of so many runs, and how long its sentences wait."""
    sentences = split_sentences(answer)
    edges = [0, *(one.span.end for one in sentences[:-1]), len(answer)]
    singly = [answer[one:other] for one, other in pairwise(edges)]
    tokens = [answer[at : at + _TOKEN] for at in range(0, len(answer), _TOKEN)]
    delays = asyncio.run(_take_delays(tokens, turn, [one.span.end for one in sentences]))
    return Waits(
        sentences=len(sentences),
        verify_ms=min(_clock(lambda: verify_whole(answer, turn)) for _ in range(repeats)) * 1_000,
        stream_ms=_time(tokens, turn, repeats, yields=0),
        single_ms=_time(singly, turn, repeats, yields=6),
        delay_p50=statistics.median(delays) * 1_000,
        delay_p95=sorted(delays)[int(len(delays) * 0.95)] * 1_000,
    )


def _time(pieces: list[str], turn: Turn, repeats: int, *, yields: int) -> float:
    """Return the least time of streaming pieces, between each of which others may run."""

    async def write() -> AsyncIterator[str]:
        for piece in pieces:
            yield piece
            for _ in range(yields):
                await asyncio.sleep(0)

    async def run() -> None:
        async for _ in stream(turn, write()):
            pass

    return min(_clock(lambda: asyncio.run(run())) for _ in range(repeats)) * 1_000


async def _take_delays(pieces: list[str], turn: Turn, ends: list[int]) -> list[float]:
    """Stream pieces at their pace, and return how long after its last character each sentence was told."""
    came: list[float] = []

    async def write() -> AsyncIterator[str]:
        for piece in pieces:
            await asyncio.sleep(_PACE_S)
            came.extend([time.perf_counter()] * len(piece))
            yield piece

    told = [
        (event.span.end, time.perf_counter())
        async for event in stream(turn, write())
        if isinstance(event, Released)
    ]
    return [next(moment for upto, moment in told if upto >= end) - came[end - 1] for end in ends]


def _clock(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def verify_whole(answer: str, turn: Turn, backing: Backing | None = None) -> GroundingReport:
    """Return the report on an answer at once."""
    return asyncio.run(verify_under(Policy(), answer, turn, backing=backing or Backing()))


async def stream(
    turn: Turn, pieces: AsyncIterator[str], backing: Backing | None = None
) -> AsyncIterator[StreamEvent]:
    """Yield the events of an answer that comes in pieces."""
    held = backing or Backing()
    policy = Policy()
    judge = PartJudge(turn, policy, held, begin_provenance(held.catalog))

    async def verify(whole: str) -> GroundingReport:
        return await verify_under(policy, whole, turn, backing=held)

    async for event in stream_answer(pieces, judge, policy, verify, max_delay_s=60.0):
        yield event


def count_amendments(answers: Iterator[tuple[str, str, Turn, Backing]], seed: int) -> Amendments:
    """Stream many answers, cut anywhere, and count what is told otherwise at their ends."""
    chooser = random.Random(seed)  # noqa: S311 -- a measurement, repeated by its seed
    found = Amendments()
    for name, answer, turn, backing in answers:
        sizes = chooser.choice((1, 3, 12, 80))
        events = asyncio.run(_collect(answer, turn, backing, sizes, chooser))
        _count(found, name, events, verify_whole(answer, turn, backing))
    return found


async def _collect(
    answer: str, turn: Turn, backing: Backing, size: int, chooser: random.Random
) -> list[StreamEvent]:
    async def write() -> AsyncIterator[str]:
        at = 0
        while at < len(answer):
            step = chooser.randint(1, size)
            await asyncio.sleep(0)
            yield answer[at : at + step]
            at += step

    return [event async for event in stream(turn, write(), backing)]


def _count(found: Amendments, name: str, events: list[StreamEvent], whole: GroundingReport) -> None:
    released = [one for one in events if isinstance(one, Released)]
    amended = [one for one in events if isinstance(one, Amended)]
    ended = events[-1]
    found.answers += 1
    found.claims += whole.claims
    found.parts += len(released)
    found.amended += len(amended)
    found.retracted += sum(one.retracts for one in amended)
    for one in amended:
        now = ",".join(sorted(claim.verdict.code for claim in one.now)) or "-"
        change = f"{','.join(sorted(one.was)) or '-'} -> {now}"
        found.changes[change] += 1
        found.examples.append(f"{name}: {change}: {one.text[:100]!r}")
    same = isinstance(ended, Ended) and ended.report.report_id == whole.report_id
    if not same or "".join(one.text for one in released) != whole.answer:
        found.unequal.append(name)


def read_case_answers(folder: Path) -> Iterator[tuple[str, str, Turn, Backing]]:
    """Yield the texts of the cases that have evidence."""
    for path in sorted(folder.glob("*.jsonl")):
        for case in read_cases(path):
            try:
                turn = turn_of(case)
            except (UnknownShape, VerifierError, ValueError, TypeError, AttributeError):
                continue
            declared = catalog_of(case)
            catalog = parse_catalog(declared) if declared else None
            backing = Backing() if catalog is None else Backing(catalog=catalog)
            if 0 < len(case.text) <= 20_000:
                yield case.case_id, case.text, turn, backing


def read_spoken_answers(folder: Path, every: int) -> Iterator[tuple[str, str, Turn, Backing]]:
    """Yield one answer in `every` of the public conversations."""
    for at, told in enumerate(read_conversations(folder)):
        if at % every == 0:
            turn = read_turn({key: value for key, value in told.items() if key != "answer"}).turn
            yield str(told.get("id")), told["answer"], turn, Backing()
