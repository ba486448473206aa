"""Expressions of the public recognizers data, against what extraction and its rivals read of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from casework.amountlabels import judge_amounts
from casework.labels import value_of
from casework.momentlabels import judge_moments
from casework.rivalry import RIVALS, mentions_of, run_rival
from verifier.core.quantities import extract_quantities

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from verifier.core.quantities import ValueMention

FILES: Final = (
    "Number",
    "NumberRange",
    "Percent",
    "Ordinal",
    "Currency",
    "Dimension",
    "Temperature",
    "Age",
)
DATED_FILES: Final = ("DateTimeModel", "DurationParser")
_QUANTULUM_FILES: Final = frozenset({*FILES, "DurationParser"}) - {"Ordinal"}
RIVAL_FILES: Final[Mapping[str, frozenset[str]]] = {
    "quantulum3": _QUANTULUM_FILES,
    "quantulum3-plain": _QUANTULUM_FILES,
    "price-parser": frozenset({"Currency"}),
}
"""The files that each rival claims to read the kind of; quantulum3 gives a range as value and spread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One file's outcome: expressions, those read right, those of kinds not claimed, and the misses.

    `rivals` counts what each rival reads right of the same lines, where it reads the kind at all.
    """

    name: str
    lines: int
    right: int
    unclaimed: int
    misses: tuple[str, ...]
    rivals: Mapping[str, int]

    @property
    def claimed(self) -> int:
        """The number of expressions whose kind is claimed."""
        return self.lines - self.unclaimed

    @property
    def share(self) -> float:
        """The share read right of the expressions whose kind is claimed."""
        return self.right / self.claimed if self.claimed else 1.0


def read_rows(folder: Path, rivals: Path | None = None) -> list[Row]:
    """Return a row for each file; `rivals` is the interpreter of their environment, if they read too."""
    entries = {name: _entries(folder, name) for name in (*FILES, *DATED_FILES)}
    findings = {rival: _findings(rivals, rival, entries) for rival in RIVALS if rivals is not None}
    return [
        _row(
            name, lines, {rival: found[name] for rival, found in findings.items() if name in found}
        )
        for name, lines in entries.items()
    ]


def _entries(folder: Path, name: str) -> list[dict[str, Any]]:
    path = folder / (f"{name}.jsonl" if name in DATED_FILES else f"{name}Model.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _findings(
    python: Path, rival: str, entries: Mapping[str, list[dict[str, Any]]]
) -> dict[str, list[tuple[ValueMention, ...]]]:
    """Return what a rival finds in the texts of each of its files, from one run over all of them."""
    files = [name for name in entries if name in RIVAL_FILES[rival]]
    texts = [entry["Input"] for name in files for entry in entries[name]]
    found, _ = run_rival(python, rival, texts)
    mentions = iter([mentions_of(text, each) for text, each in zip(texts, found, strict=True)])
    return {name: [next(mentions) for _ in entries[name]] for name in files}


def _row(
    name: str,
    entries: Sequence[dict[str, Any]],
    findings: Mapping[str, Sequence[tuple[ValueMention, ...]]],
) -> Row:
    verdicts = [judge(name, entry, _read(name, entry)) for entry in entries]
    misses = tuple(
        f"{entry['Input'][:100]!r} -> {_wanted(entry)}"
        for entry, ok in zip(entries, verdicts, strict=True)
        if ok is False
    )
    right = {
        rival: sum(
            judge(name, entry, mentions) is True
            for entry, mentions in zip(entries, found, strict=True)
        )
        for rival, found in findings.items()
    }
    return Row(
        name=name,
        lines=len(entries),
        right=verdicts.count(True),
        unclaimed=verdicts.count(None),
        misses=misses,
        rivals=right,
    )


def judge(name: str, entry: dict[str, Any], mentions: Sequence[ValueMention]) -> bool | None:
    """Return whether mentions are what a line of a file is labelled with, None where that is not claimed."""
    if name in DATED_FILES:
        return judge_moments(name, entry, mentions)
    return judge_amounts(name, entry, mentions)


def _read(name: str, entry: dict[str, Any]) -> tuple[ValueMention, ...]:
    if name not in DATED_FILES:
        return extract_quantities(entry["Input"], relative_order=name == "Ordinal")
    moment = (entry.get("Context") or {}).get("ReferenceDateTime") or "2016-11-07T00:00:00"
    return extract_quantities(entry["Input"], now=datetime.fromisoformat(moment[:19]))


def _wanted(entry: dict[str, Any]) -> str:
    labels = (f"{result.get('Text')} = {value_of(result)}" for result in entry["Results"])
    return "; ".join(labels)[:160]
