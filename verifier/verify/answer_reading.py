"""Reading an answer into claims: held against the ledger first, then against the rows that it speaks of.

Tables are asked only where the ledger leaves something open, and then for all keys at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from verifier.core.binding.judging import Fate, Judgement
from verifier.core.citing_sentences import cites_throughout
from verifier.core.claims import Claim, ClaimForm, ClaimId
from verifier.core.evidence import Subject
from verifier.core.extraction import Extraction, extract_claims
from verifier.core.known_keys import KnownKeys
from verifier.core.mentions import MentionReader
from verifier.core.name_phrases import find_phrases, spell
from verifier.core.names import index_names, index_written_names
from verifier.core.sentences import split_sentences
from verifier.core.spans import Span
from verifier.core.values import TextValue
from verifier.core.verdicts import Disposition, Reason, Tier
from verifier.verify.answer_binding import Binding, without_other_times
from verifier.verify.aside import Worker
from verifier.verify.binding_tier import BindingTier
from verifier.verify.known_names import list_ledger_names
from verifier.verify.ledger_tier import LedgerTier, list_hidden_keys
from verifier.verify.row_records import RowRecords, record_rows
from verifier.verify.tiers import judge_claims

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from verifier.core.binding.binder import BoundValue
    from verifier.core.ledger import Ledger
    from verifier.core.turns import Turn
    from verifier.core.values import Interval
    from verifier.core.verdicts import Verdict
    from verifier.verify.known_names import CanonicalNames
    from verifier.verify.row_reading import RowReader, TypedKey

LONGEST_ANSWER: Final = 2_000_000
_MOST_PARTLY_NAMED: Final = 100
_MOST_WRITTEN: Final = 10_000
_SETTLED: Final = frozenset({Fate.PROVED, Fate.DERIVED, Fate.REFUTED})
_NOT_READ: Final = Judgement(
    fate=Fate.OPEN, detail="nothing that was read is what it speaks of", reason=Reason.NO_EVIDENCE
)
_UNREAD: Final = (Reason.DATABASE_UNAVAILABLE, "the names of the canonical tables can't be read")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The claims of an answer, and what its values were bound to.

    `by_ledger` is what tool results alone say of them, where rows have the last word. `failure` is why rows
    that may hold what the answer says could not be read.
    """

    extraction: Extraction
    bound: Mapping[Span, BoundValue] = field(default_factory=dict)
    by_ledger: Mapping[Span, BoundValue] = field(default_factory=dict)
    records: RowRecords = field(default_factory=RowRecords)
    failure: tuple[Reason, str] | None = None


async def read_answer(
    answer: str,
    ledger: Ledger,
    reader: RowReader,
    names: CanonicalNames | None,
    *,
    now: Interval,
    binds: bool = True,
    binding: Binding | None = None,
) -> Reading:
    """Return the claims of `answer`, bound to the turn's ledger and, where it leaves them open, to rows.

    `names` are what prose may call the things of the tables; `binds` tells that the ledger is the turn's.
    `binding` is that of an answer of which this is a part.
    """
    if len(answer) > LONGEST_ANSWER:
        return Reading(extraction=_too_large(answer))
    reading = _Reader(answer, ledger, reader, now, binding or Binding())
    return await reading.read(names, binds=binds)


class _Reader:
    """Reads one answer."""

    def __init__(
        self, answer: str, ledger: Ledger, reader: RowReader, now: Interval, binding: Binding
    ) -> None:
        self._answer = answer
        self._binding = binding
        self._ledger = ledger
        self._reader = reader
        self._now = now
        self._turn = reader.turn
        self._names = index_names(list_ledger_names(ledger))
        self._worker = Worker.of(answer, reader.turn)

    async def read(self, names: CanonicalNames | None, *, binds: bool) -> Reading:
        cites = self._turn.cited is not None or self._turn.citations_required
        cites = cites or cites_throughout(self._answer, self._turn)
        do = self._worker.do
        bound = await do(self._bind, self._turn) if binds and not cites else None
        first = await do(self._reading, bound)
        if self._reader.lend_pool is None or not self._reader.catalog.entity_types:
            return first
        if not await self._leaves_open(first):
            return first
        failure = None
        if names is not None and (
            first.extraction.leaves_values_open or first.extraction.unchecked
        ):
            self._names = self._names.beside(await names.load())
            failure = _UNREAD if names.unread else None
            first = await do(self._reading, bound)
        wanted = await do(self._list_wanted, first.extraction.claims)
        crowded = frozenset() if names is None else names.crowded
        await self._reader.read(wanted, await do(self._written_names, crowded))
        self._names = self._names.beside(index_written_names(self._found_names()))
        failure = next(iter(self._reader.failures.values()), failure)
        return await do(self._with_rows, bound, failure)

    def _with_rows(
        self, bound: Sequence[BoundValue] | None, failure: tuple[Reason, str] | None
    ) -> Reading:
        """Return the reading with what was read of the tables."""
        by_ledger: Mapping[Span, BoundValue] = {}
        records = record_rows(self._reader.bindable.values(), self._turn, now=self._now)
        if bound is not None and records.calls:
            calls = (*records.calls, *self._turn.calls)
            if self._turn.check_ledger_against_database:
                calls = (*self._turn.calls, *records.calls)
                by_ledger = {one.stated.span: one for one in bound}
            by_rows = self._bind(replace(self._turn, calls=calls))
            bound = self._merge(bound, without_other_times(by_rows, records))
        keys = KnownKeys(found=frozenset(self._reader.rows), absent=self._reader.absent)
        reading = self._reading(bound, keys)
        return replace(reading, by_ledger=by_ledger, records=records, failure=failure)

    def _reading(
        self, bound: Sequence[BoundValue] | None, keys: KnownKeys | None = None
    ) -> Reading:
        extraction = extract_claims(
            self._answer,
            self._turn,
            catalog=self._reader.catalog,
            ledger=self._ledger,
            names=self._names,
            bound=bound,
            keys=keys,
            start=self._binding.start,
        )
        return Reading(extraction=extraction, bound={one.stated.span: one for one in bound or ()})

    def _bind(self, turn: Turn) -> tuple[BoundValue, ...]:
        hidden = list_hidden_keys(self._reader.catalog, self._ledger, turn)
        return self._binding.bind(self._answer, turn, hidden)

    def _merge(
        self, by_ledger: Sequence[BoundValue], by_rows: Iterable[BoundValue]
    ) -> tuple[BoundValue, ...]:
        """Return what the ledger settled, and what rows and ledger together tell of the rest.

        That rows of other things lack a value proves nothing: it is absent where the ledger lacks it too,
        or where its sentence names something that was read.
        """
        before = {one.stated.span: one for one in by_ledger}
        if self._turn.check_ledger_against_database:
            before = {}
        settled = {at: one for at, one in before.items() if one.judgement.fate in _SETTLED}
        mentions = self._mentions()
        merged = dict(settled)
        for one in by_rows:
            known = before.get(one.stated.span)
            absent = one.judgement.fate is Fate.ABSENT
            unread = absent and (known is None or known.judgement.fate is not Fate.ABSENT)
            if (unread and not self._names_read(one, mentions)) or self._is_other_s_key(
                one, mentions
            ):
                merged.setdefault(one.stated.span, replace(one, judgement=_NOT_READ))
            else:
                merged.setdefault(one.stated.span, one)
        return tuple(merged[span] for span in sorted(merged))

    def _is_other_s_key(self, bound: BoundValue, mentions: MentionReader) -> bool:
        """Return whether a value only equals the id of some row, and names nothing: a stock of 34."""
        value = bound.stated.value
        if not isinstance(value, TextValue) or not value.text.isdigit():
            return False
        if all(key != value.text for _, key in self._reader.rows):
            return False
        span = bound.stated.span.shift(-bound.passage.sentence.span.start)
        named = mentions.read(bound.passage.sentence.text).subjects
        return not any(one.by_id and one.span.overlaps(span) for one in named)

    def _names_read(self, bound: BoundValue, mentions: MentionReader) -> bool:
        """Return whether the sentence of a value names something of which a row was read."""
        named = mentions.list_possible(bound.passage.sentence.text)
        return any(
            typed in self._reader.rows and typed not in self._reader.named
            for typed in _keys_of(named)
        )

    def _mentions(self) -> MentionReader:
        return MentionReader(
            catalog=self._reader.catalog, ledger=self._ledger, names=self._names, turn=self._turn
        )

    async def _leaves_open(self, reading: Reading) -> bool:
        """Return whether a claim is left that the tables may settle."""
        if self._turn.check_ledger_against_database:
            return bool(reading.extraction.claims)
        if reading.extraction.unchecked:
            return True
        tiers = (
            LedgerTier(catalog=self._reader.catalog, ledger=self._ledger),
            BindingTier(bound=reading.bound),
        )
        judged, _ = await judge_claims(reading.extraction.claims, self._turn, tiers)
        return any(not _is_settled(one.verdict) for one in judged)

    def _written_names(self, types: frozenset[str]) -> dict[str, Sequence[str]]:
        """Return the phrases of the answer that may be names of things of `types`."""
        if not types:
            return {}
        phrases = (
            name
            for sentence in split_sentences(self._answer)
            for span in find_phrases(sentence.text)
            for name in spell(span.of(sentence.text))
        )
        listed = tuple(islice(dict.fromkeys(phrases), _MOST_WRITTEN))
        return dict.fromkeys(types, listed)

    def _found_names(self) -> Iterator[tuple[str, Subject]]:
        for (entity_type, key), names in self._reader.named.items():
            for name in names:
                yield name, Subject(entity_type=entity_type, key=key)

    def _list_wanted(self, claims: Sequence[Claim]) -> list[TypedKey]:
        return list(dict.fromkeys(self._wanted(claims)))

    def _wanted(self, claims: Sequence[Claim]) -> Iterator[TypedKey]:
        """Yield the key of everything that the answer may speak of."""
        yield from _keys_of(one.assertions[0].subject for one in claims if one.assertions)
        if claims and all(claim.form is ClaimForm.CARD for claim in claims):
            return
        mentions = self._mentions()
        texts = [sentence.text for sentence in split_sentences(self._answer)]
        for text in texts:
            yield from _keys_of(mentions.list_possible(text))
        partly = (subject for text in texts for subject in self._names.find_partly(text))
        yield from _keys_of(islice(partly, _MOST_PARTLY_NAMED))


def _keys_of(subjects: Iterable[Subject | None]) -> Iterator[TypedKey]:
    for subject in subjects:
        if subject is not None and subject.entity_type and subject.key is not None:
            yield subject.entity_type, subject.key


def _is_settled(verdict: Verdict) -> bool:
    """Return whether the ledger has the last word: it proves, or has another value."""
    if verdict.disposition is Disposition.REJECTED:
        return verdict.tier is Tier.LEDGER and bool(verdict.evidence)
    return verdict.disposition is Disposition.ACCEPTED


def _too_large(answer: str) -> Extraction:
    span = Span(0, len(answer))
    claim = Claim(
        claim_id=ClaimId("c1"),
        form=ClaimForm.PROSE,
        span=span,
        text=answer[:200],
        sentence=span,
        fault=Reason.TOO_LARGE,
    )
    return Extraction(claims=(claim,), unchecked=())
