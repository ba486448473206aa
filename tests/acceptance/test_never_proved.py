"""Answers that a careful reader calls false or unproven: what of them is still accepted is listed here."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "data" / "cases"
STILL_ACCEPTED = {
    "price_words.jsonl": frozenset[str](),
    "actions.jsonl": frozenset[str](),
    "adversarial.jsonl": frozenset[str](),
    "bindings.jsonl": frozenset[str](),
    "derived.jsonl": frozenset[str](),
    "policy_prose.jsonl": frozenset[str](),
    "statements.jsonl": frozenset[str](),
    "hostile.jsonl": frozenset[str](),
    "misattributed.jsonl": frozenset[str](),
    "never_proved.jsonl": frozenset[str](),
    "turned_values.jsonl": frozenset[str](),
}
"""What must still be mended, by file; a case that is mended must leave the list."""
NOT_YET_PROVED = frozenset(
    {
        "PP005",  # under a heading that it does not repeat
        "PP033",  # in a record whose title it does not repeat
        "PP064",  # under a heading that it does not repeat
        "PP065",  # under a heading that it does not repeat
        "PP105",  # in a section whose name it does not repeat
        "PP108",  # in a section whose name it does not repeat
        "PP110",  # a whole sentence in the passive, with who acts
        "PP130",  # under a heading that it does not repeat
        "PP131",  # under a heading that it does not repeat
        "PP132",  # under a heading that it does not repeat
        "PP178",  # under a heading that it does not repeat
        "PP179",  # under a heading that it does not repeat
        "PP258",  # "under the age of 25", of "under 25"
        "PP315",  # "the pool", which may be one that an earlier sentence tells of
    }
)
"""True ones of policy_prose.jsonl that stay open; one that is proved must leave the list."""

NOT_YET_DERIVED = frozenset(
    {
        # what is derived is accepted, a value that it is derived from stays open by another word
        *("DV001", "DV002", "DV004", "DV015", "DV018", "DV040", "DV064", "DV065"),
        *("DV072", "DV084", "DV093", "DV108", "DV122", "DV130", "DV152", "DV154"),
        *("DV192", "DV200", "DV201", "DV073", "DV074"),
        *("DV244", "DV261"),
        # a size stands before one thing, and is held against the next
        "DV005",
        # a difference per passenger, of fares that do not say whose they are
        "DV016",
        # "380 of 500 minutes", "52 seats, of which 37 are booked": a part and its whole
        *("DV029", "DV139"),
        # how much or how long is the answer's own supposition
        *("DV030", "DV107"),
        # amounts whose fields do not say that they are money
        *("DV081", "DV082", "DV162", "DV163", "DV164"),
        # two things of a list told by "your vouchers"
        "DV124",
        # a word that no field has: "was absent"
        "DV271",
        # a count before a thing's name is not read; the next term of a total, per month or not
        *("DV214", "DV223", "DV287"),
        # from one plan to another, and by how much
        "DV232",
    }
)
"""True ones of derived.jsonl that stay open or are refused; one that is right must leave the list."""


ALL_AND_RIGHT = {
    "price_words.jsonl": (74, 74),
    "actions.jsonl": (59, 59),
    "adversarial.jsonl": (2350, 2103),
    "bindings.jsonl": (474, 445),
    "derived.jsonl": (293, 253),
    "policy_prose.jsonl": (413, 399),
    "statements.jsonl": (63, 57),
    "hostile.jsonl": (1531, 1393),
    "misattributed.jsonl": (289, 254),
    "never_proved.jsonl": (1090, 1005),
    "turned_values.jsonl": (358, 330),
}
"""How many cases each file has, and how many come out right: a loss shows here, and so does a gain."""


@pytest.mark.parametrize("name", sorted(STILL_ACCEPTED))
def test_nothing_else_is_wrongly_accepted(name: str) -> None:
    outcomes = _outcomes(name)

    accepted = {one["id"] for one in outcomes if one["error"] == "wrongly_accepted"}
    crashed = {one["id"] for one in outcomes if one["error"] == "crash"}

    assert accepted == STILL_ACCEPTED[name]
    assert crashed == set()
    assert (len(outcomes), sum(one["ok"] is True for one in outcomes)) == ALL_AND_RIGHT[name]


def test_rules_told_in_prose_are_proved() -> None:
    outcomes = _outcomes("policy_prose.jsonl")

    assert {one["id"] for one in outcomes if not one["ok"]} == NOT_YET_PROVED


def test_what_follows_from_evidence_is_derived() -> None:
    outcomes = _outcomes("derived.jsonl")

    assert {one["id"] for one in outcomes if not one["ok"]} == NOT_YET_DERIVED


@cache
def _outcomes(name: str) -> list[dict[str, object]]:
    """Run a table and return its outcomes; once, whoever asks."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.jsonl"
        subprocess.run(
            [sys.executable, str(ROOT / "scripts" / "cases"), str(CASES / name), "--out", str(out)],
            check=True,
            capture_output=True,
            cwd=ROOT,
        )
        return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
