"""The ledger tier: claims against what this turn's tool calls returned. No I/O, no cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.core.attribute_comparison import compare_attribute
from verifier.core.catalog.reading import write_corrected
from verifier.core.comparison import Outcome
from verifier.core.evidence import Evidence
from verifier.core.ledger_facts import facts_of
from verifier.core.ledger_visibility import may_see
from verifier.core.text import fold
from verifier.core.turn_values import read_turn_fields
from verifier.core.turns import Origin
from verifier.core.values import Kind
from verifier.core.verdicts import Disposition, Finding, Reason, Tier
from verifier.verify.findings import find_mismatch, find_unverifiable, find_verified

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.catalog import Catalog, EntityType
    from verifier.core.claims import Assertion, Claim
    from verifier.core.evidence import Fact
    from verifier.core.ledger import Ledger
    from verifier.core.ledger_walk import LedgerRecord
    from verifier.core.turns import Turn

_EXACT_KINDS = frozenset({Kind.NUMBER, Kind.BOOLEAN})


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerTier:
    """Judges claims about catalogued things by the records that are these things.

    It speaks only of what the ledger tells: the rest stays open for the database. A ledger's word is
    final unless the turn asks to hold it against the database.
    """

    catalog: Catalog
    ledger: Ledger

    @property
    def tier(self) -> Tier:
        """The ledger."""
        return Tier.LEDGER

    @property
    def round_trips(self) -> int:
        """None is ever made."""
        return 0

    async def judge(self, claims: Sequence[Claim], turn: Turn) -> tuple[Finding, ...]:
        """Return findings on the assertions that the ledger decides."""
        return tuple(finding for claim in claims for finding in self._judge(claim, turn))

    def _judge(self, claim: Claim, turn: Turn) -> Iterator[Finding]:
        entity = self.catalog.find_type(claim.entity_type or "")
        if entity is None or claim.fault is not None:
            return
        settles = not turn.check_ledger_against_database
        for assertion in claim.assertions:
            records = self._records(entity, assertion, turn)
            finding = self._compare(entity, claim, assertion, records, settles=settles)
            if finding is None:
                continue
            if turn.origin is Origin.CALLER and finding.disposition is Disposition.ACCEPTED:
                detail = "only the caller's own tool results say so"
                yield find_unverifiable(claim, Reason.CALLER_EVIDENCE, detail, assertion)
            else:
                yield finding

    def _records(
        self, entity: EntityType, assertion: Assertion, turn: Turn
    ) -> tuple[LedgerRecord, ...]:
        """Return the records of the thing; none where one of them says that this turn may not see it."""
        found = self._find(entity, assertion)
        fields = read_turn_fields(turn)
        return found if all(may_see(entity, record, fields) for record in found) else ()

    def _find(self, entity: EntityType, assertion: Assertion) -> tuple[LedgerRecord, ...]:
        subject = assertion.subject
        if subject is None:
            return ()
        if subject.key is not None:
            return self.ledger.find_by_key(entity, subject.key)
        named = [self.ledger.find_by_name(entity, name) for name in subject.names[:1]]
        records = named[0] if named else ()
        keys = {record.subject.key for record in records if record.subject is not None}
        return records if len(keys) == 1 else ()

    def _compare(
        self,
        entity: EntityType,
        claim: Claim,
        assertion: Assertion,
        records: Sequence[LedgerRecord],
        *,
        settles: bool,
    ) -> Finding | None:
        if not records:
            return None
        if assertion.value is None:
            evidence = _evidence(self._existence(entity, records))
            return _verified(claim, assertion, evidence, settles=settles)
        attribute = entity.find_attribute(" ".join(assertion.attribute))
        if not assertion.catalogued or attribute is None:
            return self._compare_plain(claim, assertion, records, settles=settles)
        facts = self.ledger.find_facts(records, attribute)
        return _settle(claim, assertion, facts, settles=settles)

    def _existence(self, entity: EntityType, records: Sequence[LedgerRecord]) -> tuple[Fact, ...]:
        """Return a fact that shows the thing in a result: its key or name, else any attribute of it."""
        newest = records[-1]
        own = entity.key_fields | {"id", "name", "title"}
        for fact in facts_of(newest):
            if "_".join(fact.attribute) in own:
                return (fact,)
        found = (self.ledger.find_facts((newest,), attribute) for attribute in entity.attributes)
        return next((facts for facts in found if facts), ())

    def _compare_plain(
        self,
        claim: Claim,
        assertion: Assertion,
        records: Sequence[LedgerRecord],
        *,
        settles: bool,
    ) -> Finding | None:
        """Compare a field that the catalog does not know; free text that differs stays open."""
        facts = tuple(
            fact for fact in facts_of(records[-1]) if fact.attribute == assertion.attribute
        )
        finding = _settle(claim, assertion, facts, settles=settles)
        if finding is None or finding.disposition is Disposition.ACCEPTED:
            return finding
        kinds = {fact.value.kind for fact in facts}
        return finding if kinds <= _EXACT_KINDS else None


def list_hidden_keys(catalog: Catalog, ledger: Ledger, turn: Turn) -> frozenset[str]:
    """Return the folded keys of the ledger's things that this turn may not see."""
    fields = read_turn_fields(turn)
    hidden = set()
    for record in ledger.records:
        entity = catalog.find_type(record.entity_type or "")
        key = record.subject.key if record.subject is not None else None
        if entity is not None and key is not None and not may_see(entity, record, fields):
            hidden.add(fold(key))
    return frozenset(hidden)


def _settle(
    claim: Claim, assertion: Assertion, facts: tuple[Fact, ...], *, settles: bool
) -> Finding | None:
    """Return verified where all facts bear the value out, a mismatch where none does and all are one."""
    value = assertion.value
    if value is None or not facts:
        return None
    outcomes = {compare_attribute(value, fact.value, polarity=assertion.polarity) for fact in facts}
    if outcomes == {Outcome.AGREE}:
        return _verified(claim, assertion, _evidence(facts), settles=settles)
    rights = {write_corrected(fact.value, fact.value.text) for fact in facts}
    if outcomes == {Outcome.DISAGREE} and len(rights) == 1:
        return find_mismatch(
            claim,
            assertion,
            Tier.LEDGER,
            _evidence(facts),
            corrected=rights.pop(),
            settles=settles,
        )
    return None


def _verified(
    claim: Claim, assertion: Assertion, evidence: tuple[Evidence, ...], *, settles: bool
) -> Finding | None:
    if not evidence:
        return None
    return find_verified(claim, assertion, Tier.LEDGER, evidence, settles=settles)


def _evidence(facts: Sequence[Fact]) -> tuple[Evidence, ...]:
    return tuple(Evidence(locator=fact.locator, text=fact.value.text) for fact in facts)
