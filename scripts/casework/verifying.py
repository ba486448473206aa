"""Judging the tasks `compare`, `ledger` and `quote`: an answer against its turn."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from casework.cases import Judgement
from casework.engine import verify
from casework.evidence import turn_of
from casework.outcomes import (
    claims_at,
    describe,
    judge_choice,
    judge_word,
    places_of,
    worst,
)
from verifier.core.sentences import split_sentences
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from casework.cases import Case
    from casework.outcomes import Outcome
    from verifier.core.report import GroundingReport

_QUOTED: Final = re.compile(r'"[^"\n]+"|“[^”\n]+”|„[^“”\n]+[“”]|«[^»\n]+»')
_DROP: Final = re.compile(r"drop sentences ([0-9]+)-([0-9]+)")
_SHAPE: Final = frozenset({"claims", "overall", "verdict", "any_of", "finishes_within_s", "code"})


def judge_compare(case: Case) -> Judgement:
    """Return whether the answer's worst claim comes out as expected."""
    return judge_report(case, report_on, lambda report: report.outcome)


def judge_quote(case: Case) -> Judgement:
    """Return whether the quotations of the answer come out as expected."""
    return judge_report(case, report_on, outcome_of_quotations)


def report_on(case: Case) -> GroundingReport:
    """Return the report on a case without tables."""
    return verify(case.text, turn_of(case), catalog=catalog_of(case))


def catalog_of(case: Case) -> dict[str, Any] | None:
    """Return the catalog that `id_case` speaks of: one text key a list of records, blind to case."""
    if case.extra.get("id_case") != "insensitive" or not isinstance(case.evidence, dict):
        return None
    return {
        name.removesuffix("s"): {
            "table": name,
            "plural": name,
            "key": {"column": "id", "type": "text", "case": "upper"},
            "attributes": {"status": {"kind": "state", "states": {"open": [], "closed": []}}},
        }
        for name, records in case.evidence.items()
        if isinstance(records, list)
    }


def outcome_of_quotations(report: GroundingReport) -> Outcome:
    """Return the worst outcome of the claims that hold a quotation; of all where none is found."""
    places = [Span(*found.span()) for found in _QUOTED.finditer(report.answer)]
    quoted = [judged for place in places for judged in claims_at(report, place)]
    return worst(quoted) if quoted else report.outcome


def judge_report(
    case: Case,
    make_report: Callable[[Case], GroundingReport],
    outcome_of: Callable[[GroundingReport], Outcome],
) -> Judgement:
    """Return the judgement of a verified case, whatever its expectation is made of."""
    begun = time.perf_counter()
    report = make_report(case)
    took = time.perf_counter() - begun
    limit = _limit(case)
    if limit is not None and took > limit:
        return Judgement(ok=False, got=[f"took {took:.2f} s"], error="wrong_value")
    judged = _judge_expected(case, report, outcome_of(report))
    if not judged.ok:
        return judged
    problem = _told_aside(case, report) or _changes_with_noise(case, report, make_report)
    return replace(judged, ok=False, error="wrong_value", got=problem) if problem else judged


def _limit(case: Case) -> float | None:
    named = case.expected if isinstance(case.expected, dict) else {}
    limit = case.extra.get("finishes_within_s", named.get("finishes_within_s"))
    return None if limit is None else float(limit)


def _judge_expected(case: Case, report: GroundingReport, outcome: Outcome) -> Judgement:
    expected, got = case.expected, describe(report)
    must_not = case.extra.get("must_not")
    if isinstance(expected, str):
        return judge_word(expected, outcome, must_not, got)
    if not isinstance(expected, dict) or set(expected) - _SHAPE or not expected:
        return Judgement(
            ok=False, got=f"expected of an unknown shape: {expected!r}", error="wrong_value"
        )
    if "any_of" in expected:
        return judge_choice([str(word) for word in expected["any_of"]], outcome, must_not, got)
    parts = [
        judge_word(str(expected[name]), outcome, must_not, got)
        for name in ("overall", "verdict")
        if name in expected
    ]
    parts += [_judge_part(report, part, got) for part in expected.get("claims", ())]
    if "code" in expected:
        told = expected["code"] in {str(judged.verdict.code) for judged in report.judged}
        parts.append(Judgement(ok=told, got=got, error=None if told else "wrong_value"))
    return next((part for part in parts if not part.ok), Judgement(ok=True, got=got))


def _judge_part(report: GroundingReport, part: dict[str, Any], got: list[str]) -> Judgement:
    """Return the judgement of one expected claim, found by its text in the answer."""
    if set(part) - {"text", "verdict", "by"}:
        return Judgement(
            ok=False, got=f"a claim of an unknown shape: {part!r}", error="wrong_value"
        )
    at = report.answer.find(str(part["text"]))
    if at < 0:
        return Judgement(
            ok=False, got=[f"{part['text']!r} is not in the answer"], error="wrong_value"
        )
    found = claims_at(report, Span(at, at + len(str(part["text"]))))
    judgement = judge_word(str(part["verdict"]), worst(found), None, got)
    by = {str(one) for one in _listed(part.get("by"))}
    places = {place for judged in found for place in places_of(judged)}
    if judgement.ok and by - places:
        return Judgement(ok=False, got=sorted(places), error="wrong_value")
    return judgement


def _listed(value: object) -> list[object]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _told_aside(case: Case, report: GroundingReport) -> str | None:
    """Return what is wrong with the share of grounded claims, where the case speaks of it."""
    share = report.grounded_share
    if str(case.extra.get("score_must_be", "")).startswith("null") and share is not None:
        return f"the grounded share is {share}, not null"
    highest = case.extra.get("score_max")
    if highest is not None and share is not None and share > float(highest):
        return f"the grounded share is {share}, more than {highest}"
    return None


def _changes_with_noise(
    case: Case, report: GroundingReport, make_report: Callable[[Case], GroundingReport]
) -> str | None:
    """Return what differs once sentences of the evidence are dropped that must not matter."""
    dropped = _DROP.match(str(case.extra.get("metamorphic", "")))
    if dropped is None or not isinstance(case.evidence, str):
        return None
    sentences = [sentence.text for sentence in split_sentences(case.evidence)]
    first, last = int(dropped[1]), int(dropped[2])
    kept = " ".join(sentences[: first - 1] + sentences[last:])
    other = make_report(replace(case, evidence=kept)).outcome
    return (
        None
        if other is report.outcome
        else f"{report.outcome} becomes {other} without {dropped[0]}"
    )
