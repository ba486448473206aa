"""The WiCE claims: whether a cited web page supports them, and which of their words it does not."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from casework.engine import verify
from casework.measuring import tell_progress
from casework.statements import Statement
from verifier.core.turn_file import read_turn
from verifier.core.verdicts import Disposition

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

MARKED: Final = ("non_supported_tokens_dev", "non_supported_tokens_train")


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedClaim:
    """A claim with its words, each with whether the page lacks it."""

    claim_id: str
    text: str
    evidence: str
    words: tuple[str, ...]
    unsupported: tuple[bool, ...]


@dataclass(slots=True)
class MarkedWords:
    """Words that a page does not support: how many, and how many lie in claims that are not accepted."""

    claims: int = 0
    words: int = 0
    held: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    wrong: list[dict[str, Any]] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share of the words that lie in claims which are not accepted."""
        return self.held / (self.words or 1)

    def to_json(self) -> dict[str, Any]:
        """Return the counts and the share."""
        return {
            "claims": self.claims,
            "words": self.words,
            "held": self.held,
            "share": self.share,
            "outcomes": self.outcomes,
        }


def read_wice(folder: Path) -> Iterator[Statement]:
    """Yield every claim of the development set; one that is supported in part only is false."""
    for one in _read_lines(folder / "dev.jsonl"):
        yield Statement(
            statement_id=one["meta"]["id"],
            domain="wice",
            text=one["claim"],
            evidence="\n".join(one["evidence"]),
            is_true=one["label"] == "supported",
        )


def read_marked(folder: Path) -> Iterator[MarkedClaim]:
    """Yield every claim whose unsupported words are marked."""
    for name in MARKED:
        for one in _read_lines(folder / f"{name}.jsonl"):
            yield MarkedClaim(
                claim_id=one["meta"]["id"],
                text=one["claim"],
                evidence="\n".join(one["evidence"]),
                words=tuple(one["claim_tokens"]),
                unsupported=tuple(one["non_supported_spans"]),
            )


def count_marked(claims: Iterable[MarkedClaim]) -> MarkedWords:
    """Return how many of the marked words lie in claims that the verifier does not accept."""
    found = MarkedWords()
    listed = list(claims)
    for number, claim in enumerate(listed, 1):
        _count(claim, found)
        if number % 100 == 0 or number == len(listed):
            tell_progress(number, len(listed), "claims with marked words")
    return found


def _count(claim: MarkedClaim, found: MarkedWords) -> None:
    turn = read_turn({"documents": {"E": claim.evidence}, "cited": "E"}).turn
    report = verify(claim.text, turn)
    accepted = [
        judged.claim.span
        for judged in report.judged
        if judged.verdict.disposition is Disposition.ACCEPTED
    ]
    places = list(_place_unsupported(claim))
    missed = [at for at in places if any(span.start <= at < span.end for span in accepted)]
    found.claims += 1
    found.words += len(places)
    found.held += len(places) - len(missed)
    outcome = report.outcome.value if report.outcome else "no_claims"
    found.outcomes[outcome] = found.outcomes.get(outcome, 0) + 1
    if missed:
        told = [judged.verdict.detail for judged in report.judged]
        found.wrong.append({"id": claim.claim_id, "claim": claim.text, "details": told})


def _place_unsupported(claim: MarkedClaim) -> Iterator[int]:
    """Yield where each marked word begins, or would, where it is written otherwise."""
    at = 0
    for word, marked in zip(claim.words, claim.unsupported, strict=True):
        start = claim.text.find(word, at)
        start, at = (at, at) if start < 0 else (start, start + len(word))
        if marked:
            yield min(start, len(claim.text) - 1)


def _read_lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)
