"""Checked claims and answers on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from verifier.core.verdicts import DISPOSITIONS
from verifier.interfaces.cli.checking import describe_texts
from verifier.interfaces.cli.render_report import STYLES, indent, shorten
from verifier.interfaces.spoken_signatures import speak_durations
from verifier.interfaces.wording import MARKS, QUEUES, count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from verifier.core.cited_answers import CheckedSentence
    from verifier.core.cited_claims import CheckedClaim
    from verifier.interfaces.cli.checking import CheckOutcome


def render_check(outcome: CheckOutcome) -> Iterator[RenderableType]:
    """Yield every claim and sentence with code, reason and signatures, then the counts by code."""
    for one in outcome.claims:
        yield _render_claim(one)
    for answer in outcome.answers:
        yield Text(shorten(answer.row.answer_id), style="bold")
        for sentence in answer.sentences:
            yield indent(_render_sentence(sentence), 2)
    yield Text()
    yield from _count(outcome)
    if outcome.retrieval_unknown:
        number = count(outcome.retrieval_unknown, "claim")
        yield Text(f"of {number} it is not told what was retrieved, so that was not checked")
    if outcome.passed_over:
        told = shorten(", ".join(outcome.passed_over))
        number = count(len(outcome.passed_over), "file")
        yield Text(
            f"{number} of the documents' folder passed over (texts are {describe_texts()}): {told}"
        )


def _render_claim(checked: CheckedClaim) -> RenderableType:
    sign = f"{MARKS[checked.disposition]} {checked.code.value}"
    head = Text.assemble(
        (sign, STYLES[checked.disposition]),
        f"  {shorten(checked.claim.claim_id)}  {shorten(checked.claim.text)}",
    )
    lines = [Text(shorten(speak_durations(checked.reason)))]
    signatures = ", ".join(checked.signatures)
    if signatures and signatures not in checked.reason:
        lines.append(Text(shorten(speak_durations(signatures)), style="bright_black"))
    if checked.found_in:
        lines.append(
            Text(f"stands in {shorten(', '.join(checked.found_in))}, which it does not cite")
        )
    lines += [
        Text(f"{name} alone: {code.value}", style="bright_black") for name, code in checked.each
    ]
    lines += _quote(checked)
    return Group(head, *(indent(line, 4) for line in lines))


def _render_sentence(checked: CheckedSentence) -> RenderableType:
    sign = f"{MARKS[checked.disposition]} {checked.code.value}"
    head = Text.assemble((sign, STYLES[checked.disposition]), f"  {shorten(checked.text)}")
    lines = [Text(shorten(checked.detail)), *_quote(checked)]
    return Group(head, *(indent(line, 4) for line in lines))


def _quote(checked: CheckedClaim | CheckedSentence) -> list[Text]:
    return [
        Text(
            shorten(f"{one.document}, characters {one.span.start} to {one.span.end}: {one.text}"),
            style="bright_black",
        )
        for one in checked.evidence
    ]


def _count(outcome: CheckOutcome) -> Iterator[Text]:
    if not outcome.counts:
        yield Text("nothing to check")
    for code, number in outcome.counts.items():
        queue = DISPOSITIONS[code]
        yield Text(f"{number:>5}  {code.value} ({QUEUES[queue]})", style=STYLES[queue])
