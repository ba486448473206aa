"""An evaluation on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

from verifier.audit.evaluation import Judgement
from verifier.interfaces.cli.output import plain
from verifier.interfaces.cli.render import make_table
from verifier.interfaces.evaluation_page import list_shares
from verifier.interfaces.share_chart import describe_share
from verifier.interfaces.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from verifier.audit.evaluation import CaseResult, Evaluation, Measures
    from verifier.audit.evaluation_comparison import CaseChange, Comparison
    from verifier.interfaces.evaluation_outcome import EvalOutcome

_SHOWN: Final = 20


def render_outcome(outcome: EvalOutcome) -> Iterator[RenderableType]:
    """Yield the run, if one was made, and the comparison, if one was asked for."""
    if outcome.evaluation is not None:
        yield from _render_run(outcome.evaluation)
    if outcome.comparison is not None:
        yield from _render_comparison(outcome.comparison)


def _render_run(evaluation: Evaluation) -> Iterator[RenderableType]:
    yield from _render_group("labelled before the run", evaluation.before)
    if evaluation.after.cases:
        yield from _render_group("labelled after the run", evaluation.after)
    for judgement, sign, style in (
        (Judgement.ACCEPTED_WRONGLY, "✗ wrongly accepted", "red"),
        (Judgement.REFUSED_WRONGLY, "✗ wrongly refused", "red"),
        (Judgement.LEFT_OPEN, "? not as expected", "yellow"),
        (Judgement.DISPUTED, "– disputed", "bright_black"),
    ):
        found = [one for one in evaluation.cases if one.judgement is judgement]
        yield from (Text(f"{sign}: {_tell(one)}", style=style) for one in found[:_SHOWN])
        if len(found) > _SHOWN:
            yield Text(f"  and {len(found) - _SHOWN} more; --out and --html have all", style=style)
    for pair in evaluation.agreement.pairs:
        kappa = "not defined" if pair.kappa is None else f"{pair.kappa:.3f}"
        names = f"{plain(pair.reviewer)} and {plain(pair.other)}"
        yield Text(f"{names}: {pair.agreed} of {pair.shared} alike, Cohen's kappa {kappa}")


def _tell(result: CaseResult) -> str:
    labels = ", ".join(dict.fromkeys(one.label.value for one in result.labels))
    codes = ", ".join(dict.fromkeys(code.value for code in result.codes))
    return f"{plain(result.case_id)}, labelled {labels}, was {result.given} ({codes or 'no claim'})"


def _render_group(name: str, measures: Measures) -> Iterator[RenderableType]:
    yield Text(
        f"{count(measures.cases, 'case')} {name}, {measures.disputed} disputed", style="bold"
    )
    table = make_table("measure", "share (95% interval)")
    for measure, share in list_shares(measures):
        table.add_row(measure, describe_share(share))
    yield table
    given = tuple(next(iter(measures.confusion.values())))
    confusion = make_table("expected", *(f"{one}#" for one in given))
    for expected, counted in measures.confusion.items():
        confusion.add_row(expected, *(str(counted[one]) for one in given))
    yield confusion


def _render_comparison(comparison: Comparison) -> Iterator[RenderableType]:
    chance = "" if comparison.p is None else f", p = {comparison.p:.4f} (McNemar's exact test)"
    yield Text(
        f"against {comparison.against}: of {comparison.compared} cases {len(comparison.fixed)} fixed,"
        f" {len(comparison.broken)} broken, {len(comparison.changed)} with other codes{chance}",
        style="bold",
    )
    for sign, style, changes in (
        ("✗ broken", "red", comparison.broken),
        ("✓ fixed", "green", comparison.fixed),
        ("~ other codes", "", comparison.changed),
    ):
        yield from (Text(f"{sign}: {_tell_change(one)}", style=style) for one in changes[:_SHOWN])
    for told, names in (
        ("other label, not compared", comparison.relabelled),
        ("disputed, not compared", comparison.disputed),
        ("only in this run", comparison.only_now),
        ("only in the earlier run", comparison.only_before),
    ):
        if names:
            more = " …" if len(names) > _SHOWN else ""
            yield Text(f"{told}: {plain(', '.join(names[:_SHOWN]))}{more}", style="bright_black")


def _tell_change(change: CaseChange) -> str:
    codes = f"{', '.join(change.codes_before)} → {', '.join(change.codes_now)}"
    return plain(f"{change.case_id}, {change.before} → {change.now} ({codes})")
