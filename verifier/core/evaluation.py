"""Evaluation cases: answers with their turns, and what reviewers say of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.json_reading import UnreadableJson, read_json
from verifier.core.turn_fields import FieldReader
from verifier.core.turn_file import TurnCase, read_moment, read_turn
from verifier.core.verdicts import Disposition
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime


class Label(StrEnum):
    """What a reviewer says of an answer.

    `missing_evidence`: what it says can't be told from what the turn holds. `citation_format`: what it says
    is right, but it cites nothing, what does not exist, or what was not given or may not be used.
    """

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"
    UNCLEAR = "unclear"
    MISSING_EVIDENCE = "missing_evidence"
    CITATION_FORMAT = "citation_format"


EXPECTED: Final[Mapping[Label, Disposition]] = MappingProxyType(
    {
        Label.SUPPORTED: Disposition.ACCEPTED,
        Label.UNSUPPORTED: Disposition.REJECTED,
        Label.CONTRADICTED: Disposition.REJECTED,
        Label.UNCLEAR: Disposition.REVIEW,
        Label.MISSING_EVIDENCE: Disposition.UNCHECKED,
        Label.CITATION_FORMAT: Disposition.REJECTED,
    }
)
"""What a report should say of an answer with that label."""

_DEEPEST: Final = 500
_OWN_FIELDS: Final = ("labels", "run_at")
_LABEL_FIELDS: Final = frozenset({"reviewer", "label", "labelled_at"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerLabel:
    """What one reviewer says of a case, and since when; `labelled_at` has a time zone."""

    reviewer: str
    label: Label
    labelled_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationCase:
    """An answer in its turn with the labels of its reviewers, one each.

    `run_at` is when the answer's verdict became known, where that was before the file is evaluated: labels
    from later on may have been given in its light.
    """

    case_id: str
    turn: TurnCase
    labels: tuple[ReviewerLabel, ...]
    run_at: datetime | None = None

    @property
    def label(self) -> Label | None:
        """What more than half of the reviewers say; None where they are at odds."""
        label, number = Counter(one.label for one in self.labels).most_common(1)[0]
        return label if 2 * number > len(self.labels) else None

    def is_labelled_before(self, moment: datetime) -> bool:
        """Return whether every label was given before the case was run, at `moment` where none is told."""
        return all(one.labelled_at <= (self.run_at or moment) for one in self.labels)


def read_evaluation_cases(text: str) -> tuple[EvaluationCase, ...]:
    """Return the cases of a file: JSON lines, or a list; the fields of turn files, with `labels`.

    Raises InputError that names the line and the field, for two cases of one id, and where there is none.
    """
    return read_case_records(list_case_records(text))


def read_case_records(records: Iterable[tuple[object, str]]) -> tuple[EvaluationCase, ...]:
    """Return the cases that JSON values state, each with where it stands; raises as the reader of files."""
    cases = tuple(_read_case(record, where) for record, where in records)
    if not cases:
        raise InputError("no case in it; give one JSON object a line, with id, answer and labels")
    twice = [name for name, number in Counter(one.case_id for one in cases).items() if number > 1]
    if twice:
        raise InputError(f"several cases have the id {twice[0]!r}; ids must differ")
    return cases


def list_case_records(text: str) -> Iterator[tuple[object, str]]:
    """Yield the JSON values of a text with where each stands: one, the members of a list, or lines.

    Raises InputError for what is no JSON.
    """
    stripped = text.strip().removeprefix("\ufeff")
    if not stripped:
        return
    try:
        whole = read_json(stripped, deepest=_DEEPEST)
    except UnreadableJson as problem:
        if "\n" not in stripped:
            raise InputError(f"it is no JSON: {problem}") from None
        yield from _read_lines(stripped)
        return
    members = whole if isinstance(whole, list) else [whole]
    yield from ((member, f"case {at}") for at, member in enumerate(members, 1))


def _read_lines(text: str) -> Iterator[tuple[object, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield read_json(line, deepest=_DEEPEST), f"line {number}"
            except UnreadableJson as problem:
                raise InputError(f"line {number} is no JSON: {problem}") from None


def _read_case(record: object, where: str) -> EvaluationCase:
    reader = FieldReader(record, where)
    case_id, run_at = reader.text("id"), reader.text("run_at")
    if not case_id:
        raise InputError(f"{where}: id is needed; runs are compared by it")
    turn = {name: value for name, value in reader.fields.items() if name not in _OWN_FIELDS}
    case = read_turn(turn, where=where)
    if case.answer is None:
        raise InputError(f"{where}: answer is needed")
    labels = tuple(_read_label(one) for one in reader.tables("labels"))
    if not labels:
        raise InputError(
            f"{where}: labels is needed, a list of objects with reviewer, label, labelled_at"
        )
    named = Counter(one.reviewer for one in labels)
    twice = [name for name, number in named.items() if number > 1]
    if twice:
        raise InputError(f"{where}: two labels of the reviewer {twice[0]!r}; give his last one")
    return EvaluationCase(
        case_id=case_id,
        turn=case,
        labels=labels,
        run_at=None if run_at is None else read_moment(run_at, f"{where}: run_at"),
    )


def _read_label(reader: FieldReader) -> ReviewerLabel:
    reader.allow(_LABEL_FIELDS)
    name, label = (reader.text("reviewer") or "").strip(), reader.text("label")
    moment = reader.text("labelled_at")
    if not name or label is None or moment is None:
        raise InputError(f"{reader.where}: reviewer, label and labelled_at are needed")
    return ReviewerLabel(
        reviewer=name,
        label=reader.choice("label", Label, Label.UNCLEAR),
        labelled_at=read_moment(moment, f"{reader.where}: labelled_at"),
    )
