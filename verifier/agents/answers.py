"""What becomes of an agent's final answer, and what is thrown where it can't be let out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.errors import VerifierError

if TYPE_CHECKING:
    from verifier.core.report import GroundingReport

HELD_TEXT: Final = (
    "I could not confirm my answer against our records, so I am holding it back."
    " Please ask again, or ask for a person."
)
"""What stands for an answer that is held, unless the application says it in its own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedAnswer:
    """A final answer, as it was `written` by the model and as the caller gets it (`text`).

    Where it is `held`, the text is what the application says instead. `report` is always there; where the
    verifier itself failed, `failure` names the error and the report says `unverifiable` of the whole answer.
    """

    text: str
    written: str
    held: bool
    report: GroundingReport
    failure: str | None = None

    @property
    def is_changed(self) -> bool:
        """Whether the caller gets another text than the model wrote."""
        return self.text != self.written


class HeldAnswer(VerifierError):
    """An answer is held, and the framework awaits a value in which no other text has a place."""

    def __init__(self, answer: ReleasedAnswer) -> None:
        super().__init__(f"the answer is held; its report is {answer.report.report_id}")
        self.answer = answer
