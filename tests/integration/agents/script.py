"""What a model is made to say, and what an agent of a framework made of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from verifier.agents.grounding import Grounding


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
