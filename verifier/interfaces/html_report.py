"""Grounding reports as one self-contained HTML page: the answer marked up, the claims with evidence below.

No script, nothing loaded from elsewhere, and every text of an answer or a source escaped.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from importlib.resources import files
from itertools import groupby, pairwise
from operator import itemgetter
from string import Template
from typing import TYPE_CHECKING, Final

from verifier.core.report import LIMITS
from verifier.interfaces.wording import MARKS, describe_locator, describe_outcome, describe_verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from verifier.core.evidence import Evidence
    from verifier.core.report import GroundingReport, JudgedClaim

_HIDDEN: Final = dict.fromkeys(
    (*range(9), *range(11, 32), *range(127, 160), *range(0xD800, 0xE000)), "\ufffd"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSection:
    """One answer on the page: a heading, the report, and what the model was given, as (name, text)."""

    heading: str
    report: GroundingReport
    given: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTable:
    """A table of the page. Columns whose every cell is a number are set to the right."""

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def render_page(
    title: str,
    *,
    subtitle: str,
    sections: Sequence[ReportSection],
    tables: Sequence[PageTable] = (),
) -> str:
    """Return the page: `tables` first, then every answer in order."""
    template = files("verifier.interfaces").joinpath("templates", "report.html").read_text("utf-8")
    body = [_render_table(table) for table in tables]
    body += [_render_section(section, f"a{number}") for number, section in enumerate(sections, 1)]
    return Template(template).substitute(
        title=text_to_html(title),
        subtitle=text_to_html(subtitle),
        body="\n".join(body),
        limits="\n".join(f"<li>{text_to_html(limit)}</li>" for limit in LIMITS),
    )


def text_to_html(text: str) -> str:
    """Return `text` escaped; control characters and lone surrogates become U+FFFD."""
    return escape(text.translate(_HIDDEN))


def _render_table(table: PageTable) -> str:
    numeric = [
        all(row[column].replace(".", "", 1).isdigit() for row in table.rows)
        for column in range(len(table.columns))
    ]
    kinds = [' class="number"' if is_number else "" for is_number in numeric]
    head = "".join(
        f'<th scope="col"{kind}>{text_to_html(name)}</th>'
        for kind, name in zip(kinds, table.columns, strict=True)
    )
    rows = "\n".join(
        "<tr>"
        + "".join(
            f"<td{kind}>{text_to_html(cell)}</td>" for kind, cell in zip(kinds, row, strict=True)
        )
        + "</tr>"
        for row in table.rows
    )
    return (
        f"<section><h2>{text_to_html(table.heading)}</h2>\n"
        f'<div class="scroll" tabindex="0" role="region" aria-label="{text_to_html(table.heading)}">'
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div></section>"
    )


def _render_section(section: ReportSection, anchor: str) -> str:
    report = section.report
    given = "".join(
        f'<p><span class="soft">{text_to_html(name)}:</span> {text_to_html(text)}</p>\n'
        for name, text in section.given
    )
    claims = "\n".join(
        _render_claim(judged, f"{anchor}c{number}", number)
        for number, judged in enumerate(report.judged, start=1)
    )
    listed = f'<h3>Claims</h3>\n<ol class="claims">\n{claims}\n</ol>' if claims else ""
    return (
        f'<section aria-labelledby="{anchor}"><h2 id="{anchor}">{text_to_html(section.heading)}</h2>\n'
        f"{given}<h3>Answer: {describe_outcome(report)}</h3>\n"
        f'<div class="answer">{mark_up(report, anchor)}</div>\n{listed}</section>'
    )


def mark_up(report: GroundingReport, anchor: str) -> str:
    """Return the answer as HTML with each claim's span marked; where spans overlap, the narrower shows."""
    slices = tuple(_join_equal(_flatten(report)))
    last = {number: position for position, (_, _, number) in enumerate(slices)}
    pieces = []
    for position, (start, end, number) in enumerate(slices):
        text = text_to_html(report.answer[start:end])
        if number is None:
            pieces.append(text)
            continue
        verdict = report.judged[number].verdict
        mark = f"{MARKS[verdict.disposition]}{number + 1}"
        label = text_to_html(f"claim {number + 1}: {describe_verdict(verdict)}")
        link = f'<a href="#{anchor}c{number + 1}" aria-label="{label}">{mark}</a>'
        shown = link if last[number] == position else ""
        pieces.append(f'<mark class="{verdict.disposition.value}">{text}{shown}</mark>')
    return "".join(pieces)


def _flatten(report: GroundingReport) -> Iterator[tuple[int, int, int | None]]:
    """Yield disjoint slices that cover the answer, each with the number of the narrowest claim over it."""
    spans = [judged.claim.span for judged in report.judged]
    edges = sorted(
        {0, len(report.answer), *(edge for span in spans for edge in (span.start, span.end))}
    )
    by_start = sorted(range(len(spans)), key=lambda number: spans[number].start)
    open_claims: list[int] = []
    upcoming = iter(by_start)
    following = next(upcoming, None)
    for start, end in pairwise(edges):
        while following is not None and spans[following].start <= start:
            open_claims.append(following)
            following = next(upcoming, None)
        open_claims = [number for number in open_claims if spans[number].end > start]
        narrowest = min(
            open_claims, key=lambda number: spans[number].end - spans[number].start, default=None
        )
        yield start, end, narrowest


def _join_equal(
    slices: Iterable[tuple[int, int, int | None]],
) -> Iterator[tuple[int, int, int | None]]:
    for number, neighbours in groupby(slices, key=itemgetter(2)):
        joined = tuple(neighbours)
        yield joined[0][0], joined[-1][1], number


def _render_claim(judged: JudgedClaim, anchor: str, number: int) -> str:
    verdict = judged.verdict
    right = (
        f"<p>Right is <strong>{text_to_html(verdict.corrected_value)}</strong>.</p>"
        if verdict.corrected_value is not None
        else ""
    )
    evidence = "".join(_render_evidence(piece) for piece in verdict.evidence)
    mark = MARKS[verdict.disposition]
    return (
        f'<li id="{anchor}" class="{verdict.disposition.value}">'
        f'<span class="code">{mark}{number} {text_to_html(describe_verdict(verdict))}</span> '
        f"<q>{text_to_html(judged.claim.text.strip())}</q>"
        f"<p>{text_to_html(verdict.detail)}</p>{right}{evidence}</li>"
    )


def _render_evidence(evidence: Evidence) -> str:
    note = f" ({text_to_html(evidence.note)})" if evidence.note else ""
    place = text_to_html(describe_locator(evidence.locator))
    return f'<p class="evidence">{place}: <q>{text_to_html(evidence.text.strip())}</q>{note}</p>'
