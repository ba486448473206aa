"""Asking before something is lost."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from verifier.errors import InputError

if TYPE_CHECKING:
    from verifier.interfaces.cli.invocation import Invocation


def confirm(question: str, invocation: Invocation, *, yes: bool) -> None:
    """Return where `yes` was given or a person agrees; typer.Abort where one does not.

    Raises InputError where nobody can be asked: without a terminal, or with results for a program.
    """
    if yes:
        return
    if invocation.as_json or not sys.stdin.isatty():
        raise InputError(f"{question} Nobody can be asked here; give --yes")
    typer.confirm(question, abort=True, err=True)
