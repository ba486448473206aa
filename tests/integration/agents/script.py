"""What a model is made to say, and what an agent of a framework made of it."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from verifier.agents.grounding import Grounding

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of the model."""

    call_id: str
    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """One reply of the model: words, calls, or both."""

    words: str
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question, and the replies of the model until it is answered."""

    question: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Talk:
    """What the caller was shown, an answer an exchange, and the history as it is stored afterwards.

    The newest answer is not in the history: an application stores it when it has it.
    """

    shown: list[str]
    stored: Sequence[object]


class Framework(Protocol):
    """Runs a script with a real framework; the model is called as often as the script says."""

    async def __call__(
        self,
        grounding: Grounding,
        script: Sequence[Exchange],
        *,
        tools: Sequence[Callable[..., Any]],
    ) -> Talk: ...


class Model:
    """Gives the steps of a script one after another."""

    def __init__(self, script: Sequence[Exchange]) -> None:
        self._steps: Iterator[Step] = iter([step for one in script for step in one.steps])

    def reply(self) -> Step:
        return next(self._steps)


def in_own_loop(work: Callable[[], T]) -> T:
    """Do blocking work in a thread that has a loop, and close that: some frameworks leave theirs open."""

    def work_there() -> T:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        try:
            return work()
        finally:
            asyncio.set_event_loop(None)
            loop.close()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work_there).result()
