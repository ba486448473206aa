"""How a verb runs where there is no event loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

Result = TypeVar("Result")


class RunVerb(Protocol):
    """Runs a verb to its end, one at a time whatever the thread."""

    def __call__(self, verb: Coroutine[Any, Any, Result], /) -> Result:
        """Return what the verb returns."""
        ...
