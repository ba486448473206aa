"""Two runs of an evaluation, case by case: what was fixed, what was broken, and whether that is chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.audit.evaluation import SCHEMA, Judgement
from verifier.audit.statistics import compare_paired
from verifier.core.json_reading import UnreadableJson, read_json
from verifier.core.turn_fields import FieldReader
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.audit.evaluation import Evaluation

_DEEPEST: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class PastCase:
    """A case of a run as its file tells it."""

    case_id: str
    label: str | None
    given: str
    codes: tuple[str, ...]
    judgement: Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRun:
    """A run as its file tells it."""

    run_at: str
    verifier_version: str
    cases: Mapping[str, PastCase]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseChange:
    """A case that came out otherwise: what was given before and is given now."""

    case_id: str
    label: str | None
    before: str
    now: str
    codes_before: tuple[str, ...]
    codes_now: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A run against an earlier one. `both_right` and `both_wrong` count the cases that came out alike.

    `changed` came out with other codes, but neither right where it was wrong nor the reverse. Cases whose
    label is another, or disputed, in either run are not compared. `p` is that of McNemar's exact test, None
    where nothing was fixed or broken.
    """

    against: str
    compared: int
    both_right: int
    both_wrong: int
    fixed: tuple[CaseChange, ...]
    broken: tuple[CaseChange, ...]
    changed: tuple[CaseChange, ...]
    relabelled: tuple[str, ...]
    disputed: tuple[str, ...]
    only_now: tuple[str, ...]
    only_before: tuple[str, ...]
    p: float | None


def is_run(text: str) -> bool:
    """Return whether a text looks like the results of a run, not like cases."""
    return text.lstrip("\ufeff \t\r\n").startswith("{") and f'"{SCHEMA}"' in text[:200]


def read_run(text: str) -> PastRun:
    """Return the run that `verifier eval --out` wrote. Raises InputError where it is none."""
    try:
        whole = read_json(text.strip().removeprefix("\ufeff"), deepest=_DEEPEST)
    except UnreadableJson as problem:
        raise InputError(f"it is no JSON: {problem}; `verifier eval --out` writes a run") from None
    return read_run_record(whole)


def read_run_record(record: object) -> PastRun:
    """Return the run that a JSON value states. Raises InputError where it is none."""
    reader = FieldReader(record, "the run")
    if reader.fields.get("schema") != SCHEMA:
        raise InputError(f"it is no run of the form {SCHEMA!r}; `verifier eval --out` writes one")
    cases = [_read_case(one) for one in reader.tables("cases")]
    found = {one.case_id: one for one in cases}
    if len(found) < len(cases):
        raise InputError("the run has several cases of one id; it was changed by hand")
    return PastRun(
        run_at=reader.text("run_at") or "",
        verifier_version=reader.text("verifier_version") or "",
        cases=found,
    )


def _read_case(reader: FieldReader) -> PastCase:
    case_id, given = reader.text("case_id"), reader.text("given")
    if case_id is None or given is None:
        raise InputError(f"{reader.where}: case_id and given are needed")
    return PastCase(
        case_id=case_id,
        label=reader.text("label"),
        given=given,
        codes=reader.texts("codes"),
        judgement=reader.choice("judgement", Judgement, Judgement.DISPUTED),
    )


def past_of(evaluation: Evaluation) -> PastRun:
    """Return a run that was just made in the form of one that was read."""
    return PastRun(
        run_at=evaluation.run_at.isoformat(),
        verifier_version=evaluation.verifier_version,
        cases={
            one.case_id: PastCase(
                case_id=one.case_id,
                label=None if one.label is None else one.label.value,
                given=one.given,
                codes=tuple(code.value for code in one.codes),
                judgement=one.judgement,
            )
            for one in evaluation.cases
        },
    )


def compare_runs(now: PastRun, before: PastRun) -> Comparison:
    """Return what came out otherwise `now`, by the ids of cases."""
    shared = [one for one in now.cases if one in before.cases]
    disputed = [one for one in shared if None in {now.cases[one].label, before.cases[one].label}]
    relabelled = [
        one
        for one in shared
        if one not in set(disputed) and now.cases[one].label != before.cases[one].label
    ]
    left_out = {*disputed, *relabelled}
    pairs = [(before.cases[one], now.cases[one]) for one in shared if one not in left_out]
    fixed = [pair for pair in pairs if not _is_right(pair[0]) and _is_right(pair[1])]
    broken = [pair for pair in pairs if _is_right(pair[0]) and not _is_right(pair[1])]
    alike = [pair for pair in pairs if _is_right(pair[0]) == _is_right(pair[1])]
    both_right = sum(_is_right(pair[0]) for pair in alike)
    return Comparison(
        against=before.run_at,
        compared=len(pairs),
        both_right=both_right,
        both_wrong=len(alike) - both_right,
        fixed=_changes(fixed),
        broken=_changes(broken),
        changed=_changes([pair for pair in alike if _differ(*pair)]),
        relabelled=tuple(relabelled),
        disputed=tuple(disputed),
        only_now=tuple(one for one in now.cases if one not in before.cases),
        only_before=tuple(one for one in before.cases if one not in now.cases),
        p=compare_paired(len(fixed), len(broken)),
    )


def _is_right(case: PastCase) -> bool:
    return case.judgement is Judgement.RIGHT


def _differ(before: PastCase, now: PastCase) -> bool:
    return (before.given, before.codes) != (now.given, now.codes)


def _changes(pairs: list[tuple[PastCase, PastCase]]) -> tuple[CaseChange, ...]:
    return tuple(
        CaseChange(
            case_id=now.case_id,
            label=now.label,
            before=before.given,
            now=now.given,
            codes_before=before.codes,
            codes_now=now.codes,
        )
        for before, now in pairs
    )
