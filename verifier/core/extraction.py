"""From an answer to its claims: cards, prose about catalogued things, and cited sentences."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from verifier.core.binding.bound_claims import claims_of_values
from verifier.core.card_claims import claims_of_card
from verifier.core.cards import find_cards, states_records
from verifier.core.citations import find_citations, name_chunk
from verifier.core.claims import Assertion, Claim, ClaimForm, ClaimId
from verifier.core.coordination import split_predicates
from verifier.core.existence_claims import claims_of_absent
from verifier.core.known_keys import KnownKeys
from verifier.core.mentions import MentionReader
from verifier.core.plain_clauses import only_mentions
from verifier.core.prose_claims import claims_of_sentence
from verifier.core.report import UncheckedSentence
from verifier.core.sentences import BlockKind, split_sentences
from verifier.core.spans import Span
from verifier.core.speech import is_question, is_talk, list_words
from verifier.core.text import content_stems, fold
from verifier.core.verdicts import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.binding.binder import BoundValue
    from verifier.core.cards import Card
    from verifier.core.catalog import Catalog
    from verifier.core.citations import Citation
    from verifier.core.ledger import Ledger
    from verifier.core.mentions import Mentions
    from verifier.core.names import NameIndex
    from verifier.core.sentences import Sentence
    from verifier.core.turns import Turn

_NOT_PROSE: Final = frozenset({BlockKind.CODE, BlockKind.CARD, BlockKind.RULE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The claims of an answer in the order of their spans, numbered, and what states nothing checkable."""

    claims: tuple[Claim, ...]
    unchecked: tuple[UncheckedSentence, ...]

    @property
    def leaves_values_open(self) -> bool:
        """Whether a value is bound to nothing, so that more names could help."""
        return any(
            claim.entity_type is None and claim.form is ClaimForm.PROSE and not claim.citations
            for claim in self.claims
        )


def extract_claims(
    answer: str,
    turn: Turn,
    *,
    catalog: Catalog,
    ledger: Ledger,
    names: NameIndex,
    bound: Sequence[BoundValue] | None = None,
    keys: KnownKeys | None = None,
) -> Extraction:
    """Return the claims of `answer`. Questions, greetings, offers and refusals are none.

    `bound` are its values as they were bound to the evidence: claims where no catalog knows better, and
    nothing is cited. None leaves what no catalog knows unbound. `keys` are the ids that tables were asked
    for; one without a row is a claim of its own.
    """
    claims: list[Claim] = []
    unchecked: list[UncheckedSentence] = []
    cards = find_cards(answer, catalog)
    for card in cards:
        claims.extend(claims_of_card(answer, card, timezone_name=turn.timezone))
    reader = MentionReader(
        catalog=catalog, ledger=ledger, names=names, turn=turn, keys=keys or KnownKeys()
    )
    extractor = _SentenceExtractor(reader)
    covered = _Covered(cards)
    values = None if bound is None else _by_sentence(bound)
    for sentence in split_sentences(answer):
        if covered.holds(sentence.span):
            continue
        if sentence.block in _NOT_PROSE:
            claims.extend(_undeclared(sentence))
            continue
        found = list(extractor.claims(sentence))
        if values is not None and not any(one.citations for one in found):
            found = _with_values(answer, found, values[sentence.span])
        claims.extend(found)
        says_more = _only_names(found) and not only_mentions(
            sentence.text, [one.span.shift(-sentence.span.start) for one in found], catalog
        )
        if says_more and not is_question(sentence.text) and not is_talk(sentence.text):
            unchecked.append(UncheckedSentence(span=sentence.span, text=sentence.text))
    claims.sort(key=lambda claim: claim.span)
    numbered = (replace(one, claim_id=ClaimId(f"c{at}")) for at, one in enumerate(claims, 1))
    return Extraction(claims=tuple(numbered), unchecked=tuple(unchecked))


def _by_sentence(bound: Sequence[BoundValue]) -> defaultdict[Span, list[BoundValue]]:
    found: defaultdict[Span, list[BoundValue]] = defaultdict(list)
    for one in bound:
        found[one.passage.sentence.span].append(one)
    return found


def _with_values(answer: str, claims: Sequence[Claim], values: Sequence[BoundValue]) -> list[Claim]:
    """Return the claims that a catalog knows, and one for each value that none of them speaks of."""
    known = [one for one in claims if one.entity_type is not None or one.fault is not None]
    taken = [assertion.span for one in known for assertion in one.assertions]
    subjects = {one.subject for claim in known for one in claim.assertions if one.subject}
    keys = {fold(one.key) for one in subjects if one.key is not None}
    taken += [span for claim in known for span in _periods(claim)]
    others = [one for one in values if fold(one.stated.value.text) not in keys]
    return [*known, *claims_of_values(answer, others, taken)]


def _periods(claim: Claim) -> Iterator[Span]:
    """Yield where the times stand at which a claim says that its values hold."""
    for one in claim.assertions:
        at = claim.text.find(one.period) if one.period is not None else -1
        if one.period is not None and at >= 0:
            yield Span(claim.span.start + at, claim.span.start + at + len(one.period))


def _undeclared(sentence: Sentence) -> Iterator[Claim]:
    """Yield the claim of a card whose type the catalog does not declare: seen, and held against nothing."""
    if sentence.block is BlockKind.CARD and states_records(sentence.text):
        yield Claim(
            claim_id=ClaimId(""),
            form=ClaimForm.CARD,
            span=sentence.span,
            text=sentence.text,
            sentence=sentence.span,
            fault=Reason.UNKNOWN_TYPE,
        )


class _SentenceExtractor:
    """Reads the sentences of one answer."""

    def __init__(self, reader: MentionReader) -> None:
        self._reader = reader
        self._turn = reader.turn
        self._labels = {label for chunk in self._turn.retrieved for label in name_chunk(chunk)}

    def claims(self, sentence: Sentence) -> Iterator[Claim]:
        """Yield the claims of a sentence: one that cites is one claim, beside what the catalog knows."""
        if is_question(sentence.text):
            return
        citations = find_citations(
            sentence.text, labels=self._labels, numbering=self._turn.numbering
        )
        mentions = self._reader.read(sentence.text, apart=[one.span for one in citations])
        if citations or self._turn.cited is not None:
            yield from self._cited(sentence, mentions, citations)
            return
        found = list(claims_of_sentence(sentence, mentions, self._reader.catalog))
        found += claims_of_absent(sentence, mentions, self._reader.keys, found)
        if is_talk(sentence.text) and not any(claim.entity_type for claim in found):
            return
        if is_talk(sentence.text) and all(one.assertions[0].value is None for one in found):
            return
        if self._turn.citations_required and not any(claim.entity_type for claim in found):
            found = list(self._uncited(sentence, mentions))
        yield from found

    def _cited(
        self, sentence: Sentence, mentions: Mentions, citations: tuple[Citation, ...]
    ) -> Iterator[Claim]:
        if _only_points(sentence.text, citations):
            return
        if not citations and is_talk(sentence.text):
            return
        placed = tuple(replace(one, span=one.span.shift(sentence.span.start)) for one in citations)
        yield from _by_predicate(_statement(sentence, mentions, placed))
        for claim in claims_of_sentence(sentence, mentions, self._reader.catalog):
            if claim.entity_type is not None:
                yield claim

    def _uncited(self, sentence: Sentence, mentions: Mentions) -> Iterator[Claim]:
        if sentence.block is not BlockKind.HEADING and content_stems(sentence.text):
            yield _statement(sentence, mentions, ())


def _only_names(claims: Sequence[Claim]) -> bool:
    """Return whether nothing is claimed but that things exist."""
    return all(
        claim.assertions
        and not claim.citations
        and all(one.value is None for one in claim.assertions)
        for claim in claims
    )


def _statement(sentence: Sentence, mentions: Mentions, citations: tuple[Citation, ...]) -> Claim:
    """Return the sentence as one claim, with an assertion for each of its values."""
    offset = sentence.span.start
    return Claim(
        claim_id=ClaimId(""),
        form=ClaimForm.PROSE,
        span=sentence.span,
        text=sentence.text,
        sentence=sentence.span,
        assertions=tuple(
            Assertion(subject=None, attribute=(), value=one.value, span=one.span.shift(offset))
            for one in mentions.values
            if one.attribute is None
        ),
        citations=citations,
    )


def _by_predicate(claim: Claim) -> Iterator[Claim]:
    """Yield a claim for each predicate of a sentence; all of them cite what the sentence cites."""
    parts = split_predicates(claim.text)
    for part in parts:
        span = part.span.shift(claim.span.start)
        yield replace(
            claim,
            span=span,
            text=part.span.of(claim.text),
            assertions=tuple(one for one in claim.assertions if span.contains(one.span)),
            subject_text=part.subject,
        )
    if not parts:
        yield claim


def _only_points(text: str, citations: tuple[Citation, ...]) -> bool:
    """Return whether the sentence is a list of sources: it connects them to nothing."""
    at, kept = 0, []
    for one in citations:
        kept.append(text[at : one.span.start])
        at = one.span.end
    rest = " ".join((*kept, text[at:]))
    return set(content_stems(rest)) <= set(content_stems(" ".join(list_words("source_words"))))


class _Covered:
    """Tells, for sentences in order, whether a card covers them."""

    def __init__(self, cards: Sequence[Card]) -> None:
        self._cards = deque(card.span for card in cards)

    def holds(self, span: Span) -> bool:
        while self._cards and self._cards[0].end <= span.start:
            self._cards.popleft()
        return bool(self._cards) and self._cards[0].overlaps(span)
