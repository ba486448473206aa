"""Judging the task `sentence`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casework.cases import Judgement
from verifier.core.sentences import split_sentences

if TYPE_CHECKING:
    from casework.cases import Case


def judge_sentence(case: Case) -> Judgement:
    """Return whether the text falls into the sentences expected, or holds those listed."""
    sentences = [sentence.text for sentence in split_sentences(case.text)]
    ok = _fits([" ".join(sentence.split()) for sentence in sentences], case.expected)
    return Judgement(ok=ok, got=sentences[:40], error=None if ok else "wrong_value")


def _fits(sentences: list[str], expected: object) -> bool:
    if isinstance(expected, list):
        return sentences == [" ".join(str(sentence).split()) for sentence in expected]
    if not isinstance(expected, dict) or set(expected) - {"contains", "row_claims", "any_of"}:
        return False
    if "any_of" in expected:
        return any(_fits(sentences, choice) for choice in expected["any_of"])
    if any(wanted not in sentences for wanted in expected.get("contains", [])):
        return False
    rows = expected.get("row_claims", [])
    return all(_is_one_row(sentences, row, rows) for row in rows)


def _is_one_row(sentences: list[str], row: list[str], rows: list[list[str]]) -> bool:
    """Return whether one sentence holds the row's cells and those of no other row."""
    others = [cell for other in rows if other != row for cell in other if cell not in row]
    return any(
        all(cell in sentence for cell in row) and not any(cell in sentence for cell in others)
        for sentence in sentences
    )
