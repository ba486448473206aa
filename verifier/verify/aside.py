"""Work on long answers, and on much evidence, done beside the event loop: others are served meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.core.turns import Turn

_MOST_AT_ONCE: Final = 20_000  # a tenth of a second; below, a thread costs more than it frees
_BY_ANSWER: Final = 5  # characters of evidence that cost as much as one of the answer

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Worker:
    """Does the work on one answer: in a thread where it `is_long`, else at once."""

    is_long: bool

    @classmethod
    def of(cls, answer: str, turn: Turn) -> Worker:
        """Return the worker for an answer in its turn."""
        return cls(is_long=_is_long(answer, turn))

    async def do(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what `work` returns; nothing else may use its arguments until then."""
        if not self.is_long:
            return work(*args, **kwargs)
        return await asyncio.to_thread(work, *args, **kwargs)


def _is_long(answer: str, turn: Turn) -> bool:
    left = _MOST_AT_ONCE - _BY_ANSWER * len(answer)
    values: list[object] = [
        *(chunk.text for chunk in turn.retrieved),
        *(call.result for call in turn.calls),
        *(call.arguments for call in turn.calls),
        *turn.said,
        turn.system,
    ]
    while values and left > 0:
        value = values.pop()
        if isinstance(value, Mapping):
            values.extend(value.values())
        elif isinstance(value, list | tuple):
            values.extend(value)
        left -= len(value) if isinstance(value, str) else 10
    return left <= 0
