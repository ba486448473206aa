"""Claims and the assertions they consist of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NewType

from verifier.core.evidence import Polarity

if TYPE_CHECKING:
    from verifier.core.citations import Citation
    from verifier.core.evidence import Subject
    from verifier.core.spans import Span
    from verifier.core.values import Value
    from verifier.core.verdicts import Reason

ClaimId = NewType("ClaimId", str)


class ClaimForm(StrEnum):
    """How a claim is written."""

    CARD = "card"
    PROSE = "prose"
    ROW = "row"


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """Subject, attribute, value, period, polarity, span: what tiers judge.

    A `value` of None asserts only that the subject exists. `attribute` is a catalog attribute's name
    where one is known (`catalogued`), else the words of the answer.
    """

    subject: Subject | None
    attribute: tuple[str, ...]
    value: Value | None
    span: Span
    period: str | None = None
    polarity: Polarity = Polarity.STATED
    catalogued: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What is reported: in prose one assertion, of a card all of them.

    `sentence` is the span of the sentence (of a card: its whole block) in the answer. `fault` is set
    where the claim can be seen but not read, such as a card that is no JSON. `subject_text` is what it
    leaves to the words before it: "The lamp", of "weighs 9 kg". `above` are the headings and leads of the
    answer that it stands under.
    """

    claim_id: ClaimId
    form: ClaimForm
    span: Span
    text: str
    sentence: Span
    assertions: tuple[Assertion, ...] = ()
    citations: tuple[Citation, ...] = ()
    entity_type: str | None = None
    fault: Reason | None = None
    subject_text: str = ""
    above: tuple[str, ...] = ()
