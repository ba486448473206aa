"""What a narrow check comes to, and the characters of a document that it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier.core.quantities import ValueMention
    from verifier.core.spans import Span
    from verifier.core.verdicts import VerdictCode


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSpan:
    """Characters of a document that a result rests on; `text` is what stands at `span`."""

    document: str
    span: Span
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NarrowResult:
    """What a narrow check came to: the code, why, what of the statement it speaks of, and the evidence."""

    code: VerdictCode
    detail: str
    values: tuple[ValueMention, ...] = ()
    evidence: tuple[CitedSpan, ...] = ()
