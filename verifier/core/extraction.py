"""From an answer to its claims: cards, prose about catalogued things, and cited sentences."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict, deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from verifier.core.answer_heads import read_heads
from verifier.core.card_claims import claims_of_card
from verifier.core.cards import find_cards, states_records
from verifier.core.citations import drop_marks
from verifier.core.citations.places import assign_citations
from verifier.core.citing_sentences import (
    find_given_citations,
    is_quotation,
    split_claim,
    split_given,
)
from verifier.core.claims import Assertion, Claim, ClaimForm, ClaimId
from verifier.core.existence_claims import claims_of_absent, with_statement
from verifier.core.known_keys import KnownKeys
from verifier.core.labelled_texts import Lead, find_labelled, is_head
from verifier.core.leading_lines import is_leading
from verifier.core.mentions import MentionReader
from verifier.core.plain_clauses import only_mentions
from verifier.core.prose_claims import claims_of_sentence
from verifier.core.report import UncheckedSentence
from verifier.core.sentences import BlockKind
from verifier.core.speech import is_question, is_talk, list_words
from verifier.core.text import content_stems
from verifier.core.value_claims import join_values
from verifier.core.values import TextValue
from verifier.core.verdicts import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.core.binding.binder import BoundValue
    from verifier.core.cards import Card
    from verifier.core.catalog import Catalog
    from verifier.core.citations import Citation
    from verifier.core.ledger import Ledger
    from verifier.core.mentions import Mentions
    from verifier.core.names import NameIndex
    from verifier.core.sentences import Sentence
    from verifier.core.spans import Span
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
            claim.entity_type is None and claim.form is not ClaimForm.CARD and not claim.citations
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
    start: int = 0,
) -> Extraction:
    """Return the claims of `answer`. Questions, greetings, offers and refusals are none.

    `bound` are its values as they were bound to the evidence: claims where no catalog knows better, and
    nothing is cited. None leaves what no catalog knows unbound. `keys` are the ids that tables were asked
    for; one without a row is a claim of its own. Sentences that end before `start` only lead to the rest.
    """
    claims: list[Claim] = []
    unchecked: list[UncheckedSentence] = []
    cards = find_cards(answer, catalog)
    for card in cards:
        claims.extend(claims_of_card(answer, card, timezone_name=turn.timezone))
    reader = MentionReader(
        catalog=catalog, ledger=ledger, names=names, turn=turn, keys=keys or KnownKeys()
    )
    given = find_given_citations(answer, turn)
    sentences = split_given(answer, given, turn)
    citations = assign_citations(answer, sentences, given)
    extractor = _SentenceExtractor(reader, citations)
    covered = _Covered(cards)
    values = None if bound is None else _by_sentence(bound, sentences)
    for sentence in sentences:
        if covered.holds(sentence.span):
            continue
        if sentence.span.end <= start or sentence.block in _NOT_PROSE or is_head(sentence, catalog):
            extractor.pass_by(sentence)
            claims.extend(_undeclared(sentence))
            continue
        found = list(extractor.claims(sentence))
        extractor.pass_by(sentence)
        cites = citations.get(sentence.span) or (turn.retrieved and is_quotation(sentence))
        if values is not None and not cites:
            of_values = extractor.without_ids(values[sentence.span])
            found = join_values(answer, found, of_values)
        if _says_more(sentence, found, catalog):
            unchecked += _unless_claimed(sentence, found)
            found = [with_statement(one, sentence) for one in found]
        claims.extend(found)
    numbered = _number(claims, _read_heads(answer, sentences, turn), start)
    return Extraction(claims=tuple(numbered), unchecked=tuple(unchecked))


def _read_heads(
    answer: str, sentences: Sequence[Sentence], turn: Turn
) -> Mapping[int, tuple[str, ...]]:
    return read_heads(answer, sentences) if turn.retrieved else {}


def _number(
    claims: list[Claim], heads: Mapping[int, tuple[str, ...]], start: int
) -> Iterator[Claim]:
    """Yield the claims behind `start` in the order of their spans, numbered, with what they stand under."""
    told = [one for one in claims if one.sentence.end > start]
    for at, one in enumerate(sorted(told, key=lambda claim: claim.span), 1):
        yield replace(one, claim_id=ClaimId(f"c{at}"), above=heads.get(one.sentence.start, ()))


def _unless_claimed(sentence: Sentence, found: Sequence[Claim]) -> list[UncheckedSentence]:
    return [] if found else [UncheckedSentence(span=sentence.span, text=sentence.text)]


def _says_more(sentence: Sentence, found: Sequence[Claim], catalog: Catalog) -> bool:
    """Return whether a sentence states more than its claims, which are that things exist."""
    if not _only_names(found) or is_question(sentence.text) or is_talk(sentence.text):
        return False
    named = [one.span.shift(-sentence.span.start) for one in found]
    return not only_mentions(sentence.text, named, catalog)


def _by_sentence(
    bound: Sequence[BoundValue], sentences: Sequence[Sentence]
) -> defaultdict[Span, list[BoundValue]]:
    starts = [one.span.start for one in sentences]
    found: defaultdict[Span, list[BoundValue]] = defaultdict(list)
    for one in bound:
        at = bisect_right(starts, one.stated.span.start) - 1
        found[sentences[at].span].append(one)
    return found


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

    def __init__(
        self, reader: MentionReader, citations: Mapping[Span, tuple[Citation, ...]]
    ) -> None:
        self._reader = reader
        self._turn = reader.turn
        self._citations = citations
        self._lead = Lead()
        self._ids: frozenset[Span] = frozenset()

    def pass_by(self, sentence: Sentence) -> None:
        """Note a sentence that may lead to those behind it."""
        self._lead = self._lead.after(sentence)

    def without_ids(self, values: Sequence[BoundValue]) -> list[BoundValue]:
        """Return the values of the last sentence but the ids in it, which tell of what the rest is said."""
        return [
            one
            for one in values
            if not isinstance(one.stated.value, TextValue) or one.stated.span not in self._ids
        ]

    def claims(self, sentence: Sentence) -> Iterator[Claim]:
        """Yield the claims of a sentence: one that cites is one claim, beside what the catalog knows."""
        self._ids = frozenset()
        if is_question(sentence.text):
            return
        citations = self._citations.get(sentence.span, ())
        offset = sentence.span.start
        inside = [one for one in citations if sentence.span.contains(one.mark)]
        mentions = self._reader.read(
            sentence.text,
            apart=[one.mark.shift(-offset) for one in inside],
            labelled=list(find_labelled(sentence, self._lead, self._reader.catalog)),
        )
        found_keys = self._reader.keys.found
        self._ids = frozenset(
            one.span.shift(offset)
            for one in mentions.subjects
            if one.by_id and (one.subjects[0].entity_type, one.subjects[0].key) in found_keys
        )
        if citations or self._turn.cited is not None:
            yield from self._cited(sentence, mentions, citations)
            return
        if self._turn.retrieved and is_quotation(sentence):
            yield _statement(sentence, mentions, ())
            return
        found = list(claims_of_sentence(sentence, mentions, self._reader.catalog))
        found += claims_of_absent(sentence, mentions, self._reader.keys, found)
        known = any(claim.entity_type for claim in found)
        told = known and any(one.assertions[0].value is not None for one in found)
        if not told and is_talk(sentence.text):
            return
        if self._turn.citations_required and not known:
            found = list(self._uncited(sentence, mentions))
        yield from found

    def _cited(
        self, sentence: Sentence, mentions: Mentions, citations: tuple[Citation, ...]
    ) -> Iterator[Claim]:
        if _only_points(sentence, citations):
            return
        if not citations and is_talk(sentence.text):
            return
        yield from split_claim(_statement(sentence, mentions, citations))
        for claim in claims_of_sentence(sentence, mentions, self._reader.catalog):
            if claim.entity_type is not None:
                yield claim

    def _uncited(self, sentence: Sentence, mentions: Mentions) -> Iterator[Claim]:
        leads = not mentions.values and is_leading(sentence)
        if not leads and sentence.block is not BlockKind.HEADING and content_stems(sentence.text):
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


def _only_points(sentence: Sentence, citations: Sequence[Citation]) -> bool:
    """Return whether the sentence is a list of sources: it connects them to nothing."""
    rest = drop_marks(sentence.text, citations, sentence.span.start)
    return set(content_stems(rest)) <= set(content_stems(" ".join(list_words("source_words"))))


class _Covered:
    """Tells, for sentences in order, whether a card covers them."""

    def __init__(self, cards: Sequence[Card]) -> None:
        self._cards = deque(card.span for card in cards)

    def holds(self, span: Span) -> bool:
        while self._cards and self._cards[0].end <= span.start:
            self._cards.popleft()
        return bool(self._cards) and self._cards[0].overlaps(span)
