"""Footnotes of an answer that goes out in parts: on what went out unjudged, and as they hold at the end."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.annotation import describe_verdict
from verifier.core.claims import ClaimId
from verifier.core.policy import Annotation
from verifier.core.streaming_cuts import is_within_fence
from verifier.core.verdicts import VerdictCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from verifier.core.report import JudgedClaim
    from verifier.core.spans import Span
    from verifier.core.verdicts import Reason

_LAST_WORD: Final = re.compile(r"\S*\Z")


class LateMarks:
    """Marks what goes out before it could be judged."""

    def __init__(self, label: str) -> None:
        self.marks: list[Annotation] = []
        self._label = label

    def mark(self, text: str, span: Span, tail: str, reason: Reason) -> str:
        """Return the last of `tail` with a mark, before a word that may go on; within a fence as it is."""
        if is_within_fence(tail):
            return text
        found = _LAST_WORD.search(text)
        at = len(text[: found.start()].rstrip()) if found else len(text)
        name = ClaimId(f"t{len(self.marks) + 1}")
        mark = f"[^{self._label}{name}]"
        self.marks.append(
            Annotation(
                claim=name,
                span=span,
                at=span.start + at,
                mark=mark,
                code=VerdictCode.UNVERIFIABLE,
                note=f"unverifiable: {reason.value}: went out before it could be judged",
            )
        )
        return f"{text[:at]}{mark}{text[at:]}"


def renew_notes(marks: Sequence[Annotation], judged: Iterable[JudgedClaim]) -> Iterator[Annotation]:
    """Yield the marks with what the report of the whole answer says of what they stand behind."""
    now = {one.claim.span: one for one in judged}
    for mark in marks:
        held = now.get(mark.span)
        if held is None or held.verdict.code is mark.code:
            yield mark
        else:
            yield replace(mark, code=held.verdict.code, note=describe_verdict(held))
