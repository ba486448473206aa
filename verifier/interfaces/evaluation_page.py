"""An evaluation as one page: both errors with their intervals, confusion, what was wrong, comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.audit.evaluation import Judgement
from verifier.interfaces.html_marks import text_to_html
from verifier.interfaces.html_report import PageTable, fill_page, render_table
from verifier.interfaces.share_chart import describe_share, draw_shares
from verifier.interfaces.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from verifier.audit.evaluation import CaseResult, Evaluation, Measures
    from verifier.audit.evaluation_comparison import CaseChange, Comparison
    from verifier.audit.statistics import Share


def render_evaluation_page(
    evaluation: Evaluation | None, comparison: Comparison | None, *, name: str
) -> str:
    """Return the page of a run, of a comparison, or of both."""
    return fill_page(
        f"Evaluation of {name}",
        subtitle=describe_evaluation(evaluation),
        body=render_evaluation(evaluation, comparison),
    )


def describe_evaluation(evaluation: Evaluation | None) -> str:
    """Return how many cases were run, and when."""
    if evaluation is None:
        return "two runs compared"
    return f"{count(len(evaluation.cases), 'case')}, {evaluation.run_at.isoformat('T', 'seconds')}"


def render_evaluation(evaluation: Evaluation | None, comparison: Comparison | None) -> str:
    """Return a run, a comparison, or both as sections of a page, headed from the second level on."""
    parts: list[str] = []
    if evaluation is not None:
        parts.extend(_render_run(evaluation))
    if comparison is not None:
        parts.extend(_render_comparison(comparison))
    return "\n".join(parts)


def list_shares(measures: Measures) -> tuple[tuple[str, Share], ...]:
    """Return the shares of a group of cases, with what each is called for people."""
    missing, citing = measures.missing_evidence, measures.citation_format
    return (
        ("wrongly accepted", measures.accepted_wrongly),
        ("wrongly refused", measures.refused_wrongly),
        ("supported, left open", measures.left_open),
        ("unsupported assertions accepted", measures.unsupported),
        ("missing evidence told", missing.told),
        ("… told where none is missing", missing.told_without),
        ("wrong citations told", citing.told),
        ("… told where they are right", citing.told_without),
        ("as expected", measures.right),
    )


def _render_run(evaluation: Evaluation) -> Iterator[str]:
    yield from _render_group("Labelled before the run", evaluation.before)
    if evaluation.after.cases:
        yield from _render_group(
            "Labelled after the run: who labelled may have known what was given", evaluation.after
        )
    for judgement, heading in (
        (Judgement.ACCEPTED_WRONGLY, "Wrongly accepted"),
        (Judgement.REFUSED_WRONGLY, "Wrongly refused"),
        (Judgement.LEFT_OPEN, "Not as expected, neither accepted nor refused wrongly"),
        (Judgement.DISPUTED, "Disputed by their reviewers, and measured nowhere"),
    ):
        found = [one for one in evaluation.cases if one.judgement is judgement]
        if found:
            yield _table(heading, _CASE_COLUMNS, (_case_row(one) for one in found))
    pairs = evaluation.agreement.pairs
    if pairs:
        yield _table(
            "Reviewers",
            ("reviewer", "other", "cases of both", "alike", "Cohen's kappa"),
            (
                (
                    pair.reviewer,
                    pair.other,
                    str(pair.shared),
                    str(pair.agreed),
                    "not defined" if pair.kappa is None else f"{pair.kappa:.3f}",
                )
                for pair in pairs
            ),
        )


_CASE_COLUMNS = ("case", "labels", "expected", "given", "codes", "labelled")


def _case_row(result: CaseResult) -> tuple[str, ...]:
    return (
        result.case_id,
        ", ".join(f"{one.reviewer}: {one.label.value}" for one in result.labels),
        "–" if result.expected is None else result.expected.value,
        result.given,
        ", ".join(dict.fromkeys(code.value for code in result.codes)),
        "before" if result.labelled_before else "after",
    )


def _render_group(heading: str, measures: Measures) -> Iterator[str]:
    told = f"{count(measures.cases, 'case')}, {measures.disputed} of them disputed"
    shares = list_shares(measures)
    yield (
        f"<section><h2>{text_to_html(heading)}</h2><p>{told}</p>"
        f"{draw_shares('Shares with their 95% intervals', shares)}</section>"
    )
    rows = ((name, describe_share(share)) for name, share in shares)
    yield _table("In figures", ("measure", "share (95% interval)"), rows)
    given = tuple(next(iter(measures.confusion.values())))
    yield _table(
        "What was expected, and what was given",
        ("expected", *given),
        (
            (expected, *(str(counted[one]) for one in given))
            for expected, counted in measures.confusion.items()
        ),
    )


def _render_comparison(comparison: Comparison) -> Iterator[str]:
    chance = (
        "nothing was fixed or broken"
        if comparison.p is None
        else f"p = {comparison.p:.4f} (McNemar's exact test)"
    )
    yield _table(
        f"Against the run of {comparison.against}: {chance}",
        ("cases", "number"),
        (
            ("compared", str(comparison.compared)),
            ("right in both", str(comparison.both_right)),
            ("wrong in both", str(comparison.both_wrong)),
            ("fixed", str(len(comparison.fixed))),
            ("broken", str(len(comparison.broken))),
            ("other codes", str(len(comparison.changed))),
            ("other label, not compared", str(len(comparison.relabelled))),
            ("disputed, not compared", str(len(comparison.disputed))),
            ("only in this run", str(len(comparison.only_now))),
            ("only in the earlier run", str(len(comparison.only_before))),
        ),
    )
    for heading, changes in (
        ("Broken", comparison.broken),
        ("Fixed", comparison.fixed),
        ("Other codes", comparison.changed),
    ):
        if changes:
            yield _table(heading, _CHANGE_COLUMNS, map(_change_row, changes))


_CHANGE_COLUMNS = ("case", "label", "before", "now", "codes before", "codes now")


def _change_row(change: CaseChange) -> tuple[str, ...]:
    return (
        change.case_id,
        change.label or "–",
        change.before,
        change.now,
        ", ".join(change.codes_before),
        ", ".join(change.codes_now),
    )


def _table(heading: str, columns: Sequence[str], rows: Iterable[tuple[str, ...]]) -> str:
    return render_table(PageTable(heading=heading, columns=tuple(columns), rows=tuple(rows)))
