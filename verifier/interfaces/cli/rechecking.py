"""Rechecks as the command asks for them: of one report, or of all that a condition names."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, Unpack

from verifier.errors import InputError
from verifier.interfaces.cli.invocation import call_service
from verifier.interfaces.cli.progress import ProgressLine

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.audit.recheck_run import RecheckProgress, RecheckRun
    from verifier.core.rechecks import Recheck
    from verifier.interfaces.cli.invocation import Invocation


class Conditions(TypedDict):
    """Which answers are meant, and what clock they are held to."""

    since: datetime | None
    source: str | None
    entity: str | None
    as_of: datetime | None


def recheck_one(
    invocation: Invocation,
    report: str,
    conditions: tuple[object, ...],
    *,
    as_of: datetime | None,
) -> Recheck:
    """Return what one report comes to. Raises InputError where a condition stands beside it."""
    if any(one is not None for one in conditions):
        raise InputError("give either a report, or --since, --source and --entity, not both")
    return call_service(
        invocation.load_settings(),
        lambda verifier: verifier.answers.recheck(report, as_of=as_of),
        ProgressLine("verifying the answer again", as_json=invocation.as_json),
    )


def recheck_many(invocation: Invocation, **conditions: Unpack[Conditions]) -> RecheckRun:
    """Return what the answers of the conditions come to. Raises InputError where there is none."""
    if all(conditions[name] is None for name in ("since", "source", "entity")):
        raise InputError("which answers are meant? give a report, --since, --source or --entity")
    progress = ProgressLine("verifying answers again", as_json=invocation.as_json)

    def tell(told: RecheckProgress) -> None:
        progress.tell(
            f"{told.looked:,} answers looked at, {told.verified:,} verified again,"
            f" {told.flipped:,} flipped"
        )

    return call_service(
        invocation.load_settings(),
        lambda verifier: verifier.answers.recheck_all(**conditions, on_progress=tell),
        progress,
    )
