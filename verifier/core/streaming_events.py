"""What a stream of an answer tells: what goes out, what is kept back, what is changed afterwards, the end.

StreamEvent
├── Released   text that may be shown, with the verdicts on it
├── Withheld   text that is kept back, and why
├── Amended    a verdict on released text that what came later has changed
└── Ended      the report of the whole answer; always last
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from verifier.core.verdicts import DISPOSITION_ORDER, DISPOSITIONS, Disposition

if TYPE_CHECKING:
    from verifier.core.policy import Edit
    from verifier.core.report import GroundingReport, JudgedClaim, UncheckedSentence
    from verifier.core.spans import Span
    from verifier.core.verdicts import Reason, VerdictCode


class StreamTerms(TypedDict, total=False):
    """How an answer is streamed: for how long at most a character is held back, ten seconds as it is."""

    max_delay_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """Text that may be shown; `span` is what of the answer it stands for, spans of claims are the answer's.

    The texts of all these events, joined, are what went out. `late` tells why the text went out before it
    could be judged: it is `unverifiable` for that reason until a claim of a later event covers it. `edits`
    are corrections in it.
    """

    text: str
    span: Span
    judged: tuple[JudgedClaim, ...] = ()
    unchecked: tuple[UncheckedSentence, ...] = ()
    edits: tuple[Edit, ...] = ()
    late: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """Text that is kept back: for the verdicts of `judged`, or for a `reason` until it can be judged.

    Where it `stops` the stream, nothing further goes out; what went out before stays.
    """

    span: Span
    judged: tuple[JudgedClaim, ...] = ()
    unchecked: tuple[UncheckedSentence, ...] = ()
    reason: Reason | None = None
    stops: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Amended:
    """A change to what was told of released text: of the codes `was` to those of the claims `now`.

    No code is that nothing was told, or is any more. `shown` is what went out for `span` where a correction
    was made, or is now known to be needed, and `right` what should stand there.
    """

    span: Span
    text: str
    was: tuple[VerdictCode, ...] = ()
    now: tuple[JudgedClaim, ...] = ()
    shown: str | None = None
    right: str | None = None

    @property
    def retracts(self) -> bool:
        """Whether the new verdict is worse than the old one."""
        now = [one.verdict.disposition for one in self.now]
        return _worst(now) < _worst([DISPOSITIONS[code] for code in self.was])


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The end: the report of all that came, equal to verifying it at once.

    `complete` is False where the stream was stopped, its producer failed, or the answer was too large: the
    report is then of what had come.
    """

    report: GroundingReport
    complete: bool = True


StreamEvent: TypeAlias = Released | Withheld | Amended | Ended


def _worst(dispositions: list[Disposition]) -> int:
    return min(map(DISPOSITION_ORDER.index, dispositions), default=len(DISPOSITION_ORDER))
