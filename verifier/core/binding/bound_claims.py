"""The claims of what binding found, one a value, and what each comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.binding.judging import Fate
from verifier.core.claims import Assertion, Claim, ClaimForm, ClaimId
from verifier.core.evidence import Polarity
from verifier.core.sentences import BlockKind
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from verifier.core.binding.binder import BoundValue

_LONGEST_CLAUSE: Final = 2_000


def claims_of_values(
    answer: str, bound: Iterable[BoundValue], taken: Sequence[Span]
) -> Iterator[Claim]:
    """Yield a claim for each value that can be checked and lies in none of the spans `taken`, in order.

    What only repeats the user is no claim. The claims have no numbers yet.
    """
    at = 0
    ordered = sorted(taken)
    for one in bound:
        span = one.stated.span
        while at < len(ordered) and ordered[at].end <= span.start:
            at += 1
        covered = at < len(ordered) and ordered[at].overlaps(span)
        if one.judgement.fate is not Fate.ECHOED and not covered:
            yield _claim(answer, one)


def _claim(answer: str, bound: BoundValue) -> Claim:
    clause = (
        bound.clause
        if bound.clause.end - bound.clause.start <= _LONGEST_CLAUSE
        else bound.stated.span
    )
    covered = clause.of(answer)
    start = clause.start + len(covered) - len(covered.lstrip())
    text = covered.strip()
    row = bound.passage.sentence.block is BlockKind.TABLE_ROW
    polarity = Polarity.DENIED if bound.denied else Polarity.STATED
    return Claim(
        claim_id=ClaimId(""),
        form=ClaimForm.ROW if row else ClaimForm.PROSE,
        span=Span(start, start + len(text)),
        text=text,
        sentence=bound.passage.sentence.span,
        assertions=(
            Assertion(
                subject=None,
                attribute=(),
                value=bound.stated.value,
                span=bound.stated.span,
                polarity=polarity,
            ),
        ),
    )
