"""What a look at the surroundings found: one check, and what to do where it is not well."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class CheckState(StrEnum):
    """Whether the thing works, works with a reservation, or does not."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at. `remedy` says what to do, None where nothing is to be done.

    `found` counts what is not as it should be, None where nothing is counted.
    """

    name: str
    state: CheckState
    detail: str
    remedy: str | None = None
    found: int | None = None

    def __post_init__(self) -> None:
        if (self.state is CheckState.OK) != (self.remedy is None):
            raise ValueError(f"{self.name}: a remedy belongs to what is not ok, and only to that")


def all_well(name: str, detail: str) -> Check:
    """Return a check that found nothing wrong."""
    return Check(name=name, state=CheckState.OK, detail=detail)
