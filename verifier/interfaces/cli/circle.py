"""The full circle of the demonstration: what was said, what changed, what that made of the answers.

A price changes in its table and a policy gets a version; past answers are rechecked and the audit names those
that are no longer true; a review is decided; the changes are taken back, and the answers are rechecked.
Nothing of it is written down beforehand, and it leaves price and policy as they were.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from verifier.core.documents import VersionState
from verifier.core.rechecks import Cause, Standing
from verifier.core.verdicts import VerdictCode
from verifier.errors import InputError
from verifier.interfaces.cli.demo_steps import (
    BY,
    ingest_file,
    put_rows,
    read_sample,
    verify_exchange,
)
from verifier.reviews import MOST_LISTED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from verifier.audit.drift import DriftAudit, DriftedTable
    from verifier.audit.reviewing import ReviewDetail
    from verifier.audit.superseded import SupersededAudit, SupersededVersion
    from verifier.core.rechecks import Recheck
    from verifier.ingest.requests import IngestOutcome
    from verifier.interfaces.cli.demo_steps import ShownExchange
    from verifier.interfaces.cli.progress import ProgressLine
    from verifier.service import Verifier
    from verifier.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceChange:
    """A price that became another in its canonical table."""

    name: str
    key: str
    old: str
    new: str
    currency: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyChange:
    """A source whose version `seq` took the place of version `old_seq`."""

    key: str
    old_seq: int
    seq: int
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Circle:
    """One round: what changed, what was found of the answers, who decided, and how they stand again.

    `rechecked` are all answers after the changes, `superseded` the versions that the audit names of which one
    of them cites words, `drifted` the tables on whose rows one of them rests; `again` is an answer from
    before, told again, `review` what was decided of it. `taken_back` tells when price and policy were as
    before; `held` are the rechecks after that.
    """

    price: PriceChange
    policy: PolicyChange
    rechecked: tuple[Recheck, ...]
    superseded: tuple[SupersededVersion, ...]
    drifted: tuple[DriftedTable, ...]
    again: ShownExchange
    review: ReviewDetail
    taken_back: PolicyChange
    held: tuple[Recheck, ...]

    @property
    def fallen(self) -> tuple[Recheck, ...]:
        """The answers that were right when they were given, and were not after the changes."""
        return tuple(one for one in self.rechecked if one.has_fallen)


REQUIRED: Final[Mapping[str, Callable[[Circle], int]]] = MappingProxyType(
    {
        "verified, then wrong by a changed row": lambda circle: _count_flips(
            circle, VerdictCode.VERIFIED, Cause.ROW_CHANGED
        ),
        "supported, then doubtful by a new version": lambda circle: _count_flips(
            circle, VerdictCode.SUPPORTED, Cause.SPAN_CHANGED
        ),
        "answer named by the audit of superseded versions": lambda circle: len(
            {one.report_id for one in circle.fallen}
            & {answer.report_id for each in circle.superseded for answer in each.answers}
        ),
        "answer named by the audit of drift": lambda circle: len(
            {one.report_id for one in circle.fallen}
            & {answer.report_id for each in circle.drifted for answer in each.newest}
        ),
        "superseded_version": lambda circle: sum(
            judged.verdict.code is VerdictCode.SUPERSEDED_VERSION
            for judged in circle.again.report.judged
        ),
        "review decided": lambda circle: sum(one.stands for one in circle.review.decisions),
        "answer that holds again": lambda circle: len(
            {one.report_id for one in circle.fallen}
            & {one.report_id for one in circle.held if one.standing is Standing.HOLDS}
        ),
    }
)
"""What the circle has to show, each counted in what was found."""


def _count_flips(circle: Circle, before: VerdictCode, cause: Cause) -> int:
    return sum(
        claim.before is before and any(change.cause is cause for change in claim.changes)
        for one in circle.fallen
        for claim in one.flips
    )


async def settle_policy(verifier: Verifier, outcomes: Sequence[IngestOutcome]) -> None:
    """Let the newest text of the sample's policy answer, where a run before was cut off within its circle."""
    key = _plan()["policy"]["key"]
    seq = max(one.seq or 0 for one in outcomes if one.key == key)
    texts = {one.version.seq: one.version for one in await verifier.sources.versions(key)}
    standing = [one for one in texts.values() if one.state is VersionState.CURRENT]
    if all(one.content_hash != texts[seq].content_hash for one in standing):
        await verifier.sources.revert(key, seq, by=BY, reason="a run was cut off")


async def go_round(
    verifier: Verifier,
    settings: Settings,
    exchanges: Sequence[ShownExchange],
    progress: ProgressLine,
) -> Circle:
    """Change a price and a policy, find what that made of the exchanges' answers, and take it back.

    The price is set back also where a step fails.
    """
    plan, said = _plan(), [one.report.report_id for one in exchanges]
    progress.tell("changing a price and a policy")
    try:
        price = await _change_price(settings, plan["price"])
        policy = await _change_policy(verifier, plan["policy"], progress)
        progress.tell("rechecking the answers")
        rechecked = await _recheck(verifier, said)
        audit = await verifier.audits.superseded(source=policy.key, limit=MOST_LISTED)
        drift = await verifier.audits.drift(limit=MOST_LISTED)
        again = await _tell_again(verifier, plan["told_again"], exchanges)
        review = await _decide(verifier, again, plan["decision"])
    finally:
        await put_rows(settings, json.loads(read_sample("rows.json")))
    taken_back = await _take_back(verifier, policy, plan["taken_back"])
    return Circle(
        price=price,
        policy=policy,
        rechecked=rechecked,
        superseded=_naming(audit, said),
        drifted=_drifted(drift, said),
        again=again,
        review=review,
        taken_back=taken_back,
        held=await _recheck(verifier, said),
    )


def _plan() -> Mapping[str, Any]:
    plan: Mapping[str, Any] = json.loads(read_sample("circle.json"))
    return plan


async def _tell_again(
    verifier: Verifier, exchange_id: str, exchanges: Sequence[ShownExchange]
) -> ShownExchange:
    """Give an answer once more on the chunks that were found for it before the changes."""
    told = next(
        one for one in json.loads(read_sample("exchanges.json")) if one["id"] == exchange_id
    )
    before = next(one for one in exchanges if one.exchange_id == exchange_id)
    return await verify_exchange(verifier, told, kept=before.found)


async def _change_price(settings: Settings, wanted: Mapping[str, str]) -> PriceChange:
    rows = json.loads(read_sample("rows.json"))["product"]
    row = next(one for one in rows if one["id"] == wanted["id"])
    at = await put_rows(settings, {"product": [row | wanted]})
    return PriceChange(
        name=row["name"],
        key=row["id"],
        old=row["price"],
        new=wanted["price"],
        currency=row["currency"],
        at=at,
    )


async def _change_policy(
    verifier: Verifier, entry: Mapping[str, str], progress: ProgressLine
) -> PolicyChange:
    old = await _current_seq(verifier, entry["key"])
    await ingest_file(verifier, entry, progress)
    seq = await _current_seq(verifier, entry["key"])
    return PolicyChange(key=entry["key"], old_seq=old, seq=seq, at=datetime.now(UTC))


async def _take_back(verifier: Verifier, change: PolicyChange, reason: str) -> PolicyChange:
    seq = await verifier.sources.revert(change.key, change.old_seq, by=BY, reason=reason)
    return PolicyChange(key=change.key, old_seq=change.seq, seq=seq, at=datetime.now(UTC))


async def _current_seq(verifier: Verifier, key: str) -> int:
    versions = [one.version for one in await verifier.sources.versions(key)]
    return next(one.seq for one in versions if one.state is VersionState.CURRENT)


async def _recheck(verifier: Verifier, report_ids: Sequence[str]) -> tuple[Recheck, ...]:
    return tuple([await verifier.answers.recheck(one) for one in report_ids])


async def _decide(
    verifier: Verifier, asked: ShownExchange, decision: Mapping[str, str]
) -> ReviewDetail:
    """Decide the entry of the queue that the report asks; the one it asks newest, where it asks several."""
    listed = await verifier.reviews.list(
        state=None, code=VerdictCode.SUPERSEDED_VERSION, limit=MOST_LISTED
    )
    for entry in sorted(listed.entries, key=lambda one: -one.review_id):
        found = await verifier.reviews.show(entry.review_id)
        if any(one.report_id == asked.report.report_id for one in found.requests):
            await verifier.reviews.decide(entry.review_id, **decision)
            return await verifier.reviews.show(entry.review_id)
    raise InputError(f"no review waits for the answer of {asked.exchange_id!r}")


def _naming(audit: SupersededAudit, report_ids: Sequence[str]) -> tuple[SupersededVersion, ...]:
    """Return the versions of the audit that name one of these answers."""
    return tuple(
        one
        for one in audit.versions
        if any(answer.report_id in report_ids for answer in one.answers)
    )


def _drifted(audit: DriftAudit, report_ids: Sequence[str]) -> tuple[DriftedTable, ...]:
    """Return the tables of the audit that name one of these answers, with no other answers than these."""
    named = (
        replace(table, newest=tuple(one for one in table.newest if one.report_id in report_ids))
        for table in audit.tables
    )
    return tuple(one for one in named if one.newest)
