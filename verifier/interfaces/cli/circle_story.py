"""The full circle told step by step, the same on a terminal and on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.rechecks import FALLEN, Standing
from verifier.core.verdicts import Disposition, VerdictCode
from verifier.interfaces.timeline import Swap, TimelineStep
from verifier.interfaces.wording import count, describe_verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.rechecks import Recheck, RecheckedClaim
    from verifier.interfaces.cli.circle import Circle


def tell_circle(circle: Circle) -> tuple[TimelineStep, ...]:
    """Return what was said, what changed, what the audits found, who decided, and what holds again."""
    return (
        _said(circle),
        *_changed(circle),
        _rechecked(circle),
        _named(circle),
        _told_again(circle),
        _decided(circle),
        _taken_back(circle),
        _held(circle),
    )


def sum_up(circle: Circle) -> str:
    """Return in one sentence what the circle came to."""
    fallen, looked = len(circle.fallen), len(circle.rechecked)
    return (
        f"Of {looked} answers, {fallen} held when they were given and no longer did after a price and a"
        f" policy had changed. The other {looked - fallen} rest on nothing that changed, and are not named."
    )


def _said(circle: Circle) -> TimelineStep:
    return TimelineStep(
        at=min(one.created_at for one in circle.fallen or circle.rechecked),
        kind=Disposition.ACCEPTED,
        heading="Said, and right then",
        lines=tuple(
            f"answer {one.report_id[:12]}, {claim.before.value}: {_quote(claim)}"
            for one in circle.fallen
            for claim in _fallen_claims(one)
        ),
    )


def _changed(circle: Circle) -> Iterator[TimelineStep]:
    price, policy = circle.price, circle.policy
    yield TimelineStep(
        at=price.at,
        kind=None,
        heading="A price changed in its table",
        swaps=(
            Swap(
                name=price.name,
                old=f"{price.old} {price.currency}",
                new=f"{price.new} {price.currency}",
            ),
        ),
    )
    yield TimelineStep(
        at=policy.at,
        kind=None,
        heading="A policy got a version",
        swaps=(
            Swap(name=policy.key, old=f"version {policy.old_seq}", new=f"version {policy.seq}"),
        ),
    )


def _rechecked(circle: Circle) -> TimelineStep:
    fallen = circle.fallen
    return TimelineStep(
        at=max(one.moment for one in circle.rechecked),
        kind=Disposition.REJECTED if fallen else Disposition.ACCEPTED,
        heading=f"{count(len(circle.rechecked), 'answer')} rechecked: {len(fallen)} no longer right",
        lines=tuple(
            f"{one.standing.value}: answer {one.report_id[:12]}, {_flip(claim)}"
            for one in fallen
            for claim in _fallen_claims(one)
        ),
        swaps=tuple(
            Swap(
                name=f"answer {one.report_id[:12]}, {change.place or ''}",
                old=change.old or "nothing",
                new=change.new or "nothing",
            )
            for one in fallen
            for claim in _fallen_claims(one)
            for change in claim.changes
        ),
    )


def _named(circle: Circle) -> TimelineStep:
    return TimelineStep(
        at=max(one.moment for one in circle.rechecked),
        kind=Disposition.REVIEW,
        heading="The audits name the answers on the old price and on the old policy",
        lines=(
            *(
                f"drift, {each.table}: answer {answer.report_id[:12]} rests on a row that is"
                f" {answer.drift.value}"
                for each in circle.drifted
                for answer in each.newest
            ),
            *(
                f"superseded, {each.version.key}, version {each.version.seq}: answer"
                f" {answer.report_id[:12]} cites words that were {answer.standing.value}"
                for each in circle.superseded
                for answer in each.answers
            ),
        ),
    )


def _told_again(circle: Circle) -> TimelineStep:
    report = circle.again.report
    return TimelineStep(
        at=report.provenance.created_at,
        kind=Disposition.REVIEW,
        heading="Said again, on the passage of the old version",
        lines=tuple(
            f"{describe_verdict(judged.verdict)}: “{judged.claim.text.strip()}”"
            for judged in report.judged
            if judged.verdict.code is VerdictCode.SUPERSEDED_VERSION
        ),
    )


def _decided(circle: Circle) -> TimelineStep:
    standing = [one for one in circle.review.decisions if one.stands]
    return TimelineStep(
        at=max((one.decided_at for one in standing), default=circle.taken_back.at),
        kind=Disposition.ACCEPTED,
        heading="A person decided",
        lines=tuple(
            f"review {circle.review.entry.review_id}: {one.decision.value}, by {one.reviewer}: {one.reason}"
            for one in standing
        ),
    )


def _taken_back(circle: Circle) -> TimelineStep:
    price, back = circle.price, circle.taken_back
    return TimelineStep(
        at=back.at,
        kind=None,
        heading="Both changes were taken back",
        swaps=(
            Swap(
                name=price.name,
                old=f"{price.new} {price.currency}",
                new=f"{price.old} {price.currency}",
            ),
            Swap(
                name=back.key,
                old=f"version {back.old_seq}",
                new=f"version {back.seq}, the text of version {circle.policy.old_seq}",
            ),
        ),
    )


def _held(circle: Circle) -> TimelineStep:
    wanted = {one.report_id for one in circle.fallen}
    again = [one for one in circle.held if one.report_id in wanted]
    holding = [one for one in again if one.standing is Standing.HOLDS]
    return TimelineStep(
        at=max(one.moment for one in circle.held),
        kind=Disposition.ACCEPTED if len(holding) == len(again) else Disposition.REJECTED,
        heading=f"Rechecked once more: {len(holding)} of {count(len(again), 'answer')} hold again",
        lines=tuple(f"{one.standing.value}: answer {one.report_id[:12]}" for one in again),
    )


def _fallen_claims(recheck: Recheck) -> Iterator[RecheckedClaim]:
    return (one for one in recheck.flips if one.standing in FALLEN)


def _flip(claim: RecheckedClaim) -> str:
    now = "unknown" if claim.now is None else claim.now.value
    return f"{claim.before.value} → {now}"


def _quote(claim: RecheckedClaim) -> str:
    return f"“{' '.join(claim.text.split())}”"
