"""Statements that are known to be true or false of a text, and how two checks do on them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from casework.engine import verify
from casework.measuring import tell_progress
from verifier.core.turn_file import read_turn
from verifier.core.verdicts import Disposition

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

DOMAINS: Final = ("news", "podcast", "qmsumm", "samsum", "scitldr")
_NUMBER: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement, the text that it is held against, and whether it is true of it."""

    statement_id: str
    domain: str
    text: str
    evidence: str
    is_true: bool


@dataclass(slots=True)
class Rates:
    """How often a check was wrong: true statements rejected, false ones not rejected; and what it passed."""

    true: int = 0
    false: int = 0
    true_rejected: int = 0
    false_missed: int = 0
    true_accepted: int = 0
    false_accepted: int = 0

    def add(self, *, is_true: bool, rejected: bool, accepted: bool) -> None:
        """Count one statement."""
        if is_true:
            self.true += 1
            self.true_rejected += rejected
            self.true_accepted += accepted
        else:
            self.false += 1
            self.false_missed += not rejected
            self.false_accepted += accepted

    def shares(self) -> dict[str, float]:
        """Return the four rates, by name."""
        return {
            "true_rejected": self.true_rejected / (self.true or 1),
            "false_missed": self.false_missed / (self.false or 1),
            "true_accepted": self.true_accepted / (self.true or 1),
            "false_accepted": self.false_accepted / (self.false or 1),
        }


@dataclass(slots=True)
class Comparison:
    """A domain: this verifier, the naive check, and what the verifier got wrong."""

    ours: Rates = field(default_factory=Rates)
    naive: Rates = field(default_factory=Rates)
    wrong: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_better(self) -> bool:
        """Whether the verifier is no worse at either error and better at one."""
        alarms = self.ours.true_rejected, self.naive.true_rejected
        misses = self.ours.false_missed, self.naive.false_missed
        no_worse = alarms[0] <= alarms[1] and misses[0] <= misses[1]
        return no_worse and (alarms[0] < alarms[1] or misses[0] < misses[1])

    def to_json(self) -> dict[str, Any]:
        """Return counts and rates of both checks."""
        return {
            "true": self.ours.true,
            "false": self.ours.false,
            "ours": self.ours.shares(),
            "naive": self.naive.shares(),
            "better": self.is_better,
        }


def read_summedits(folder: Path) -> Iterator[Statement]:
    """Yield every summary, consistent with its document or edited."""
    for domain in DOMAINS:
        for one in json.loads((folder / f"summedits_{domain}.json").read_text(encoding="utf-8")):
            yield Statement(
                statement_id=one["id"],
                domain=f"summedits {domain}",
                text=one["summary"],
                evidence=one["doc"],
                is_true=one["label"] == 1,
            )


def compare(statements: Iterable[Statement]) -> dict[str, Comparison]:
    """Return how both checks do, by domain."""
    listed = list(statements)
    found: dict[str, Comparison] = {}
    for number, statement in enumerate(listed, 1):
        one = found.setdefault(statement.domain, Comparison())
        absent = lacks_number(statement)
        one.naive.add(is_true=statement.is_true, rejected=absent, accepted=not absent)
        _judge(statement, one)
        if number % 500 == 0 or number == len(listed):
            tell_progress(number, len(listed), "statements")
    return found


def print_comparison(found: Mapping[str, Comparison], *, with_misses: bool) -> None:
    """Print a line a domain, and before them what came out wrong where that is asked for."""
    for wrong in [wrong for one in found.values() for wrong in one.wrong] if with_misses else ():
        print(f"{wrong['error']} {wrong['domain']} {wrong['id']}")
        for claim in wrong["claims"]:
            print(f"    {claim}")
    print(f"{'':<24}{'':>12}{'true rejected':>18}{'false missed':>18}{'accepted':>18}")
    names = ("true/false", "ours", "naive", "ours", "naive", "true", "false")
    print(f"{'domain':<24}{names[0]:>12}" + "".join(f"{name:>9}" for name in names[1:]))
    for name, one in found.items():
        ours, naive = one.ours.shares(), one.naive.shares()
        shares = [
            *(ours["true_rejected"], naive["true_rejected"]),
            *(ours["false_missed"], naive["false_missed"]),
            *(ours["true_accepted"], ours["false_accepted"]),
        ]
        size = f"{one.ours.true}/{one.ours.false}"
        line = f"{name:<24}{size:>12}" + "".join(f"{share:>9.1%}" for share in shares)
        print(line + ("" if one.is_better else "  falls short"))


def lacks_number(statement: Statement) -> bool:
    """Return what the naive check finds: a number of the statement is absent from the text."""
    known = set(_numbers(statement.evidence))
    return any(number not in known for number in _numbers(statement.text))


def _numbers(text: str) -> Iterator[str]:
    for found in _NUMBER.finditer(text):
        yield found.group().replace(",", "")


def _judge(statement: Statement, one: Comparison) -> None:
    turn = read_turn({"documents": {"E": statement.evidence}, "cited": "E"}).turn
    report = verify(statement.text, turn)
    outcome = report.outcome
    one.ours.add(
        is_true=statement.is_true,
        rejected=outcome is Disposition.REJECTED,
        accepted=outcome is Disposition.ACCEPTED,
    )
    blamed = Disposition.REJECTED if statement.is_true else Disposition.ACCEPTED
    if outcome is blamed:
        claims = [judged for judged in report.judged if judged.verdict.disposition is blamed]
        one.wrong.append(
            {
                "id": statement.statement_id,
                "domain": statement.domain,
                "error": "wrongly_refused" if statement.is_true else "wrongly_accepted",
                "claims": [
                    f"{judged.verdict.code} {judged.claim.text[:200]!r} -- {judged.verdict.detail[:200]}"
                    for judged in claims
                ],
            }
        )
