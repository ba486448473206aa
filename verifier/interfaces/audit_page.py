"""All audits as one page: what was found by source, by month and by code, and the answers that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.drift import Drift
from verifier.core.kept_spans import Standing
from verifier.core.verdicts import DISPOSITIONS, VerdictCode
from verifier.interfaces.audit_tables import (
    conflict_rows,
    drift_rows,
    orphan_rows,
    stale_rows,
    superseded_rows,
    unapproved_rows,
)
from verifier.interfaces.bar_chart import PATTERNS, Bar, Series, draw_columns, draw_rows
from verifier.interfaces.html_marks import text_to_html
from verifier.interfaces.html_report import PageTable, fill_page, render_table
from verifier.interfaces.wording import MARKS, count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.audit.drift import DriftAudit
    from verifier.audit.overview import AuditOverview
    from verifier.interfaces.html_report import Address

_BARS: Final = 12
_MONTHS: Final = 36
_CHANGED: Final = Series(name="changed", colour="--review", pattern="stripes")
_GONE: Final = Series(name="gone", colour="--rejected", pattern="dots")
_STALE: Final = Series(name="review overdue", colour="--unchecked", pattern="stripes")
_BARRED: Final = Series(name="not approved", colour="--rejected", pattern="dots")
_ALL: Final = Series(name="answers that cite", colour="--accepted")
_MOVED: Final = Series(name="version no longer current", colour="--review", pattern="stripes")


def render_audit_page(overview: AuditOverview, *, tenant: str) -> str:
    """Return the page of all audits: no script, nothing loaded from elsewhere, every text escaped."""
    return fill_page(
        f"Audits of {tenant}", subtitle=describe_audits(overview), body=render_audits(overview)
    )


def describe_audits(overview: AuditOverview) -> str:
    """Return of which moment the audits are, and what they were limited to."""
    since, source = overview.order.since, overview.order.source
    limits = "" if since is None else f", answers since {since.isoformat('T', 'minutes')}"
    named = "" if source is None else f", source {source}"
    return f"{overview.now.isoformat('T', 'seconds')}{limits}{named}"


def render_audits(overview: AuditOverview, address: Address | None = None) -> str:
    """Return the audits as sections of a page, headed from the second level on.

    `address` leads from cells of the tables to pages that tell more, as in `render_table`.
    """
    parts = [PATTERNS, _summary(overview), *_log(overview)]
    for heading, told, chart, table in _sections(overview):
        parts.append(f"<section><h2>{text_to_html(heading)}</h2><p>{text_to_html(told)}</p>{chart}")
        parts.append("</section>")
        if table is not None:
            parts.append(
                render_table(table, address).replace("<h2>", "<h3>").replace("</h2>", "</h3>")
            )
    return "\n".join(parts)


def _summary(overview: AuditOverview) -> str:
    superseded = sum(one.affected for one in overview.superseded.versions)
    rows = (
        ("superseded", "versions whose cited words no longer stand", overview.superseded.found),
        ("stale", "sources past their review", overview.stale.found),
        ("unapproved", "sources pending, denied or withdrawn", overview.unapproved.found),
        ("orphans", "erased versions, silent sources, dates ahead", overview.orphans.found),
        ("conflicts", "conflicts that are not resolved", overview.conflicts.found),
        *(
            ()
            if overview.drift is None
            else (("drift", "tables that drifted or can't be read", overview.drift.found),)
        ),
    )
    cells = "".join(
        f'<li class="{"review" if number else "accepted"}"><strong>{number:,}</strong><br>'
        f'<span class="code">{"?" if number else "✓"} {name}</span>'
        f'<br><span class="soft">{text_to_html(told)}</span></li>'
        for name, told, number in rows
    )
    return (
        f'<section aria-label="What was found"><ul class="sums">{cells}'
        f"</ul><p>{superseded:,} answers rest on words that changed or are gone, counted on each"
        f" of the {count(len(overview.superseded.versions), 'version')} listed below.</p></section>"
    )


def _log(overview: AuditOverview) -> Iterator[str]:
    log = overview.log
    told = (
        f"{log.reports:,} answers are logged, {log.accepted:,} of them accepted; {log.citing:,} cite "
        "stored versions."
    )
    if log.ahead:
        told += f" {log.ahead:,} are dated later than this page: a clock was wrong, then or now."
    yield f"<section><h2>The answer log</h2><p>{text_to_html(told)}</p>"
    if overview.months:
        bars = [
            Bar(label=one.month, counts=(one.answers, one.moved, one.stale, one.barred))
            for one in overview.months[-_MONTHS:]
        ]
        title = "Answers by month, and what they rest on as it stands now"
        yield draw_columns(title, (_ALL, _MOVED, _STALE, _BARRED), bars)
    if overview.codes:
        yield draw_rows(
            "Citations, by the verdict code of their claim",
            (Series(name="citations", colour="--unchecked"),),
            [Bar(label=_name(one.code), counts=(one.citations,)) for one in overview.codes],
        )
    yield "</section>"


def _name(code: str) -> str:
    known = code in set(VerdictCode)
    return f"{MARKS[DISPOSITIONS[VerdictCode(code)]]} {code}" if known else code


_Section = tuple[str, str, str, PageTable | None]


def _sections(overview: AuditOverview) -> Iterator[_Section]:
    yield _superseded(overview)
    stale = overview.stale
    yield (
        "Stale",
        "Nothing is past its review."
        if not stale.found
        else f"Past their review: {count(stale.found, 'source')}.",
        _chart(
            "Answers on stale sources",
            (_STALE,),
            [Bar(label=one.version.key, counts=(one.version.answers,)) for one in stale.sources],
        ),
        stale_rows(stale),
    )
    if overview.drift is not None:
        yield _drift(overview.drift)
    unapproved = overview.unapproved
    yield (
        "Not approved",
        "No answer rests on a source that may not be used."
        if not unapproved.found
        else f"May not be used now, yet answers rest on it: {count(unapproved.found, 'source')}.",
        _chart(
            "Answers on sources that may not be used",
            (_BARRED,),
            [Bar(label=one.source.key, counts=(one.source.answers,)) for one in unapproved.sources],
        ),
        unapproved_rows(unapproved),
    )
    orphans = overview.orphans
    yield (
        "Orphans",
        "On the tool results of their turn alone, so that no change of a source or a table will ever name"
        f" them, rest {count(orphans.unanchored.found, 'accepted answer')}.",
        "",
        orphan_rows(orphans),
    )
    conflicts = overview.conflicts
    told = f"On record and not resolved: {count(conflicts.found, 'conflict')}."
    yield "Conflicts", told, "", conflict_rows(conflicts)


def _drift(drift: DriftAudit) -> _Section:
    told = f"On canonical rows rest {count(drift.looked, 'answer')}. "
    told += (
        f"Of {count(len(drift.tables), 'table')} rows are gone or read otherwise now."
        if drift.tables
        else "All rows that could be read are what they were."
    )
    if drift.unread:
        told += f" What could not be read is unknown: {count(len(drift.unread), 'table')}."
    bars = [
        Bar(
            label=one.table,
            counts=(one.answers - one.drifts[Drift.GONE], one.drifts[Drift.GONE]),
        )
        for one in drift.tables
    ]
    chart = _chart("Answers on rows that drifted", (_CHANGED, _GONE), bars)
    return "Drift", told, chart, drift_rows(drift)


def _superseded(overview: AuditOverview) -> _Section:
    audit = overview.superseded
    told = (
        "All that past answers cite still stands in what is current."
        if not audit.found
        else f"Of {count(audit.found, 'version')} cited words changed or are gone. An answer counts by the"
        " worst of its spans."
    )
    if audit.standing:
        told += f" Of {count(audit.standing, 'superseded version')} more all that is cited still stands."
    bars = [
        Bar(label=f"{one.version.key}@{one.version.seq}", counts=(one.changed, one.gone))
        for one in audit.versions
    ]
    chart = _chart("Answers on words that no longer stand", (_CHANGED, _GONE), bars)
    return "Superseded", told, chart, superseded_rows(audit, Standing.STANDS)


def _chart(title: str, series: Sequence[Series], bars: Sequence[Bar]) -> str:
    if not bars:
        return ""
    shown = f"{title}: the first {_BARS}" if len(bars) > _BARS else title
    return draw_rows(shown, series, bars[:_BARS])
