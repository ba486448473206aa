"""Claims that a thing exists: of what is only named, and of ids that no row has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.claims import Assertion, Claim, ClaimForm, ClaimId
from verifier.core.values import Kind, TextValue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.evidence import Subject
    from verifier.core.known_keys import KnownKeys
    from verifier.core.mentions import Mentions
    from verifier.core.sentences import Sentence
    from verifier.core.spans import Span

_SAID: Final = ("statement",)


def claim_of_existence(sentence: Sentence, span: Span, subject: Subject) -> Claim:
    """Return the claim that there is a thing; spans within the sentence become those of the answer."""
    placed = span.shift(sentence.span.start)
    return Claim(
        claim_id=ClaimId(""),
        form=ClaimForm.PROSE,
        span=placed,
        text=span.of(sentence.text),
        sentence=sentence.span,
        assertions=(Assertion(subject=subject, attribute=(), value=None, span=placed),),
        entity_type=subject.entity_type,
    )


def with_statement(claim: Claim, sentence: Sentence) -> Claim:
    """Return the claim that a thing exists with the rest of its sentence, which nothing was recognised in.

    Of a thing that exists not all is true that is said.
    """
    if claim.entity_type is None or any(one.value is not None for one in claim.assertions):
        return claim
    said = Assertion(
        subject=claim.assertions[0].subject,
        attribute=_SAID,
        value=TextValue(kind=Kind.TEXT, text=sentence.text),
        span=sentence.span,
    )
    return replace(
        claim, span=sentence.span, text=sentence.text, assertions=(*claim.assertions, said)
    )


def claims_of_absent(
    sentence: Sentence, mentions: Mentions, keys: KnownKeys, claims: Sequence[Claim]
) -> Iterator[Claim]:
    """Yield the existence of each thing without a row that none of the sentence's claims speaks of."""
    spoken = {one.subject for claim in claims for one in claim.assertions}
    for mention in mentions.subjects:
        subject = mention.subjects[0]
        alone = mention.by_id and len(mention.subjects) == 1 and subject not in spoken
        if alone and (subject.entity_type, subject.key) in keys.absent:
            yield claim_of_existence(sentence, mention.span, subject)
