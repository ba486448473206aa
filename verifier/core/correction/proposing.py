"""What may be corrected of a report: rejected values whose right one a row tells, and dead cards."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from verifier.core.claims import ClaimForm
from verifier.core.correction.dead_cards import spans_of_dead
from verifier.core.correction.joined import is_joined
from verifier.core.correction.writing import ValueWriter
from verifier.core.evidence import Polarity, RowLocator
from verifier.core.policy import Edit, Hindrance, LeftAlone
from verifier.core.verdicts import Disposition, Tier, VerdictCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from verifier.core.catalog import Catalog
    from verifier.core.claims import Assertion, ClaimId
    from verifier.core.report import GroundingReport, JudgedClaim
    from verifier.core.spans import Span
    from verifier.core.verdicts import Finding

_MISMATCHES: Final = frozenset(
    {VerdictCode.PRICE_MISMATCH, VerdictCode.ATTRIBUTE_MISMATCH, VerdictCode.CONTRADICTED}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Edits in the order of their spans, none over another, and what can't be corrected."""

    edits: tuple[Edit, ...]
    left_alone: tuple[LeftAlone, ...]


def propose_edits(report: GroundingReport, catalog: Catalog) -> Proposal:
    """Return the edits that would make the rejected claims of `report` true, as far as rows tell how.

    Only what a row refutes is touched, and only by a value that is no text. A card of an id that does not
    exist goes out. The report has to be one in which the tables had the last word.
    """
    writer = ValueWriter(report.answer, report.turn.timezone)
    proposer = _Proposer(report, catalog, writer)
    found = [one for judged in report.judged for one in proposer.propose(judged)]
    edits, overlapping = _without_overlaps(one for one in found if isinstance(one, Edit))
    left = [one for one in found if isinstance(one, LeftAlone)]
    return Proposal(edits=edits, left_alone=(*left, *overlapping))


class _Proposer:
    """Proposes edits for the claims of one report."""

    def __init__(self, report: GroundingReport, catalog: Catalog, writer: ValueWriter) -> None:
        self._report = report
        self._catalog = catalog
        self._writer = writer
        self._denying = {
            judged.claim.sentence for judged in report.judged if _denies_wrongly(judged)
        }
        self._going = dict(_find_going(report))

    def propose(self, judged: JudgedClaim) -> Iterator[Edit | LeftAlone]:
        """Yield an edit, or why there is none, for each value of a rejected claim that is refuted."""
        verdict = judged.verdict
        if verdict.disposition is not Disposition.REJECTED:
            return
        if verdict.code is VerdictCode.NOT_FOUND:
            yield self._take_out(judged)
            return
        refuted = list(_refuted(judged))
        if not refuted:
            yield _leave(judged, verdict.decided_by.attribute, Hindrance.NO_RIGHT_VALUE)
        for finding in refuted:
            edit = self._correct(judged, finding)
            if isinstance(edit, Hindrance):
                yield _leave(judged, finding.attribute, edit)
            else:
                yield edit

    def _take_out(self, judged: JudgedClaim) -> Edit | LeftAlone:
        """Return the edit that takes a card out; prose about what does not exist has no right value."""
        claim = judged.claim
        if claim.form is not ClaimForm.CARD:
            return _leave(judged, None, Hindrance.NO_RIGHT_VALUE)
        if not _is_dead(judged):
            return _leave(judged, None, Hindrance.KNOWN_TO_LEDGER)
        span = self._going[claim.claim_id]
        return Edit(
            span=span,
            old=span.of(self._report.answer),
            new="",
            reason=judged.verdict.detail,
            claims=(claim.claim_id,),
        )

    def _correct(self, judged: JudgedClaim, finding: Finding) -> Edit | Hindrance:
        right = finding.corrected_value
        if right is None:
            return Hindrance.NO_RIGHT_VALUE
        if finding.tier is not Tier.DATABASE or not _rests_on_rows(finding):
            return Hindrance.NOT_CONFIRMED
        assertion = _find_assertion(judged, finding)
        if assertion is None or assertion.value is None:
            return Hindrance.NO_RIGHT_VALUE
        if judged.claim.sentence in self._denying:
            return Hindrance.DENIED
        if is_joined(self._report.answer, assertion.span):
            return Hindrance.OTHER_FORM
        old = assertion.span.of(self._report.answer)
        unit = self._unit(judged, finding)
        new = self._writer.write(old, assertion.value, right, unit=unit, form=judged.claim.form)
        if isinstance(new, Hindrance):
            return new
        if new == old:
            return Hindrance.OTHER_FORM
        return Edit(
            span=assertion.span,
            old=old,
            new=new,
            reason=finding.detail,
            claims=(judged.claim.claim_id,),
            evidence=finding.evidence,
        )

    def _unit(self, judged: JudgedClaim, finding: Finding) -> str | None:
        entity = self._catalog.find_type(judged.claim.entity_type or "")
        attribute = None if entity is None else entity.find_attribute(finding.attribute or "")
        return None if attribute is None else attribute.unit


def _find_going(report: GroundingReport) -> Iterator[tuple[ClaimId, Span]]:
    """Yield the cards whose thing does not exist, each with the span that goes with it."""
    blocks: defaultdict[Span, list[JudgedClaim]] = defaultdict(list)
    for judged in report.judged:
        if judged.claim.form is ClaimForm.CARD:
            blocks[judged.claim.sentence].append(judged)
    for block, records in blocks.items():
        dead = [_is_dead(one) for one in records]
        if any(dead):
            places = [one.claim.span for one in records]
            spans = spans_of_dead(report.answer, block, places, dead)
            for judged, span in zip(records, spans, strict=True):
                yield judged.claim.claim_id, span


def _denies_wrongly(judged: JudgedClaim) -> bool:
    """Return whether a claim denies what is so; correcting beside it would say both: "$49, not $49"."""
    denied = any(one.polarity is Polarity.DENIED for one in judged.claim.assertions)
    return denied and judged.verdict.disposition is Disposition.REJECTED


def _is_dead(judged: JudgedClaim) -> bool:
    """Return whether a thing does not exist, and no tool result says that it does."""
    known = any(one.disposition is Disposition.ACCEPTED for one in judged.verdict.findings)
    return judged.verdict.code is VerdictCode.NOT_FOUND and not known


def _refuted(judged: JudgedClaim) -> Iterator[Finding]:
    """Yield, by attribute, the last word on what is refuted: the database's, where it looked."""
    by_attribute: defaultdict[str | None, list[Finding]] = defaultdict(list)
    for finding in judged.verdict.findings:
        by_attribute[finding.attribute].append(finding)
    for found in by_attribute.values():
        by_rows = [one for one in found if one.tier is Tier.DATABASE]
        said = by_rows or [one for one in found if one.code in _MISMATCHES]
        if said and said[-1].code in _MISMATCHES:
            yield said[-1]


def _rests_on_rows(finding: Finding) -> bool:
    """Return whether rows alone tell the right value; what is named as out of date tells nothing."""
    counted = [one for one in finding.evidence if one.note is None]
    return bool(counted) and all(isinstance(one.locator, RowLocator) for one in counted)


def _find_assertion(judged: JudgedClaim, finding: Finding) -> Assertion | None:
    """Return the assertion that a finding is on: that of its attribute, or the only value of the claim."""
    stated = [one for one in judged.claim.assertions if one.value is not None]
    if finding.attribute is None:
        return stated[0] if len(stated) == 1 else None
    named = [one for one in stated if " ".join(one.attribute) == finding.attribute]
    return named[0] if len(named) == 1 else None


def _leave(judged: JudgedClaim, attribute: str | None, hindrance: Hindrance) -> LeftAlone:
    return LeftAlone(claim=judged.claim.claim_id, attribute=attribute, hindrance=hindrance)


def _without_overlaps(proposed: Iterable[Edit]) -> tuple[tuple[Edit, ...], list[LeftAlone]]:
    """Return the edits in order; equal ones become one, of others that overlap none is made."""
    merged: dict[tuple[int, int, str], Edit] = {}
    for edit in proposed:
        key = (edit.span.start, edit.span.end, edit.new)
        same = merged.get(key)
        merged[key] = edit if same is None else _merge(same, edit)
    ordered = sorted(merged.values(), key=lambda edit: edit.span)
    clashing = set(_find_clashes(ordered))
    left = [
        LeftAlone(claim=claim, attribute=None, hindrance=Hindrance.OVERLAPPING)
        for at in sorted(clashing)
        for claim in ordered[at].claims
    ]
    return tuple(one for at, one in enumerate(ordered) if at not in clashing), left


def _merge(one: Edit, other: Edit) -> Edit:
    evidence = tuple(dict.fromkeys((*one.evidence, *other.evidence)))
    return replace(one, claims=(*one.claims, *other.claims), evidence=evidence)


def _find_clashes(ordered: Sequence[Edit]) -> Iterator[int]:
    """Yield the places of edits that share a character with another."""
    furthest, holder = -1, -1
    for at, edit in enumerate(ordered):
        if edit.span.start < furthest:
            yield at
            yield holder
        if edit.span.end > furthest:
            furthest, holder = edit.span.end, at
