"""The policy: what an application does with the verdicts on an answer, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from verifier.core.verdicts import Disposition
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.core.claims import ClaimId
    from verifier.core.evidence import Evidence
    from verifier.core.spans import Span
    from verifier.core.verdicts import VerdictCode

HOLD_REJECTED: Final = frozenset({Disposition.REJECTED})
HOLD_STRICT: Final = frozenset({Disposition.REJECTED, Disposition.REVIEW, Disposition.UNCHECKED})


class Mode(StrEnum):
    """What becomes of the answer, whatever the verdicts are: they are reported and logged in each."""

    OFF = "off"
    ANNOTATE = "annotate"
    CORRECT = "correct"
    HOLD = "hold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What becomes of an answer (`mode`), and which dispositions stop it (`hold`).

    Raises InputError where nothing is held, or what is accepted: such a policy could stop nothing.
    """

    mode: Mode = Mode.OFF
    hold: frozenset[Disposition] = HOLD_REJECTED

    def __post_init__(self) -> None:
        if not self.hold or Disposition.ACCEPTED in self.hold:
            told = ", ".join(sorted(HOLD_STRICT))
            raise InputError(f"a policy holds one or more of {told}")


def read_policy(mode: str, hold: Iterable[str]) -> Policy:
    """Return the policy of a mode's name and the names of dispositions. Raises InputError."""
    try:
        return Policy(mode=Mode(mode), hold=frozenset(map(Disposition, hold)))
    except ValueError as problem:
        raise InputError(f"no policy: {problem}") from None


class Hindrance(StrEnum):
    """Why a rejected claim was left as it was written."""

    NO_RIGHT_VALUE = "no_right_value"
    NOT_CONFIRMED = "not_confirmed"
    TEXT = "text"
    DENIED = "denied"
    INEXACT = "inexact"
    WORDS = "words"
    OTHER_FORM = "other_form"
    OVERLAPPING = "overlapping"
    KNOWN_TO_LEDGER = "known_to_ledger"
    NOT_PROVED = "not_proved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """A footnote of an annotated answer: its `mark` was put in at the offset `at`, for what `span` covers."""

    claim: ClaimId
    span: Span
    at: int
    mark: str
    code: VerdictCode
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A correction: `old` at `span` of the answer became `new`; a card that was taken out became nothing.

    `claims` are all that the edit corrects, `evidence` is what the right value rests on.
    """

    span: Span
    old: str
    new: str
    reason: str
    claims: tuple[ClaimId, ...]
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftAlone:
    """A rejected claim, or one attribute of a card, that was not corrected, and why."""

    claim: ClaimId
    attribute: str | None
    hindrance: Hindrance


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """What a policy lets out. `text` is None where the answer is held.

    `accepted` and `outcome` are those of the text that is let out: of a corrected one they were found by
    verifying it again.
    """

    text: str | None
    accepted: bool
    outcome: Disposition | None
    annotations: tuple[Annotation, ...] = ()
    edits: tuple[Edit, ...] = ()
    left_alone: tuple[LeftAlone, ...] = ()
