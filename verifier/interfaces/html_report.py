"""Grounding reports as one self-contained HTML page: the answer marked up, the claims with evidence below.

No script, nothing loaded from elsewhere, and every text of an answer or a source escaped.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Final

from verifier.core.report import LIMITS
from verifier.core.verdicts import DISPOSITION_ORDER
from verifier.interfaces.html_marks import TextMark, mark_text, text_to_html
from verifier.interfaces.wording import MARKS, describe_locator, describe_outcome, describe_verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from verifier.core.evidence import Evidence
    from verifier.core.report import GroundingReport, JudgedClaim

    Address: TypeAlias = Callable[[str, str], str | None]

ANSWERS: Final = "newest answers"
"""The column whose cells name several answers, by how their ids begin."""


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
    opening: str = "",
) -> str:
    """Return the page: `opening`, which is HTML already, then `tables`, then every answer in order."""
    body = [opening] if opening else []
    body += [render_table(table) for table in tables]
    body += [_render_section(section, f"a{number}") for number, section in enumerate(sections, 1)]
    return fill_page(title, subtitle=subtitle, body="\n".join(body))


def fill_page(title: str, *, subtitle: str, body: str) -> str:
    """Return a page around `body`, which is HTML already; what the checks can't say stands at its end."""
    template = files("verifier.interfaces").joinpath("templates", "report.html").read_text("utf-8")
    return Template(template).substitute(
        title=text_to_html(title),
        subtitle=text_to_html(subtitle),
        body=body,
        limits="\n".join(f"<li>{text_to_html(limit)}</li>" for limit in LIMITS),
    )


def render_table(table: PageTable, address: Address | None = None) -> str:
    """Return a table under its heading; columns of numbers alone are set to the right.

    `address` gives for a column and what stands in it the page that tells more of it, if there is one.
    """
    numeric = [
        all(row[column].replace(".", "", 1).isdigit() for row in table.rows)
        for column in range(len(table.columns))
    ]
    kinds = [' class="number"' if is_number else "" for is_number in numeric]
    cells = [' class="number"' if is_number else ' dir="auto"' for is_number in numeric]
    head = "".join(
        f'<th scope="col"{kind}>{text_to_html(name)}</th>'
        for kind, name in zip(kinds, table.columns, strict=True)
    )
    rows = "\n".join(
        "<tr>"
        + "".join(
            f"<td{kind}>{_write_cell(column, cell, address)}</td>"
            for column, kind, cell in zip(table.columns, cells, row, strict=True)
        )
        + "</tr>"
        for row in table.rows
    )
    return (
        f"<section><h2>{text_to_html(table.heading)}</h2>\n"
        f'<div class="scroll" tabindex="0" role="region" aria-label="{text_to_html(table.heading)}">'
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div></section>"
    )


def _write_cell(column: str, cell: str, address: Address | None) -> str:
    if address is None:
        return text_to_html(cell)
    pieces = cell.split(", ") if column == ANSWERS else [cell]
    return ", ".join(_write_piece(piece, address(column, piece)) for piece in pieces)


def _write_piece(piece: str, href: str | None) -> str:
    shown = text_to_html(piece)
    return shown if href is None else f'<a href="{text_to_html(href)}">{shown}</a>'


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
        f'<div class="answer" dir="auto">{mark_up(report, anchor)}</div>\n{listed}</section>'
    )


def mark_up(report: GroundingReport, anchor: str) -> str:
    """Return the answer as HTML with each claim's span marked; where spans overlap, the narrower shows."""
    marks = [
        TextMark(
            span=judged.claim.span,
            kind=judged.verdict.disposition.value,
            sign=f"{MARKS[judged.verdict.disposition]}{number}",
            label=f"claim {number}: {describe_verdict(judged.verdict)}",
            target=f"{anchor}c{number}",
        )
        for number, judged in _worst_first(report)
    ]
    return mark_text(report.answer, marks)


def _worst_first(report: GroundingReport) -> list[tuple[int, JudgedClaim]]:
    """Return the claims with their numbers, so that of claims on the same words the worst is shown."""
    return sorted(
        enumerate(report.judged, 1),
        key=lambda one: DISPOSITION_ORDER.index(one[1].verdict.disposition),
    )


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
        f'<q dir="auto">{text_to_html(judged.claim.text.strip())}</q>'
        f"<p>{text_to_html(verdict.detail)}</p>{right}{evidence}</li>"
    )


def _render_evidence(evidence: Evidence) -> str:
    note = f" ({text_to_html(evidence.note)})" if evidence.note else ""
    place = text_to_html(describe_locator(evidence.locator))
    return f'<p class="evidence">{place}: <q dir="auto">{text_to_html(evidence.text.strip())}</q>{note}</p>'
