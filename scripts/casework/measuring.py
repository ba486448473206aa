"""Measuring on stored conversations: true answers, and the same answers with one thing in them made false."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from casework.corrupting import corrupt
from casework.engine import verify
from casework.outcomes import claims_at, worst
from verifier.core.turn_file import read_turn
from verifier.core.verdicts import Disposition

if TYPE_CHECKING:
    from casework.changes import Corruption
    from verifier.core.report import GroundingReport, JudgedClaim

UNCLAIMED: Final = "unclaimed"
_OPEN: Final = (Disposition.REVIEW.value, Disposition.UNCHECKED.value, UNCLAIMED)
MOST_TRUE_REJECTED: Final = 0.01
MOST_TRUE_OPEN: Final = 0.10
LEAST_FALSE_REJECTED: Final = 0.98
MOST_FALSE_ACCEPTED: Final = 0.005


@dataclass(slots=True)
class Tally:
    """How often each outcome came out."""

    outcomes: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """How many outcomes there are."""
        return self.outcomes.total()

    def share(self, *names: str) -> float:
        """Return the part of all outcomes that these are; 0 where there are none."""
        return sum(self.outcomes[name] for name in names) / (self.total or 1)

    @property
    def rejected(self) -> float:
        """The share that was rejected."""
        return self.share(Disposition.REJECTED.value)

    @property
    def accepted(self) -> float:
        """The share that was accepted."""
        return self.share(Disposition.ACCEPTED.value)

    @property
    def open(self) -> float:
        """The share that was left to review, unchecked, or not seen as a claim at all."""
        return self.share(*_OPEN)

    def to_json(self) -> dict[str, Any]:
        """Return the counts and the three shares."""
        shares = {"rejected": self.rejected, "accepted": self.accepted, "open": self.open}
        return {"total": self.total, "outcomes": dict(self.outcomes), "shares": shares}


@dataclass(slots=True)
class Measurement:
    """What verifying the true and the corrupted answers told."""

    answers: int = 0
    without_claims: int = 0
    true: Tally = field(default_factory=Tally)
    true_by_domain: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    codes: Counter[str] = field(default_factory=Counter)
    false: Tally = field(default_factory=Tally)
    false_by_kind: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    without_place: Counter[str] = field(default_factory=Counter)
    misses: list[dict[str, Any]] = field(default_factory=list)
    passed: list[dict[str, Any]] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)

    @property
    def missed_goals(self) -> list[str]:
        """The goals that were not reached, in words."""
        goals = [
            (self.true.rejected <= MOST_TRUE_REJECTED, "at most 1% of true claims rejected"),
            (self.true.open <= MOST_TRUE_OPEN, "at most 10% of true claims left open"),
            (not self.crashes, "no crash"),
        ]
        if self.false.total:
            goals += [
                (self.false.rejected >= LEAST_FALSE_REJECTED, "at least 98% of the false rejected"),
                (self.false.accepted <= MOST_FALSE_ACCEPTED, "at most 0.5% of the false accepted"),
            ]
        return [goal for reached, goal in goals if not reached]

    def to_json(self) -> dict[str, Any]:
        """Return all figures, without the single misses."""
        return {
            "answers": self.answers,
            "answers_without_claims": self.without_claims,
            "true": self.true.to_json(),
            "true_by_domain": {name: one.to_json() for name, one in self.true_by_domain.items()},
            "codes": dict(self.codes.most_common()),
            "false": self.false.to_json(),
            "false_by_kind": {
                kind: one.to_json() for kind, one in sorted(self.false_by_kind.items())
            },
            "answers_without_place": dict(self.without_place),
            "crashes": self.crashes,
            "missed_goals": self.missed_goals,
        }


def measure(turns: list[dict[str, Any]], *, seeds: int) -> Measurement:
    """Return what verifying tells of every answer, and of one corruption of it by each of the seeds."""
    found = Measurement()
    for number, turn in enumerate(turns, 1):
        found.answers += 1
        try:
            _measure_true(turn, found)
            for seed in range(1, seeds + 1):
                _measure_false(turn, seed, found)
        except Exception as crash:
            found.crashes.append(f"{turn['id']}: {type(crash).__name__}: {crash}"[:300])
        if number % 100 == 0 or number == len(turns):
            tell_progress(number, len(turns), "answers")
    return found


def tell_progress(done: int, total: int, what: str) -> None:
    """Say on the error stream how far a run has come."""
    ends = "\r" if sys.stderr.isatty() and done < total else "\n"
    print(f"{done} of {total} {what}", end=ends, file=sys.stderr, flush=True)


def _measure_true(turn: dict[str, Any], found: Measurement) -> None:
    case = read_turn(turn)
    report = verify(case.answer or "", case.turn)
    found.without_claims += not report.judged
    domain = str(turn["id"]).partition("/")[0]
    for judged in report.judged:
        outcome = judged.verdict.disposition.value
        for tally in (found.true, found.true_by_domain[domain]):
            tally.outcomes[outcome] += 1
        reason = f":{judged.verdict.reason}" if judged.verdict.reason else ""
        found.codes[f"{judged.verdict.code}{reason}"] += 1
        if outcome != Disposition.ACCEPTED.value:
            found.misses.append({"id": turn["id"], **tell(report, judged)})


def tell(report: GroundingReport, judged: JudgedClaim) -> dict[str, Any]:
    """Return a claim and its verdict with sentence, detail and evidence, for people to look at."""
    verdict = judged.verdict
    return {
        "disposition": verdict.disposition.value,
        "code": str(verdict.code),
        "reason": str(verdict.reason) if verdict.reason else None,
        "claim": judged.claim.span.of(report.answer),
        "values": [assertion.span.of(report.answer) for assertion in judged.claim.assertions],
        "sentence": judged.claim.sentence.of(report.answer),
        "detail": verdict.detail,
        "evidence": [f"{one.locator}: {one.text[:120]}" for one in verdict.evidence[:3]],
    }


def _measure_false(turn: dict[str, Any], seed: int, found: Measurement) -> None:
    case = read_turn(turn)
    corruption, _ = corrupt(case.answer or "", case.turn, seed=f"{seed}:{turn['id']}")
    if corruption is None:
        found.without_place[f"seed {seed}"] += 1
        return
    report = verify(corruption.answer, case.turn)
    outcome = outcome_of(report, corruption)
    for tally in (found.false, found.false_by_kind[corruption.kind]):
        tally.outcomes[outcome] += 1
    if outcome != Disposition.REJECTED.value:
        told = [
            tell(report, judged) for span in corruption.spans for judged in claims_at(report, span)
        ]
        found.passed.append(
            {
                "id": turn["id"],
                "seed": seed,
                "outcome": outcome,
                **corruption.to_json(),
                "around": [
                    corruption.answer[max(0, span.start - 100) : span.end + 60]
                    for span in corruption.spans
                ],
                "claims": told,
            }
        )


def outcome_of(report: GroundingReport, corruption: Corruption) -> str:
    """Return the worst disposition of the claims that cover what was changed."""
    covering = [judged for span in corruption.spans for judged in claims_at(report, span)]
    found = worst(covering)
    return UNCLAIMED if found is None else found.value
