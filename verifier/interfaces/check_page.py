"""Checked claims and answers as one page: what is claimed, and the evidence beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.spans import Span
from verifier.core.verdicts import DISPOSITION_ORDER, DISPOSITIONS
from verifier.interfaces.html_marks import TextMark, mark_text, text_to_html
from verifier.interfaces.html_report import PageTable, fill_page, render_table
from verifier.interfaces.wording import MARKS, QUEUES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.core.cited_answers import CheckedSentence
    from verifier.core.cited_claims import CheckedClaim
    from verifier.core.verdicts import VerdictCode

_LONGEST_WHOLE: Final = 4_000
_AROUND: Final = 300


def render_counts(counts: Mapping[VerdictCode, int]) -> str:
    """Return the table of how many claims came to each code."""
    rows = tuple(
        (code.value, QUEUES[DISPOSITIONS[code]], str(number)) for code, number in counts.items()
    )
    return render_table(PageTable(heading="Counts", columns=("code", "queue", "claims"), rows=rows))


def render_claims(claims: Sequence[CheckedClaim], documents: Mapping[str, str]) -> str:
    """Return a row for each claim: its text, code and reason, and the documents that it cites.

    The worst come first, with the number of their place among all.
    """
    ranked = sorted(
        enumerate(claims, 1), key=lambda one: DISPOSITION_ORDER.index(one[1].disposition)
    )
    listed = "\n".join(_render_claim(one, documents, f"claim{at}", at) for at, one in ranked)
    return f"<section><h2>Claims, the worst first</h2>\n{listed}</section>" if ranked else ""


def render_answer(
    answer_id: str,
    answer: str,
    sentences: Sequence[CheckedSentence],
    sources: Mapping[str, str],
    *,
    anchor: str,
) -> str:
    """Return an answer marked up by sentence, with its sources and what of them was used beside it."""
    marks = [
        _mark(one, one.span, f"{anchor}s{number}", number)
        for number, one in enumerate(sentences, 1)
    ]
    used = [
        (each.document, _mark(one, each.span, f"{anchor}s{number}", number))
        for number, one in enumerate(sentences, 1)
        for each in one.evidence
    ]
    shown = "\n".join(_render_document(name, text, used) for name, text in sources.items())
    listed = "\n".join(
        f'<li id="{anchor}s{number}" class="{one.disposition.value}">'
        f"{_head(one, number)}<p>{text_to_html(one.detail)}</p></li>"
        for number, one in enumerate(sentences, 1)
    )
    return (
        f"<section><h2>{text_to_html(answer_id)}</h2>\n"
        f'<div class="beside"><div><h3>Answer</h3><div class="answer" dir="auto">'
        f'{mark_text(answer, marks)}</div>\n<ol class="claims">{listed}</ol></div>'
        f"<div><h3>Evidence</h3>{shown}</div></div></section>"
    )


def render_page(title: str, *, subtitle: str, parts: Sequence[str]) -> str:
    """Return the whole page of parts that are HTML already."""
    return fill_page(title, subtitle=subtitle, body="\n".join(part for part in parts if part))


def _render_claim(
    checked: CheckedClaim, documents: Mapping[str, str], anchor: str, number: int
) -> str:
    text = checked.claim.text
    whole = Span(0, len(text))
    cited = [(name, documents[name]) for name in checked.claim.cited if name in documents]
    used = [(one.document, _mark(checked, one.span, anchor, number)) for one in checked.evidence]
    shown = "".join(_render_document(name, each, used) for name, each in cited)
    name = text_to_html(checked.claim.claim_id)
    told = f"<p>{text_to_html(checked.reason)}</p>"
    if checked.found_in:
        told += f"<p>It stands in {text_to_html(', '.join(checked.found_in))}, which it does not cite.</p>"
    return (
        f'<div class="beside {checked.disposition.value}" id="{anchor}"><div>'
        f'<p><span class="soft">{name}</span> {_head(checked, number)}</p>'
        f'<p class="answer" dir="auto">{mark_text(text, [_mark(checked, whole, anchor, number)])}</p>'
        f"{told}</div><div>{shown or _nothing(checked)}</div></div>"
    )


def _nothing(checked: CheckedClaim) -> str:
    cited = ", ".join(checked.claim.cited)
    return f'<p class="soft">{text_to_html(f"{cited}: no such document" if cited else "cites nothing")}</p>'


def _head(checked: CheckedClaim | CheckedSentence, number: int) -> str:
    sign = MARKS[checked.disposition]
    return f'<span class="code">{sign}{number} {text_to_html(checked.code.value)}</span>'


def _mark(
    checked: CheckedClaim | CheckedSentence, span: Span, target: str, number: int
) -> TextMark:
    return TextMark(
        span=span,
        kind=checked.disposition.value,
        sign=f"{MARKS[checked.disposition]}{number}",
        label=f"claim {number}: {checked.code.value}",
        target=target,
    )


def _render_document(name: str, text: str, used: Sequence[tuple[str, TextMark]]) -> str:
    marks = [mark for document, mark in used if document == name]
    pieces = [
        mark_text(
            text[start:end],
            [
                replace(one, span=one.span.shift(-start))
                for one in marks
                if start <= one.span.start and one.span.end <= end
            ],
        )
        for start, end in _windows(len(text), [one.span for one in marks])
    ]
    return (
        f'<p class="soft">{text_to_html(name)}</p>'
        f'<div class="document" dir="auto">{" … ".join(pieces)}</div>'
    )


def _windows(length: int, spans: Sequence[Span]) -> list[tuple[int, int]]:
    """Return which parts of a document are shown: all of a short one, of a long one those around spans."""
    if length <= _LONGEST_WHOLE:
        return [(0, length)]
    around = sorted((max(0, one.start - _AROUND), min(length, one.end + _AROUND)) for one in spans)
    joined: list[tuple[int, int]] = []
    for start, end in around or [(0, _LONGEST_WHOLE)]:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
