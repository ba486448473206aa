"""Which claims of a sentence stand: those that a catalog knows, and one for each value beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.binding.bound_claims import claims_of_values
from verifier.core.spans import Span
from verifier.core.text import fold
from verifier.core.values import Kind, TextValue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.binding.binder import BoundValue
    from verifier.core.claims import Claim


def join_values(answer: str, claims: Sequence[Claim], values: Sequence[BoundValue]) -> list[Claim]:
    """Return the claims that a catalog knows, and one for each value that none of them speaks of."""
    known = [one for one in claims if one.entity_type is not None or one.fault is not None]
    taken = [assertion.span for one in known for assertion in one.assertions]
    subjects = {one.subject for claim in known for one in claim.assertions if one.subject}
    keys = {fold(one.key) for one in subjects if one.key is not None}
    taken += [span for claim in known for span in _periods(claim)]
    others = [one for one in values if fold(one.stated.value.text) not in keys]
    bound = list(claims_of_values(answer, others, taken))
    spans = [one.span for claim in bound for one in claim.assertions]
    unbound = (one for one in claims if one.entity_type is None and _says_text(one))
    texts = [
        one
        for one in unbound
        if not any(span.overlaps(one.assertions[0].span) for span in (*taken, *spans))
    ]
    return [*known, *bound, *texts]


def _says_text(claim: Claim) -> bool:
    """Return whether a claim is of a text behind a label, which no evidence but a row tells."""
    value = claim.assertions[0].value if claim.assertions else None
    return isinstance(value, TextValue) and value.kind in {Kind.TEXT, Kind.NAME}


def _periods(claim: Claim) -> Iterator[Span]:
    """Yield where the times stand at which a claim says that its values hold."""
    for one in claim.assertions:
        at = claim.text.find(one.period) if one.period is not None else -1
        if one.period is not None and at >= 0:
            yield Span(claim.span.start + at, claim.span.start + at + len(one.period))
