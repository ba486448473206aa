"""Replaying stored conversations with the shop's tables behind them, every rejected claim explained.

A rejected claim of a true answer is a false alarm, unless something explains it: the table is behind what a
call did, tool result and table differ and the report says so, or people looked at it (`reviewed`).
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from casework.measuring import Tally, tell
from casework.turnfiles import ROOT
from verifier.core.evidence import RowLocator
from verifier.core.turn_file import read_turn
from verifier.core.verdicts import Disposition
from verifier.verify.verifier import verify_answer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casework.retail_changes import ChangingTables
    from verifier.core.report import JudgedClaim
    from verifier.verify.verifier import Backing

REVIEWED: Final = ROOT / "scripts" / "replays" / "retail.jsonl"
MOST_FALSE_ALARMS: Final = 0.01
_OUT_OF_DATE: Final = "out of date"
_FINDS_USER: Final = "find_user_id_by_"

FALSE_ALARM: Final = "false alarm"
BEHIND: Final = "table behind a call"
DIFFER: Final = "result and table differ"


@dataclass(slots=True)
class Replay:
    """What became of the claims of all answers. Not frozen: it counts."""

    answers: int = 0
    asked: int = 0
    claims: Tally = field(default_factory=Tally)
    codes: Counter[str] = field(default_factory=Counter)
    tiers: Counter[str] = field(default_factory=Counter)
    alarms: list[dict[str, Any]] = field(default_factory=list)
    left_open: list[dict[str, Any]] = field(default_factory=list)

    @property
    def by_category(self) -> Counter[str]:
        """How many rejected claims are of which category."""
        return Counter(one["category"] for one in self.alarms)

    @property
    def false_alarms(self) -> float:
        """The share of all claims that is rejected and not explained."""
        return self.by_category[FALSE_ALARM] / (self.claims.total or 1)

    def to_json(self) -> dict[str, Any]:
        """Return all figures and every rejected claim."""
        return {
            "answers": self.answers,
            "answers_that_asked_tables": self.asked,
            "claims": self.claims.to_json(),
            "codes": dict(self.codes.most_common()),
            "tiers": dict(self.tiers.most_common()),
            "rejected": dict(self.by_category.most_common()),
            "alarms": self.alarms,
        }


async def replay(
    turns: Sequence[dict[str, Any]], backing: Backing, tables: ChangingTables, *, confirms: bool
) -> Replay:
    """Return what verifying every answer tells, each with the tables of its own moment behind it.

    `confirms` asks the tables of what tool results already settle, too.
    """
    found, reviewed = Replay(), read_reviewed()
    for told in turns:
        await tables.follow(str(told["id"]).rpartition("/")[0], told["calls"])
        case = read_turn({**told, "principal": find_principal(told["calls"])})
        turn = replace(case.turn, check_ledger_against_database=confirms)
        report = await verify_answer(case.answer or "", turn, backing=backing)
        found.answers += 1
        found.asked += report.database_round_trips > 0
        for judged in report.judged:
            _count(found, judged)
            if judged.verdict.disposition not in {Disposition.REJECTED, Disposition.ACCEPTED}:
                found.left_open.append({"id": told["id"], **tell(report, judged)})
            if judged.verdict.disposition is Disposition.REJECTED:
                alarm = {"id": told["id"], **tell(report, judged)}
                category, why = explain(alarm, judged, tables.changed, reviewed)
                found.alarms.append({"category": category, "why": why, **alarm})
    await tables.restore()
    return found


def find_principal(calls: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the user whom the calls found, if any: on whose behalf the conversation runs from then on."""
    found = [
        one["result"].strip()
        for one in calls
        if one["ok"] and str(one["tool"]).startswith(_FINDS_USER) and one["result"]
    ]
    return found[-1] if found else None


def read_reviewed() -> Mapping[tuple[str, str], tuple[str, str]]:
    """Return the category of a rejected claim and why, by turn and value, as people found."""
    lines = REVIEWED.read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines if line.strip()]
    return {(one["turn"], one["value"]): (one["category"], one["why"]) for one in entries}


def explain(
    alarm: Mapping[str, Any],
    judged: JudgedClaim,
    changed: Mapping[str, str],
    reviewed: Mapping[tuple[str, str], tuple[str, str]],
) -> tuple[str, str]:
    """Return the category of a rejected claim, and what explains it."""
    evidence = judged.verdict.evidence
    rows = [one.locator for one in evidence if isinstance(one.locator, RowLocator)]
    called = [changed[row.key] for row in rows if row.key in changed]
    stale = [one for one in evidence if (one.note or "").startswith(_OUT_OF_DATE)]
    for value in alarm["values"]:
        if (alarm["id"], value) in reviewed:
            return reviewed[alarm["id"], value]
    if called and stale:
        return BEHIND, f"{called[-1]} changed {rows[0].key} before; the table holds what was before"
    if stale:
        return DIFFER, f"the report names what is out of date: {stale[0].text!r}"
    return FALSE_ALARM, "nothing explains it"


def _count(found: Replay, judged: JudgedClaim) -> None:
    verdict = judged.verdict
    found.claims.outcomes[verdict.disposition.value] += 1
    reason = f":{verdict.reason}" if verdict.reason else ""
    found.codes[f"{verdict.code}{reason}"] += 1
    found.tiers[str(verdict.tier) if verdict.tier else "none"] += 1
