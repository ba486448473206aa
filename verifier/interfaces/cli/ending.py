"""How a command that failed tells so: a line for people or one JSON value, and an exit code."""

from __future__ import annotations

import sys
from typing import Final

import typer

from verifier.errors import VerifierError
from verifier.interfaces.cli.output import note, write_json
from verifier.interfaces.failures import USAGE, describe_error

_PREFIX: Final = "Value error, "
"""What pydantic puts before the reason why it refuses an option."""


def report_error(error: Exception, *, as_json: bool) -> int:
    """Write what went wrong to standard error and return the exit code.

    A traceback is shown only for an error that this package does not know, which is a fault in it.
    """
    described = describe_error(error)
    if isinstance(error, typer.TyperException):
        message = error.format_message().replace(_PREFIX, "")
        described |= {"type": "UsageError", "message": message, "exit_code": USAGE}
    if as_json:
        write_json(sys.stderr, {"error": described})
    else:
        _explain(error, str(described["message"]))
    return int(str(described["exit_code"]))


def _explain(error: Exception, message: str) -> None:
    if isinstance(error, typer.TyperException):
        command = getattr(getattr(error, "ctx", None), "command_path", "verifier")
        note(f"error: {message}\nTry `{command} --help`.")
    elif isinstance(error, VerifierError | OSError):
        note(f"error: {message}")
    else:
        import traceback

        traceback.print_exception(error)
        note("This is a fault in verifier; please report it with the lines above.")
