"""What of a clause of prose another one says: all of it, and no more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from verifier.core.binding.prose_evidence import values_of
from verifier.core.binding.prose_rules import read_sentence, stems_above
from verifier.core.binding.rule_matching import Above, says_the_same
from verifier.core.binding.rule_parts import find_parts
from verifier.core.binding.rule_words import read_rule_words
from verifier.core.frequencies import add_frequencies
from verifier.core.quantities import extract_quantities
from verifier.core.statements import ReadingTerms, read_clauses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.binding.prose_rules import Rule
    from verifier.core.statements import Clause
    from verifier.core.surroundings import Surroundings

TABLE = Path(__file__).resolve().parents[1] / "data" / "rules_in_prose.jsonl"
CASES = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_claim_says_what_a_rule_says(case: dict[str, object]) -> None:
    text = str(case["claim"])
    mentions = add_frequencies(text, extract_quantities(text))
    parts = find_parts(text, mentions)
    around = stems_above(parts.label)
    claim = read_rule_words(text, parts.spans[0], mentions)

    same = any(
        says_the_same(claim, one.words, one.above, around) for one in _rules(str(case["text"]))
    )

    assert same is case["same"], case["why"]


def test_names_of_a_record_may_be_told_and_need_not() -> None:
    text = "Electricity costs $0.11 per day."
    claim = "On the Night tariff, electricity costs $0.11 per day."
    above = Above(stems=frozenset({"night"}), names=stems_above("tariff"))
    mentions = extract_quantities(claim)
    words = read_rule_words(claim, find_parts(claim, mentions).spans[0], mentions)
    rule = next(_rules(text))

    assert says_the_same(words, rule.words, above, frozenset())
    assert not says_the_same(words, rule.words, Above(stems=frozenset({"day"})), frozenset())


def _rules(text: str) -> Iterator[Rule]:
    clauses = read_clauses(text, ReadingTerms())
    places: dict[Surroundings, list[Clause]] = {}
    for clause in clauses:
        assert clause.place is not None
        places.setdefault(clause.place, []).append(clause)
    order = [*places, None]
    for at, (place, told) in enumerate(places.items()):
        yield from read_sentence(place, values_of(told), order[at + 1], Above()).rules
