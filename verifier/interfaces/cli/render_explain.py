"""Explanations of claims on a terminal."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.text import Text

from verifier.core.binding.judging import Fate
from verifier.core.relations import Outcome
from verifier.interfaces.cli.output import plain
from verifier.interfaces.cli.render import make_table
from verifier.interfaces.cli.render_report import STYLES, indent, list_reasons, shorten
from verifier.interfaces.wording import MARKS, describe_verdict, name_place

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import RenderableType

    from verifier.core.binding.explaining import (
        ExplainedCandidate,
        ExplainedDerivation,
        Explanation,
    )
    from verifier.core.written_claims import WrittenClaim
    from verifier.verify.explained_rows import ComparedCell
    from verifier.verify.explaining import ClaimExplanation

_FATES: Final[Mapping[Fate, str]] = MappingProxyType(
    {
        Fate.PROVED: "proved",
        Fate.DERIVED: "derived",
        Fate.REFUTED: "refuted",
        Fate.ABSENT: "absent from the evidence",
        Fate.AMBIGUOUS: "more than one reading is possible",
        Fate.OPEN: "left open",
        Fate.ECHOED: "repeated from the user",
    }
)
_RELATIONS: Final[Mapping[Outcome, str]] = MappingProxyType(
    {
        Outcome.AGREE: "agrees",
        Outcome.DISAGREE: "differs",
        Outcome.COULD_BE: "could be",
        Outcome.INCOMPARABLE: "–",
    }
)


def render_explanation(explained: ClaimExplanation) -> RenderableType:
    """Return an explanation for people: the claim in its sentence, its findings, the rows, the candidates."""
    return Group(
        *_head(explained),
        *(indent(one, 2) for one in _findings(explained.claim)),
        *_cells(explained.cells),
        *_binding(explained),
        *(Text(f"note: {shorten(remark)}", style="yellow") for remark in explained.remarks),
    )


def _head(explained: ClaimExplanation) -> Iterator[RenderableType]:
    claim, turn_id = explained.claim, explained.report.turn.turn_id
    verdict = claim.verdict
    sign = f"{MARKS[verdict.disposition]} {claim.claim_id} {describe_verdict(verdict)}"
    name = f"{shorten(turn_id)}: " if turn_id else ""
    yield Text.assemble(plain(name), (plain(sign), STYLES[verdict.disposition]))
    yield indent(Text(f"claim: {shorten(claim.text)}"), 2)
    sentence = shorten(claim.sentence.of(explained.report.answer))
    if sentence != shorten(claim.text):
        yield indent(Text(f"in the sentence: {sentence}"), 2)


def _findings(claim: WrittenClaim) -> Iterator[RenderableType]:
    verdict = claim.verdict
    yield from list_reasons(verdict)
    for finding in verdict.findings:
        if finding is not verdict.decided_by:
            sign = f"{MARKS[finding.disposition]} also {describe_verdict(finding)}"
            yield Text(sign, style=STYLES[finding.disposition])
            yield from (indent(line, 2) for line in list_reasons(finding))


def _cells(cells: Sequence[ComparedCell]) -> Iterator[RenderableType]:
    if not cells:
        return
    yield Text("Rows that it was compared with, as they were then:", style="bold")
    table = make_table("attribute", "the answer says", "the row says", "stands in", "came out as")
    for one in cells:
        note = f" ({one.note})" if one.note else ""
        table.add_row(
            shorten(one.attribute or "–"),
            shorten(one.claimed),
            shorten(f"{one.cell}{note}"),
            shorten(name_place(one.locator)),
            one.code.value,
            style="bold" if one.decided else "",
        )
    yield indent(table, 2)


def _binding(explained: ClaimExplanation) -> Iterator[RenderableType]:
    binding = explained.binding
    if binding is None:
        yield Text(f"Binding was not asked: {shorten(explained.not_asked or '')}.")
        return
    yield Text.assemble(
        ("Binding ", "bold"),
        f"of {shorten(binding.text)!r}{', which is denied' if binding.denied else ''}: ",
        (_FATES[binding.fate], "bold"),
    )
    yield indent(Text(shorten(binding.detail)), 2)
    if binding.derivation is not None:
        yield indent(_operands(binding.derivation), 2)
    yield from _candidates(binding)


def _operands(derivation: ExplainedDerivation) -> RenderableType:
    table = make_table("operand", "attribute", "of", "stands in")
    for one in derivation.operands:
        place = "the answer itself" if one.locator is None else name_place(one.locator)
        table.add_row(
            shorten(one.value),
            shorten(" ".join(one.attribute)),
            _chain(one.things),
            f"{shorten(place)}{' (the user)' if one.from_user else ''}",
        )
    return Group(Text(f"by {derivation.operation.replace('_', ' ')}, of"), table)


def _candidates(binding: Explanation) -> Iterator[RenderableType]:
    if not binding.candidates:
        yield Text("No fact of the evidence could be compared with it.")
        return
    yield Text(
        f"Candidates, the best first; a fact counts from {binding.accept_floor} points,"
        f" refutes from {binding.reject_floor}:"
    )
    table = make_table(
        "attribute", "of", "value", "stands in", "thing#", "words#", "value is", "became"
    )
    for one in binding.candidates:
        table.add_row(
            shorten(" ".join((*one.attribute, *((one.period,) if one.period else ())))),
            _owner(one),
            shorten(one.value),
            shorten(name_place(one.locator)),
            str(one.subject_points),
            str(one.attribute_points),
            _RELATIONS[one.outcome],
            shorten(one.why),
            style="bold" if one.decided else "",
        )
    yield indent(table, 2)


def _owner(candidate: ExplainedCandidate) -> str:
    if candidate.things or candidate.clause is None:
        return _chain(candidate.things)
    return f"“{shorten(candidate.clause)}”"


def _chain(things: Sequence[str]) -> str:
    return shorten(" in ".join(things)) if things else "–"
