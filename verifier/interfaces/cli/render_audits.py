"""What audits find, on a terminal: a line an entry, the newest answers below the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

from verifier.core.drift import Drift
from verifier.core.kept_spans import Standing
from verifier.interfaces.cli.output import plain
from verifier.interfaces.cli.render import make_table
from verifier.interfaces.wording import count, describe_moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from rich.console import RenderableType

    from verifier.audit.drift import DriftAudit, DriftedAnswer
    from verifier.audit.impact import Impact
    from verifier.audit.orphans import OrphanAudit
    from verifier.audit.overview import AuditOverview
    from verifier.audit.superseded import SupersededAudit
    from verifier.audit.unapproved import UnapprovedAudit
    from verifier.store.audit_scope import RestingAnswer
    from verifier.store.conflict_reach import ConflictEntries
    from verifier.store.superseded import AffectedAnswer

_SHOWN_ENTRIES: Final = 5
_SHOWN_ANSWERS: Final = 5


def render_superseded(audit: SupersededAudit) -> Iterator[RenderableType]:
    """Yield a line for each version of which cited words no longer stand, and the newest answers on some."""
    if audit.versions:
        table = make_table(
            "source", "version#", "current#", "answers#", "changed#", "gone#", "spans that stand#"
        )
        for each in audit.versions:
            version = each.version
            table.add_row(
                plain(version.key),
                str(version.seq),
                "none" if version.current_seq is None else str(version.current_seq),
                f"{version.answers:,}",
                f"{each.changed:,}",
                f"{each.gone:,}",
                f"{each.spans[Standing.STANDS]:,} of {sum(each.spans.values()):,}",
            )
        yield table
        for each in audit.versions[:_SHOWN_ENTRIES]:
            yield from _answers(f"{each.version.key}@{each.version.seq}", each.answers)
    else:
        yield Text("all that past answers cite still stands in what is current")
    yield from _further(audit.found, len(audit.versions))
    if audit.standing:
        told = count(audit.standing, "superseded version")
        yield Text(f"of {told} all that is cited still stands", style="bright_black")


def render_unapproved(audit: UnapprovedAudit) -> Iterator[RenderableType]:
    """Yield a line for each source that may not be used, and the newest answers on some."""
    if not audit.sources:
        yield Text("no past answer rests on a source that may not be used now")
        return
    table = make_table("source", "now", "answers#", "versions", "by", "when", "why")
    for each in audit.sources:
        source = each.source
        table.add_row(
            plain(source.key),
            source.why.value,
            f"{source.answers:,}",
            ", ".join(map(str, source.versions)),
            plain(source.by or ""),
            describe_moment(source.at),
            plain(source.reason or ""),
        )
    yield table
    for each in audit.sources[:_SHOWN_ENTRIES]:
        yield from _answers(each.source.key, each.answers)
    yield from _further(audit.found, len(audit.sources))


def render_drift(audit: DriftAudit) -> Iterator[RenderableType]:
    """Yield a line for each table that drifted, the newest answers on some, and what could not be read."""
    if audit.tables:
        table = make_table("table", "answers#", "rows#", "gone#", "changed#", "other#", "columns")
        for each in audit.tables:
            gone, changed = each.drifts[Drift.GONE], each.drifts[Drift.CHANGED]
            table.add_row(
                plain(f"{each.database}/{each.table}"),
                f"{each.answers:,}",
                f"{each.rows:,}",
                f"{gone:,}",
                f"{changed:,}",
                f"{each.answers - gone - changed:,}",
                plain(", ".join(name or "the row" for name in each.columns)),
            )
        yield table
        for each in audit.tables[:_SHOWN_ENTRIES]:
            yield from _answers(f"{each.database}/{each.table}", each.newest)
    elif not audit.unread:
        told = count(audit.looked, "answer")
        yield Text(f"nothing drifted: {told} on canonical rows, which read as they did")
    for unread in audit.unread:
        told = (
            f"{unread.database}/{unread.table}, {count(unread.answers, 'answer')}: {unread.reason}"
        )
        yield Text(plain(f"! can't tell of {told}"), style="yellow")
    drifted = audit.found - len({(one.database, one.table) for one in audit.unread})
    yield from _further(drifted, len(audit.tables))


def render_orphans(audit: OrphanAudit) -> Iterator[RenderableType]:
    """Yield a line for each thing that leads nowhere, and how many answers nothing stored backs."""
    if audit.found:
        table = make_table("what", "answers#", "why")
        for erased in audit.erased:
            why = f"erased {describe_moment(erased.erased_at)} by {erased.erased_by or 'nobody known'}"
            table.add_row(plain(f"{erased.key}@{erased.seq}"), f"{erased.answers:,}", plain(why))
        for silent in audit.silent:
            why = f"no version is current ({', '.join(silent.states)})"
            table.add_row(plain(silent.key), f"{silent.answers:,}", why)
        yield table
    else:
        yield Text("everything that past answers cite is still there")
    if audit.ahead.found:
        told = f"{count(audit.ahead.found, 'answer')} dated later than now: a clock was wrong"
        yield Text(f"! {told}", style="yellow")
    if audit.unanchored.found:
        told = count(audit.unanchored.found, "accepted answer")
        yield Text(
            f"{told} on the tool results of their turn alone: no change of a source or a table names them",
            style="bright_black",
        )


def render_conflicts(found: ConflictEntries) -> Iterator[RenderableType]:
    """Yield a line for each conflict, with both sides."""
    if not found.listed:
        yield Text("no such conflict is on record")
        return
    table = make_table("id#", "state", "answers#", "about", "one side", "other side", "assigned to")
    for each in found.listed:
        other = each.other_place or each.other_key or ""
        seq = "" if each.other_seq is None else f"@{each.other_seq}"
        table.add_row(
            str(each.conflict_id),
            each.state,
            f"{each.answers:,}",
            plain(f"{each.subject}: {each.attribute}"),
            plain(f"{each.value} ({each.key}@{each.seq})"),
            plain(f"{each.other_value} ({other}{seq})"),
            plain(each.assigned_to or ""),
        )
    yield table
    yield from _further(found.found, len(found.listed))


def render_overview(overview: AuditOverview, page: Path) -> Iterator[RenderableType]:
    """Yield how much each audit found, and where the page is."""
    table = make_table("audit", "found#")
    for name, found in (
        ("superseded", overview.superseded.found),
        ("stale", overview.stale.found),
        ("unapproved", overview.unapproved.found),
        ("orphans", overview.orphans.found),
        ("conflicts", overview.conflicts.found),
        ("drift", 0 if overview.drift is None else overview.drift.found),
    ):
        table.add_row(name, f"{found:,}")
    yield table
    yield Text(plain(f"with the answers that they name: {page}"))


def render_impact(impact: Impact) -> Iterator[RenderableType]:
    """Yield what a source or a version is to the rest: figures, then a line a version and a month."""
    counts = impact.counts
    name = impact.key if impact.seq is None else f"{impact.key}@{impact.seq}"
    yield Text(plain(f"withdrawing or erasing {name} would touch"))
    for number, told in (
        (counts.answering, f"chunks that searches return now, of {counts.chunks:,} in all"),
        (counts.passages, "embedded texts that nothing else has"),
        (counts.answers, f"logged answers that rest on it, {counts.accepted:,} of them accepted"),
        (counts.open_reviews, "open reviews"),
        (counts.open_conflicts, "conflicts that are not resolved"),
    ):
        yield Text(f"  {number:>9,} {told}")
    versions = make_table("version#", "state", "answers#", "newest answer")
    for each in impact.versions:
        versions.add_row(
            str(each.seq), each.state, f"{each.answers:,}", describe_moment(each.newest_answer_at)
        )
    yield versions
    if impact.months:
        months = make_table("month", "answers#")
        for month in impact.months:
            months.add_row(month.month, f"{month.answers:,}")
        yield months


def _answers(
    name: str, answers: Sequence[RestingAnswer | AffectedAnswer | DriftedAnswer]
) -> Iterator[RenderableType]:
    if not answers:
        return
    yield Text(plain(f"! {name}"), style="yellow")
    for answer in answers[:_SHOWN_ANSWERS]:
        state = getattr(answer, "standing", None) or getattr(answer, "drift", None)
        became = "" if state is None else f", {state.value}"
        yield Text(
            plain(
                f"    answer {answer.report_id[:12]} of {describe_moment(answer.created_at)},"
                f" {count(len(answer.claim_ids), 'claim')}{became}"
            ),
            style="bright_black",
        )


def _further(found: int, listed: int) -> Iterator[RenderableType]:
    if found > listed:
        yield Text(f"… and {found - listed:,} more; --limit shows them", style="bright_black")
