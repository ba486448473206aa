"""Turn files of `verifier verify`: reading them, and verifying every turn in them."""

from __future__ import annotations

import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verifier.core.report import GroundingReport
    from verifier.core.turn_file import TurnCase
    from verifier.interfaces.cli.progress import ProgressLine
    from verifier.service import Verifier

STANDARD_INPUT: Final = "-"
MAX_BYTES: Final = 200_000_000


def read_turn_files(names: Sequence[str], *, answer: str | None = None) -> tuple[TurnCase, ...]:
    """Return the turns of all files in order; `answer` takes the place of theirs.

    Raises InputError that names the file.
    """
    from verifier.core.turn_file import read_turns

    cases: list[TurnCase] = []
    for name in names:
        text = read_text_file(name)
        try:
            cases.extend(read_turns(text))
        except InputError as error:
            raise type(error)(f"{name}: {error}") from None
    if not cases:
        raise InputError(f"{', '.join(names)}: no turn in it")
    if answer is not None:
        return tuple(replace(case, answer=answer) for case in cases)
    for number, case in enumerate(cases, 1):
        if case.answer is None:
            name = case.turn.turn_id or f"number {number}"
            raise InputError(f"turn {name} has no answer; add the field answer, or pass --answer")
    return tuple(cases)


def read_text_file(name: str) -> str:
    """Return the text of a file, or of standard input for `-`. Raises InputError that names it."""
    try:
        if name == STANDARD_INPUT:
            raw = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                raw = file.read(MAX_BYTES + 1)
    except IsADirectoryError:
        raise InputError(f"{name}: a folder; name a file") from None
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from None
    if len(raw) > MAX_BYTES:
        raise InputError(f"{name}: larger than {MAX_BYTES:,} bytes; split it")
    return _decode(raw, name)


def _decode(raw: bytes, name: str) -> str:
    if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise InputError(f"{name}: not UTF-8 text but UTF-16; save it as UTF-8")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name}: not UTF-8 text at byte {error.start}; save it as text in UTF-8"
        ) from None
    at = raw.find(0)
    if at >= 0:
        raise InputError(f"{name}: no text, a NUL stands at byte {at}; save it as text in UTF-8")
    return text


def read_hold(names: str | None, *, strict: bool) -> tuple[str, ...] | None:
    """Return the dispositions that a list with commas names, or all that can be held where it is strict.

    None leaves it to the settings. Raises InputError where both are told.
    """
    from verifier.core.policy import HOLD_STRICT

    if strict and names is not None:
        raise InputError("pass either --hold or --strict; --strict holds all that can be held")
    if strict:
        return tuple(sorted(HOLD_STRICT))
    return None if names is None else tuple(name.strip() for name in names.split(","))


async def verify_each(
    verifier: Verifier,
    cases: Sequence[TurnCase],
    report_to: Callable[[GroundingReport], None],
    progress: ProgressLine,
) -> bool:
    """Verify every case in order, hand each report over as it comes; return whether all were accepted."""
    accepted = True
    for number, case in enumerate(cases, 1):
        progress.tell(f"turn {number:,} of {len(cases):,}")
        report = await verifier.verify(case.answer or "", case.turn)
        with progress.aside():
            report_to(report)
        accepted = accepted and report.accepted
    return accepted
