"""What an error means outside: one table for every interface."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.errors import InputError, ModelError, StoreError, VerifierError

if TYPE_CHECKING:
    from collections.abc import Mapping

OK: Final = 0
NOT_ACCEPTED: Final = 1
USAGE: Final = 2
UNAVAILABLE: Final = 3
INTERNAL: Final = 70
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141

_EXIT_CODES: Final[Mapping[type[VerifierError], int]] = MappingProxyType(
    {InputError: USAGE, StoreError: UNAVAILABLE, ModelError: UNAVAILABLE}
)


def exit_code_of(error: Exception) -> int:
    """Return the exit code of a command that ended with `error`."""
    for base, code in _EXIT_CODES.items():
        if isinstance(error, base):
            return code
    return UNAVAILABLE if isinstance(error, OSError) else INTERNAL


def describe_error(error: Exception) -> dict[str, object]:
    """Return what a caller is told of `error`: its type, its message, and what it is like."""
    message = str(error) or type(error).__name__
    return {"type": type(error).__name__, "message": message, "exit_code": exit_code_of(error)}
